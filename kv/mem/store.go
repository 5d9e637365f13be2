// SPDX-License-Identifier: Apache-2.0

// Package mem is the engine that keeps everything in memory and nothing after Close. It is the model the other engines
// are tested against, so it prefers being obviously right to being fast: every commit publishes a new immutable ordered
// map (nodes are shared with the map before), and a snapshot is a pointer to one of them.
//
// Commits take one mutex; reads take none. A transaction that has read or guarded anything fails with a
// kv.ConflictError if a key it wrote or guarded was committed after its Begin; one that has done neither (a blind
// write) never conflicts. There are no goroutines.
//
// Knows: copy-on-write maps, commit versions, merging a transaction's writes over a snapshot.
// Never: files, keyspace, schema, the other engines.
package mem

import (
	"cmp"
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"

	"github.com/weftdb/weft/kv"
)

// Options configures a Store. The zero value works.
type Options struct {
	// Limits are the limits that the store enforces and that Limits returns. KeyBytesMax, ValueBytesMax and TxnBytesMax
	// are enforced; the life times are only reported, since snapshots never expire here. Default: no limits.
	Limits kv.Limits
	// NowMS is the clock of the Shared handles, Unix time in milliseconds. It may run backwards: they don't follow it
	// then. Default: the machine's.
	NowMS func() int64
}

// Store is an open engine. It implements kv.Store and kv.Admin.
type Store struct {
	limits  kv.Limits
	clock   clock                    // of the handles
	current atomic.Pointer[snapshot] // the latest commits; nil once closed

	mu      sync.Mutex // held while committing and while history changes
	history history
	stamp   uint64 // of the last commit
	marks   kv.Marks
	floor   uint64 // a transaction that began before this version, on another state, can't commit any more
}

// snapshot is the whole content after one commit. It is never changed once published.
type snapshot struct {
	version uint64
	entries *btree.Map[string, []byte] // values are never changed
}

var (
	_ kv.Store = (*Store)(nil)
	_ kv.Admin = (*Store)(nil)
)

// Open returns an empty store.
func Open(options Options) *Store {
	s := &Store{limits: options.Limits, clock: clock{now: options.NowMS}, history: newHistory()}
	s.current.Store(&snapshot{entries: new(btree.Map[string, []byte])})
	return s
}

// Get appends the latest committed value of key to dst. Errors: kv.ErrClosed, ctx's error.
func (s *Store) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	now, err := s.latest(ctx)
	if err != nil {
		return dst, false, err
	}
	value, ok := now.entries.Get(string(key))
	return append(dst, value...), ok, nil
}

// Read opens a snapshot. Errors: kv.ErrClosed, ctx's error.
func (s *Store) Read(ctx context.Context) (kv.Reader, error) {
	reader, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	return reader, nil
}

func (s *Store) read(ctx context.Context) (*Reader, error) {
	now, err := s.latest(ctx)
	if err != nil {
		return nil, err
	}
	return &Reader{view: view{store: s, snapshot: now}}, nil
}

// Begin starts a transaction on the snapshot of this moment. Errors: kv.ErrClosed, ctx's error.
func (s *Store) Begin(ctx context.Context) (kv.Txn, error) {
	txn, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	return txn, nil
}

func (s *Store) begin(ctx context.Context) (*Txn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.latest(ctx)
	if err != nil {
		return nil, err
	}
	txn := &Txn{view: view{store: s, snapshot: now}, writes: new(btree.Map[string, write])}
	txn.active = s.history.begin(now.version)
	return txn, nil
}

// Limits returns Options.Limits.
func (s *Store) Limits() kv.Limits { return s.limits }

// Close drops the content. Readers and transactions still open return kv.ErrClosed from then on.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.Store(nil)
	s.history, s.marks = newHistory(), kv.Marks{}
	return nil
}

// latest returns the content of this moment.
func (s *Store) latest(ctx context.Context) (*snapshot, error) {
	now := s.current.Load()
	if now == nil {
		return nil, kv.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return now, nil
}

// commit checks t for conflicts and publishes its writes.
func (s *Store) commit(ctx context.Context, t *Txn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.history.end(t.active)
	now, err := s.latest(ctx)
	if err != nil {
		return err
	}
	if err := cmp.Or(t.undone(), t.conflict(&s.history)); err != nil {
		return err
	}
	if err := t.handle.checkFence(t); err != nil {
		return err
	}
	if t.writes.Len() == 0 {
		return nil
	}
	next := &snapshot{version: now.version + 1, entries: now.entries.Copy()}
	s.stamp = kv.NextStamp(s.stamp, time.UnixMilli(s.clock.read()))
	t.writes.Scan(func(key string, w write) bool {
		if w.stampAt > 0 && !w.deleted {
			key = stamped(key, w.stampAt-1, s.stamp)
		}
		s.touch(key)
		switch {
		case w.deleted:
			next.entries.Delete(key)
		default:
			next.entries.Set(key, w.value)
		}
		return true
	})
	s.history.record(next.version, append(t.writes.Keys(), t.touched...))
	s.current.Store(next)
	return nil
}

// rollback forgets t.
func (s *Store) rollback(t *Txn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.end(t.active)
}

// history remembers which keys were committed since the oldest open transaction began: what conflicts are found by, and
// no more. It is guarded by Store.mu.
type history struct {
	versions map[string]uint64 // key → version of its latest remembered commit
	commits  []commitRecord    // ascending versions; exactly the commits that versions was filled from
	// snapshot versions (uint64) of the open transactions, ascending since each begins at the latest
	open *list.List
}

type commitRecord struct {
	version uint64
	keys    []string
}

func newHistory() history {
	return history{versions: map[string]uint64{}, open: list.New()}
}

// begin notes that a transaction reads at version.
func (h *history) begin(version uint64) *list.Element { return h.open.PushBack(version) }

// end forgets an open transaction and the commits that only it could conflict with. Ending one of an earlier, closed
// history does nothing.
func (h *history) end(e *list.Element) {
	h.open.Remove(e)
	h.prune()
}

// record notes that keys were committed as version.
func (h *history) record(version uint64, keys []string) {
	h.commits = append(h.commits, commitRecord{version: version, keys: keys})
	for _, key := range keys {
		h.versions[key] = version
	}
}

// changedSince reports whether key was committed after version, which an open transaction reads at.
func (h *history) changedSince(key string, version uint64) bool { return h.versions[key] > version }

func (h *history) prune() {
	oldest := ^uint64(0)
	if front := h.open.Front(); front != nil {
		oldest = front.Value.(uint64)
	}
	for len(h.commits) > 0 && h.commits[0].version <= oldest {
		first := h.commits[0]
		for _, key := range first.keys {
			if h.versions[key] == first.version {
				delete(h.versions, key)
			}
		}
		h.commits[0] = commitRecord{} // the array lives on behind the slice: let the keys go
		h.commits = h.commits[1:]
	}
}
