// SPDX-License-Identifier: Apache-2.0

package mem

import (
	"encoding/binary"

	"github.com/weftdb/weft/kv"
)

var (
	_ kv.Stamps  = (*Store)(nil)
	_ kv.Stamps  = (*Shared)(nil)
	_ kv.Stamper = (*Txn)(nil)
)

// StampsInOrder implements kv.Stamps.
func (s *Store) StampsInOrder() bool { return true }

// StampAfter implements kv.Stamps.
func (s *Store) StampAfter(stamp uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stamp = max(s.stamp, stamp)
}

// StampsInOrder implements kv.Stamps.
func (h *Shared) StampsInOrder() bool { return h.store.StampsInOrder() }

// StampAfter implements kv.Stamps.
func (h *Shared) StampAfter(stamp uint64) { h.store.StampAfter(stamp) }

// stamped is a key with a stamp at a place.
func stamped(key string, at int, stamp uint64) string {
	whole := []byte(key)
	binary.BigEndian.PutUint64(whole[at:], stamp)
	return string(whole)
}

// StampsInOrder implements kv.Stamper.
func (t *Txn) StampsInOrder() bool { return true }

// Stamped implements kv.Stamper.
func (t *Txn) Stamped(key []byte) ([]byte, bool) {
	w, ok := t.writes.Get(string(key))
	return w.value, ok && !w.deleted && w.stampAt > 0
}
