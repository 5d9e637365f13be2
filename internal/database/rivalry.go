// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/kv"
)

// rivalries are the items that other gateways write at the same time. Of all that commit an item at once, one wins, and
// the others begin again. A winner that began its next commit at once would win as often as they, who have waited
// longer: it rests for as long as it has lost itself, while more writes come to its line.
type rivalries struct {
	count atomic.Int64 // of items
	mu    sync.Mutex
	items map[string]rivalry // by key
}

// rivalry is what is known of one item.
type rivalry struct {
	pause time.Duration // after a commit
	until time.Time
}

const (
	restMost  = 20 * time.Millisecond
	restLeast = 100 * time.Microsecond
	// rivalriesMost bounds the items that are remembered.
	rivalriesMost = 1000
)

// has reports whether an item has rivals.
func (r *rivalries) has(key []byte) (yes bool) {
	if r.count.Load() == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, yes = r.items[string(key)]
	return yes
}

// rest waits until the next commit of an item is due, or ctx ends.
func (r *rivalries) rest(ctx context.Context, key []byte) {
	if r.count.Load() == 0 {
		return
	}
	r.mu.Lock()
	pause := time.Until(r.items[string(key)].until)
	r.mu.Unlock()
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// note notes for how long a commit of an item has lost to others before it won.
func (r *rivalries) note(key []byte, lost time.Duration) {
	if lost == 0 && r.count.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next := min(max(lost, r.items[string(key)].pause*3/4), restMost)
	if next < restLeast {
		delete(r.items, string(key))
	} else {
		if r.items == nil || len(r.items) >= rivalriesMost {
			r.items = map[string]rivalry{}
		}
		r.items[string(key)] = rivalry{next, time.Now().Add(next)}
	}
	r.count.Store(int64(len(r.items)))
}

// updateItem is kv.Update for a transaction that writes an item whose latch is held.
func (db *DB) updateItem(ctx context.Context, key []byte, fn func(kv.Txn) error) error {
	if db.gateway == nil {
		return kv.Update(ctx, db.store, fn)
	}
	var first, last time.Time
	err := kv.Update(ctx, db.store, func(txn kv.Txn) error {
		last = time.Now()
		if first.IsZero() {
			first = last
		}
		return fn(txn)
	})
	db.crowds.note(key, last.Sub(first))
	return err
}
