// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/account"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/permission"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/value"
)

// Operation is what a client can ask for, and the action that it needs.
type Operation struct{ Name, Action string }

// Operations returns all operations. Their actions are DynamoDB's for the same work.
func Operations() []Operation {
	return []Operation{
		{"Get", "dynamodb:GetItem"}, {"Scan", "dynamodb:Scan"}, {"Put", "dynamodb:PutItem"}, {"Delete", "dynamodb:DeleteItem"}, {"Mutate", "dynamodb:UpdateItem"},
		{"CheckAndMutate", "dynamodb:UpdateItem"}, {"Increment", "dynamodb:UpdateItem"}, {"Append", "dynamodb:UpdateItem"},
		{"Locations", "dynamodb:DescribeTable"}, {"Describe", "dynamodb:DescribeTable"}, {"Tables", "dynamodb:ListTables"},
		{"CreateTable", "dynamodb:CreateTable"}, {"DropTable", "dynamodb:DeleteTable"}, {"TruncateTable", "dynamodb:DeleteTable"},
		{"Enable", "dynamodb:UpdateTable"}, {"Compact", "dynamodb:UpdateTable"}, {"Disable", "dynamodb:UpdateTable"}, {"ModifyTable", "dynamodb:UpdateTable"},
		{"AddFamily", "dynamodb:UpdateTable"}, {"ModifyFamily", "dynamodb:UpdateTable"}, {"DropFamily", "dynamodb:UpdateTable"},
		{"CreateNamespace", "dynamodb:CreateTable"}, {"DropNamespace", "dynamodb:DeleteTable"}, {"HasNamespace", "dynamodb:ListTables"},
		{"Namespaces", "dynamodb:ListTables"},
	}
}

// actionOf returns the action of an operation; "" has no policy allow.
func actionOf(operation string) string {
	list := Operations()
	i := slices.IndexFunc(list, func(o Operation) bool { return o.Name == operation })
	if i < 0 {
		return ""
	}
	return list[i].Action
}

// authorize wants who asks to be allowed an operation on rows of a table; rows are nil where they are not named, as in a scan.
func (a *API) authorize(ctx context.Context, operation string, p database.Pinned, rows [][]byte, columns []Column) error {
	if a.Guard == nil {
		return nil
	}
	principal := permission.FromContext(ctx)
	if ok, err := a.Guard.MayDoAll(ctx, principal, p.Descriptor()); ok || err != nil {
		return err
	}
	request, err := a.Guard.Table(actionOf(operation), p.Descriptor(), "")
	if err != nil {
		return err
	}
	request.Values = func(name string) ([]string, bool) {
		switch {
		case name == "dynamodb:leadingkeys" && rows != nil:
			keys := make([]string, len(rows))
			for i := range rows {
				keys[i] = permission.KeyText(value.AppendBinary(nil, rows[i]), true)
			}
			return keys, true
		case name == "dynamodb:attributes" && len(columns) > 0:
			names := []string{RowColumn}
			for _, c := range columns {
				names = append(names, string(c.attribute()))
			}
			return names, true
		}
		return nil, false
	}
	return a.check(ctx, request)
}

// authorizeTable wants who asks to be allowed an operation on a table, whether that is there or not.
func (a *API) authorizeTable(ctx context.Context, operation string, name TableName) error {
	if a.Guard == nil {
		return nil
	}
	table := &schema.Table{Database: name.Namespace, Name: name.Name}
	if p, err := a.DB.PinIn(name.Namespace, name.Name); err == nil {
		defer p.Release()
		table = p.Descriptor()
	}
	request, err := a.Guard.Table(actionOf(operation), table, "")
	if err != nil {
		return err
	}
	return a.check(ctx, request)
}

func (a *API) authorizeNamespace(ctx context.Context, operation, name string) error {
	return a.check(ctx, permission.Request{Action: actionOf(operation), Resource: account.DatabaseResource(name)})
}

func (a *API) authorizeAll(ctx context.Context, operation string) error {
	return a.check(ctx, permission.Request{Action: actionOf(operation), Resource: "*"})
}

func (a *API) check(ctx context.Context, request permission.Request) error {
	err := a.Guard.Check(ctx, permission.FromContext(ctx), request)
	if denied, ok := errors.AsType[*permission.Denied](err); ok {
		return failure("security.AccessDeniedException", "%s", denied.Error())
	}
	return err
}
