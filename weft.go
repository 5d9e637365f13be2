// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"log/slog"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/kv"
)

// Options are the settings of a DB. The zero value works.
type Options struct {
	// Admin is the engine's second interface. Default: the store itself, if it has it; without one, dropped tables are deleted row by row, and sizes are
	// unknown.
	Admin kv.Admin
	// Logger takes what an operator should see. Default: slog.Default().
	Logger *slog.Logger
	// Now is the clock. Default: time.Now, corrected by the store's own clock where several processes share it.
	Now func() time.Time
	// LockWait is the time a write waits for a transaction that holds its item, before it fails with KindConflict. Default 5 seconds; negative: without a
	// limit.
	LockWait time.Duration
	// BackfillPause is the time the build of an index pauses after each batch of rows, to leave room for other work. Default 0.
	BackfillPause time.Duration
	// ExpiryInterval is how often expired items are looked for; see Table.SetExpiry. Negative: never. Default 1 second.
	ExpiryInterval time.Duration
	// RebuildInterval is how often the database looks whether a Z-order index should be rebuilt with codecs learned from its rows. Negative: never. Default 1
	// minute.
	RebuildInterval time.Duration
	// PageKeyLife is the time page keys of a Z-order index stay valid after it was rebuilt. Default 1 hour.
	PageKeyLife time.Duration
	// RegionBytes is the size above which a region is split. Default 8 GiB.
	RegionBytes int64
	// SchemaLease is the time a change of a table waits for another process on the same store that vanished. Default 10 seconds.
	SchemaLease time.Duration
	// Idle turns all background work off: builds of indexes, expiry, splits of regions, rebuilds. It is for programs that only look.
	Idle bool
	// Expired is called after each commit that deleted expired items, with the name of their table and their number. It is called from one goroutine at a time
	// and must be quick. Default: nothing is called.
	Expired func(table string, items int64)
}

func (o *Options) internal() database.Options {
	in := database.Options{
		Admin: o.Admin, Logger: o.Logger, Now: o.Now, LockWait: o.LockWait, BackfillPause: o.BackfillPause, ExpiryInterval: o.ExpiryInterval,
		RebuildInterval: o.RebuildInterval, PageKeyLife: o.PageKeyLife, Idle: o.Idle, Expired: o.Expired,
	}
	in.Regions.BytesMax, in.Gateway.Lease = o.RegionBytes, o.SchemaLease
	return in
}

// DB is an open database. It is safe for concurrent use. Close it before the store.
type DB struct{ db *database.DB }

// Open opens the database kept in store, makes an empty one of an empty store, and resumes unfinished work such as builds of indexes.
// Errors: kv.ErrFormat if a newer version of Weft wrote the data.
func Open(ctx context.Context, store kv.Store, options Options) (*DB, error) {
	if admin, ok := store.(kv.Admin); ok && options.Admin == nil {
		options.Admin = admin
	}
	db, err := database.Open(ctx, store, options.internal())
	if err != nil {
		return nil, err
	}
	return &DB{db}, nil
}

// Close stops background work. It does not close the store, which the caller opened. Closing twice is no error.
func (db *DB) Close() error { return db.db.Close() }

// Ready returns nil while reads and writes are accepted, otherwise the reason.
func (db *DB) Ready() error { return db.db.Ready() }

// WaitJobs returns when no background work is left, or with ctx's error.
func (db *DB) WaitJobs(ctx context.Context) error { return db.db.WaitJobs(ctx) }

// CreateTable makes a table and returns it. Errors: KindExists, KindInvalid; KindNotFound for a database that does not exist.
func (db *DB) CreateTable(ctx context.Context, spec TableSpec) (*Table, error) {
	t, err := db.db.CreateTable(ctx, spec.internal())
	return tableOf(t, err)
}

// Table returns a table of the default database. Errors: KindNotFound.
func (db *DB) Table(name string) (*Table, error) { return db.TableIn("", name) }

// TableIn returns a table of any database, such as those that SQL's CREATE DATABASE makes; "" is the default one. Errors: KindNotFound.
func (db *DB) TableIn(database, name string) (*Table, error) {
	t, err := db.db.TableIn(database, name)
	return tableOf(t, err)
}

// Tables returns up to limit names of a database's tables after the given one, in order.
func (db *DB) Tables(database, after string, limit int) []string {
	return db.db.Tables(database, after, limit)
}

// DropTable removes a table at once; background work frees its space. Errors: KindNotFound.
func (db *DB) DropTable(ctx context.Context, database, name string) error {
	return db.db.DropTable(ctx, database, name)
}

// Databases returns the names of all databases, in order.
func (db *DB) Databases() []string { return db.db.Databases() }

// CreateDatabase makes a database, a name space for tables. Errors: KindExists, KindInvalid.
func (db *DB) CreateDatabase(ctx context.Context, name string) error {
	return db.db.CreateDatabase(ctx, name)
}

// DropDatabase removes a database. Errors: KindNotFound; KindInvalid if it has tables, unless withTables is set.
func (db *DB) DropDatabase(ctx context.Context, name string, withTables bool) error {
	return db.db.DropDatabase(ctx, name, withTables)
}

// Update runs fn in a transaction and commits it, again from the start if other writers won in between. fn must not have effects elsewhere that may not
// happen twice, and must write through its Tx alone. Errors: fn's; KindConflict if writers in other processes won too often; KindUnknownOutcome.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	return db.db.Update(ctx, func(tx *database.Tx) error { return fn(&Tx{tx}) })
}

// Begin starts a transaction without retry: Commit may fail with KindConflict. It must end in Commit or Rollback, soon: changes of the tables that it uses
// wait for it.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	tx, err := db.db.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &Tx{tx}, nil
}
