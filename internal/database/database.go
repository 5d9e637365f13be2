// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
)

// DefaultDatabase is the database in which tables live unless another is named: DynamoDB's name space. It is always
// there.
const DefaultDatabase = catalog.DefaultDatabase

// Errors of databases, of KindNotFound, KindExists and KindInvalid.
var (
	ErrDatabaseNotFound = catalog.ErrDatabaseNotFound
	ErrDatabaseExists   = catalog.ErrDatabaseExists
	ErrDatabaseNotEmpty = catalog.ErrDatabaseNotEmpty
)

// StoredView is a query with a name, which a dialect keeps beside the tables: it shares their names. A View is a
// snapshot, and something else.
type StoredView = catalog.View

// Errors of StoredViews.
var (
	ErrViewExists   = catalog.ErrViewExists
	ErrViewNotFound = catalog.ErrViewNotFound
)

// StoredViews keeps them.
func (db *DB) StoredViews() catalog.Views { return db.catalog.Views() }

// Databases returns the names of all databases but those of CreateTemporary, in order.
func (db *DB) Databases() []string { return slices.DeleteFunc(db.catalog.Databases(), IsTemporary) }

// CreateDatabase makes an empty database. Errors: KindExists; KindInvalid for an empty name or one with a zero byte.
func (db *DB) CreateDatabase(ctx context.Context, name string) error {
	if name == "" || strings.Contains(name, "\x00") {
		return invalid("", "%q is no name of a database", name)
	}
	if err := db.guard.Database(ctx, "dynamodb:CreateTable", name); err != nil {
		return err
	}
	return wrap("", db.catalog.CreateDatabase(ctx, name))
}

// DatabaseOption returns a dialect's option of a database; "" if there is none.
func (db *DB) DatabaseOption(database, name string) string {
	return db.catalog.DatabaseOption(database, name)
}

// SetDatabaseOption keeps a value with a database for a dialect, or takes it away if it is "". Errors: KindNotFound.
func (db *DB) SetDatabaseOption(ctx context.Context, database, name, value string) error {
	if err := db.guard.Database(ctx, "dynamodb:UpdateTable", database); err != nil {
		return err
	}
	return wrap("", db.catalog.SetDatabaseOption(ctx, database, name, value))
}

// DropDatabase removes a database, with its tables if withTables is set. Errors: KindNotFound; KindInvalid for the
// default database, and if there are tables that are not to be dropped.
func (db *DB) DropDatabase(ctx context.Context, name string, withTables bool) error {
	if name == DefaultDatabase {
		return invalid("", "the database %s can't be dropped; drop its tables", name)
	}
	if err := db.guard.Database(ctx, "dynamodb:DeleteTable", name); err != nil {
		return err
	}
	for {
		err := db.catalog.DropDatabase(ctx, name)
		if !withTables || !errors.Is(err, ErrDatabaseNotEmpty) {
			return wrap("", err)
		}
		for _, table := range db.Tables(name, "", 1000) {
			if err := db.DropTable(ctx, name, table); err != nil && KindOf(err) != KindNotFound {
				return err
			}
		}
	}
}

// TruncateTable removes all items of a table at once: the name goes to an empty table with the same schema, and a job
// frees the space of the old one. A pin of the old one still shows its items; a write through such a pin
// is lost. A View or Tx that was begun before and pins the table after finds it empty. A dialect's change of the
// descriptor happens in the same commit; nil: it has none. Errors: KindNotFound.
func (db *DB) TruncateTable(ctx context.Context, database, name string, change func(*schema.Table) error) error {
	if err := db.guard.Named(ctx, "dynamodb:DeleteTable", database, name); err != nil {
		return err
	}
	p, err := db.PinIn(database, name)
	if err != nil {
		return err
	}
	id, old := p.Descriptor().ID, p.table
	work := job.Job{Kind: job.DropTable, Table: id, Database: p.Descriptor().Database, Title: p.Descriptor().Name}
	p.Release()
	empty := func(table *schema.Table) error {
		if table.Recovery != nil {
			table.Recovery.SinceMS = 0 // what was in it before can't be restored
		}
		if change != nil {
			if err := change(table); err != nil {
				return err
			}
		}
		return schema.Emptied(table)
	}
	fresh, err := db.catalog.Truncate(ctx, id, empty,
		func(txn kv.Txn) error { return job.File(ctx, txn, &work, db.nowMS()) })
	if err != nil {
		return wrap(name, err)
	}
	if _, expires := fresh.Expiry(); expires || fresh.Cells != nil {
		db.jobs.Watch(fresh.ID)
	}
	db.regions.Refill(ctx, old, fresh.ID)
	db.jobs.Add(work)
	return wrap(name, db.changes.SettleTable(ctx, fresh.ID))
}
