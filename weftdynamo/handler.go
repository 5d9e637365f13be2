// SPDX-License-Identifier: Apache-2.0

// Package weftdynamo serves DynamoDB's API within the program, over a weft.DB that is open: an http.Handler for the
// program's own server, whose tables are those of the other APIs, too.
//
// Handler checks that requests have the form of signed ones, as all AWS SDKs send them, but no signatures: whoever
// reaches it may do everything. Package wefttest gives tests an endpoint of their own.
//
// Knows: how the API and its HTTP side are put together.
// Never: ports, operations, users.
package weftdynamo

import (
	"log/slog"
	"net/http"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/database/inside"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/fault"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/storage"
)

// Options are the settings of a Handler. The zero value works.
type Options struct {
	// Region and AccountID stand in ARNs. Defaults: us-east-1 and 000000000000.
	Region, AccountID string
	// MemoryBytes bounds what all requests hold together: their bodies, items and answers. Those beyond it wait, and
	// then have to be sent again. Default: 256 MiB, at least 16 MiB.
	MemoryBytes int64
	// Buckets opens the bucket of a name, for exports, imports and bulk puts. One Handler of a database does that work.
	// Default: there are none.
	Buckets func(name string) (storage.Storage, error)
	// Dir is the folder for temporary files of exports. Default: none; exports fail.
	Dir string
	// Faults lets requests fail or wait on purpose, for tests. Default: none does.
	Faults *Faults
	// Logger takes failures at level error, and each request at level debug: never keys or values. Default:
	// slog.Default().
	Logger *slog.Logger
}

// Handler returns a handler of DynamoDB's API, which clients reach at the path /. It is of no use once the database is
// closed: shut the server down first.
func Handler(db *weft.DB, o Options) http.Handler {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	api := &dynamodb.API{DB: db.Inside(inside.Key{}), Region: o.Region, AccountID: o.AccountID, Buckets: o.Buckets,
		Dir: o.Dir, Faults: o.Faults}
	if o.Buckets != nil {
		api.Serve()
	}
	return dynamohttp.New(dynamohttp.Options{API: api, Region: o.Region, MemoryBytes: o.MemoryBytes, Logger: o.Logger,
		CheckAuthorization: true})
}

// Faults let requests fail or wait on purpose, so that programs can be tested for it: the rules of a Handler's
// Options.Faults. The zero value has none. Add adds some, Rules lists them with how often they were met, Clear drops
// all. It is safe for concurrent use.
type Faults = fault.Plan

// Fault says which requests fail or wait, and how.
type Fault = fault.Rule

// Duration is a time.Duration that JSON has as text, such as "250ms".
type Duration = fault.Duration

// The errors that a Fault can name. SDKs repeat all but TransactionConflict by themselves, as often as they are told.
const (
	ThroughputExceeded  = fault.ThroughputExceeded // of a table with provisioned throughput
	Throttling          = fault.Throttling         // of a table that is paid for by request, or of changes of tables
	RequestLimit        = fault.RequestLimit       // of an account
	TransactionConflict = fault.Conflict           // a transaction has the item
	InternalServerError = fault.Internal           // with the status 500
	ServiceUnavailable  = fault.Unavailable        // with the status 503
	Unprocessed         = fault.Unprocessed        // of requests in a batch, which answers them as unprocessed
)
