// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
)

// Operation is a client's request, with the action that it needs.
type Operation struct{ Name, Action string }

// Operations returns all operations. Their actions are DynamoDB's for the same work.
func Operations() []Operation {
	return []Operation{
		{"Get", "dynamodb:GetItem"}, {"Scan", "dynamodb:Scan"}, {"Put", "dynamodb:PutItem"},
		{"Delete", "dynamodb:DeleteItem"}, {"Mutate", "dynamodb:UpdateItem"},
		{"CheckAndMutate", "dynamodb:UpdateItem"}, {"Increment", "dynamodb:UpdateItem"},
		{"Append", "dynamodb:UpdateItem"},
		{"Locations", "dynamodb:DescribeTable"}, {"Describe", "dynamodb:DescribeTable"},
		{"Tables", "dynamodb:ListTables"},
		{"CreateTable", "dynamodb:CreateTable"}, {"DropTable", "dynamodb:DeleteTable"},
		{"TruncateTable", "dynamodb:DeleteTable"},
		{"Enable", "dynamodb:UpdateTable"}, {"Compact", "dynamodb:UpdateTable"}, {"Disable", "dynamodb:UpdateTable"},
		{"ModifyTable", "dynamodb:UpdateTable"},
		{"AddFamily", "dynamodb:UpdateTable"}, {"ModifyFamily", "dynamodb:UpdateTable"},
		{"DropFamily", "dynamodb:UpdateTable"},
		{"CreateNamespace", "dynamodb:CreateTable"}, {"DropNamespace", "dynamodb:DeleteTable"},
		{"HasNamespace", "dynamodb:ListTables"},
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

// part is the part of a table that a call reads or writes, for the condition keys of policies.
type part struct {
	rows    [][]byte // nil: they are not named, as in a scan
	columns []Column
	read    bool   // no columns are all of them
	returns string // of a write: what it answers, as DynamoDB's ReturnValues
}

// authorize refuses a principal without the right to an operation on a part of a table. A scan reads rows that nobody
// names, so that a policy that depends on their keys allows none.
func (a *API) authorize(ctx context.Context, operation string, p database.Pinned, of part) error {
	if a.Guard == nil {
		return nil
	}
	principal := permission.FromContext(ctx)
	if ok, err := a.Guard.MayDoAll(ctx, principal, p.Descriptor()); ok || err != nil {
		return err
	}
	return refused(a.Guard.Ask(ctx, principal, actionOf(operation), p.Descriptor(), "", func(r *permission.Request) {
		r.Values = of.values
		r.Patterns = func(name string) bool { return name == "dynamodb:attributes" }
		r.Unknown = func(name string) bool { return name == "dynamodb:leadingkeys" && of.rows == nil }
	}))
}

// values returns the values of a condition key.
func (p *part) values(name string) ([]string, bool) {
	switch {
	case name == "dynamodb:leadingkeys":
		keys := make([]string, len(p.rows))
		for i := range p.rows {
			keys[i] = permission.KeyText(value.AppendBinary(nil, p.rows[i]), true)
		}
		return keys, p.rows != nil
	case name == "dynamodb:attributes" && p.isWhole():
		return []string{"*"}, true
	case name == "dynamodb:attributes":
		names := []string{RowColumn}
		for _, c := range p.columns {
			one := permission.Literal(string(c.attribute()))
			if c.Whole {
				one += "*"
			}
			names = append(names, one)
		}
		return names, true
	case name == "dynamodb:select" && p.read:
		if p.isWhole() || slices.ContainsFunc(p.columns, func(c Column) bool { return c.Whole }) {
			return []string{"ALL_ATTRIBUTES"}, true
		}
		return []string{"SPECIFIC_ATTRIBUTES"}, true
	case name == "dynamodb:returnvalues" && !p.read:
		return []string{p.returns}, true
	}
	return nil, false
}

// isWhole reports whether the columns are all that a row may have.
func (p *part) isWhole() bool {
	return p.read && len(p.columns) == 0 || slices.ContainsFunc(p.columns,
		func(c Column) bool { return c.Whole && len(c.Family) == 0 })
}

// tell returns an error that names a table only to principals with the right to the operation there.
func (a *API) tell(ctx context.Context, operation string, p database.Pinned, row []byte, err error) error {
	if denied := a.authorize(ctx, operation, p, part{rows: [][]byte{row}, returns: "NONE"}); denied != nil {
		return denied
	}
	return err
}

// authorizeTable refuses a principal without the right to an operation on a table, whether the table exists or not.
func (a *API) authorizeTable(ctx context.Context, operation string, name TableName) error {
	return refused(a.Guard.Ask(ctx, permission.FromContext(ctx), actionOf(operation),
		a.DB.DescriptorOf(name.Namespace, name.Name), "", nil))
}

func (a *API) authorizeNamespace(ctx context.Context, operation, name string) error {
	return a.check(ctx, permission.Request{Action: actionOf(operation), Resource: account.DatabaseResource(name)})
}

func (a *API) authorizeAll(ctx context.Context, operation string) error {
	return a.check(ctx, permission.Request{Action: actionOf(operation), Resource: "*"})
}

func (a *API) check(ctx context.Context, request permission.Request) error {
	return refused(a.Guard.Check(ctx, permission.FromContext(ctx), request))
}

// refused returns the fault for the guard's refusal.
func refused(err error) error {
	if denied, ok := errors.AsType[*permission.Denied](err); ok {
		return failure("security.AccessDeniedException", "%s", denied.Error())
	}
	return err
}
