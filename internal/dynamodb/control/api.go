// SPDX-License-Identifier: Apache-2.0

// Package control is DynamoDB's operations on tables and their settings: everything but the items. Their bodies are read with
// encoding/json, for they are rare.
//
// Knows: tables, indexes, tags, time to live, policies and what else DynamoDB lets a table have, their rules and error texts.
// Never: items, expressions, HTTP, kv.
package control

import (
	"context"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// API answers the operations on tables of one database. It is safe for concurrent use.
type API struct {
	DB *weft.DB
	// Region and AccountID stand in ARNs.
	Region, AccountID string
	Limits            tablemodel.Limits
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Operation is an operation by its name. Run appends the answer to dst; its error is one that exception.Of understands.
type Operation struct {
	Name string
	// ReadOnly says that it changes nothing.
	ReadOnly bool
	// ShowsAddress says that it looks for what ReachedAt has put into its context.
	ShowsAddress bool
	Run          func(a *API, ctx context.Context, body, dst []byte) ([]byte, error)
}

// operations is the table of operations. // immutable
var operations = []Operation{
	{Name: "CreateTable", Run: (*API).createTable},
	{Name: "DeleteTable", Run: (*API).deleteTable},
	{Name: "DescribeTable", ReadOnly: true, Run: (*API).describeTable},
	{Name: "ListTables", ReadOnly: true, Run: (*API).listTables},
	{Name: "UpdateTable", Run: (*API).updateTable},
	{Name: "UpdateTimeToLive", Run: (*API).updateTimeToLive},
	{Name: "DescribeTimeToLive", ReadOnly: true, Run: (*API).describeTimeToLive},
	{Name: "TagResource", Run: (*API).tagResource},
	{Name: "UntagResource", Run: (*API).untagResource},
	{Name: "ListTagsOfResource", ReadOnly: true, Run: (*API).listTagsOfResource},
	{Name: "DescribeContinuousBackups", ReadOnly: true, Run: (*API).describeContinuousBackups},
	{Name: "UpdateContinuousBackups", Run: (*API).updateContinuousBackups},
	{Name: "PutResourcePolicy", Run: (*API).putResourcePolicy},
	{Name: "GetResourcePolicy", ReadOnly: true, Run: (*API).getResourcePolicy},
	{Name: "DeleteResourcePolicy", Run: (*API).deleteResourcePolicy},
	{Name: "DescribeKinesisStreamingDestination", ReadOnly: true, Run: (*API).describeKinesisStreamingDestination},
	{Name: "DescribeContributorInsights", ReadOnly: true, Run: (*API).describeContributorInsights},
	{Name: "ListContributorInsights", ReadOnly: true, Run: (*API).listContributorInsights},
	{Name: "DescribeLimits", ReadOnly: true, Run: (*API).describeLimits},
	{Name: "DescribeEndpoints", ReadOnly: true, ShowsAddress: true, Run: (*API).describeEndpoints},
}

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
