// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
)

// Principal is a user for whom a program asks; see DB.As.
type Principal = permission.Principal

// Denied says what a principal may not do. An Error of KindDenied wraps it.
type Denied = permission.Denied

// askerKey is the key of a context's principal. It is a database's own: its users are no others' users.
type askerKey struct{ db *DB }

// As returns a context in which a principal asks: operations with it are done if the policies of the user (see
// Accounts) and of the table allow them, and are of KindDenied otherwise. Without it the program itself asks, which may
// do everything. Operations ask for DynamoDB's actions, with its condition keys LeadingKeys, Attributes, Select and
// ReturnValues: a read of one item for dynamodb:GetItem, a Query that binds the first part of its index's key to a
// value for dynamodb:Query and any other for dynamodb:Scan, changes of a table for dynamodb:UpdateTable. A Query with
// AnyIndex asks for the table. Anybody may learn which tables there are and how they are made, and what needs no
// context is not asked for.
func (db *DB) As(ctx context.Context, p Principal) context.Context {
	if db.guard.Load() == nil {
		db.guard.CompareAndSwap(nil, permission.New(db.Accounts(),
			permission.Options{Account: "000000000000", Region: "us-east-1", Logger: db.options.Logger,
				Now: db.options.Now}))
	}
	return context.WithValue(ctx, askerKey{db}, &p)
}

// asker returns the principal of a context; nil: the program itself.
func (db *DB) asker(ctx context.Context) *Principal {
	if db.guard.Load() == nil {
		return nil
	}
	who, _ := ctx.Value(askerKey{db}).(*Principal)
	return who
}

// conditionKeys returns the values of a condition key of policies.
type conditionKeys func(name string) (values []string, ok bool)

// ask wants a principal to be allowed an action on a table, or on a part of it.
func (db *DB) ask(ctx context.Context, who *Principal, action string, table *schema.Table, part string,
	values conditionKeys) error {
	return wrap(table.Name, db.guard.Load().Ask(ctx, who, action, table, part,
		func(r *permission.Request) { r.Values = values }))
}

// askNamed asks for an action on a table that needn't be there.
func (db *DB) askNamed(ctx context.Context, action, database, name string) error {
	who := db.asker(ctx)
	if who == nil {
		return nil
	}
	return db.ask(ctx, who, action, db.DescriptorOf(database, name), "", nil)
}

// DescriptorOf returns the descriptor of a table as it is at the moment, or one that has the table's name alone if
// there
// is none: to ask for a right to it. It must not be changed.
func (db *DB) DescriptorOf(database, name string) *schema.Table {
	if p, err := db.PinIn(database, name); err == nil {
		defer p.Release()
		return p.Descriptor()
	}
	return &schema.Table{Database: databaseOr(database), Name: name}
}

// change asks for an action that changes a table, and returns its id.
func (t *Table) change(ctx context.Context, action string) (id uint32, err error) {
	if err := t.db.askNamed(ctx, action, t.database, t.name); err != nil {
		return 0, err
	}
	return t.id()
}

// askDatabase asks for an action on a database.
func (db *DB) askDatabase(ctx context.Context, action, name string) error {
	who := db.asker(ctx)
	if who == nil {
		return nil
	}
	return wrap("", db.guard.Load().Check(ctx, who,
		permission.Request{Action: action, Resource: account.DatabaseResource(name)}))
}

// askRead asks to read the item of a key.
func (p Pinned) askRead(ctx context.Context, key []byte) error {
	who := p.db.asker(ctx)
	if who == nil {
		return nil
	}
	return p.db.ask(ctx, who, "dynamodb:GetItem", p.Descriptor(), "", func(name string) ([]string, bool) {
		switch name {
		case "dynamodb:leadingkeys":
			return p.leadingKey(key), true
		case "dynamodb:select":
			return []string{"ALL_ATTRIBUTES"}, true
		}
		return nil, false
	})
}

// writeActions maps Ops to actions. // immutable
var writeActions = [...]string{OpPut: "dynamodb:PutItem", OpUpdate: "dynamodb:UpdateItem",
	OpDelete: "dynamodb:DeleteItem", OpCheck: "dynamodb:ConditionCheckItem"}

// askWrite asks to write the item of a key.
func (p Pinned) askWrite(ctx context.Context, key []byte, w *Write) error {
	who := p.db.asker(ctx)
	if who == nil {
		return nil
	}
	asked := *w // see askWalk
	return p.db.ask(ctx, who, writeActions[asked.Op], p.Descriptor(), "", func(name string) ([]string, bool) {
		switch name {
		case "dynamodb:leadingkeys":
			return p.leadingKey(key), true
		case "dynamodb:attributes":
			return p.attributesOf(&asked), true
		case "dynamodb:returnvalues":
			return returnedParts(&asked), true
		}
		return nil, false
	})
}

// returnedParts are the parts of its item that a write shows, in DynamoDB's words. A policy must allow them all.
func returnedParts(w *Write) (parts []string) {
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
func (p Pinned) attributesOf(w *Write) (names []string) {
	for a := w.Row.Attributes(p.Names()); a.Next(); {
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
func (p Pinned) leadingKey(key []byte) []string {
	x := p.table.Primary
	row, err := p.decodeKey(nil, x, key[len(x.Prefix):])
	if err != nil {
		return []string{""} // no policy names it
	}
	v, ok := row.Get(p.Names(), []byte(leadingName(x.Index)))
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

// askWalk asks to walk a table or an index.
func (p Pinned) askWalk(ctx context.Context, q *Query) error {
	who := p.db.asker(ctx)
	if who == nil {
		return nil
	}
	asked := *q // a copy, so that a Query needs no memory where nobody asks
	x, action, part, selected := p.table.Primary, "dynamodb:Scan", "", "ALL_ATTRIBUTES"
	// a search index finds keys of the table
	if named, ok := p.table.Index(asked.Index); ok && asked.Index != "" && !asked.AnyIndex && !named.Search {
		x, part = named, "/index/"+asked.Index
		if !asked.Fetch {
			selected = "ALL_PROJECTED_ATTRIBUTES"
		}
	}
	leading := boundKeys(x, asked.Where)
	if leading != nil {
		action = "dynamodb:Query"
	}
	return p.db.ask(ctx, who, action, p.Descriptor(), part, func(name string) ([]string, bool) {
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
