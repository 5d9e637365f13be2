// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
)

// Pebble shows a commit before it is durable, so reads wait for it. While the log can't be written for want of space
// they would wait for ever. So each group has a picture of the state before it: the picture of the oldest group that is
// not durable shows all that is, and nothing else.

// snapshot is a state that does not change any more: one of Pebble's snapshots, or a picture.
type snapshot interface {
	Get(key []byte) (value []byte, closer io.Closer, err error)
	NewIter(options *pebble.IterOptions) (*pebble.Iterator, error)
	NewIterWithContext(ctx context.Context, options *pebble.IterOptions) (*pebble.Iterator, error)
	Close() error
}

// picture is the state before a group, held by an iterator: unlike a snapshot of Pebble's it takes no lock that
// others want. It implements snapshot, and its last user closes it.
type picture struct {
	iter  *pebble.Iterator // never moved
	users atomic.Int32
}

// newPicture is called with the lock held by which groups are applied one after the other. The picture has one user.
func (s *Store) newPicture() (*picture, error) {
	iter, err := s.db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	p := &picture{iter: iter}
	p.users.Store(1)
	return p, nil
}

// Close takes a user away.
func (p *picture) Close() error {
	if p.users.Add(-1) > 0 {
		return nil
	}
	return p.iter.Close()
}

// NewIter returns an iterator, which may outlive the picture.
func (p *picture) NewIter(options *pebble.IterOptions) (*pebble.Iterator, error) {
	return p.NewIterWithContext(context.Background(), options)
}

// NewIterWithContext is NewIter for traces.
func (p *picture) NewIterWithContext(ctx context.Context, options *pebble.IterOptions) (*pebble.Iterator, error) {
	return p.iter.CloneWithContext(ctx, pebble.CloneOptions{IterOptions: options})
}

// Get returns a value, or pebble.ErrNotFound. closer may outlive the picture.
func (p *picture) Get(key []byte) (value []byte, closer io.Closer, err error) {
	iter, err := p.NewIter(nil)
	if err != nil {
		return nil, nil, err
	}
	if !iter.SeekPrefixGE(key) || !bytes.Equal(iter.Key(), key) {
		err = iter.Error()
		if err == nil {
			err = pebble.ErrNotFound
		}
	} else {
		value, err = iter.ValueAndErr()
	}
	if err != nil {
		return nil, nil, errors.Join(err, iter.Close())
	}
	return value, iter, nil
}

// durable returns a picture of the durable state, if writes that are not durable may be visible. The caller closes it.
func (f *flight) durable() *picture {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.groups {
		if g.number > f.synced {
			g.before.users.Add(1)
			return g.before
		}
	}
	return nil
}

// durableNow is durable while the log waits for space; otherwise nil, as reads can wait.
func (s *Store) durableNow() *picture {
	if s.flight.count.Load() == 0 || !s.guard.IsHungry() {
		return nil
	}
	return s.flight.durable()
}

// hungerMax is the time for which a commit waits for space before its outcome is called unknown.
const hungerMax = 2 * time.Second

// errHungry is the error of a read that was begun before, and shows what can't be made durable.
func errHungry() error {
	return fmt.Errorf("%w: there is no space for the log; free some space, then writes go on by themselves",
		kv.ErrReadOnly)
}

// unknownHungry is the error of a commit that waits for space. It is none of kv.ErrReadOnly: it may be written yet.
func unknownHungry() error {
	return fmt.Errorf("%w: there is no space for the log, and the write goes on once there is", kv.ErrUnknownOutcome)
}
