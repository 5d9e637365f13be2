// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/database/inside"
)

// pebbleStore is Pebble alone, with the options that Weft gives it. Its values are Weft's rows, whose names are those
// of a table in memory.
type pebbleStore struct {
	db    *pebble.DB
	memo  *weft.DB
	table database.Pinned
}

func openPebble(ctx context.Context, dir string) (_ store, err error) {
	s := &pebbleStore{}
	if s.memo, err = weft.OpenMemory(ctx, weft.Options{}); err != nil {
		return nil, err
	}
	if err = s.learn(ctx); err == nil {
		s.db, err = pebble.Open(dir, pebbleOptions())
	}
	if err != nil {
		return nil, errors.Join(err, s.memo.Close())
	}
	return s, nil
}

// learn makes the table, which learns the names of attributes by its first item.
func (s *pebbleStore) learn(ctx context.Context) error {
	rows, err := weft.EnsureTableOf[item](ctx, s.memo, weft.TableSpec{Name: "items"})
	if err == nil {
		err = rows.Put(ctx, newItem(1, ownerItems, textBytes))
	}
	if err == nil {
		s.table, err = s.memo.Inside(inside.Key{}).TableNamed("", "items").Pin()
	}
	return err
}

func pebbleOptions() *pebble.Options {
	const memTableBytes = 32 << 20
	o := &pebble.Options{
		Logger: quiet{}, CacheSize: cacheBytes + 2*memTableBytes, FormatMajorVersion: pebble.FormatValueSeparation,
		MemTableSize: memTableBytes, MemTableStopWritesThreshold: 4, L0CompactionThreshold: 2,
		L0StopWritesThreshold: 1000, LBaseMaxBytes: 64 << 20, FlushSplitBytes: 2 << 20,
	}
	o.TargetFileSizes[0] = 2 << 20
	for i := range o.Levels {
		o.Levels[i].BlockSize, o.Levels[i].IndexBlockSize = 32<<10, 256<<10
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionBalanced })
	return o
}

// quiet is a logger that says nothing, but does not outlive an error that the library can't survive.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...)) // lint:invariant the disk failed under a benchmark
}

// Close implements store.
func (s *pebbleStore) Close() error {
	s.table.Release()
	return errors.Join(s.db.Close(), s.memo.Close())
}

func (s *pebbleStore) load(_ context.Context, items []item) error { return s.write(spaceItems, items) }

func (s *pebbleStore) put(_ context.Context, large []item) error { return s.write(spaceLarge, large) }

// write writes rows in one commit.
func (s *pebbleStore) write(space byte, items []item) error {
	batch := s.db.NewBatch()
	for i := range items {
		row, err := govalue.AppendRow(nil, s.table.Names(), &items[i])
		if err == nil {
			err = batch.Set(keyOf(space, items[i].ID), row, nil)
		}
		if err != nil {
			return errors.Join(err, batch.Close())
		}
	}
	return errors.Join(batch.Commit(pebble.Sync), batch.Close())
}

func (s *pebbleStore) get(_ context.Context, id int64) (x item, err error) {
	row, closer, err := s.db.Get(keyOf(spaceItems, id))
	if err != nil {
		return x, err
	}
	err = errors.Join(govalue.DecodeRow(row, s.table.Names(), &x), closer.Close())
	return x, err
}

func (s *pebbleStore) scan(ctx context.Context, see func(*item)) error {
	walk, err := s.db.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: []byte{spaceItems},
		UpperBound: []byte{spaceItems + 1}})
	if err != nil {
		return err
	}
	for ok := walk.First(); ok; ok = walk.Next() {
		var x item
		if err := govalue.DecodeRow(walk.Value(), s.table.Names(), &x); err != nil {
			return errors.Join(err, walk.Close())
		}
		see(&x)
	}
	return errors.Join(walk.Error(), walk.Close())
}

func (s *pebbleStore) query(context.Context, int64, func(*item)) error { return errCannot }

func (s *pebbleStore) decoder(context.Context, int64) (func(*item) error, error) {
	return nil, errCannot
}
