// SPDX-License-Identifier: Apache-2.0

// Package pebble is Weft's embedded engine: a kv.Store in one folder, kept by the library
// github.com/cockroachdb/pebble.
//
// Keys and values are stored as they come, the latest version only. Transactions are optimistic: they read a snapshot,
// buffer their writes, and at Commit a table in memory (commitTable) reports whether a key of theirs was committed
// since. Pebble shows a commit before it is synced; so that no reader sees what a crash could take back, reads wait for
// a commit they would show. Reads of other keys don't.
//
// # What a folder holds
//
// Pebble makes an empty store of a folder in which it finds no manifest, and deletes the files that a manifest does not
// list. So Open looks at all files before it changes one, and refuses a folder in which something is missing or damaged
// with kv.ErrDamaged. The file WEFT.state tells how the store was left: after Close all that it had, while it is open
// the least that must be there.
//
// # When the disk fails
//
// After an error in writing or syncing the log or the manifest nobody knows what is on the disk. The store then stops
// for good: what was not acknowledged returns kv.ErrUnknownOutcome, later calls kv.ErrClosed, no file changes any more,
// and Options.Fatal is called once. The goroutines of the engine that were involved stay where they are, with the
// folder's lock, until the process ends; it should. A disk that is nearly full is no failure, and neither is a quota
// that is used up: the store turns read-only until there is space again (see Options.ReadOnlyBelowBytes). If even the
// log waits for space, reads show what is durable, and nothing else.
//
// # Closing
//
// Close ends what is still open (readers, transactions, cursors then return kv.ErrClosed), waits for the calls and
// commits under way, and closes the engine. If that takes longer than Options.CloseTimeout it gives up with an error:
// the files are frozen, and the process should end.
//
// Knows: Pebble, its files, snapshots and batches; how commits conflict and when they are durable.
// Never: tables, encodings of keys and values, other engines.
package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble/internal/guard"
)

// Store is an open folder. It implements kv.Store and kv.Admin.
type Store struct {
	options     Options
	lock        *pebble.Lock
	db          *pebble.DB
	engine      *pebble.Options
	guard       *guard.FS
	failure     *guard.Failure
	gate        guard.Gate
	flight      flight
	commits     *commitTable
	lanes       []*lane
	stamps      stampClock
	following   followers
	disk        *diskMonitor
	cache       *blockCache
	events      events
	versions    versions
	anchor      anchor
	marks       *marks    // nil without Options.Marks
	txns        *registry // transactions that have a start
	views       *registry // readers and cursors
	ingests     atomic.Int64
	uncountedAt atomic.Int64 // Unix nanoseconds of the last flushIfUncounted
	copies      atomic.Int64 // made so far
	states      sync.Pool    // *txnState
	noted       bool         // WEFT.state tells of this opening; set before others know the store

	closing sync.Once
}

var (
	_ kv.Store    = (*Store)(nil)
	_ kv.Admin    = (*Store)(nil)
	_ kv.Loader   = (*Store)(nil)
	_ kv.Copier   = (*Store)(nil)
	_ kv.Followed = (*Store)(nil)
)

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
	value, closer, found, _, err := s.get(ctx, key)
	if !found {
		return dst, false, err
	}
	return append(dst, value...), true, closer.Close()
}

// get looks up the latest value. If found, the closer must be closed after the value was used. lent says that there are
// later commits, which wait for space. The caller is inside the store.
func (s *Store) get(ctx context.Context, key []byte) (value []byte, closer io.Closer, found, lent bool, err error) {
	if b := s.durableNow(); b != nil {
		value, closer, err = b.Get(storedKey(key))
		found, err = isPresent(err)
		return value, closer, found, true, errors.Join(err, b.Close())
	}
	value, closer, err = s.db.Get(storedKey(key))
	if found, err = isPresent(err); err == nil {
		err = s.settleKey(ctx, key)
	}
	if err != nil && found {
		return nil, nil, false, false, errors.Join(err, closer.Close())
	}
	return value, closer, found, false, err
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
	state.era = s.marks.era()
	return &txn{state: state}, nil
}

// inside runs f on a goroutine of its own while the store is kept open, and returns early if the store stops or ctx
// ends.
func (s *Store) inside(ctx context.Context, f func() error) error {
	return s.insideUntil(ctx, func(func() error) error { return f() })
}

// insideUntil is inside for an f that calls stay before it changes the store. An error of stay says that ctx has ended
// and the caller may have left: nothing may be changed then. Otherwise the caller waits for f even if ctx ends, since
// what f changes must not come after what the caller does next. Only while the disk is full does it leave, with
// kv.ErrUnknownOutcome.
func (s *Store) insideUntil(ctx context.Context, f func(stay func() error) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.gate.Enter(0) {
		return s.failure.ClosedErr()
	}
	var decided atomic.Bool // by f, to which the caller stays, or by the caller, which leaves
	result := make(chan error, 1)
	go func() {
		defer s.gate.Leave(0)
		result <- f(func() error {
			if ctx.Err() == nil && decided.CompareAndSwap(false, true) {
				return nil
			}
			return ctx.Err()
		})
	}()
	var hungry <-chan struct{}
	select {
	case err := <-result:
		return err
	case <-s.failure.Stopped():
	case <-ctx.Done():
		if decided.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		hungry = s.guard.Hungry()
	}
	select {
	case err := <-result:
		return err
	case <-s.failure.Stopped():
		return s.failure.ClosedErr()
	case <-hungry:
		return unknownHungry()
	}
}

// view is a snapshot of the engine, and the groups it shows that may not be durable yet.
type view struct {
	snapshot snapshot
	points   points
	unsure   []*group
	few      [laneUnsynced + 4]*group // room for unsure
	settled  atomic.Bool
	stale    bool // the snapshot lacks commits that wait for space
}

func (v *view) take(s *Store) {
	if p := s.durableNow(); p != nil {
		v.snapshot, v.unsure, v.stale = p, nil, true
		v.settled.Store(true)
		return
	}
	s.anchor.hold(s.db)
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
	v.snapshot, v.stale = nil, false
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

// settleKey waits for the commit of key that the snapshot may show. If a later one hides it, all that it may show are
// waited for.
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
