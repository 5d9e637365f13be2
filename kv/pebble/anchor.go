// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// anchor is a snapshot of the engine's that is older than those of readers and transactions. When its oldest snapshot
// is closed, Pebble looks for compactions, with a lock that it also holds while a change of the list of files is
// synced. That is dearer than the rest of a snapshot, and without an anchor it is so for nearly each one. An anchor
// lives for half a second or so, and then another one takes its place, if there have been snapshots meanwhile: so files
// keep at most what was overwritten in that time. The zero value has no snapshot.
type anchor struct {
	held     atomic.Bool // there is a snapshot
	wanted   atomic.Bool // somebody has asked for it since it was taken
	mu       sync.Mutex
	snapshot *pebble.Snapshot
}

// hold makes sure that there is an anchor. It is called before a snapshot is taken.
func (a *anchor) hold(db *pebble.DB) {
	if !a.wanted.Load() {
		a.wanted.Store(true)
	}
	if a.held.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.snapshot == nil {
		a.snapshot = db.NewSnapshot()
		a.held.Store(true)
	}
}

// renew takes a new snapshot, before the old one is closed, if somebody has asked for one lately.
func (a *anchor) renew(db *pebble.DB) error {
	if !a.held.Load() {
		return nil
	}
	if !a.wanted.Swap(false) {
		return a.drop()
	}
	return a.replace(db.NewSnapshot())
}

// drop lets files forget what the anchor keeps.
func (a *anchor) drop() error { return a.replace(nil) }

func (a *anchor) replace(snapshot *pebble.Snapshot) error {
	a.mu.Lock()
	old := a.snapshot
	a.snapshot = snapshot
	a.held.Store(snapshot != nil)
	a.mu.Unlock()
	if old == nil {
		return nil
	}
	return old.Close()
}

// count returns the number of its snapshots.
func (a *anchor) count() int {
	if a.held.Load() {
		return 1
	}
	return 0
}

// renewAnchor renews the anchor while the store is open.
func (s *Store) renewAnchor() {
	if !s.gate.Enter(0) {
		return
	}
	defer s.gate.Leave(0)
	if err := s.anchor.renew(s.db); err != nil {
		s.options.Logger.Error("closing a snapshot", "error", err.Error())
	}
}

// releaseAll releases what is open before the engine is closed. Nobody may be inside the store's gate.
func (s *Store) releaseAll() error {
	return errors.Join(s.txns.releaseAll(), s.views.releaseAll(), s.anchor.drop())
}
