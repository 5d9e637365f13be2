// SPDX-License-Identifier: Apache-2.0

// Package dynamodb is DynamoDB's API, one operation a file, without its HTTP: a request is an operation's name and a
// JSON body, the answer JSON or an *exception.Error. A body is read in one pass into a struct of its operation's; items
// go from the body straight into stored rows and from stored rows straight into the answer.
//
// A request is judged in DynamoDB's order: JSON, constraints of single members, expressions, the table, the key and the
// schema. What comes before the table stands in order.go.
//
// Knows: DynamoDB's operations, their rules, limits and error texts.
// Never: sockets, HTTP, signatures, kv, how keys are encoded.
package dynamodb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/control"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/exchange"
	"github.com/weftdb/weft/internal/dynamodb/fault"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/storage"
)

// API answers the operations of DynamoDB from one database. Its fields must not be changed once it is in use; then it
// is safe for concurrent use.
type API struct {
	DB *database.DB
	// Region and AccountID stand in ARNs. Defaults: "us-east-1" and "000000000000".
	Region, AccountID string
	// Options are limits that Amazon has, too.
	Options Options
	// Guard decides whether the principal of a request's context may do what it asks for. nil: everybody may do
	// everything.
	Guard *permission.Guard
	// Buckets opens the bucket of a name, for exports and imports. nil: there are none.
	Buckets func(name string) (storage.Storage, error)
	// Dir is a folder for temporary files of exports. Default: none.
	Dir string
	// AcceptEncryption accepts requests for encryption at rest, although nothing is encrypted: descriptions say so.
	AcceptEncryption bool
	// Kinesis says that somebody sends the changes of tables to streams of Kinesis, so that it may be asked for.
	Kinesis bool
	// Limiter holds requests to the throughput of tables and indexes. nil: nothing is limited.
	Limiter *throttle.Limiter
	// Contributors returns the keys of a table, or of one of its indexes ("": the table itself), that take most
	// requests. nil: nobody counts them.
	Contributors func(table, index string) []Contributor
	// Statements adds up what requests cost, by their operations, tables and expressions without values. nil: nobody
	// wants to know.
	Statements *digest.Table
	// Slow is the duration from which on Statements keeps a request as a slow one, with its body. It must be quick.
	// nil: none is.
	Slow func() time.Duration
	// Faults lets requests fail or wait on purpose. nil: none does.
	Faults *fault.Plan
	// Observe, if not nil, is called with how many items a read has examined and returned. It must be quick and safe
	// for concurrent use.
	Observe func(operation string, examined, returned int64)
	// ObserveWalk, if not nil, is called with what each page of an operation that Walks has done. It must be quick and
	// safe for concurrent use.
	ObserveWalk func(operation string, counts database.Counts)

	database string // in which the tables are; empty: DefaultDatabase
	own      bool   // it is made with its first table, and takes all operations
	pools    pools
}

// Within returns an API for the items of another database's tables. AWS has no such thing, so requests name tables as
// if they were in the default one, and can ask for nothing but items. Its memory is not kept for later requests: it is
// for a few of them.
func (a *API) Within(databaseName string) *API {
	return &API{DB: a.DB, Region: a.Region, AccountID: a.AccountID, Options: a.Options, Guard: a.Guard,
		Faults: a.Faults, Limiter: a.Limiter, Statements: a.Statements, Slow: a.Slow, Observe: a.Observe,
		ObserveWalk: a.ObserveWalk,
		database:    databaseName}
}

// Own returns an API for clients with tables of their own, in a database that is made with the first of them. region
// and account stand in their ARNs; "": those of a.
func (a *API) Own(databaseName, region, account string) *API {
	own := a.Within(databaseName)
	own.own, own.Region, own.AccountID = true, cmp.Or(region, a.Region), cmp.Or(account, a.AccountID)
	own.Buckets, own.Dir, own.AcceptEncryption, own.Kinesis = a.Buckets, a.Dir, a.AcceptEncryption, a.Kinesis
	own.Contributors = a.Contributors
	return own
}

// databaseName is the database of the tables.
func (a *API) databaseName() string { return a.space().Name() }

func (a *API) space() tablemodel.Space {
	return tablemodel.Space{DB: a.DB, Database: a.database, Own: a.own}
}

// checkWithin refuses what can't be asked of another database's tables: what is not about items; and transactions,
// whose tokens don't tell databases apart.
func (a *API) checkWithin(o *Operation) error {
	isItems := func(one Operation) bool {
		return one.Name == o.Name && one.Name != "TransactWriteItems" && one.Name != "ExecuteTransaction"
	}
	if a.database == "" || a.own || slices.ContainsFunc(itemOperations, isItems) {
		return nil
	}
	return exception.Validation(o.Name + " is only for tables of the default database: use SQL")
}

// Options are the limits of an API. The zero value has Amazon's.
type Options struct {
	ItemBytesMax     int // of an item, names and values. Default: 409,600
	PageBytesMax     int // after which a Query or Scan ends with the item that exceeds it. Default: 1 MiB
	BatchGetMax      int // keys of a BatchGetItem. Default: 100
	BatchWriteMax    int // writes of a BatchWriteItem. Default: 25
	TransactionMax   int // actions of a transaction. Default: 100
	TransactionBytes int // of what one TransactWriteItems carries, or one TransactGetItems returns. Default: 4 MiB
	BatchBytesMax    int // of the items that one BatchGetItem returns; the rest are UnprocessedKeys. Default: 16 MiB
	TableListMax     int // names in one answer of ListTables. Default: 100
	SegmentsMax      int // of a parallel scan. Default: 1,000,000
	GlobalIndexesMax int // of a table. Default: 20
	LocalIndexesMax  int // of a table. Default: 5
	IncludedNamesMax int // attributes named by all INCLUDE projections of a table. Default: 100
	IndexChangesMax  int // indexes that one UpdateTable makes and removes. Default: 1
	// TaggedIndexes lets tags ask for indexes that Amazon does not have.
	TaggedIndexes bool
	// IncrementMin is the shortest time between whose ends an incremental export may be of. Default: 15 minutes
	IncrementMin time.Duration
}

// BeyondAWS are the limits of an API that takes more than Amazon's: items of so many bytes, transactions as large as a
// request can be, several changes of indexes at once, and indexes that tags ask for.
func BeyondAWS(itemBytes int) Options {
	const most = 16 << 20 // of a request
	return Options{ItemBytesMax: itemBytes, TransactionMax: 10_000, TransactionBytes: most, IndexChangesMax: 100,
		TaggedIndexes: true}
}

// withDefaults sets the defaults of zero fields.
func (o Options) withDefaults() Options {
	o.ItemBytesMax = cmp.Or(o.ItemBytesMax, 400<<10)
	o.PageBytesMax = cmp.Or(o.PageBytesMax, 1<<20)
	o.BatchGetMax = cmp.Or(o.BatchGetMax, 100)
	o.BatchWriteMax = cmp.Or(o.BatchWriteMax, 25)
	o.BatchBytesMax = cmp.Or(o.BatchBytesMax, 16<<20)
	o.TransactionMax = cmp.Or(o.TransactionMax, 100)
	o.TransactionBytes = cmp.Or(o.TransactionBytes, 4<<20)
	o.TableListMax = cmp.Or(o.TableListMax, 100)
	o.SegmentsMax = cmp.Or(o.SegmentsMax, 1_000_000)
	o.GlobalIndexesMax = cmp.Or(o.GlobalIndexesMax, 20)
	o.LocalIndexesMax = cmp.Or(o.LocalIndexesMax, 5)
	o.IncludedNamesMax = cmp.Or(o.IncludedNamesMax, 100)
	o.IndexChangesMax = cmp.Or(o.IndexChangesMax, 1)
	o.IncrementMin = cmp.Or(o.IncrementMin, 15*time.Minute)
	return o
}

// region and account are the fields with their defaults.
func (a *API) region() string {
	return cmp.Or(a.Region, "us-east-1")
}

func (a *API) account() string {
	return cmp.Or(a.AccountID, "000000000000")
}

// Error is an exception of DynamoDB's.
type Error = exception.Error

// Contributor is a key that takes a share of the requests to a table or an index.
type Contributor = control.Contributor

// control answers the operations on tables.
func (a *API) control() *control.API {
	o := a.Options.withDefaults()
	return &control.API{Space: a.space(), Region: a.region(), AccountID: a.account(), Guard: a.Guard,
		Kinesis: a.Kinesis, Contributors: a.Contributors, Limits: tablemodel.Limits{
			GlobalIndexes: o.GlobalIndexesMax, LocalIndexes: o.LocalIndexesMax, IncludedNames: o.IncludedNamesMax,
			TableList: o.TableListMax, Encryption: a.AcceptEncryption,
			IndexChanges: o.IndexChangesMax, TaggedIndexes: o.TaggedIndexes,
		}}
}

// exchange answers the operations on exports and imports.
func (a *API) exchange() *exchange.API {
	return &exchange.API{Space: a.space(), Region: a.region(), AccountID: a.account(), Guard: a.Guard,
		Limits: a.control().Limits, Buckets: a.Buckets, Dir: a.Dir,
		IncrementMin: a.Options.withDefaults().IncrementMin}
}

// Serve does in the background what requests have asked for, and what an earlier process left of it.
func (a *API) Serve() { a.exchange().Serve() }

// ReachedAt returns a context for a request that has come in at an address, which DescribeEndpoints shows: a host, with
// its port if that is none of the standard ones.
func ReachedAt(ctx context.Context, address string) context.Context {
	return control.ReachedAt(ctx, address)
}
