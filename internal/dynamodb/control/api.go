// SPDX-License-Identifier: Apache-2.0

// Package control is DynamoDB's operations on tables and their settings: everything but the items. Their bodies are
// read with encoding/json, for they are rare.
//
// Knows: tables, indexes, tags, time to live, policies and what else DynamoDB lets a table have, their rules and error
// texts.
// Never: items, expressions, HTTP, kv.
package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/security/permission"
)

// API answers the operations on tables of one database. It is safe for concurrent use.
type API struct {
	tablemodel.Space
	// Region and AccountID stand in ARNs.
	Region, AccountID string
	Limits            tablemodel.Limits
	// Guard decides whether the principal of a request's context may do what it asks for. nil: everybody may do
	// everything.
	Guard *permission.Guard
	// Kinesis says that changes of tables can be sent to streams of Kinesis.
	Kinesis bool
	// Contributors returns the keys of a table, or of one of its indexes, that take most requests. nil: nobody counts
	// them.
	Contributors func(table, index string) []Contributor
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Operation is an operation by its name. Run appends the answer to dst; its error is one that exception.Of understands.
type Operation struct {
	Name string
	// ReadOnly says that it changes nothing.
	ReadOnly bool
	// ShowsAddress says that it looks for ReachedAt's value in its context.
	ShowsAddress bool
	Run          func(a *API, ctx context.Context, body, dst []byte) ([]byte, error)
}

// operations is the table of operations. // immutable
var operations = []Operation{
	writes("CreateTable", (*API).createTable),
	writes("DeleteTable", (*API).deleteTable),
	reads("DescribeTable", (*API).describeTable),
	reads("ListTables", (*API).listTables),
	writes("UpdateTable", (*API).updateTable),
	writes("UpdateTimeToLive", (*API).updateTimeToLive),
	reads("DescribeTimeToLive", (*API).describeTimeToLive),
	writes("TagResource", (*API).tagResource),
	writes("UntagResource", (*API).untagResource),
	reads("ListTagsOfResource", (*API).listTagsOfResource),
	reads("DescribeContinuousBackups", (*API).describeContinuousBackups),
	writes("UpdateContinuousBackups", (*API).updateContinuousBackups),
	writes("CreateBackup", (*API).createBackup),
	reads("DescribeBackup", (*API).describeBackup),
	reads("ListBackups", (*API).listBackups),
	writes("DeleteBackup", (*API).deleteBackup),
	writes("RestoreTableFromBackup", (*API).restoreTableFromBackup),
	writes("RestoreTableToPointInTime", (*API).restoreTableToPointInTime),
	writes("PutResourcePolicy", (*API).putResourcePolicy),
	reads("GetResourcePolicy", (*API).getResourcePolicy),
	writes("DeleteResourcePolicy", (*API).deleteResourcePolicy),
	reads("DescribeKinesisStreamingDestination", (*API).describeKinesisStreamingDestination),
	writes("EnableKinesisStreamingDestination", (*API).enableKinesisStreamingDestination),
	writes("DisableKinesisStreamingDestination", (*API).disableKinesisStreamingDestination),
	writes("UpdateKinesisStreamingDestination", (*API).updateKinesisStreamingDestination),
	writes("UpdateContributorInsights", (*API).updateContributorInsights),
	reads("DescribeContributorInsights", (*API).describeContributorInsights),
	reads("ListContributorInsights", (*API).listContributorInsights),
	reads("DescribeLimits", (*API).describeLimits),
	withAddress(reads("DescribeEndpoints", (*API).describeEndpoints)),
}

// ownOperations are the operations that AWS does not have. // immutable
var ownOperations = []Operation{
	writes("Purge", (*API).purge),
}

// OwnOperations lists the operations that AWS does not have; the slice must not be changed.
func OwnOperations() []Operation { return ownOperations }

// writes is an operation on requests of type In. run returns the answer, nil for none.
func writes[In any](name string, run func(a *API, ctx context.Context, in *In) (any, error)) Operation {
	return Operation{Name: name, Run: func(a *API, ctx context.Context, body, dst []byte) ([]byte, error) {
		in := new(In)
		if err := Read(body, in); err != nil {
			return nil, err
		}
		if t, ok := any(in).(interface{ table() *string }); ok {
			if err := a.resolve(t.table(), name); err != nil {
				return nil, err
			}
		}
		if err := a.authorize(ctx, name, in); err != nil {
			return nil, err
		}
		answer, err := run(a, ctx, in)
		if err != nil || answer == nil {
			return dst, err
		}
		text, err := json.Marshal(answer)
		return append(dst, text...), err
	}}
}

// reads is writes for an operation that changes nothing.
func reads[In any](name string, run func(a *API, ctx context.Context, in *In) (any, error)) Operation {
	o := writes(name, run)
	o.ReadOnly = true
	return o
}

func withAddress(o Operation) Operation {
	o.ShowsAddress = true
	return o
}

// tableRequest is the body of a request that names a table that must be there. The name is judged, and an ARN resolved,
// before the operation runs.
type tableRequest struct{ TableName *string }

func (r *tableRequest) table() *string { return r.TableName }

// Operations lists the operations; the slice must not be changed.
func Operations() []Operation { return operations }

func (a *API) account() tablemodel.Account {
	return tablemodel.Account{Region: a.Region, ID: a.AccountID}
}

func (a *API) nowMS() int64 {
	if a.Now != nil {
		return a.Now().UnixMilli()
	}
	return time.Now().UnixMilli()
}

// describeLimits shows the capacity that a new account of Amazon's may provision. Here nothing is bounded by it.
func (a *API) describeLimits(context.Context, *struct{}) (any, error) {
	return struct {
		AccountMaxReadCapacityUnits, AccountMaxWriteCapacityUnits, TableMaxReadCapacityUnits,
		TableMaxWriteCapacityUnits int
	}{
		80_000, 80_000, 40_000, 40_000}, nil
}

// addressKey is the key of ReachedAt's value in a context.
type addressKey struct{}

// ReachedAt returns a context for a request that has come in at an address, a host with its port if that is none of the
// standard ones. A server gives DescribeEndpoints such a context; no other operation looks at it.
func ReachedAt(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// describeEndpoints names the address that the client has reached already. A client that discovers its endpoint goes
// wherever this answer sends it, with all its items: so it is never Amazon's address unless that is how the client got
// here, and if the address is not known there is none in the answer, whereupon clients stay where they are.
func (a *API) describeEndpoints(ctx context.Context, _ *struct{}) (any, error) {
	type endpoint struct {
		Address              string
		CachePeriodInMinutes int
	}
	list := []endpoint{}
	if address, ok := ctx.Value(addressKey{}).(string); ok && address != "" {
		list = append(list, endpoint{address, 1440})
	}
	return struct{ Endpoints []endpoint }{list}, nil
}
