// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

// Options are the settings of a DB. The zero value works.
type Options struct {
	// ReadOnly opens a folder that is there, and writes nothing to it.
	ReadOnly bool
	// Marks lets DB.Mark work on a folder, for tests: commits take a little longer for it.
	Marks bool
	// CacheBytes is the size of the cache of a folder. Default 64 MiB.
	CacheBytes int64
	// Fatal is called once, on a goroutine of its own, when a folder can't be written any more: the process should
	// end. What was acknowledged is on disk, and what was being written may be. Default: Logger is told, Ready
	// returns the error, and all calls fail.
	Fatal func(error)
	// Logger takes what an operator should see. Default: slog.Default(), which gets warnings and errors alone.
	Logger *slog.Logger
	// Now is the clock. Default: time.Now, corrected by the store's own clock where several processes share it.
	Now func() time.Time
	// LockWait is the time a write waits for a transaction that holds its item, before it fails with KindConflict.
	// Default 5 seconds; negative: without a limit.
	LockWait time.Duration
	// BackfillPause is the time the build of an index pauses after each batch of rows, to leave room for other
	// work. Default 0.
	BackfillPause time.Duration
	// ExpiryInterval is the interval between two searches for expired items; see Table.SetExpiry. Negative: never.
	// Default 1 second.
	ExpiryInterval time.Duration
	// RebuildInterval is the interval between two looks whether a Z-order index should be rebuilt with codecs learned
	// from its rows. Negative: never. Default 1 minute.
	RebuildInterval time.Duration
	// PageKeyLife is the time page keys of a Z-order index stay valid after it was rebuilt. Default 1 hour.
	PageKeyLife time.Duration
	// RegionBytes is the size above which a region is split. Default 8 GiB.
	RegionBytes int64
	// SchemaLease is the time a change of a table waits for another process on the same store that vanished.
	// Default 45 seconds.
	SchemaLease time.Duration
	// Idle turns all background work off: builds of indexes, expiry, splits of regions, rebuilds. It is for
	// programs that only look.
	Idle bool
	// Expired is called after each commit that deleted expired items, with the name of their table and their
	// number. It is called from one goroutine at a time and must be quick. Default: nothing is called.
	Expired func(table string, items int64)
}

func (o *Options) internal() database.Options {
	in := database.Options{
		Logger: logger(o), Now: o.Now, LockWait: o.LockWait, BackfillPause: o.BackfillPause,
		ExpiryInterval: o.ExpiryInterval, RebuildInterval: o.RebuildInterval, PageKeyLife: o.PageKeyLife,
		Idle: o.Idle || o.ReadOnly, Expired: o.Expired,
	}
	in.Regions.BytesMax, in.Gateway.Lease = o.RegionBytes, o.SchemaLease
	return in
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	db     *database.DB
	folder *pebble.Store // that Open has opened; nil: it is in memory, or the caller's
	close  func() error
	failed atomic.Pointer[error] // why the folder can't be written any more
	logger *slog.Logger

	buffers sync.Pool // of *buffers: what Typed.Get reads into

	shipping sync.Mutex // guards those below
	shipper  *backup.Shipper
	shipped  int64 // when it began, Unix milliseconds
}

// Open opens the database in a folder, which is made if it is missing, and resumes unfinished work such as builds
// of indexes. One process at a time can have it open. Errors: ErrLocked if another one has, or this one already;
// kv.ErrFormat if a newer version of Weft wrote the data; those of the file system.
func Open(ctx context.Context, dir string, options Options) (*DB, error) {
	db := new(DB)
	store, err := pebble.Open(pebble.Options{
		Dir: dir, ReadOnly: options.ReadOnly, Marks: options.Marks, CacheBytes: options.CacheBytes,
		Logger: logger(&options),
		Fatal:  func(err error) { db.fail(&options, err) },
		Sought: &pebble.Sought{Name: keyspace.SoughtName, Has: keyspace.IsSought},
	})
	if err != nil {
		return nil, public(err)
	}
	db.folder, db.close = store, store.Close
	return db.open(ctx, store, options)
}

// OpenMemory opens an empty database that ends with its Close, for tests.
func OpenMemory(ctx context.Context, options Options) (*DB, error) {
	store := mem.Open(mem.Options{})
	return (&DB{close: store.Close}).open(ctx, store, options)
}

// OpenStore opens the database kept in a store, such as one of package kv/tikv, and makes an empty one of an empty
// store. The caller closes the store, after the DB. Errors: kv.ErrFormat if a newer version of Weft wrote the data.
func OpenStore(ctx context.Context, store kv.Store, options Options) (*DB, error) {
	return (&DB{close: func() error { return nil }}).open(ctx, store, options)
}

func (db *DB) open(ctx context.Context, store kv.Store, options Options) (*DB, error) {
	in := options.internal()
	in.Admin, _ = kv.AdminOf(store)
	opened, err := database.Open(ctx, store, in)
	if err != nil {
		_ = db.close()
		return nil, public(err)
	}
	db.db, db.logger = opened, logger(&options)
	return db, nil
}

// stopped says what to do once a folder can't be written any more.
const stopped = "the database has stopped: end the process, and open it again"

// fail notes that the folder can't be written any more.
func (db *DB) fail(o *Options, err error) {
	db.failed.Store(&err)
	if o.Fatal != nil {
		o.Fatal(err)
		return
	}
	logger(o).Error(stopped, "error", err.Error())
}

// Close stops background work and closes what Open has opened. Closing twice is no error.
func (db *DB) Close() error {
	if err := db.db.Close(); err != nil {
		return public(err)
	}
	db.endShipping()
	return public(db.close())
}

// Ready returns nil while reads and writes are accepted, otherwise the reason: of KindReadOnly while the disk is
// nearly full, of KindUnavailable or KindClosed.
func (db *DB) Ready() error {
	if err := db.failed.Load(); err != nil {
		return &Error{Kind: KindClosed, Detail: stopped, Err: *err}
	}
	if db.folder != nil && db.folder.Metrics().ReadOnly {
		return &Error{Kind: KindReadOnly, Detail: "the disk is nearly full: reads are answered, and writes refused"}
	}
	return public(db.db.Ready())
}

// WaitJobs returns when no background work is left, or with ctx's error.
func (db *DB) WaitJobs(ctx context.Context) error { return public(db.db.WaitJobs(ctx)) }

// CreateTable makes a table and returns it. Errors: KindExists, KindInvalid; KindNotFound for a database that does
// not exist.
func (db *DB) CreateTable(ctx context.Context, spec TableSpec) (*Table, error) {
	return db.create(ctx, spec, db.db.CreateTable)
}

// EnsureTable makes a table as CreateTable does, or, if one of its name is there, the indexes, the stream and the
// expiry that it lacks. It returns once all indexes of spec answer queries. What spec does not ask for stays.
// Errors: KindExists for a table that differs from spec, which says in what; KindInvalid, also for a unique index
// on items that share a key; KindNotFound for a database that does not exist.
func (db *DB) EnsureTable(ctx context.Context, spec TableSpec) (*Table, error) {
	return db.create(ctx, spec, db.db.EnsureTable)
}

func (db *DB) create(
	ctx context.Context, spec TableSpec, how func(context.Context, database.TableSpec) (*database.Table, error),
) (*Table, error) {
	if err := db.outside(ctx, "a change of a table"); err != nil {
		return nil, err
	}
	in, err := spec.internal()
	if err != nil {
		return nil, err
	}
	if _, err := how(ctx, in); err != nil {
		return nil, public(err)
	}
	t := db.TableIn(spec.Database, spec.Name)
	if spec.Expiry != "" {
		err = t.SetExpiry(ctx, spec.Expiry)
	}
	return t, err
}

// Table returns a table of the default database. It looks for nothing: if there is no such table, the methods of
// the handle fail with KindNotFound.
func (db *DB) Table(name string) *Table { return db.TableIn("", name) }

// TableIn is Table for any database, such as those that SQL's CREATE DATABASE makes; "" is the default one.
func (db *DB) TableIn(database, name string) *Table {
	return &Table{db: db, table: db.db.TableNamed(database, name), database: database}
}

// Tables returns the names of a database's tables, in order; "" is the default database.
func (db *DB) Tables(database string) (names []string) {
	const page = 1000
	for after := ""; ; after = names[len(names)-1] {
		some := db.db.Tables(database, after, page)
		if names = append(names, some...); len(some) < page {
			return names
		}
	}
}

// Databases returns the names of all databases, in order.
func (db *DB) Databases() []string { return db.db.Databases() }

// CreateDatabase makes a database, a name space for tables. Errors: KindExists, KindInvalid.
func (db *DB) CreateDatabase(ctx context.Context, name string) error {
	if err := db.outside(ctx, "CreateDatabase"); err != nil {
		return err
	}
	return public(db.db.CreateDatabase(ctx, name))
}

// DropDatabase removes a database. Errors: KindNotFound; KindInvalid if it has tables, unless withTables is set.
func (db *DB) DropDatabase(ctx context.Context, name string, withTables bool) error {
	if err := db.outside(ctx, "DropDatabase"); err != nil {
		return err
	}
	return public(db.db.DropDatabase(ctx, name, withTables))
}
