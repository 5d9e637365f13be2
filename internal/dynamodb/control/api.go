// SPDX-License-Identifier: Apache-2.0

// Package control is DynamoDB's operations on tables and their settings: everything but the items. Their bodies are read with
// encoding/json, for they are rare.
//
// Knows: tables, indexes, tags, time to live, policies and what else DynamoDB lets a table have, their rules and error texts.
// Never: items, expressions, HTTP, kv.
package control

import (
	"context"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/definition"
)

// API answers the operations on tables of one database. It is safe for concurrent use.
type API struct {
	DB *weft.DB
	// Region and AccountID stand in ARNs.
	Region, AccountID string
	Limits            definition.Limits
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
}

// Operations lists the operations; the slice must not be changed.
func Operations() []Operation { return operations }

// tableARN is the name by which Amazon's other services would know a table.
func (a *API) tableARN(table string) string {
	return "arn:aws:dynamodb:" + a.Region + ":" + a.AccountID + ":table/" + table
}

// TableOf is a table's name, given as it is or in an ARN.
func TableOf(name string) string {
	if strings.HasPrefix(name, "arn:") {
		if at := strings.LastIndex(name, ":table/"); at >= 0 {
			return name[at+len(":table/"):]
		}
	}
	return name
}
