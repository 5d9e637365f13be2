// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/tidwall/btree"
	clientkv "github.com/tikv/client-go/v2/kv"
	"github.com/tikv/client-go/v2/tikv"
	"github.com/tikv/client-go/v2/txnkv/transaction"

	"github.com/weftdb/weft/kv"
)

// write is one buffered change of a key.
type write struct {
	value   []byte // owned by the write; nil if deleted
	deleted bool
	stampAt int // where a stamp goes in the key, plus 1; 0: it has none
}

// Txn is a transaction. It is used by one goroutine at a time. Until Commit the cluster knows nothing of it.
type Txn struct {
	*view
	writes  *btree.Map[string, write]
	guarded [][]byte // as stored
	bytes   int      // keys and values in writes
	// fetched holds the results of Prefetch, nil for absent keys; room is the space left for more, bytes
	fetched map[string][]byte
	room    int
}

var (
	_ kv.Stamps  = (*Store)(nil)
	_ kv.Stamper = (*Txn)(nil)

	_ kv.Prefetcher = (*Txn)(nil)
)

// StampsInOrder implements kv.Stamps: the stamp of a commit is its transaction's first timestamp. As the first
// committer wins, a later commit of the same key began after the commit before.
func (s *Store) StampsInOrder() bool { return false }

// Stamped implements kv.Stamper.
func (t *Txn) Stamped(key []byte) ([]byte, bool) {
	w, ok := t.writes.Get(string(key))
	return w.value, ok && !w.deleted && w.stampAt > 0
}

// StampsInOrder implements kv.Stamper.
func (t *Txn) StampsInOrder() bool { return t.store.StampsInOrder() }

// StampAfter implements kv.Stamps. The cluster's timestamps never fall.
func (s *Store) StampAfter(uint64) {}

func newTxn(v *view) *Txn { return &Txn{view: v, writes: new(btree.Map[string, write])} }

// Get appends the value of key as this transaction sees it to dst. Errors: as Reader.Get's.
func (t *Txn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := t.check(ctx); err != nil {
		return dst, false, err
	}
	if value, ok, known := t.known(key); known {
		return append(dst, value...), ok, nil
	}
	return t.get(ctx, key, dst)
}

// GetMany looks keys up, own writes first. Errors: as Reader.Get's, and found's.
func (t *Txn) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	stored := make([]int, 0, len(keys))
	for i, key := range keys {
		value, ok, known := t.known(key)
		if !known {
			stored = append(stored, i)
			continue
		}
		if err := found(i, value, ok); err != nil {
			return err
		}
	}
	return t.getMany(ctx, keys, stored, found)
}

// known looks a key up in the transaction's writes and fetched keys.
func (t *Txn) known(key []byte) (value []byte, ok, known bool) {
	if w, written := t.writes.Get(string(key)); written {
		return w.value, !w.deleted, true
	}
	value, known = t.fetched[string(key)]
	return value, value != nil, known
}

// prefetchBytesMax bounds what one transaction keeps of rows that it was told to fetch.
const prefetchBytesMax = 16 << 20

// Prefetch implements kv.Prefetcher.
func (t *Txn) Prefetch(ctx context.Context, keys [][]byte) error {
	if t.fetched == nil {
		t.fetched, t.room = make(map[string][]byte, len(keys)), prefetchBytesMax
	}
	return t.GetMany(ctx, keys, func(i int, value []byte, ok bool) error {
		if t.room -= len(keys[i]) + len(value); t.room < 0 {
			return nil
		}
		var kept []byte
		if ok {
			kept = append(make([]byte, 0, len(value)), value...) // not nil
		}
		t.fetched[string(keys[i])] = kept
		return nil
	})
}

// Scan returns a cursor over the snapshot with the writes made so far on top.
func (t *Txn) Scan(ctx context.Context, bounds kv.Range, reverse bool) kv.Cursor {
	if t.writes.Len() == 0 {
		return newCursor(ctx, t.view, nil, bounds, reverse)
	}
	// later writes must not move the ground under the cursor
	return newCursor(ctx, t.view, t.writes.Copy(), bounds, reverse)
}

// Set buffers a write. Errors: kv.ErrTooLarge, kv.ErrClosed.
func (t *Txn) Set(key, value []byte) error {
	if limit := t.store.Limits().ValueBytesMax; len(value) > limit {
		return &kv.SizeError{What: "value", Bytes: len(value), BytesMax: limit}
	}
	return t.buffer(key, write{value: bytes.Clone(value)})
}

// SetStamped buffers a write of a key with the transaction's timestamp. Errors: kv.ErrTooLarge, kv.ErrClosed.
func (t *Txn) SetStamped(key []byte, at int, value []byte) error {
	if at < 0 || at+kv.StampBytes > len(key) {
		return fmt.Errorf("tikv: a key of %d bytes has no room for a stamp at %d", len(key), at)
	}
	return t.buffer(key, write{value: bytes.Clone(value), stampAt: at + 1})
}

// Delete buffers a deletion. Errors: kv.ErrTooLarge, kv.ErrClosed.
func (t *Txn) Delete(key []byte) error { return t.buffer(key, write{deleted: true}) }

func (t *Txn) buffer(key []byte, w write) error {
	if err := t.usable(key); err != nil {
		return err
	}
	grown := t.bytes + len(w.value)
	if before, ok := t.writes.Get(string(key)); ok {
		grown -= len(before.value)
		w.stampAt = max(w.stampAt, before.stampAt)
	} else {
		grown += len(t.store.prefix) + len(key) + formBytes
	}
	if grown > txnBytesMax {
		return &kv.SizeError{What: "transaction", Bytes: grown, BytesMax: txnBytesMax}
	}
	t.bytes = grown
	t.writes.Set(string(key), w)
	return nil
}

// usable reports whether key can be written or guarded now. Age doesn't count here: it's a conflict at Commit.
func (t *Txn) usable(key []byte) error {
	switch {
	case t.over.Load() || t.store.closed.Load():
		return kv.ErrClosed
	case len(key) > keyBytesMax:
		return &kv.SizeError{What: "key", Bytes: len(key), BytesMax: keyBytesMax}
	default:
		return nil
	}
}

// Guard puts key into the conflict set; it's checked at Commit. Errors: kv.ErrTooLarge, kv.ErrClosed.
func (t *Txn) Guard(key []byte) error {
	if err := t.usable(key); err != nil {
		return err
	}
	t.guarded = append(t.guarded, t.store.storedKey(key))
	return nil
}

// Commit sends the writes and guards. Errors: *kv.ConflictError, kv.ErrConflict (too old, or rolled back by the
// cluster), kv.ErrUnknownOutcome, kv.ErrTooLarge, kv.ErrReadOnly, kv.ErrClosed, ctx's error, the cluster's.
func (t *Txn) Commit(ctx context.Context) error {
	if t.over.Swap(true) {
		return kv.ErrClosed
	}
	if err := t.store.check(ctx); err != nil {
		return err
	}
	if t.expired() {
		return kv.ErrConflict
	}
	if t.writes.Len() == 0 && len(t.guarded) == 0 {
		return nil
	}
	txn, err := t.prepare(ctx)
	if err != nil {
		return t.store.commitError(ctx, err)
	}
	return t.store.commitError(ctx, txn.Commit(ctx))
}

// prepare fills a client's transaction.
func (t *Txn) prepare(ctx context.Context) (*transaction.KVTxn, error) {
	txn, err := t.store.client.Begin(tikv.WithStartTS(t.timestamp))
	if err != nil {
		return nil, err
	}
	quick := !t.store.twoPhases && t.mayBeQuick()
	t.fence(txn, quick)
	txn.SetEnableAsyncCommit(quick)
	txn.SetEnable1PC(quick)
	if len(t.guarded) > 0 {
		lock := clientkv.NewLockCtx(t.timestamp, clientkv.LockNoWait, t.store.now())
		if err := txn.LockKeys(ctx, lock, t.guarded...); err != nil {
			return nil, err
		}
	}
	var stored []byte // the client copies
	t.writes.Scan(func(key string, w write) bool {
		written := []byte(key)
		if w.stampAt > 0 && w.deleted {
			return true // it was dropped
		} else if w.stampAt > 0 {
			binary.BigEndian.PutUint64(written[w.stampAt-1:], t.timestamp)
		}
		storedKey := t.store.storedKey(written)
		if w.deleted {
			err = txn.Delete(storedKey)
		} else {
			stored = appendValue(stored[:0], w.value)
			err = txn.Set(storedKey, stored)
		}
		return err == nil
	})
	return txn, err
}

// Rollback drops the transaction.
func (t *Txn) Rollback() { t.over.Store(true) }
