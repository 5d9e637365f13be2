// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/weftdb/weft/kv"
)

// Wrap returns a store that counts in m what it is asked, and passes it on. Closing it closes store; kv.SharedOf sees
// through it, and an operator's side (kv.Admin) is asked of store itself: what an operator does is not counted.
func Wrap(store kv.Store, m *Map) kv.Store { return &countingStore{store, m} }

type countingStore struct {
	kv.Store
	heat *Map
}

// Unwrap implements kv.Unwrapper.
func (s *countingStore) Unwrap() kv.Store { return s.Store }

// Get is the store's Get.
func (s *countingStore) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	value, ok, err := s.Store.Get(ctx, key, dst)
	if isOwn(ctx) {
		return value, ok, err
	}
	s.heat.got(key, len(value)-len(dst), ok, err)
	return value, ok, err
}

// got counts a look-up.
func (m *Map) got(key []byte, size int, ok bool, err error) {
	switch {
	case err != nil:
	case ok:
		m.note(read, key, len(key)+size)
	default:
		m.missed(key)
	}
}

// missed counts a look-up of a key that nothing stands at. Such keys are counted and no sample of keys at which regions
// could be cut.
func (m *Map) missed(key []byte) {
	r := rand.Uint32()
	a := m.live.Load()
	c := &a.buckets[a.find(key)].shards[r%shards]
	n := c.counts[read].Add(1)
	c.counts[int(read)+2].Add(int64(len(key)))
	weight := 1.0
	if n > sampleAll {
		if (r>>8)%sampleEvery != 0 {
			return
		}
		weight = sampleEvery
	}
	if o := m.objectOf(key); o != nil && o.mu.TryLock() {
		o.tops[read].add(key, weight)
		o.mu.Unlock()
	}
}

// Read is the store's Read.
func (s *countingStore) Read(ctx context.Context) (kv.Reader, error) {
	r, err := s.Store.Read(ctx)
	if err != nil || isOwn(ctx) {
		return r, err
	}
	return &reader{view{r, s.heat}, r}, nil
}

// Walk implements kv.Walker.
func (s *countingStore) Walk(ctx context.Context, r kv.Range, reverse bool) kv.Cursor {
	if isOwn(ctx) {
		return kv.Walk(ctx, s.Store, r, reverse)
	}
	return &cursor{Cursor: kv.Walk(ctx, s.Store, r, reverse), heat: s.heat, reverse: reverse}
}

// Begin is the store's Begin.
func (s *countingStore) Begin(ctx context.Context) (kv.Txn, error) {
	t, err := s.Store.Begin(ctx)
	if err != nil || isOwn(ctx) {
		return t, err
	}
	return &txn{view: view{t, s.heat}, txn: t}, nil
}

// view is the common part of a reader and a transaction.
type view struct {
	below kv.Snapshot
	heat  *Map
}

func (v *view) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	value, ok, err := v.below.Get(ctx, key, dst)
	if isOwn(ctx) {
		return value, ok, err
	}
	v.heat.got(key, len(value)-len(dst), ok, err)
	return value, ok, err
}

func (v *view) GetMany(ctx context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error {
	if isOwn(ctx) {
		return v.below.GetMany(ctx, keys, found)
	}
	return v.below.GetMany(ctx, keys, func(i int, value []byte, ok bool) error {
		v.heat.got(keys[i], len(value), ok, nil)
		return found(i, value, ok)
	})
}

func (v *view) Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor {
	if isOwn(ctx) {
		return v.below.Scan(ctx, r, reverse)
	}
	return &cursor{Cursor: v.below.Scan(ctx, r, reverse), heat: v.heat, reverse: reverse}
}

type reader struct {
	view
	reader kv.Reader
}

func (r *reader) Close() error { return r.reader.Close() }

type txn struct {
	view
	txn kv.Txn
	// The last key that a write read: the read counts unless something is written after it.
	looked bool
	size   int // of key and value, bytes; -1: nothing was there
	key    []byte
	room   [64]byte // for most keys
}

// UnwrapTxn returns the transaction below, whose kv.Renewer has nothing to count.
func (t *txn) UnwrapTxn() kv.Txn { return t.txn }

// Get counts a look with OwnWork later, or never.
func (t *txn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if !isOwn(ctx) {
		return t.view.Get(ctx, key, dst)
	}
	value, ok, err := t.below.Get(ctx, key, dst)
	if err != nil {
		return value, ok, err
	}
	if t.key == nil {
		t.key = t.room[:0]
	}
	t.looked, t.size, t.key = true, -1, append(t.key[:0], key...)
	if ok {
		t.size = len(key) + len(value) - len(dst)
	}
	return value, ok, err
}

// ended counts a look that no write followed.
func (t *txn) ended() {
	switch {
	case !t.looked:
	case t.size < 0:
		t.heat.missed(t.key)
	default:
		t.heat.note(read, t.key, t.size)
	}
	t.looked = false
}

// Set counts the write when it is made: one that is never committed has met its key, too.
func (t *txn) Set(key, value []byte) error {
	err := t.txn.Set(key, value)
	if err == nil {
		t.looked = false
		t.heat.note(write, key, len(key)+len(value))
	}
	return err
}

func (t *txn) Delete(key []byte) error {
	err := t.txn.Delete(key)
	if err == nil {
		t.looked = false
		t.heat.note(write, key, len(key))
	}
	return err
}

func (t *txn) Guard(key []byte) error { return t.txn.Guard(key) }

func (t *txn) Commit(ctx context.Context) error {
	t.ended()
	err := t.txn.Commit(ctx)
	if err != nil {
		if conflict := (*kv.ConflictError)(nil); errors.As(err, &conflict) && conflict.Key != nil {
			t.heat.Conflict(conflict.Key)
		}
	}
	return err
}

func (t *txn) Rollback() {
	t.ended()
	t.txn.Rollback()
}

// OwnWork returns a context for the database's own and its operator's work: jobs, statistics, verification,
// looking after indexes and regions. Requests with it to a store of Wrap are not counted, nor are those to a reader or
// transaction begun with it.
//
// A single Get in a transaction that was begun without it is a write's look at what it overwrites: that counts only if
// nothing is written then.
func OwnWork(ctx context.Context) context.Context {
	if isOwn(ctx) {
		return ctx
	}
	return &own{ctx}
}

type own struct{ context.Context }

type ownKey struct{}

// Value implements context.Context.
func (o *own) Value(key any) any {
	if _, ok := key.(ownKey); ok {
		return true
	}
	return o.Context.Value(key)
}

func isOwn(ctx context.Context) bool {
	_, direct := ctx.(*own)
	return direct || ctx.Value(ownKey{}) != nil
}

// Own returns the store for one that does own work only: all that it asks, it asks with OwnWork.
func Own(store kv.Store) kv.Store { return ownStore{store} }

type ownStore struct{ kv.Store }

// Unwrap implements kv.Unwrapper.
func (s ownStore) Unwrap() kv.Store { return s.Store }

func (s ownStore) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return s.Store.Get(OwnWork(ctx), key, dst)
}

func (s ownStore) Read(ctx context.Context) (kv.Reader, error) { return s.Store.Read(OwnWork(ctx)) }

func (s ownStore) Begin(ctx context.Context) (kv.Txn, error) { return s.Store.Begin(OwnWork(ctx)) }
