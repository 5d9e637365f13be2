// SPDX-License-Identifier: Apache-2.0

package mem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/weftdb/weft/kv"
)

// DeleteRange drops all keys of r. Snapshots that are open keep them, and no transaction conflicts with it. Errors:
// kv.ErrClosed, ctx's error.
func (s *Store) DeleteRange(ctx context.Context, r kv.Range) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.latest(ctx)
	if err != nil {
		return err
	}
	next := &snapshot{version: now.version + 1, entries: now.entries.Copy()}
	now.ascend(r, func(key string, _ []byte) {
		s.touch(key)
		next.entries.Delete(key)
	})
	s.current.Store(next)
	return nil
}

// Ingest adds sorted entries all at once. Errors: an entry out of order or on a key that exists, next's error,
// kv.ErrClosed, ctx's error, kv.ErrConflict if the store returned to a mark meanwhile; nothing is added then.
func (s *Store) Ingest(ctx context.Context, next func() (key, value []byte, err error)) error {
	begun, err := s.latest(ctx)
	if err != nil {
		return err
	}
	added, err := collect(ctx, next) // outside the mutex: next may well read this store
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.latest(ctx)
	if err != nil {
		return err
	}
	if begun.version < s.floor {
		return kv.ErrConflict
	}
	entries := now.entries.Copy()
	for _, e := range added {
		if _, exists := entries.Set(e.key, e.value); exists {
			return fmt.Errorf("mem: ingest: key %x exists already; ingest into an empty range", e.key)
		}
	}
	for _, e := range added {
		s.touch(e.key)
	}
	s.current.Store(&snapshot{version: now.version + 1, entries: entries})
	return nil
}

type entry struct {
	key   string
	value []byte
}

// collect copies the entries of next, which must ascend.
func collect(ctx context.Context, next func() (key, value []byte, err error)) ([]entry, error) {
	var all []entry
	for {
		key, value, err := next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && all[len(all)-1].key >= string(key) {
			return nil, fmt.Errorf("mem: ingest: key %x does not sort after %x; sort the entries", key,
				all[len(all)-1].key)
		}
		all = append(all, entry{key: string(key), value: bytes.Clone(value)})
	}
}

// ApproximateSize adds up the keys and values of r. Errors: kv.ErrClosed, ctx's error.
func (s *Store) ApproximateSize(ctx context.Context, r kv.Range) (bytes int64, err error) {
	now, err := s.latest(ctx)
	if err != nil {
		return 0, err
	}
	now.ascend(r, func(key string, value []byte) { bytes += int64(len(key) + len(value)) })
	return bytes, nil
}

// Compact does nothing: what no snapshot shows is garbage at once. Errors: kv.ErrClosed, ctx's error.
func (s *Store) Compact(ctx context.Context, _ kv.Range) error {
	_, err := s.latest(ctx)
	return err
}

// Checkpoint returns kv.ErrUnsupported.
func (s *Store) Checkpoint(context.Context, string) error { return kv.ErrUnsupported }

// Regions returns kv.ErrUnsupported.
func (s *Store) Regions(context.Context, kv.Range) ([]kv.Region, error) {
	return nil, kv.ErrUnsupported
}

// Split returns kv.ErrUnsupported.
func (s *Store) Split(context.Context, [][]byte) error { return kv.ErrUnsupported }

// ascend calls visit for the entries of r in order.
func (s *snapshot) ascend(r kv.Range, visit func(key string, value []byte)) {
	end := string(r.End)
	s.entries.Ascend(string(r.Start), func(key string, value []byte) bool {
		if r.End != nil && key >= end {
			return false
		}
		visit(key, value)
		return true
	})
}
