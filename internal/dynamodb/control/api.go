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
	"github.com/weftdb/weft/internal/dynamodb/definition"
)

// API answers the operations on tables of one database. It is safe for concurrent use.
type API struct {
	DB *weft.DB
	// Region and AccountID stand in ARNs.
	Region, AccountID string
	Limits            definition.Limits
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Operation is an operation by its name. Run appends the answer to dst; its error is one that exception.Of understands.
type Operation struct {
	Name string
	Run  func(a *API, ctx context.Context, body, dst []byte) ([]byte, error)
}

// operations is the table of operations. // immutable
var operations = []Operation{
	{"CreateTable", (*API).createTable},
	{"DeleteTable", (*API).deleteTable},
	{"DescribeTable", (*API).describeTable},
	{"ListTables", (*API).listTables},
	{"UpdateTable", (*API).updateTable},
	{"UpdateTimeToLive", (*API).updateTimeToLive},
	{"DescribeTimeToLive", (*API).describeTimeToLive},
	{"TagResource", (*API).tagResource},
	{"UntagResource", (*API).untagResource},
	{"ListTagsOfResource", (*API).listTagsOfResource},
	{"DescribeContinuousBackups", (*API).describeContinuousBackups},
	{"UpdateContinuousBackups", (*API).updateContinuousBackups},
	{"PutResourcePolicy", (*API).putResourcePolicy},
	{"GetResourcePolicy", (*API).getResourcePolicy},
	{"DeleteResourcePolicy", (*API).deleteResourcePolicy},
	{"DescribeKinesisStreamingDestination", (*API).describeKinesisStreamingDestination},
	{"DescribeContributorInsights", (*API).describeContributorInsights},
	{"ListContributorInsights", (*API).listContributorInsights},
	{"DescribeLimits", (*API).describeLimits},
	{"DescribeEndpoints", (*API).describeEndpoints},
}

// Operations lists the operations; the slice must not be changed.
func Operations() []Operation { return operations }

func (a *API) account() definition.Account {
	return definition.Account{Region: a.Region, ID: a.AccountID}
}

func (a *API) nowMS() int64 {
	if a.Now != nil {
		return a.Now().UnixMilli()
	}
	return time.Now().UnixMilli()
}
