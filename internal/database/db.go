// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/history/recovery"
	"github.com/weftdb/weft/internal/index/asyncindex"
	"github.com/weftdb/weft/internal/index/tuning"
	"github.com/weftdb/weft/internal/rows/idempotency"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/rows/statistics"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/tableguard"
	"github.com/weftdb/weft/kv"
)

// Options are the settings of a DB. The zero value works.
type Options struct {
	// Admin is the engine's second interface, usually the store itself. Default nil: dropped tables are deleted row by
	// row, and sizes are unknown.
	Admin kv.Admin
	// Logger takes what an operator should see. Default: slog.Default().
	Logger *slog.Logger
	// Now is the clock. Default: time.Now, set right by the store's own clock where several gateways share it.
	Now func() time.Time
	// LockWait is the time a write waits for a transaction that holds its item, before it fails with ErrLockWait.
	// Default 5 seconds; negative: without a limit.
	LockWait time.Duration
	// BackfillPause is the time an index build rests after each batch of rows, to leave room for others. Default 0.
	BackfillPause time.Duration
	// BuildBytesMax is the memory in which the entries of an index that is built are sorted; more go through temporary
	// files. Default 64 MiB.
	BuildBytesMax int
	// ExpiryInterval is the interval between two searches for expired items; see Table.SetExpiry. Negative: never, but
	// by Expire of DB.Jobs. Default 1 second: where nothing has expired, a look is one seek in each table whose items
	// can expire, some microseconds, so that there is nothing to save by more.
	ExpiryInterval time.Duration
	// RebuildInterval is the interval between two looks whether a Z-order index should be rebuilt with codecs learned
	// from its rows; see DB.Rebuild. Negative: never, but by DB.Rebuild. Default 1 minute.
	RebuildInterval time.Duration
	// RebuildRowsMin is the number of rows from which on an index that was made without codecs learns them. Default
	// 4,096.
	RebuildRowsMin int
	// SearchBytesMax is the number of bytes of keys one search may collect to put them in order; a longer list is not
	// used, and its condition is checked on the items. Default 64 MiB.
	SearchBytesMax int
	// PageKeyLife is the time page keys of a Z-order index that was rebuilt can be used. Default 1 hour.
	PageKeyLife time.Duration
	// Regions say when regions are split and merged, and how often that is looked at.
	Regions RegionSettings
	// Traffic counts requests. Default: nobody does, and regions are not split for load.
	Traffic Traffic
	// Gateway are the settings of one among several gateways. They count over a store that is a kv.Shared alone.
	Gateway GatewayOptions
	// Idle keeps everything from being done in the background: index builds, expiry, splits of regions, rebuilds. It is
	// for programs that only look.
	Idle bool
	// Expired is called after each commit that deleted expired items, with the name of their table and how many they
	// were. It is called from one goroutine at a time and must be quick. Default: none.
	Expired func(table string, items int64)
	// Walked is called at the end of each walk, by the goroutine that closes its cursor, and must be quick. Default:
	// none.
	Walked func(*Walk)
}

// DB is an open database. It is safe for concurrent use. Close it before the store.
type DB struct {
	store      kv.Store
	admin      kv.Admin
	sizes      bool // admin estimates the bytes of ranges
	catalog    *catalog.Catalog
	gateway    *gateway.Gateway // nil: nobody else uses the store
	latches    *record.Latches
	crowds     crowds
	lists      lists
	serial     chan struct{} // holds a token while a serializable transaction looks back and commits
	jobs       *job.Runner
	tasks      *task.Runner
	recovery   *recovery.Keeper
	running    atomic.Pointer[job.Runner] // jobs, for who may ask before they are started
	options    Options
	scratch    sync.Pool // of *scratch
	holds      sync.Pool // of *hold
	slicer     query.Slicer
	statistics statistics.Book
	keeper     *tuning.Keeper
	regions    *region.Keeper
	changes    *capture.Keeper
	follower   *asyncindex.Follower // nil: without a journal
	tokens     *idempotency.Book
	now        func() int64 // nowMS, as a value
	// Of databases that end with the process: their number, and the name of the process, once it was asked for.
	temporaries atomic.Uint64
	identify    sync.Once
	identity    string
	closed      atomic.Bool
	guard       *tableguard.Guard
}

// Open opens the database kept in store, makes an empty one of an empty store, and takes up unfinished work such as
// index builds. Errors: kv.ErrFormat if a newer version of Weft wrote the data.
func Open(ctx context.Context, store kv.Store, options Options) (*DB, error) {
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	switch {
	case options.LockWait == 0:
		options.LockWait = lockWaitDefault
	case options.LockWait < 0:
		options.LockWait = 0
	}
	if options.Idle {
		options.ExpiryInterval, options.RebuildInterval, options.Regions.Interval = -1, -1, -1
	}
	db := &DB{store: store, admin: options.Admin, latches: record.NewLatches(), serial: make(chan struct{}, 1),
		options: options}
	db.now = db.nowMS
	if db.admin != nil {
		_, err := db.admin.ApproximateSize(ctx, kv.Range{Start: []byte{0}, End: []byte{0}})
		db.sizes = !errors.Is(err, kv.ErrUnsupported)
	}
	db.scratch.New = func() any { return new(scratch) }
	db.holds.New = func() any { return new(hold) }
	if err := db.openCatalog(ctx); err != nil {
		return nil, wrap("", err)
	}
	db.guard = db.newGuard()
	if err := db.openChanges(ctx); err != nil {
		db.gateway.Close()
		return nil, wrap("", err)
	}
	if err := db.startJobs(ctx); err != nil {
		db.changes.Close()
		db.gateway.Close()
		return nil, wrap("", err)
	}
	db.tokens = idempotency.Open(ctx, idempotency.Options{Now: db.options.Now, Logger: options.Logger,
		Clear: db.jobs.Clear})
	db.keeper = db.startKeeper()
	db.regions = db.startRegions(ctx)
	db.slicer.Starts = db.regions.Starts
	db.startFollower(ctx)
	db.startTasks(ctx)
	if err := db.freeLost(ctx); err != nil {
		options.Logger.Warn("a table that a process which is gone has held stays so", "error", err)
	}
	return db, nil
}

// Close stops background work. It does not close the store, which the caller opened. Closing twice is no error.
func (db *DB) Close() error {
	db.tasks.Close()
	db.tokens.Close()
	db.regions.Close()
	db.changes.Close()
	db.follower.Close()
	db.keeper.Close()
	db.jobs.Close()
	db.gateway.Close()
	db.closed.Store(true)
	return nil
}

// errClosed returns the error of calls of a closed database; nil: it is open.
func (db *DB) errClosed() error {
	if db.closed.Load() {
		return &Error{Kind: KindClosed, Detail: "the database is closed"}
	}
	return nil
}

// Jobs does the work that changes of the schema leave, and deletes expired items.
func (db *DB) Jobs() *job.Runner { return db.jobs }

// Job is one piece of background work.
type Job = job.Job

// WaitJobs returns when no background work is left, or with ctx's error.
func (db *DB) WaitJobs(ctx context.Context) error { return wrap("", db.jobs.Wait(ctx)) }

// TokenWindow is the time the token of a transaction is remembered after its commit.
const TokenWindow = idempotency.Window

// Token makes a transaction happen once, however often a client asks for it because it did not hear the answer.
type Token = idempotency.Token

// Errors of tokens.
var (
	// ErrTokenReused is the error of a transaction whose token belongs to one that does something else.
	ErrTokenReused = idempotency.ErrReused
	// ErrTokenInUse is the error of a transaction that is asked for while it is being done.
	ErrTokenInUse = idempotency.ErrInUse
)

type (
	// Accounts are the users that may sign in.
	Accounts = account.Accounts
	// Account is one of them.
	Account = account.Account
)

// Errors of accounts.
var (
	ErrAccountExists   = account.ErrExists
	ErrAccountNotFound = account.ErrNotFound
)

// Accounts returns the users of the database. It holds nothing: each call is a look into the store.
func (db *DB) Accounts() *Accounts { return account.New(db.store, db.options.Now) }
