// SPDX-License-Identifier: Apache-2.0

// Package exchange moves data between tables and buckets: exports of tables, imports into new tables, and puts of
// many items into tables that are there. A request files a record and is answered at once; the work is done in the
// background, and by the next process if this one ends.
//
// Knows: the operations, the layout of exports, what AWS says of work that goes on.
// Never: kinds of storage, HTTP, how entries are sorted and stored.
package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/dynamodb/control"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/storage"
)

// API answers the operations on exports and imports of one database. It is safe for concurrent use.
type API struct {
	tablemodel.Space
	// Region and AccountID stand in ARNs.
	Region, AccountID string
	Limits            tablemodel.Limits
	// Guard decides whether the principal of a request's context may do what it asks for. nil: everybody may do
	// everything.
	Guard *permission.Guard
	// Buckets opens a bucket by its name. nil: there are none, and requests that name one are refused.
	Buckets func(name string) (storage.Storage, error)
	// IncrementMin is the shortest time that an incremental export may be of; incrementMax is the longest.
	IncrementMin time.Duration
	// Dir is a folder for temporary files, which is made when it is needed. Imports need one. Default: none.
	Dir string
}

// Operation is an operation by its name. Run appends the answer to dst; its error is one that exception.Of understands.
type Operation struct {
	Name     string
	ReadOnly bool
	Run      func(a *API, ctx context.Context, body, dst []byte) ([]byte, error)
}

// operations is the table of operations. // immutable
var operations = []Operation{
	operation("ExportTableToPointInTime", false, (*API).exportTable),
	operation("DescribeExport", true, (*API).describeExport),
	operation("ListExports", true, (*API).listExports),
	operation("ImportTable", false, (*API).importTable),
	operation("DescribeImport", true, (*API).describeImport),
	operation("ListImports", true, (*API).listImports),
	operation("StartBulkPutItems", false, (*API).startBulkPutItems),
	operation("DescribeBulkOperation", true, (*API).describeBulkOperation),
	operation("ListBulkOperations", true, (*API).listBulkOperations),
	operation("CancelBulkOperation", false, (*API).cancelBulkOperation),
}

// Operations lists the operations; the slice must not be changed.
func Operations() []Operation { return operations }

// operation is an operation on requests of type In.
func operation[In any](name string, readOnly bool,
	run func(a *API, ctx context.Context, in *In) (any, error)) Operation {
	return Operation{Name: name, ReadOnly: readOnly,
		Run: func(a *API, ctx context.Context, body, dst []byte) ([]byte, error) {
			in := new(In)
			if err := control.Read(body, in); err != nil {
				return nil, err
			}
			answer, err := run(a, ctx, in)
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(answer)
			return append(dst, text...), err
		}}
}

// Serve does the work of this package from now on.
func (a *API) Serve() {
	tasks := a.DB.Tasks()
	tasks.Serve(taskExport, a.doExport)
	tasks.Serve(taskImport, a.doImport)
	tasks.Serve(taskBulk, a.doBulk)
}

func (a *API) account() tablemodel.Account {
	return tablemodel.Account{Region: a.Region, ID: a.AccountID}
}

// ask wants the caller to be allowed an operation on a table, or on a part of it such as "/export/ID".
func (a *API) ask(ctx context.Context, operation, name, part string) error {
	return exception.Authorization(a.Guard.Ask(ctx, permission.FromContext(ctx), "dynamodb:"+operation,
		a.DB.DescriptorOf(a.Name(), name), part, nil))
}

// askAll is ask for an operation that is about no single table.
func (a *API) askAll(ctx context.Context, operation string) error {
	return a.check(ctx, permission.Request{Action: "dynamodb:" + operation, Resource: "*"})
}

// askToRead wants the caller to be allowed to read all objects of a bucket whose names begin with a prefix, by the
// actions that AWS asks for.
func (a *API) askToRead(ctx context.Context, bucket, prefix *string) error {
	bucketARN := bucketARN(bucket)
	return a.check(ctx,
		permission.Request{Action: "s3:ListBucket", Resource: bucketARN, Values: func(name string) ([]string, bool) {
			return []string{valueOf(prefix)}, name == "s3:prefix"
		}},
		permission.Request{Action: "s3:GetObject",
			Resource: bucketARN + "/" + permission.Literal(valueOf(prefix)) + "*", Pattern: true})
}

// askToWrite wants the caller to be allowed to write objects of any name below a prefix of a bucket.
func (a *API) askToWrite(ctx context.Context, bucket *string, prefix string) error {
	return a.check(ctx, permission.Request{Action: "s3:PutObject",
		Resource: bucketARN(bucket) + "/" + permission.Literal(prefix) + "/*", Pattern: true})
}

func bucketARN(bucket *string) string { return "arn:aws:s3:::" + valueOf(bucket) }

func (a *API) check(ctx context.Context, requests ...permission.Request) error {
	return exception.Authorization(a.Guard.Check(ctx, permission.FromContext(ctx), requests...))
}

// errNoBuckets refuses work with buckets on a server that knows none.
func (a *API) errNoBuckets(member string) error {
	if a.Buckets != nil {
		return nil
	}
	return exception.Validation(member + ": " + errNoBuckets.Error())
}

// errNoBuckets says how a server gets buckets.
var errNoBuckets = errors.New("this server has no buckets; start it with --buckets s3: or --buckets and a folder")

// openBucket opens a bucket that a request has named, with a prefix.
func (a *API) openBucket(name, prefix string) (storage.Storage, error) {
	if a.Buckets == nil {
		return nil, errNoBuckets
	}
	bucket, err := a.Buckets(name)
	if err != nil {
		return nil, err
	}
	return storage.Below(bucket, prefix), nil
}

// failure is why work failed, as AWS tells it.
type failure struct{ Code, Message string }

// failureOf names the cause of a storage's error. The codes are from memory.
func failureOf(err error) failure {
	code := "S3Error"
	switch {
	case errors.Is(err, storage.ErrNoBucket):
		code = "S3NoSuchBucket"
	case errors.Is(err, storage.ErrNotFound):
		code = "S3NoSuchKey"
	case errors.Is(err, storage.ErrDenied):
		code = "S3AccessDenied"
	}
	return failure{code, err.Error()}
}

// seconds is a moment as AWS writes it: Unix seconds with a fraction. It is left out if it is 0.
type seconds int64 // milliseconds

func (s seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s)/1000, 'f', -1, 64), nil
}

func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// kmsKeyMax is the number of characters in the name of a key of KMS.
const kmsKeyMax = 2048

// matched wants a text to have at most so many characters and to be one of a pattern, if it is there.
func matched(faults *exception.Constraints, text *string, member, pattern string, most int, fits func(string) bool) {
	if text == nil {
		return
	}
	if !fits(*text) {
		faults.Add("'"+*text+"'", member, "Member must satisfy regular expression pattern: "+pattern)
	}
	faults.Within(text, member, 0, most)
}

func checkBucket(faults *exception.Constraints, name *string, member string) {
	if name == nil {
		faults.Null(member)
		return
	}
	matched(faults, name, member, `^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$`, 255, isBucket)
}

func isBucket(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || i == len(name)-1 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return len(name) >= 2
}

func checkOwner(faults *exception.Constraints, owner *string, member string) {
	matched(faults, owner, member, "[0-9]{12}", 12, func(text string) bool {
		return len(text) == 12 && strings.Trim(text, "0123456789") == ""
	})
}

func checkPrefix(faults *exception.Constraints, prefix *string, member string) {
	matched(faults, prefix, member, ".*", 1024, func(string) bool { return true })
}

func checkToken(faults *exception.Constraints, token *string) {
	matched(faults, token, "clientToken", `^[^\$]+$`, 36,
		func(text string) bool { return text != "" && !strings.Contains(text, "$") })
}

// absent refuses what this server does not do for objects.
func absent(member string, given bool, what, advice string) error {
	if !given {
		return nil
	}
	return exception.Validation(member + ": this server has no " + what + "; " + advice)
}
