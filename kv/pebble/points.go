// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// points looks single keys up at a snapshot. A reader that asks for many keeps one iterator for them, where the
// engine's Get makes a new one each time: that is half of the cost of reading a row behind an index entry. The zero
// value works. It is safe for concurrent use; of several calls at a time, one has the iterator.
type points struct {
	gets atomic.Int32
	mu   sync.Mutex // held while iter, or a value of it, is in use
	iter *pebble.Iterator
}

// pointsKept is the number of keys after which an iterator is kept: fewer are not worth it.
const pointsKept = 8

// pointsExpected is the number of keys, if it is known, from which on an iterator is worth making.
const pointsExpected = 4

// expect says that so many keys are looked up next.
func (p *points) expect(count int) {
	if count >= pointsExpected {
		p.gets.Store(pointsKept)
	}
}

// get looks a stored key up. err is pebble.ErrNotFound if it is not there; else closer must be closed after the value
// was used.
func (p *points) get(snapshot snapshot, key []byte) (value []byte, closer io.Closer, err error) {
	if p.gets.Load() < pointsKept {
		p.gets.Add(1)
		return snapshot.Get(key)
	}
	if !p.mu.TryLock() {
		return snapshot.Get(key)
	}
	if value, err = p.seek(snapshot, key); err != nil {
		p.mu.Unlock()
		return nil, nil, err
	}
	return value, p, nil
}

func (p *points) seek(snapshot snapshot, key []byte) (value []byte, err error) {
	if p.iter == nil {
		if p.iter, err = snapshot.NewIter(nil); err != nil {
			return nil, err
		}
	}
	// The whole key is the prefix, so that bloom filters spare the tables that don't have it.
	if !p.iter.SeekPrefixGE(key) || !bytes.Equal(p.iter.Key(), key) {
		if err := p.iter.Error(); err != nil {
			return nil, err
		}
		return nil, pebble.ErrNotFound
	}
	return p.iter.ValueAndErr()
}

// Close gives the iterator back after a value was used.
func (p *points) Close() error {
	p.mu.Unlock()
	return nil
}

// release closes the iterator. No call may be running.
func (p *points) release() error {
	p.gets.Store(0)
	if p.iter == nil {
		return nil
	}
	iter := p.iter
	p.iter = nil
	return iter.Close()
}
