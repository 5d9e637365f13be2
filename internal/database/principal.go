// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/tableguard"
)

// Principal is a user for whom a program asks; see DB.As.
type Principal = permission.Principal

// Denied says what a principal may not do. An Error of KindDenied wraps it.
type Denied = permission.Denied

// As returns a context in which a principal asks: operations with it are done if the policies of the user (see
// Accounts) and of the table allow them, and are of KindDenied otherwise. Without it the program itself asks, which may
// do everything. Operations ask for DynamoDB's actions, with its condition keys LeadingKeys, Attributes, Select and
// ReturnValues: a read of one item for dynamodb:GetItem, a Query that binds the first part of its index's key to a
// value for dynamodb:Query and any other for dynamodb:Scan, changes of a table for dynamodb:UpdateTable. A Query with
// AnyIndex asks for the table. Anybody may learn which tables there are and how they are made, and what needs no
// context is not asked for.
func (db *DB) As(ctx context.Context, p Principal) context.Context { return db.guard.As(ctx, p) }

// AsItself returns a context in which the program itself asks, whoever asked for what it does.
func (db *DB) AsItself(ctx context.Context) context.Context { return db.guard.AsItself(ctx) }

func (db *DB) newGuard() *tableguard.Guard {
	return tableguard.New(db.Accounts(), permission.Options{Account: "000000000000", Region: "us-east-1",
		Logger: db.options.Logger, Now: db.options.Now}, db.DescriptorOf)
}

// DescriptorOf returns the descriptor of a table as it is at the moment, or one that has the table's name alone if
// there is none: to ask for a right to it. It must not be changed.
func (db *DB) DescriptorOf(database, name string) *schema.Table {
	if p, err := db.PinIn(database, name); err == nil {
		defer p.Release()
		return p.Descriptor()
	}
	return &schema.Table{Database: databaseOr(database), Name: name}
}

// change asks for an action that changes a table, and returns its id.
func (t *Table) change(ctx context.Context, action string) (id uint32, err error) {
	if err := t.db.guard.Named(ctx, action, t.database, t.name); err != nil {
		return 0, err
	}
	return t.id()
}

// askWalk asks to walk a table or an index.
func (p Pinned) askWalk(ctx context.Context, q *Query) error {
	return p.db.guard.Walk(ctx, p.table,
		tableguard.Walk{Index: q.Index, AnyIndex: q.AnyIndex, Fetch: q.Fetch, Where: q.Where, Filter: q.Filter})
}
