// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
)

// Pebble shows a commit before it is durable, so reads wait for it. While the log can't be written for want of space they would wait for ever. So each
// group has a snapshot of what was there before it, which the next group's shows too if the first became durable in time: that of the oldest group that
// is not durable shows all that is, and nothing else.

// before is the snapshot under a group. It is closed by its last user.
type before struct {
	snapshot *pebble.Snapshot
	users    atomic.Int32
	closed   func(error) // told of an error
}

func (b *before) use() { b.users.Add(1) }

func (b *before) leave() {
	if b.users.Add(-1) == 0 {
		if err := b.snapshot.Close(); err != nil {
			b.closed(err)
		}
	}
}

// newBefore takes the snapshot under the group that is applied next. The caller holds the lock by which groups are applied one after the other.
func (s *Store) newBefore() *before {
	b := &before{snapshot: s.db.NewSnapshot(), closed: func(err error) { s.options.Logger.Error("closing a snapshot", "error", err.Error()) }}
	b.use()
	return b
}

// durable returns the snapshot of what is durable, if something that is not may be visible. The caller leaves it.
func (f *flight) durable() *before {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.groups {
		if g.number > f.synced {
			g.before.use()
			return g.before
		}
	}
	return nil
}

// durableNow is durable while the log waits for space; otherwise nil, as reads can wait.
func (s *Store) durableNow() *before {
	if s.flight.count.Load() == 0 || !s.guard.IsHungry() {
		return nil
	}
	return s.flight.durable()
}

// hungerMax is how long a commit waits for space before its outcome is called unknown.
const hungerMax = 2 * time.Second

// errHungry is the error of a read that was begun before, and shows what can't be made durable.
func errHungry() error {
	return fmt.Errorf("%w: there is no space for the log; free some space, then writes go on by themselves", kv.ErrReadOnly)
}

// unknownHungry is the error of a commit that waits for space. It is none of kv.ErrReadOnly: it may be written yet.
func unknownHungry() error {
	return fmt.Errorf("%w: there is no space for the log, and the write goes on once there is", kv.ErrUnknownOutcome)
}
