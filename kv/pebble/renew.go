// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"

	"github.com/weftdb/weft/kv"
)

var _ kv.Renewer = (*txn)(nil)

// renewal is the state of a transaction that reads commits later than its snapshot.
type renewal struct {
	renewed bool
	at      uint64 // the version of the last Renew: what is written or guarded is judged from there
	latest  view   // no snapshot until the first scan
}

func (r *renewal) reset() {
	if r.at == 0 && !r.renewed {
		return
	}
	r.latest.reset()
	r.renewed, r.at = false, 0
}

// release implements releaser.
func (st *txnState) release() error { return errors.Join(st.view.release(), st.latest.release()) }

// conflictsAfter is the version from which others' commits of a key that is written or guarded now are conflicts; 0:
// the transaction's start.
func (st *txnState) conflictsAfter() uint64 {
	if !st.renewed {
		return 0
	}
	return st.at
}

// lookLatest takes a snapshot at the first scan after Renew.
func (st *txnState) lookLatest() *view {
	if st.latest.snapshot == nil {
		st.latest.take(st.store)
		st.behind = st.behind || st.latest.stale
	}
	return &st.latest
}

// Renew implements kv.Renewer.
func (t *txn) Renew(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	st, err := t.enter()
	if err != nil {
		return err
	}
	defer st.leave()
	st.start()
	err = st.latest.release()
	st.latest.reset()
	st.renewed, st.at = true, st.store.commits.version.Load()
	return err
}

// Return implements kv.Renewer.
func (t *txn) Return() {
	st, err := t.enter()
	if err != nil {
		return
	}
	defer st.leave()
	st.renewed = false
	if err := st.latest.release(); err != nil {
		st.store.options.Logger.Error("closing a snapshot", "error", err.Error())
	}
	st.latest.reset()
}

// Changed implements kv.Renewer.
func (t *txn) Changed(key []byte) bool {
	st, err := t.enter()
	if err != nil {
		return true
	}
	defer st.leave()
	since := st.at
	if !st.renewed {
		if !st.started {
			return false
		}
		since = st.member.start
	}
	return st.store.commits.hasChanged(st.store.commits.hash(key), since)
}

// Hides implements kv.Renewer.
func (t *txn) Hides(key []byte) bool {
	st, err := t.enter()
	if err != nil {
		return false
	}
	defer st.leave()
	return st.snapshot != nil && st.store.commits.hasChanged(st.store.commits.hash(key), st.member.start)
}

// Touch implements kv.Renewer.
func (t *txn) Touch(key []byte) error { return t.guard(key, true) }

// Before implements kv.Renewer.
func (t *txn) Before(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	st, err := t.enter()
	if err != nil {
		return dst, false, err
	}
	defer st.leave()
	if st.snapshot == nil {
		return dst, false, nil
	}
	value, closer, found, err := st.view.get(ctx, st.store, key)
	if !found {
		return dst, false, err
	}
	return append(dst, value...), true, closer.Close()
}

// hasChanged reports whether a key was committed after a version, or may have been, or is being committed now.
func (t *commitTable) hasChanged(hash, since uint64) bool {
	if since < t.floor.Load() {
		return true
	}
	shard := t.shard(hash)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	e := shard.entry(hash)
	return e != nil && (e.version > since || e.owner != 0)
}
