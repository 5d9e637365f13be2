// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// ErrNoMark is the error of a mark that was forgotten.
var ErrNoMark = errors.New("kv: the mark is over: it was forgotten")

// Marker is implemented by a Store that can go back to a state that it had. Get it with MarkerOf.
type Marker interface {
	// Mark remembers the present state, all that was acknowledged by now, until the store is closed. What is changed
	// while a mark stands is noted by its keys, in memory. Errors: ErrUnsupported if the store was opened without
	// marks; ErrClosed.
	Mark(ctx context.Context) (Mark, error)
}

// Mark is a state that a store can go back to, any number of times. Its methods are safe for concurrent use.
type Mark interface {
	// Return makes all keys what they were, in one commit, but for those that keep reports to stay as they are. keep is
	// called once for each key that was changed since, in their order, before any read shows the other state.
	// Transactions and ingestions that were begun before fail with ErrConflict if they have anything to commit;
	// snapshots go on, and later marks stand. It takes time for the keys changed since, not for all keys. Errors:
	// ErrNoMark, those of a commit.
	Return(ctx context.Context, keep func(key []byte) bool) error
	// State returns the state. It can be read until the mark is forgotten.
	State() Snapshot
	// Forget ends the mark. Ending it twice is no error.
	Forget() error
}

// MarkerOf is SharedOf for Marker.
func MarkerOf(s Store) (marker Marker, ok bool) { return find[Marker](s) }

// Marks are the marks that stand on a store, for its engine: the keys that were changed since each. The zero value has
// none. It is used by one goroutine at a time.
type Marks struct {
	list []*Marked // in the order in which they were made
}

// Marked is the state at one mark, and the keys that were changed from then to the next one.
type Marked struct {
	Reader
	touched map[string]struct{}
}

// Any reports whether there is a mark.
func (m *Marks) Any() bool { return len(m.list) > 0 }

// Add makes a mark of a snapshot, which it closes in the end.
func (m *Marks) Add(r Reader) *Marked {
	mark := &Marked{Reader: r, touched: map[string]struct{}{}}
	m.list = append(m.list, mark)
	return mark
}

// Touch notes a key that was changed. There must be a mark.
func (m *Marks) Touch(key []byte) { m.list[len(m.list)-1].touched[string(key)] = struct{}{} }

// Undo calls write for each key that was changed since a mark with what it was then, but for those of which keep is
// true. ok is false for a key that was not there; value is valid only during the call. Once that is committed, Settle
// must follow, with the keys that were written. Errors: ErrNoMark; those of write and of the snapshot.
func (m *Marks) Undo(ctx context.Context, mark *Marked, keep func(key []byte) bool,
	write func(key, value []byte, ok bool) error) (written []string, err error) {
	at := slices.Index(m.list, mark)
	if at < 0 {
		return nil, ErrNoMark
	}
	all := maps.Clone(mark.touched)
	for _, later := range m.list[at+1:] {
		maps.Copy(all, later.touched)
	}
	var value []byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		key := []byte(name)
		if keep(key) {
			continue
		}
		written = append(written, name)
		before, ok, err := mark.Get(ctx, key, value[:0])
		if err == nil {
			value, err = before, write(key, before, ok)
		}
		if err != nil {
			return nil, err
		}
	}
	return written, nil
}

// Settle notes that keys are again what they were at a mark. To the marks after it, those are changed that were changed
// between it and them.
func (m *Marks) Settle(mark *Marked, written []string) {
	last := len(m.list) - 1
	between := m.list[slices.Index(m.list, mark):last]
	for _, key := range written {
		delete(m.list[last].touched, key)
		for _, earlier := range between {
			if _, touched := earlier.touched[key]; touched {
				m.list[last].touched[key] = struct{}{}
			}
		}
	}
}

// Forget ends a mark; what was changed since counts for the one before.
func (m *Marks) Forget(mark *Marked) error {
	at := slices.Index(m.list, mark)
	if at < 0 {
		return nil
	}
	if at > 0 {
		maps.Copy(m.list[at-1].touched, mark.touched)
	}
	m.list = slices.Delete(m.list, at, at+1)
	return mark.Close()
}
