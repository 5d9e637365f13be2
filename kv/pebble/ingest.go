// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// ingestTableBytes is the size of a table that Ingest builds.
const ingestTableBytes = 64 << 20

// ingestDir is the folder in which tables are built. It is empty outside of Ingest and emptied by Open.
func ingestDir(fs vfs.FS, dir string) string { return fs.PathJoin(dir, "weft-ingest") }

// Ingest implements kv.Admin: it builds tables outside of the tree and then links them in at once. Either all entries
// are added or none. Errors: one that names the key if keys don't ascend or if their range holds a key already;
// kv.ErrReadOnly; kv.ErrConflict if the store returned to a mark meanwhile.
func (s *Store) Ingest(ctx context.Context, next func() (key, value []byte, err error)) error {
	return s.ingest(ctx, next, ingestion{store: s})
}

// Load implements kv.Loader. It is Ingest above what is there.
func (s *Store) Load(ctx context.Context, alone bool, next func() (key, value []byte, err error)) error {
	return s.ingest(ctx, next, ingestion{store: s, above: true, alone: alone})
}

// MayLoad implements kv.Loader: who follows the store would miss the entries.
func (s *Store) MayLoad() bool {
	s.following.mu.RLock()
	defer s.following.mu.RUnlock()
	return s.following.now == nil && !s.options.ReadOnly
}

// Scratch implements kv.Loader.
func (s *Store) Scratch() string {
	if vfs.Root(s.options.FS) != vfs.Default {
		return ""
	}
	return s.options.FS.PathJoin(ingestDir(s.options.FS, s.options.Dir), "scratch")
}

func (s *Store) ingest(ctx context.Context, next func() (key, value []byte, err error), in ingestion) error {
	var mu sync.Mutex // next is neither running nor called once Ingest has returned
	defer func() { mu.Lock(); defer mu.Unlock(); next = nil }()
	entries := func() (key, value []byte, err error) {
		mu.Lock()
		defer mu.Unlock()
		if next == nil {
			return nil, nil, errors.New("pebble: ingest: given up")
		}
		return next()
	}
	in.era = s.marks.era()
	return s.insideUntil(ctx, func(stay func() error) error {
		if err := s.disk.mayWrite(); err != nil {
			return err
		}
		in.dir = s.options.FS.PathJoin(ingestDir(s.options.FS, s.options.Dir), fmt.Sprintf("%d", s.ingests.Add(1)))
		err := in.run(ctx, entries, stay)
		return errors.Join(err, s.options.FS.RemoveAll(in.dir))
	})
}

// ingestion is one call of Ingest or Load.
type ingestion struct {
	store       *Store
	above       bool   // keys may be there already
	alone       bool   // transactions under way are refused
	era         uint64 // of the marks, in which it was begun
	dir         string
	paths       []string
	table       *sstable.Writer
	first, last []byte
}

// run builds the tables and adds them. stay is insideUntil's: entries that came after their caller had given up would
// lie above what was written since.
func (in *ingestion) run(ctx context.Context, next func() (key, value []byte, err error), stay func() error) error {
	if err := in.store.options.FS.MkdirAll(in.dir, 0o700); err != nil {
		return err
	}
	err := in.build(ctx, next)
	if in.table != nil {
		err = errors.Join(err, in.table.Close())
	}
	if err != nil || len(in.paths) == 0 {
		return err
	}
	if err := in.checkEmpty(); err != nil {
		return err
	}
	defer in.store.marks.enter()()
	if in.era != in.store.marks.era() {
		return kv.ErrConflict
	}
	if err := stay(); err != nil {
		return err
	}
	if err := in.store.ingestTables(ctx, in.paths); err != nil {
		return err
	}
	if in.alone { // a version of its own: whoever starts with it sees the tables
		in.store.commits.raiseFloor(in.store.commits.version.Add(1))
	}
	return in.store.marks.noteIngested(in.store.db, in.first, in.last)
}

func (in *ingestion) build(ctx context.Context, next func() (key, value []byte, err error)) error {
	for {
		key, value, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := in.add(key, value); err != nil {
			return err
		}
	}
}

func (in *ingestion) add(key, value []byte) error {
	if len(in.paths) > 0 && bytes.Compare(key, in.last) <= 0 {
		return fmt.Errorf("pebble: ingest: key %x follows %x; give the keys in ascending order", key, in.last)
	}
	if in.table == nil || in.table.Raw().EstimatedSize() > ingestTableBytes {
		if err := in.newTable(); err != nil {
			return err
		}
	}
	if in.first == nil {
		in.first = append([]byte{}, key...)
	}
	in.last = append(in.last[:0], key...)
	in.store.disk.wrote(len(key) + len(value))
	return in.table.Set(storedKey(key), value)
}

func (in *ingestion) newTable() error {
	if in.table != nil {
		table := in.table
		in.table = nil
		if err := table.Close(); err != nil {
			return err
		}
	}
	if err := in.store.disk.mayWrite(); err != nil {
		return err
	}
	fs := in.store.options.FS
	path := fs.PathJoin(in.dir, fmt.Sprintf("%06d.sst", len(in.paths)))
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	in.paths = append(in.paths, path)
	options := in.store.engine.MakeWriterOptions(6, in.store.db.TableFormat())
	in.table = sstable.NewWriter(objstorageprovider.NewFileWritable(f), options)
	return nil
}

// checkEmpty refuses to hide keys that are there already, if they must not be.
func (in *ingestion) checkEmpty() (err error) {
	if in.above {
		return nil
	}
	iter, err := in.store.db.NewIter(&pebble.IterOptions{LowerBound: storedKey(in.first),
		UpperBound: append(bytes.Clone(storedKey(in.last)), 0)})
	if err != nil {
		return err
	}
	if iter.First() {
		err = fmt.Errorf("pebble: ingest: key %x is there already; ingest into a range that holds no key",
			userKey(iter.Key()))
	}
	return errors.Join(err, iter.Error(), iter.Close())
}
