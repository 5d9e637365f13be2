// SPDX-License-Identifier: Apache-2.0

// Package pebble is Weft's embedded engine: a kv.Store in one folder, kept by the library github.com/cockroachdb/pebble.
//
// Keys and values are stored as they come, the latest version only. Transactions are optimistic: they read a snapshot, buffer their writes,
// and at Commit a table in memory (commitTable) tells whether a key of theirs was committed since. Pebble shows a commit before it is
// synced; so that no reader sees what a crash could take back, reads wait for a commit they would show. Reads of other keys don't.
//
// # When the disk fails
//
// After an error in writing or syncing the log or the manifest nobody knows what is on the disk. The store then stops for good: what was not
// acknowledged returns kv.ErrUnknownOutcome, later calls kv.ErrClosed, no file changes any more, and Options.Fatal is called once. The
// goroutines of the engine that were involved stay where they are, with the folder's lock, until the process ends; it should.
// A disk that is nearly full is no failure: the store turns read-only until there is space again (see Options.ReadOnlyBelowBytes).
//
// # Closing
//
// Close ends what is still open (readers, transactions, cursors then return kv.ErrClosed), waits for the calls and commits under way, and closes
// the engine. If that takes longer than Options.CloseTimeout it gives up with an error: the files are frozen, and the process should end.
//
// Knows: Pebble, its files, snapshots and batches; how commits conflict and when they are durable.
// Never: tables, encodings of keys and values, other engines.
package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble/internal/guard"
)

// Store is an open folder. It implements kv.Store and kv.Admin.
type Store struct {
	options   Options
	lock      *pebble.Lock
	db        *pebble.DB
	engine    *pebble.Options
	guard     *guard.FS
	failure   *guard.Failure
	gate      guard.Gate
	flight    flight
	commits   *commitTable
	lanes     []*lane
	stamps    stampClock
	following following
	disk      *diskMonitor
	cache     *blockCache
	events    events
	versions  versions
	txns      *registry // transactions that have a start
	views     *registry // readers and cursors
	ingests   atomic.Int64
	copies    atomic.Int64 // made so far
	states    sync.Pool    // *txnState

	closing sync.Once
}

var (
	_ kv.Store    = (*Store)(nil)
	_ kv.Admin    = (*Store)(nil)
	_ kv.Copier   = (*Store)(nil)
	_ kv.Followed = (*Store)(nil)
)

// Open opens the store in o.Dir and creates it if the folder is new or empty. Errors: kv.ErrFormat if the folder holds something else or a newer
// format; an error that says so if another process has it open; whatever the file system returns.
func Open(o Options) (*Store, error) {
	if o.Dir == "" {
		return nil, errors.New("pebble: Options.Dir is empty: name the folder of the store")
	}
	o = o.withDefaults()
	s := &Store{options: o, txns: newRegistry(), views: newRegistry()}
	if o.Existing && !isStore(o.FS, o.Dir) {
		return nil, fmt.Errorf("there is no store in %s: %w", o.Dir, os.ErrNotExist)
	}
	s.failure = guard.NewFailure(&s.gate, o.Logger, o.Fatal)
	if err := makeDir(o.FS, o.Dir); err != nil {
		return nil, fmt.Errorf("pebble: creating %s: %w", o.Dir, err)
	}
	guard.WarnIfExposed(o.FS, o.Dir, o.Logger)
	s.guard = guard.NewFS(o.FS, o.Dir, o.tableRetries, s.failure)
	lock, err := pebble.LockDirectory(o.Dir, s.guard)
	if err != nil {
		return nil, fmt.Errorf("pebble: can't lock %s; if another process has it open, stop that one: %w", o.Dir, err)
	}
	s.lock = lock
	s.disk = newDiskMonitor(s)
	s.guard.OnFull(s.disk.full)
	if err := s.openLocked(); err != nil {
		s.disk.end()
		return nil, fmt.Errorf("pebble: opening %s: %w", o.Dir, errors.Join(err, s.shutEngine()))
	}
	s.start()
	if s.failure.Failed() { // in the background, and nobody was told yet
		return nil, s.Close()
	}
	return s, nil
}

// openLocked opens the engine on a goroutine of its own, which does not end if a file can't be written.
func (s *Store) openLocked() error {
	fs, dir := s.options.FS, s.options.Dir
	fresh, err := checkMarker(fs, dir)
	if err == nil {
		err = errors.Join(fs.RemoveAll(ingestDir(fs, dir)), fs.RemoveAll(copyDir(fs, dir)))
	}
	if err != nil {
		return err
	}
	s.cache = newBlockCache(s.options.CacheBytes, 2*int64(s.options.MemTableBytes))
	s.engine = s.options.engineOptions(s.guard, guard.NewLogger(s.options.Logger, s.failure), s.cache.cache)
	s.engine.Lock = s.lock
	s.engine.EventListener = s.events.listener(s.options.Logger, &s.versions)
	type result struct {
		db  *pebble.DB
		err error
	}
	opened := make(chan result, 1)
	go func() {
		db, err := openEngine(dir, s.engine)
		opened <- result{db, err}
	}()
	select {
	case r := <-opened:
		if s.db = r.db; r.err != nil {
			return r.err
		}
	case <-s.failure.Stopped():
		return s.failure.Cause()
	}
	s.engine.EnsureDefaults() // as Pebble did with its own copy
	if fresh {
		return finishMarker(fs, dir)
	}
	return nil
}

func openEngine(dir string, options *pebble.Options) (db *pebble.DB, err error) {
	defer func() {
		if r := recover(); r != nil {
			db, err = nil, fmt.Errorf("engine panicked: %v", r)
		}
	}()
	return pebble.Open(dir, options)
}

// unlock lets others open the folder, after the engine was closed or stopped.
func (s *Store) unlock() error {
	if !s.failure.Failed() {
		return s.lock.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.options.CloseTimeout)
	defer cancel()
	if !s.guard.Still(ctx) {
		return errors.New("the disk doesn't answer; the folder stays locked until this process ends")
	}
	return s.guard.Unlock()
}

// start runs the store's goroutines.
func (s *Store) start() {
	s.commits = newCommitTable(s.txns, s.failure.Stopped(), tableEntriesMax)
	s.guard.Opened()
	s.failure.Opened()
	s.cache.keep(s.options.DiskCheckInterval, func() int64 { return s.Metrics().MemTableBytes })
	for range min(max(runtime.GOMAXPROCS(0)/8, 1), 4) {
		s.lanes = append(s.lanes, newLane(s))
	}
}

// Limits implements kv.Store.
func (s *Store) Limits() kv.Limits {
	return kv.Limits{KeyBytesMax: keyBytesMax, ValueBytesMax: valueBytesMax, TxnBytesMax: txnBytesMax}
}

// Get implements kv.Store. It takes no snapshot and allocates nothing but room in dst.
func (s *Store) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := ctx.Err(); err != nil {
		return dst, false, err
	}
	slot := guard.SlotOf(key)
	if !s.gate.Enter(slot) {
		return dst, false, s.failure.ClosedErr()
	}
	defer s.gate.Leave(slot)
	value, closer, found, err := s.get(ctx, key)
	if !found {
		return dst, false, err
	}
	return append(dst, value...), true, closer.Close()
}

// get looks up the latest value. If found, the closer must be closed after the value was used. The caller is inside the store.
func (s *Store) get(ctx context.Context, key []byte) (value []byte, closer io.Closer, found bool, err error) {
	value, closer, err = s.db.Get(storedKey(key))
	if found, err = isPresent(err); err == nil {
		err = s.settleKey(ctx, key)
	}
	if err != nil && found {
		return nil, nil, false, errors.Join(err, closer.Close())
	}
	return value, closer, found, err
}

// isPresent tells a missing key from an error.
func isPresent(err error) (bool, error) {
	if errors.Is(err, pebble.ErrNotFound) {
		return false, nil
	}
	return err == nil, readErr(err)
}

// readErr explains an error of a read.
func readErr(err error) error {
	if err != nil && pebble.IsCorruptionError(err) {
		return fmt.Errorf("pebble: a file of the store is damaged; restore it from a backup: %w", err)
	}
	return err
}

// settleKey waits for the commit that the latest read of key may have shown, if it isn't durable yet.
func (s *Store) settleKey(ctx context.Context, key []byte) error {
	if s.flight.count.Load() == 0 {
		return nil
	}
	if g := s.commits.pending(s.commits.hash(key)); g != nil {
		return s.settleOne(ctx, g)
	}
	return nil
}

// Read implements kv.Store.
func (s *Store) Read(ctx context.Context) (kv.Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &reader{store: s}
	if !s.gate.Enter(0) {
		return nil, s.failure.ClosedErr()
	}
	defer s.gate.Leave(0)
	r.take(s)
	s.views.add(&r.member, r, &s.commits.version)
	r.slot = r.member.shard
	return r, nil
}

// Begin implements kv.Store. The snapshot is taken at the first read.
func (s *Store) Begin(ctx context.Context) (kv.Txn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.gate.Closed() {
		return nil, s.failure.ClosedErr()
	}
	state, ok := s.states.Get().(*txnState)
	if !ok {
		state = &txnState{store: s}
	}
	return &txn{state: state}, nil
}

// Close implements kv.Store. See the package's documentation for its deadline.
func (s *Store) Close() error {
	err := error(nil)
	s.closing.Do(func() { err = s.close() })
	return err
}

func (s *Store) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.options.CloseTimeout)
	defer cancel()
	s.gate.Shut()
	s.disk.end()
	s.cache.end()
	if !s.gate.Drained(ctx.Done(), s.failure.Stopped()) {
		return s.abandon("calls or commits are still under way")
	}
	for _, l := range s.lanes {
		if !l.end(ctx.Done()) {
			return s.abandon("commits are still under way")
		}
	}
	err := errors.Join(s.txns.releaseAll(), s.views.releaseAll())
	closeErr := s.closeEngine(ctx)
	if s.failure.Failed() {
		return s.abandon("the engine is still busy")
	}
	return errors.Join(err, closeErr, s.unlock())
}

// shutEngine closes what a failed Open leaves.
func (s *Store) shutEngine() error {
	if s.cache != nil {
		s.cache.end()
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.options.CloseTimeout)
	defer cancel()
	return errors.Join(s.closeEngine(ctx), s.unlock())
}

// closeEngine closes Pebble on a goroutine of its own, because that may never end. If it takes too long the store is stopped.
func (s *Store) closeEngine(ctx context.Context) error {
	if s.db == nil {
		return nil
	}
	closed := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				closed <- fmt.Errorf("pebble: closing panicked: %v", r)
			}
		}()
		closed <- s.db.Close()
	}()
	select {
	case err := <-closed:
		return err
	case <-s.failure.Stopped():
	case <-ctx.Done():
		s.failure.Stop(errors.New("closing takes too long"), func() {})
	}
	return nil
}

// abandon gives the engine up as it is. Its files don't change any more.
func (s *Store) abandon(why string) error {
	s.failure.Stop(errors.New(why), func() {})
	return fmt.Errorf("pebble: %s was not closed in good order, end the process: %w", s.options.Dir,
		errors.Join(s.failure.Cause(), s.unlock()))
}

// inside runs f on a goroutine of its own while the store is kept open, and returns early if the store stops or ctx ends.
func (s *Store) inside(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.gate.Enter(0) {
		return s.failure.ClosedErr()
	}
	result := make(chan error, 1)
	go func() {
		defer s.gate.Leave(0)
		result <- f()
	}()
	select {
	case err := <-result:
		return err
	case <-s.failure.Stopped():
		return s.failure.ClosedErr()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// view is a snapshot of the engine, and the groups it shows that may not be durable yet.
type view struct {
	snapshot *pebble.Snapshot
	points   points
	unsure   []*group
	few      [laneUnsynced + 4]*group // room for unsure
	settled  atomic.Bool
}

func (v *view) take(s *Store) {
	v.snapshot = s.db.NewSnapshot()
	v.unsure = s.flight.appendAll(v.few[:0])
	v.settled.Store(len(v.unsure) == 0)
}

// reset forgets what was waited for, after release.
func (v *view) reset() {
	clear(v.unsure)
	clear(v.few[:])
	v.unsure = nil
	v.settled.Store(false)
}

// release implements releaser.
func (v *view) release() error {
	if v.snapshot == nil {
		return nil
	}
	snapshot := v.snapshot
	v.snapshot = nil
	return errors.Join(v.points.release(), snapshot.Close())
}

// get looks key up. If found, the closer must be closed after the value was used.
func (v *view) get(ctx context.Context, s *Store, key []byte) (value []byte, closer io.Closer, found bool, err error) {
	value, closer, err = v.points.get(v.snapshot, storedKey(key))
	if found, err = isPresent(err); err != nil {
		return nil, nil, false, err
	}
	if v.settled.Load() {
		return value, closer, found, nil
	}
	if err := v.settleKey(ctx, s, key); err != nil {
		if found {
			err = errors.Join(err, closer.Close())
		}
		return nil, nil, false, err
	}
	return value, closer, found, nil
}

// settleKey waits for the commit of key that the snapshot may show. If a later one hides it, all that it may show are waited for.
func (v *view) settleKey(ctx context.Context, s *Store, key []byte) error {
	if v.checkSettled() {
		return nil
	}
	g := s.commits.pending(s.commits.hash(key))
	if g == nil {
		return nil
	}
	for _, unsure := range v.unsure {
		if unsure == g {
			return s.settleOne(ctx, g)
		}
	}
	return v.settle(ctx, s)
}

func (v *view) checkSettled() bool {
	for _, g := range v.unsure {
		if !g.durable.Load() {
			return false
		}
	}
	v.settled.Store(true)
	return true
}

// settle waits for all commits that the snapshot may show.
func (v *view) settle(ctx context.Context, s *Store) error {
	if v.settled.Load() {
		return nil
	}
	if err := s.settle(ctx, v.unsure); err != nil {
		return err
	}
	v.settled.Store(true)
	return nil
}
