// SPDX-License-Identifier: Apache-2.0

// Package readings notes what a transaction reads, and tells later whether a commit has changed any of it, be it by a
// key more or less in a range.
//
// Knows: keys and ranges of keys.
// Never: their meaning, the order of commits.
package readings

import (
	"bytes"
	"context"
	"fmt"

	"github.com/weftdb/weft/kv"
)

// bytesMax bounds the notes of one transaction.
const bytesMax = 32 << 20

// Readings is a transaction that notes what is read through it, and which keys it writes.
type Readings struct {
	kv.Txn
	points  map[string]struct{}
	ranges  []kv.Range
	written map[string]struct{}
	bytes   int
}

// New returns a transaction that notes what is read through it.
func New(txn kv.Txn) *Readings {
	return &Readings{Txn: txn, points: map[string]struct{}{}, written: map[string]struct{}{}}
}

// Writes reports whether anything was written.
func (r *Readings) Writes() bool { return len(r.written) > 0 }

// UnwrapTxn is kv.TxnUnwrapper's.
func (r *Readings) UnwrapTxn() kv.Txn { return r.Txn }

// grow counts a note of some bytes.
func (r *Readings) grow(n int) error {
	if r.bytes += n + 64; r.bytes > bytesMax {
		return fmt.Errorf("%w: a SERIALIZABLE transaction can record %d MiB of reads: read less in one, or use REPEATABLE READ", kv.ErrTooLarge, bytesMax>>20)
	}
	return nil
}

func (r *Readings) point(key []byte) error {
	if _, known := r.points[string(key)]; known {
		return nil
	}
	r.points[string(key)] = struct{}{}
	return r.grow(len(key))
}

// Get is kv.Txn's.
func (r *Readings) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := r.point(key); err != nil {
		return dst, false, err
	}
	return r.Txn.Get(ctx, key, dst)
}

// GetMany is kv.Txn's.
func (r *Readings) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	for _, key := range keys {
		if err := r.point(key); err != nil {
			return err
		}
	}
	return r.Txn.GetMany(ctx, keys, found)
}

// Scan is kv.Txn's.
func (r *Readings) Scan(ctx context.Context, keys kv.Range, reverse bool) kv.Cursor {
	return &notedCursor{Cursor: r.Txn.Scan(ctx, keys, reverse), of: r, keys: clone(keys), reverse: reverse}
}

// Set is kv.Txn's.
func (r *Readings) Set(key, value []byte) error {
	r.written[string(key)] = struct{}{}
	return r.Txn.Set(key, value)
}

// Delete is kv.Txn's.
func (r *Readings) Delete(key []byte) error {
	r.written[string(key)] = struct{}{}
	return r.Txn.Delete(key)
}

func clone(r kv.Range) kv.Range {
	return kv.Range{Start: bytes.Clone(r.Start), End: bytes.Clone(r.End)}
}

// notedCursor notes how far a walk came.
type notedCursor struct {
	kv.Cursor
	of      *Readings
	keys    kv.Range
	reverse bool
	moved   bool   // it has shown an entry, or sought one
	at      bool   // it stands on an entry
	all     bool   // it came to the end
	far     []byte // the furthest key that it has left
	closed  bool
	err     error
}

// Next is kv.Cursor's.
func (c *notedCursor) Next() bool {
	c.at = c.Cursor.Next()
	c.moved, c.all = true, c.all || !c.at
	return c.at
}

// Seek is kv.Cursor's.
func (c *notedCursor) Seek(key []byte) {
	c.reach()
	c.at = false
	c.Cursor.Seek(key)
}

// reach notes the entry at hand if none was further.
func (c *notedCursor) reach() {
	if !c.at {
		return
	}
	key := c.Cursor.Key()
	if order := bytes.Compare(key, c.far); c.far == nil || order > 0 != c.reverse {
		c.far = append(c.far[:0], key...)
	}
}

// note notes what was read of the range.
func (c *notedCursor) note() {
	c.reach()
	if !c.moved {
		return
	}
	if !c.all && c.reverse {
		c.keys.Start = c.far
	} else if !c.all {
		c.keys.End = append(c.far, 0)
	}
	c.of.ranges = append(c.of.ranges, c.keys)
	if err := c.of.grow(len(c.keys.Start) + len(c.keys.End)); c.err == nil {
		c.err = err
	}
}

// Move is kv.Cursor's.
func (c *notedCursor) Move(keys kv.Range) {
	c.note()
	c.keys, c.moved, c.at, c.all, c.far = clone(keys), false, false, false, nil
	c.Cursor.Move(keys)
}

// Close is kv.Cursor's.
func (c *notedCursor) Close() error {
	if c.closed {
		return c.err
	}
	c.closed = true
	c.note()
	if err := c.Cursor.Close(); err != nil {
		c.err = err
	}
	return c.err
}

// Validate repeats the readings on the latest commits. The error is a kv.ErrConflict if it differs.
func (r *Readings) Validate(ctx context.Context, store kv.Store) error {
	now, err := store.Read(ctx)
	if err != nil {
		return err
	}
	defer now.Close()
	var before, after []byte
	for key := range r.points {
		if _, own := r.written[key]; own {
			continue // the commit judges it
		}
		var was, is bool
		if before, was, err = r.Txn.Get(ctx, []byte(key), before[:0]); err != nil {
			return err
		}
		if after, is, err = now.Get(ctx, []byte(key), after[:0]); err != nil {
			return err
		}
		if was != is || !bytes.Equal(before, after) {
			return &kv.ConflictError{Key: []byte(key)}
		}
	}
	for _, keys := range r.ranges {
		if err := r.same(ctx, now, keys); err != nil {
			return err
		}
	}
	return nil
}

// same compares a range, own writes aside.
func (r *Readings) same(ctx context.Context, now kv.Reader, keys kv.Range) error {
	before, after := r.Txn.Scan(ctx, keys, false), now.Scan(ctx, keys, false)
	defer before.Close()
	defer after.Close()
	for {
		was, is := r.nextOf(before), r.nextOf(after)
		if !was && !is {
			break
		}
		if was != is || !bytes.Equal(before.Key(), after.Key()) || !bytes.Equal(before.Value(), after.Value()) {
			if err := before.Close(); err != nil {
				return err
			}
			if err := after.Close(); err != nil {
				return err
			}
			return &kv.ConflictError{}
		}
	}
	if err := before.Close(); err != nil {
		return err
	}
	return after.Close()
}

// nextOf moves to the next key that the transaction has not written.
func (r *Readings) nextOf(c kv.Cursor) bool {
	for c.Next() {
		if _, own := r.written[string(c.Key())]; !own {
			return true
		}
	}
	return false
}
