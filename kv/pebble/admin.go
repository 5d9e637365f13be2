// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
)

// DeleteRange implements kv.Admin. It also works while the store is read-only: its purpose then is to make space.
func (s *Store) DeleteRange(ctx context.Context, r kv.Range) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.gate.Enter(0) {
		return s.failure.ClosedErr()
	}
	defer s.gate.Leave(0)
	if s.options.ReadOnly {
		return s.disk.mayWrite()
	}
	defer s.marks.enter()()
	stored, ok, err := s.boundedRange(r)
	if err != nil || !ok {
		return err
	}
	g := newGroup()
	g.bytes = len(stored.Start) + len(stored.End)
	g.fill = func(batch *pebble.Batch) error { return batch.DeleteRange(stored.Start, stored.End, nil) }
	if err := s.writeAlone(ctx, g); err != nil || !s.disk.readOnly.Load() {
		return err
	}
	return s.inside(ctx, func() error { // the space comes back only when the deletion is in a table
		_, err := s.db.AsyncFlush()
		return err
	})
}

// boundedRange returns the stored form of r with an end; ok is false if r holds no key.
func (s *Store) boundedRange(r kv.Range) (stored kv.Range, ok bool, err error) {
	stored = storedRange(r)
	if r.End != nil {
		return stored, bytes.Compare(r.Start, r.End) < 0, nil
	}
	iter, err := s.db.NewIter(&pebble.IterOptions{LowerBound: stored.Start})
	if err != nil {
		return stored, false, err
	}
	if iter.Last() {
		stored.End, ok = append(bytes.Clone(iter.Key()), 0), true
	}
	return stored, ok, errors.Join(iter.Error(), iter.Close())
}

// wide returns the stored form of r with an end that no key, deleted ones included, reaches.
func wide(r kv.Range) kv.Range {
	stored := storedRange(r)
	if stored.End == nil {
		stored.End = bytes.Repeat([]byte{0xff}, keyBytesMax+2)
	}
	return stored
}

// Checkpoint implements kv.Admin. The copy shares unchanged files with the store by hard links where it can, and can be
// opened like the store.
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	return s.inside(ctx, func() error {
		fs := s.options.FS
		if _, err := fs.Stat(dir); err == nil {
			return fmt.Errorf("pebble: checkpoint: %s exists already; name a new folder", dir)
		}
		if err := makeDir(fs, fs.PathDir(dir)); err != nil {
			return err
		}
		err := s.db.Checkpoint(dir, pebble.WithFlushedWAL())
		if err == nil {
			err = writeMarker(fs, dir)
		}
		if err == nil {
			err = s.checkCopy(dir)
		}
		if err != nil {
			return fmt.Errorf("pebble: checkpoint to %s: %w", dir, errors.Join(err, fs.RemoveAll(dir)))
		}
		return nil
	})
}

// copyCacheBytes is the cache of a copy that is opened to see whether it can be.
const copyCacheBytes = 1 << 20

// checkCopy opens a copy as one would that needs it: read-only, so that it stays as it is. What its log holds is in
// memory for that time, as it is in the store.
func (s *Store) checkCopy(dir string) error {
	o := s.options
	o.Dir, o.ReadOnly, o.CacheBytes, o.Logger, o.Fatal = dir, true, copyCacheBytes, nil, nil
	c, err := Open(o)
	if err != nil {
		return fmt.Errorf("the copy can't be opened: %w", err)
	}
	return c.Close()
}

// Regions implements kv.Admin: this engine has none.
func (s *Store) Regions(context.Context, kv.Range) ([]kv.Region, error) {
	return nil, kv.ErrUnsupported
}

// Split implements kv.Admin: this engine has no shards.
func (s *Store) Split(context.Context, [][]byte) error { return kv.ErrUnsupported }

// Compact implements kv.Admin.
func (s *Store) Compact(ctx context.Context, r kv.Range) error {
	return s.inside(ctx, func() error {
		stored := wide(r)
		if bytes.Compare(stored.Start, stored.End) >= 0 {
			return nil
		}
		return errors.Join(s.anchor.drop(), s.db.Compact(ctx, stored.Start, stored.End, false))
	})
}

// ApproximateSize implements kv.Admin. Entries that are only in memory and in the log are not counted; where they are
// many beside the files, it begins to write them to one, so that a later size counts them.
func (s *Store) ApproximateSize(ctx context.Context, r kv.Range) (int64, error) {
	var size atomic.Int64 // it may still be written when nobody waits for it any more
	err := s.inside(ctx, func() error {
		stored := wide(r)
		if bytes.Compare(stored.Start, stored.End) >= 0 {
			return nil
		}
		estimate, err := s.db.EstimateDiskUsage(stored.Start, stored.End)
		size.Store(int64(estimate))
		return errors.Join(err, s.flushIfUncounted())
	})
	return size.Load(), err
}

const (
	// uncountedLeast is the number of bytes that may always stay in the log alone, and uncountedShare the part of the
	// files' bytes: larger tables are estimated by sizes that leave them out.
	uncountedLeast = 1 << 20
	uncountedShare = 8
	// uncountedEvery is how often that is looked at: one estimate asks for many sizes.
	uncountedEvery = time.Second
)

// flushIfUncounted begins to write what is only in memory to a file if it is much beside the files.
func (s *Store) flushIfUncounted() error {
	now := time.Now().UnixNano()
	last := s.uncountedAt.Load()
	if s.options.ReadOnly || s.disk.readOnly.Load() || now-last < int64(uncountedEvery) ||
		!s.uncountedAt.CompareAndSwap(last, now) {
		return nil
	}
	m := s.db.Metrics()
	if m.WAL.Size < max(uncountedLeast, uint64(m.Total().TablesSize)/uncountedShare) {
		return nil
	}
	_, err := s.db.AsyncFlush()
	return err
}
