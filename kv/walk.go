// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"context"
	"errors"
)

// Walker is a Store with a cheaper implementation of Walk.
type Walker interface {
	// Walk is Walk of this store.
	Walk(ctx context.Context, r Range, reverse bool) Cursor
}

// Walk is Store.Read and Reader.Scan in one: a cursor over the latest commits of the keys of r. Its snapshot is taken
// by the call and ends with the cursor.
func Walk(ctx context.Context, s Store, r Range, reverse bool) Cursor {
	if walker, ok := s.(Walker); ok {
		return walker.Walk(ctx, r, reverse)
	}
	reader, err := s.Read(ctx)
	if err != nil {
		return failedWalk{err}
	}
	return &walk{reader.Scan(ctx, r, reverse), reader}
}

// walk is a cursor that closes its reader.
type walk struct {
	Cursor
	reader Reader
}

func (w *walk) Close() error { return errors.Join(w.Cursor.Close(), w.reader.Close()) }

// failedWalk is a cursor that shows nothing but an error.
type failedWalk struct{ err error }

func (w failedWalk) Next() bool    { return false }
func (w failedWalk) Key() []byte   { return nil }
func (w failedWalk) Value() []byte { return nil }
func (w failedWalk) Seek([]byte)   {}
func (w failedWalk) Move(Range)    {}
func (w failedWalk) Close() error  { return w.err }

// ReadAll reads every entry of a store, and returns the first error in that.
func ReadAll(ctx context.Context, store Store) error {
	c := Walk(ctx, store, Range{}, false)
	for c.Next() {
		_ = c.Value() // an engine may keep it elsewhere than the key
	}
	return c.Close()
}
