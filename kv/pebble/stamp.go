// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"sync"
	"time"

	"github.com/weftdb/weft/kv"
)

var (
	_ kv.Stamps  = (*Store)(nil)
	_ kv.Stamper = (*txn)(nil)
)

// stampClock gives commits their stamps.
type stampClock struct {
	mu   sync.Mutex
	last uint64
}

// give puts stamps into the keys of commits. mu must be held until they are visible.
func (k *stampClock) give(commits []*commit) {
	now := time.Now()
	for _, c := range commits {
		if c.writes.stamped > 0 {
			k.last = kv.NextStamp(k.last, now)
			c.writes.stamp(k.last)
		}
	}
}

// StampsInOrder implements kv.Stamps.
func (s *Store) StampsInOrder() bool { return true }

// StampAfter implements kv.Stamps.
func (s *Store) StampAfter(stamp uint64) {
	s.stamps.mu.Lock()
	defer s.stamps.mu.Unlock()
	s.stamps.last = max(s.stamps.last, stamp)
}

// StampsInOrder implements kv.Stamper.
func (t *txn) StampsInOrder() bool { return true }

// Stamped implements kv.Stamper.
func (t *txn) Stamped(key []byte) ([]byte, bool) {
	if t.state == nil || t.state.writes.stamped == 0 {
		return nil, false
	}
	value, deleted, known := t.state.writes.get(key)
	return value, known && !deleted
}
