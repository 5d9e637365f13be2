// SPDX-License-Identifier: Apache-2.0

// Package tableguard asks the policies of users and tables before the operations of a database in which a principal
// asks. It says which of DynamoDB's actions an operation is, and what its condition keys are. It costs nothing where
// nobody but the program itself asks.
//
// Knows: operations on tables and items, their actions and condition keys.
// Never: how policies decide, protocols.
package tableguard

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/change"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
)

// Guard asks for the principals of contexts. Its methods that have a context return an error of kind failure.Denied for
// what the principal may not do, nil if the context has none. It is safe for concurrent use.
type Guard struct {
	accounts *account.Accounts
	options  permission.Options
	named    func(database, name string) *schema.Table
	rights   atomic.Pointer[permission.Guard] // nil: nobody has asked but the program itself
}

// New returns the guard of a database with these users. named returns the descriptor of a table, or one that has its
// name alone if there is none.
func New(accounts *account.Accounts, o permission.Options, named func(database, name string) *schema.Table) *Guard {
	return &Guard{accounts: accounts, options: o, named: named}
}

// askerKey is the key of a context's principal. It is a database's own: its users are no others' users.
type askerKey struct{ of *Guard }

// As returns a context in which a principal asks.
func (g *Guard) As(ctx context.Context, p permission.Principal) context.Context {
	if g.rights.Load() == nil {
		g.rights.CompareAndSwap(nil, permission.New(g.accounts, g.options))
	}
	return context.WithValue(ctx, askerKey{g}, &p)
}

// AsItself returns a context in which the program itself asks, whoever asked for what it does.
func (g *Guard) AsItself(ctx context.Context) context.Context {
	return context.WithValue(ctx, askerKey{g}, (*permission.Principal)(nil))
}

// asker returns the principal of a context; nil: the program itself.
func (g *Guard) asker(ctx context.Context) *permission.Principal {
	if g.rights.Load() == nil {
		return nil
	}
	who, _ := ctx.Value(askerKey{g}).(*permission.Principal)
	return who
}

// conditionKeys returns the values of a condition key of policies.
type conditionKeys func(name string) (values []string, ok bool)

// ask wants a principal to be allowed an action on a table, or on a part of it.
func (g *Guard) ask(ctx context.Context, who *permission.Principal, action string, table *schema.Table, part string,
	values conditionKeys) error {
	return failure.Wrap(table.Name, g.rights.Load().Ask(ctx, who, action, table, part,
		func(r *permission.Request) { r.Values = values }))
}

// Table asks for an action on a table, or on a part of it such as "/stream/label".
func (g *Guard) Table(ctx context.Context, action string, table *schema.Table, part string) error {
	who := g.asker(ctx)
	if who == nil {
		return nil
	}
	return g.ask(ctx, who, action, table, part, nil)
}

// Named asks for an action on a table that needn't be there.
func (g *Guard) Named(ctx context.Context, action, database, name string) error {
	who := g.asker(ctx)
	if who == nil {
		return nil
	}
	return g.ask(ctx, who, action, g.named(database, name), "", nil)
}

// Database asks for an action on a database.
func (g *Guard) Database(ctx context.Context, action, name string) error {
	return g.check(ctx, action, account.DatabaseResource(name))
}

// All asks for an action on everything.
func (g *Guard) All(ctx context.Context, action string) error { return g.check(ctx, action, "*") }

func (g *Guard) check(ctx context.Context, action, resource string) error {
	who := g.asker(ctx)
	if who == nil {
		return nil
	}
	return failure.Wrap("", g.rights.Load().Check(ctx, who, permission.Request{Action: action, Resource: resource}))
}

// Read asks to read the item of a key.
func (g *Guard) Read(ctx context.Context, table *record.Table, key []byte) error {
	who := g.asker(ctx)
	if who == nil {
		return nil
	}
	return g.ask(ctx, who, "dynamodb:GetItem", table.Schema, "", func(name string) ([]string, bool) {
		switch name {
		case "dynamodb:leadingkeys":
			return leadingKey(table, key), true
		case "dynamodb:select":
			return []string{"ALL_ATTRIBUTES"}, true
		}
		return nil, false
	})
}

// writeActions maps Ops to actions. // immutable
var writeActions = [...]string{change.OpPut: "dynamodb:PutItem", change.OpUpdate: "dynamodb:UpdateItem",
	change.OpDelete: "dynamodb:DeleteItem", change.OpCheck: "dynamodb:ConditionCheckItem"}

// Write asks to write the item of a key.
func (g *Guard) Write(ctx context.Context, table *record.Table, key []byte, w *change.Write) error {
	who := g.asker(ctx)
	if who == nil {
		return nil
	}
	asked := *w // see Walk
	return g.ask(ctx, who, writeActions[asked.Op], table.Schema, "", func(name string) ([]string, bool) {
		switch name {
		case "dynamodb:leadingkeys":
			return leadingKey(table, key), true
		case "dynamodb:attributes":
			return attributesOf(table.Names, &asked), true
		case "dynamodb:returnvalues":
			return returnedParts(&asked), true
		}
		return nil, false
	})
}

// returnedParts are the parts of its item that a write shows, in DynamoDB's words. A policy must allow them all.
func returnedParts(w *change.Write) (parts []string) {
	if w.NeedOld {
		parts = append(parts, "ALL_OLD")
	}
	if w.NeedNew {
		parts = append(parts, "ALL_NEW")
	}
	if parts == nil {
		return []string{"NONE"}
	}
	return parts
}

// attributesOf are the attributes that a write is about.
func attributesOf(known value.Names, w *change.Write) (names []string) {
	for a := w.Row.Attributes(known); a.Next(); {
		names = append(names, string(a.Name()))
	}
	names = appendPaths(names, w.Condition)
	if w.Update == nil {
		return names
	}
	for _, path := range w.Update.Touched() {
		names = appendNew(names, path.Name)
	}
	for path := range w.Update.Reads() {
		names = appendNew(names, path.Name)
	}
	return names
}

func appendPaths(names []string, c expr.Condition) []string {
	for path := range expr.Paths(c) {
		names = appendNew(names, path.Name)
	}
	return names
}

func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// leadingKey is the value of the first part of an item's key.
func leadingKey(table *record.Table, key []byte) []string {
	x := table.Primary
	row, err := table.DecodeKey(nil, x, key[len(x.Prefix):])
	if err != nil {
		return []string{""} // no policy names it
	}
	v, ok := row.Get(table.Names, []byte(leadingName(x.Index)))
	return []string{permission.KeyText(v, ok)}
}

// leadingName is the attribute that a key begins with.
func leadingName(x *schema.Index) string {
	part := &x.Stated()[0]
	if column := part.Column(); column != "" {
		return column
	}
	return part.Name
}

// Walk is a walk over a table or one of its indexes: what a Query of package database says of it.
type Walk struct {
	Index           string
	AnyIndex, Fetch bool
	Where, Filter   expr.Condition
}

// Walk asks to walk a table or an index.
func (g *Guard) Walk(ctx context.Context, table *record.Table, w Walk) error {
	who := g.asker(ctx)
	if who == nil {
		return nil
	}
	asked := w // a copy, so that a walk needs no memory where nobody asks
	x, action, part, selected := table.Primary, "dynamodb:Scan", "", "ALL_ATTRIBUTES"
	// a search index finds keys of the table
	if named, ok := table.Index(asked.Index); ok && asked.Index != "" && !asked.AnyIndex && !named.Search {
		x, part = named, "/index/"+asked.Index
		if !asked.Fetch {
			selected = "ALL_PROJECTED_ATTRIBUTES"
		}
	}
	leading := boundKeys(x, asked.Where)
	if leading != nil {
		action = "dynamodb:Query"
	}
	return g.ask(ctx, who, action, table.Schema, part, func(name string) ([]string, bool) {
		switch name {
		case "dynamodb:leadingkeys":
			return leading, leading != nil
		case "dynamodb:attributes":
			names := appendPaths(appendPaths(nil, asked.Where), asked.Filter)
			return names, names != nil
		case "dynamodb:select":
			return []string{selected}, true
		}
		return nil, false
	})
}

// boundKeys are the values that a condition leaves to the first part of an index's key; nil: any.
func boundKeys(x *record.Index, where expr.Condition) (keys []string) {
	name := leadingName(x.Index)
	for _, c := range expr.Conjuncts(where) {
		switch c := c.(type) {
		case *expr.Compare:
			if isAttribute(c.B, name) {
				c = &expr.Compare{Op: c.Op.Swap(), A: c.B, B: c.A}
			}
			if c.Op == expr.Equal && isAttribute(c.A, name) {
				keys = literals(c.B)
			}
		case *expr.In:
			if isAttribute(c.X, name) {
				keys = literals(c.List...)
			}
		}
		if keys != nil {
			return keys
		}
	}
	return nil
}

func isAttribute(o expr.Operand, name string) bool {
	path, ok := o.(*expr.Path)
	return ok && path.IsTopLevel() && path.Name == name
}

// literals are the values of operands; nil if one depends on the item.
func literals(list ...expr.Operand) (keys []string) {
	for _, o := range list {
		literal, ok := o.(*expr.Literal)
		if !ok {
			return nil
		}
		keys = append(keys, permission.KeyText(literal.Value, true))
	}
	return keys
}
