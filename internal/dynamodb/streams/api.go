// SPDX-License-Identifier: Apache-2.0

// Package streams is DynamoDB Streams: the operations by which programs read the changes of a table's items.
//
// Knows: streams, shards, iterators, records and sequence numbers as AWS writes them.
// Never: how changes are kept, HTTP.
package streams

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/control"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/security/permission"
)

// API answers the operations on streams of one database. It is safe for concurrent use.
type API struct {
	tablemodel.Space
	// Region and AccountID stand in ARNs.
	Region, AccountID string
	// Guard decides whether the principal of a request's context may do what it asks for. nil: everybody may do
	// everything.
	Guard *permission.Guard
}

// Operation is an operation by its name. Run appends the answer to dst; its error is one that exception.Of understands.
type Operation struct {
	Name string
	Run  func(a *API, ctx context.Context, body, dst []byte) ([]byte, error)
}

// operations is the table of operations. // immutable
var operations = []Operation{
	operation("ListStreams", (*API).listStreams),
	operation("DescribeStream", (*API).describeStream),
	operation("GetShardIterator", (*API).getShardIterator),
	operation("GetRecords", (*API).getRecords),
}

// Operations lists the operations; the slice must not be changed.
func Operations() []Operation { return operations }

// operation is an operation on requests of type In.
func operation[In any](name string, run func(a *API, ctx context.Context, in *In, dst []byte) ([]byte,
	error)) Operation {
	return Operation{Name: name, Run: func(a *API, ctx context.Context, body, dst []byte) ([]byte, error) {
		in := new(In)
		if err := control.Read(body, in); err != nil {
			return nil, err
		}
		return run(a, ctx, in, dst)
	}}
}

func (a *API) account() tablemodel.Account {
	return tablemodel.Account{Region: a.Region, ID: a.AccountID}
}

// stream is a stream of a table, for one request.
type stream struct {
	database.Pinned
	changes capture.Table
	schema.Stream
}

// open pins the table of a stream's ARN, if the principal may do the operation. The pin must be released.
func (a *API) open(ctx context.Context, arn, operation string) (s stream, err error) {
	table, label, err := a.account().Stream(arn, operation)
	if err != nil {
		return s, err
	}
	return a.openLabel(ctx, table, label, operation)
}

func (a *API) openLabel(ctx context.Context, table, label, operation string) (s stream, err error) {
	pin, err := a.DB.PinIn(a.Name(), table)
	if err != nil {
		return s, a.missing(ctx, table, label, operation)
	}
	if err := a.ask(ctx, operation, pin.Descriptor(), label); err != nil {
		pin.Release()
		return s, err
	}
	changes := pin.Changes()
	for _, one := range changes.Streams() {
		if one.Label == label {
			return stream{pin, changes, one}, nil
		}
	}
	pin.Release()
	return s, a.notFound(table, label)
}

// missing is the error for a table that is not there, for principals that may know.
func (a *API) missing(ctx context.Context, table, label, operation string) error {
	if err := a.ask(ctx, operation, &schema.Table{Database: a.Name(), Name: table}, label); err != nil {
		return err
	}
	return a.notFound(table, label)
}

func (a *API) notFound(table, label string) error {
	return exception.New(exception.KindResourceNotFound,
		"Requested resource not found: Stream: "+a.account().StreamARN(table, label)+" not found")
}

// ask wants the caller to be allowed an operation on a stream; "" for a table.
func (a *API) ask(ctx context.Context, operation string, table *schema.Table, label string) error {
	part := ""
	if label != "" {
		part = "/stream/" + label
	}
	return exception.Authorization(a.Guard.Ask(ctx, permission.FromContext(ctx), "dynamodb:"+operation, table, part,
		nil))
}

// isGone reports whether an error tells of a table that was dropped meanwhile.
func isGone(err error) bool {
	detail, ok := errors.AsType[*database.Error](err)
	return ok && detail.Kind == database.KindNotFound
}
