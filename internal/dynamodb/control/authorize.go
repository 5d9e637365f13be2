// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/permission"
	"github.com/weftdb/weft/internal/schema"
)

// onAccount lists the operations that are about no single table. All others name one, by a name or an ARN. // immutable
var onAccount = []string{"ListTables", "ListBackups", "ListContributorInsights", "DescribeLimits", "DescribeEndpoints"}

// authorize wants the caller to be allowed an operation on the resource that the request names. A request that names none, or none that can be, is left to
// the operation, which refuses it.
func (a *API) authorize(ctx context.Context, operation string, in any) error {
	if a.Guard == nil {
		return nil
	}
	request := permission.Request{Action: "dynamodb:" + operation, Resource: "*"}
	if !slices.Contains(onAccount, operation) {
		table, part, ok := a.resourceOf(operation, in)
		if !ok {
			return nil
		}
		var err error
		if request, err = a.requestOn(request.Action, table, part); err != nil {
			return err
		}
	}
	return exception.Authorization(a.Guard.Check(ctx, permission.FromContext(ctx), request))
}

// requestOn is a request about a table, whether that is there or not.
func (a *API) requestOn(action, name, part string) (request permission.Request, err error) {
	pin, err := a.DB.Pin(name)
	if err != nil {
		return a.Guard.Table(action, &schema.Table{Database: database.DefaultDatabase, Name: name}, part)
	}
	defer pin.Release()
	return a.Guard.Table(action, pin.Descriptor(), part)
}

// resourceOf is the table that a request names, and the part of it, such as "/backup/ID"; ok is false for one that names no possible table.
func (a *API) resourceOf(operation string, in any) (table, part string, ok bool) {
	var err error
	switch in := in.(type) {
	case interface{ table() *string }:
		return *in.table(), "", true // it was judged before
	case *tablemodel.Create:
		table, ok = a.tableOf(in.TableName, operation)
		return table, "", ok
	case *tablemodel.Update:
		table, ok = a.tableOf(in.TableName, operation)
		return table, "", ok
	case interface{ part() (*string, string) }:
		arn, kind := in.part()
		table, id, err := a.account().Part(arn, kind, operation)
		return table, "/" + kind + "/" + id, err == nil
	case interface{ resource() *string }:
		table, _, err = a.account().Resource(in.resource(), operation)
	}
	return table, "", err == nil && table != ""
}

func (a *API) tableOf(name *string, operation string) (string, bool) {
	if name == nil {
		return "", false
	}
	table, err := a.account().Table(*name, operation)
	return table, err == nil && table != ""
}
