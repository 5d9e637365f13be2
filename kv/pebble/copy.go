// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// copyDir is the folder of copies for backups. It is empty while there are none, and emptied by Open.
func copyDir(fs vfs.FS, dir string) string { return fs.PathJoin(dir, "weft-copy") }

// Copy implements kv.Copier by a checkpoint inside of the store's folder: its files are links to the store's, which
// keep their content and space until Close.
func (s *Store) Copy(ctx context.Context) (kv.Files, error) {
	fs := s.options.FS
	dir := fs.PathJoin(copyDir(fs, s.options.Dir), fmt.Sprint(s.copies.Add(1)))
	c := &checkpointCopy{fs: fs, options: s.engine.MakeReaderOptions(), dir: dir}
	err := s.Checkpoint(ctx, c.dir)
	if err == nil {
		c.names, err = fs.List(c.dir)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.names = slices.DeleteFunc(c.names, func(name string) bool { return name == markerName })
	slices.Sort(c.names)
	c.names = append(c.names, markerName)
	return c, nil
}

// checkpointCopy is one copy.
type checkpointCopy struct {
	fs      vfs.FS
	options sstable.ReaderOptions
	dir     string
	names   []string
	once    sync.Once
}

// Check implements kv.Files. The log and the manifest were read when the copy was made; the rest is tables.
func (c *checkpointCopy) Check(ctx context.Context, name string) (err error) {
	if !strings.HasSuffix(name, ".sst") {
		return nil
	}
	file, err := c.fs.Open(c.fs.PathJoin(c.dir, name), vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	table, err := sstable.NewReader(ctx, readable, c.options) // which closes what it can't read
	if err == nil {
		err = errors.Join(table.ValidateBlockChecksums(), table.Close())
	}
	if err != nil && !isSystem(err) {
		err = fmt.Errorf("%w: the table file %s is damaged; restore a backup that was made before: %w",
			kv.ErrDamaged, name, err)
	}
	return err
}

// Names implements kv.Files.
func (c *checkpointCopy) Names() []string { return c.names }

// Open implements kv.Files.
func (c *checkpointCopy) Open(name string) (io.ReadCloser, int64, error) {
	file, err := c.fs.Open(c.fs.PathJoin(c.dir, name), vfs.SequentialReadsOption)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	size := info.Size()
	if strings.HasSuffix(name, ".log") {
		if size, err = written(file, size); err != nil {
			return nil, 0, errors.Join(err, file.Close())
		}
	}
	return &head{io.NewSectionReader(file, 0, size), file}, size, nil
}

// head is the beginning of a file.
type head struct {
	io.Reader
	io.Closer
}

// logBlockBytes is the size of the blocks of a log: each that anything was written to has a header that is not zero.
const logBlockBytes = 32 << 10

// written returns how much of a log was written to: the file is made longer beforehand, by zeros.
func written(log io.ReaderAt, size int64) (int64, error) {
	block := make([]byte, logBlockBytes)
	for size > 0 {
		start := (size - 1) / logBlockBytes * logBlockBytes
		part := block[:size-start]
		if _, err := log.ReadAt(part, start); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if slices.ContainsFunc(part, func(b byte) bool { return b != 0 }) {
			return size, nil
		}
		size = start
	}
	return 0, nil
}

// Close implements kv.Files.
func (c *checkpointCopy) Close() (err error) {
	c.once.Do(func() { err = c.fs.RemoveAll(c.dir) })
	return err
}
