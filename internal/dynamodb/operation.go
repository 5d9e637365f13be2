// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/dynamodb/control"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/exchange"
	"github.com/weftdb/weft/internal/dynamodb/fault"
	"github.com/weftdb/weft/internal/dynamodb/streams"
)

// Operation is one of DynamoDB's operations.
type Operation struct {
	Name string
	// ReadOnly says that it changes nothing, so that its answer can be thrown away.
	ReadOnly bool
	// Service stands before the name and a dot in X-Amz-Target.
	Service string
	// ShowsAddress says that it is run with a context of ReachedAt.
	ShowsAddress bool

	// named says that statements know its requests by its name alone. Others count themselves.
	named bool
	// run appends the answer to dst.
	run func(a *API, ctx context.Context, body, dst []byte) ([]byte, error)
	// explain is nil for all but Query, Scan and the SELECT of ExecuteStatement.
	explain func(a *API, ctx context.Context, body, dst []byte, how explainMode) ([]byte, error)
}

// The services that operations belong to.
const (
	tableService  = "DynamoDB_20120810"
	streamService = "DynamoDBStreams_20120810"
	ownService    = "Weft_20260101" // what AWS does not have
)

// itemOperations are the operations on items. // immutable
var itemOperations = []Operation{
	{Name: "GetItem", Service: tableService, ReadOnly: true, run: (*API).getItem},
	{Name: "PutItem", Service: tableService, run: (*API).putItem},
	{Name: "UpdateItem", Service: tableService, run: (*API).updateItem},
	{Name: "Query", Service: tableService, ReadOnly: true, run: (*API).query, explain: (*API).queryAs},
	{Name: "DeleteItem", Service: tableService, run: (*API).deleteItem},
	{Name: "BatchGetItem", Service: tableService, ReadOnly: true, run: (*API).batchGetItem},
	{Name: "BatchWriteItem", Service: tableService, run: (*API).batchWriteItem},
	{Name: "Scan", Service: tableService, ReadOnly: true, run: (*API).scan, explain: (*API).scanAs},
	{Name: "TransactWriteItems", Service: tableService, run: (*API).transactWriteItems},
	{Name: "TransactGetItems", Service: tableService, ReadOnly: true, run: (*API).transactGetItems},
	{Name: "ExecuteStatement", Service: tableService, run: (*API).executeStatement, explain: (*API).executeStatementAs},
	{Name: "BatchExecuteStatement", Service: tableService, run: (*API).batchExecuteStatement},
	{Name: "ExecuteTransaction", Service: tableService, run: (*API).executeTransaction},
}

// ownOperations are the operations that AWS does not have. // immutable
var ownOperations = append(controlOperations(control.OwnOperations(), ownService),
	Operation{Name: "Search", ReadOnly: true, Service: ownService, run: (*API).search, explain: (*API).searchAs})

// operations lists the operations on items, then those on tables, which package control has, on exports and imports,
// which package exchange has, and those on streams, which package streams has. // immutable
var operations = slices.Concat(itemOperations, controlOperations(control.Operations(), tableService),
	exchangeOperations(), streamOperations())

func controlOperations(from []control.Operation, service string) (list []Operation) {
	for _, o := range from {
		run := func(a *API, ctx context.Context, body, dst []byte) ([]byte, error) {
			return o.Run(a.control(), ctx, body, dst)
		}
		list = append(list, Operation{Name: o.Name, Service: service, ReadOnly: o.ReadOnly,
			ShowsAddress: o.ShowsAddress, named: true, run: run})
	}
	return list
}

func exchangeOperations() (list []Operation) {
	for _, o := range exchange.Operations() {
		run := func(a *API, ctx context.Context, body, dst []byte) ([]byte, error) {
			return o.Run(a.exchange(), ctx, body, dst)
		}
		list = append(list, Operation{Name: o.Name, Service: tableService, ReadOnly: o.ReadOnly, named: true, run: run})
	}
	return list
}

func streamOperations() (list []Operation) {
	for _, o := range streams.Operations() {
		run := func(a *API, ctx context.Context, body, dst []byte) ([]byte, error) {
			api := &streams.API{Space: a.space(), Region: a.region(), AccountID: a.account(), Guard: a.Guard}
			return o.Run(api, ctx, body, dst)
		}
		list = append(list, Operation{Name: o.Name, Service: streamService, ReadOnly: true, named: true, run: run})
	}
	return list
}

// Walks reports whether the operation walks over a table or an index, and can be explained.
func (o *Operation) Walks() bool { return o.explain != nil }

// Operations lists all of DynamoDB's operations. The slice must not be changed.
func Operations() []Operation { return operations }

// OwnOperations lists those that AWS does not have. The slice must not be changed.
func OwnOperations() []Operation { return ownOperations }

// FindOperation returns the operation of that name, the part of X-Amz-Target after the dot, nil if there is none.
func FindOperation(name string) *Operation {
	for _, list := range [...][]Operation{operations, ownOperations} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// Run runs an operation and appends the JSON of the answer to dst; some operations answer nothing at all. body must not
// be changed meanwhile and is not kept. The error is always an *exception.Error; dst is then of no more use.
func (a *API) Run(ctx context.Context, o *Operation, body, dst []byte) ([]byte, error) {
	if err := a.checkWithin(o); err != nil {
		return nil, exception.Of(err)
	}
	a.DB.Await(ctx)
	run := o.run
	if o.named && a.Statements != nil {
		run = o.runNamed
	}
	var answer []byte
	var err error
	if a.Faults == nil {
		answer, err = run(a, ctx, body, dst)
	} else {
		answer, err = a.Faults.Run(ctx, fault.Request{DB: a.DB, Operation: o.Name, ReadOnly: o.ReadOnly, Body: body,
			Run: func(ctx context.Context, body, dst []byte) ([]byte, error) { return run(a, ctx, body, dst) }}, dst)
	}
	if err != nil {
		return nil, exception.Of(err)
	}
	return answer, nil
}

// runNamed runs the operation and counts the request by its name.
func (o *Operation) runNamed(a *API, ctx context.Context, body, dst []byte) ([]byte, error) {
	begun := time.Now()
	answer, err := o.run(a, ctx, body, dst)
	now := time.Now()
	a.Statements.Add(digest.DynamoDB, a.databaseName(), []byte(o.Name),
		&digest.Cost{Took: now.Sub(begun), Failed: err != nil}, now)
	return answer, err
}

// Do is Run for an operation by its name.
func (a *API) Do(ctx context.Context, name string, body, dst []byte) ([]byte, error) {
	if o := FindOperation(name); o != nil {
		return a.Run(ctx, o, body, dst)
	}
	return nil, exception.New(exception.KindUnknownOperation, "")
}
