// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// folder is a Storage of files.
type folder struct {
	dir  string
	made sync.Once // the folder itself; err is the error of that
	err  error
}

// Folder returns a Storage whose objects are files in a folder, which the first Put makes. Only one that is on a local
// disk keeps the promise of durability.
func Folder(dir string) Storage { return &folder{dir: dir} }

// root opens the folder, out of which no name and no link leads. The caller closes it.
func (f *folder) root() (*os.Root, error) {
	root, err := os.OpenRoot(f.dir)
	return root, describe("", err)
}

// Put writes a temporary file next to the object's and renames it.
func (f *folder) Put(ctx context.Context, name string, body io.Reader, size int64) (Object, error) {
	if err := CheckName(name); err != nil {
		return Object{}, err
	}
	f.made.Do(func() { f.err = MakeDir(f.dir) })
	if f.err != nil {
		return Object{}, describe(name, f.err)
	}
	root, err := f.root()
	if err != nil {
		return Object{}, err
	}
	defer root.Close()
	written, err := put(ctx, root, name, body, size)
	if err == nil {
		err = f.syncDirs(root, path.Dir(name))
	}
	return Object{Name: name, Size: written}, describe(name, err)
}

func put(ctx context.Context, root *os.Root, name string, body io.Reader, size int64) (written int64, err error) {
	dir := path.Dir(name)
	if err := root.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	draft := path.Join(dir, temporary+rand.Text())
	file, err := root.OpenFile(draft, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	written, err = write(file, &reader{ctx, body}, size)
	if err == nil {
		err = root.Rename(draft, name)
	}
	if err != nil {
		err = errors.Join(err, root.Remove(draft))
	}
	return written, err
}

// write fills a file, makes it durable and closes it.
func write(file *os.File, body io.Reader, size int64) (written int64, err error) {
	written, err = io.Copy(file, body)
	if err == nil && size >= 0 && written != size {
		err = fmt.Errorf("storage: the object has %d bytes, not the %d that were promised", written, size)
	}
	if err == nil {
		err = file.Sync()
	}
	return written, errors.Join(err, file.Close())
}

// syncDirs makes the names in a folder durable, and those of the folders up to the storage's own.
func (f *folder) syncDirs(root *os.Root, dir string) error {
	for {
		opened, err := root.Open(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(opened.Sync(), opened.Close()); err != nil || dir == "." {
			return err
		}
		dir = path.Dir(dir)
	}
}

// Get opens the file.
func (f *folder) Get(_ context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	root, err := f.root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := root.Open(name)
	if err != nil {
		return nil, describe(name, err)
	}
	if info, err := file.Stat(); err != nil || info.IsDir() {
		return nil, errors.Join(cmp.Or(err, fmt.Errorf("%w: %s is a folder", ErrNotFound, name)), file.Close())
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if length < 0 {
		return file, nil
	}
	return &part{io.LimitReader(file, length), file}, nil
}

// part is some bytes of a file.
type part struct {
	io.Reader
	io.Closer
}

// Delete removes the file, and leaves its folder.
func (f *folder) Delete(_ context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	root, err := f.root()
	if err == nil {
		defer root.Close()
		err = root.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return describe(name, err)
}

// List walks the folders.
func (f *folder) List(ctx context.Context, prefix, after string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		root, err := f.root()
		if errors.Is(err, ErrNotFound) {
			return
		}
		if err != nil {
			yield(Object{}, err)
			return
		}
		defer root.Close()
		walk(ctx, root, "", prefix, after, yield)
	}
}

// walk yields the objects below a folder, whose name ends with a slash or is "". It reports whether more is wanted.
func walk(ctx context.Context, root *os.Root, at, prefix, after string, yield func(Object, error) bool) bool {
	entries, err := fs.ReadDir(root.FS(), path.Join(".", at))
	if err == nil {
		err = ctx.Err()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		yield(Object{}, describe(at, err))
		return false
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	for _, e := range entries {
		name := at + sortName(e)
		if strings.HasPrefix(e.Name(), temporary) || !strings.HasPrefix(name, prefix[:min(len(prefix), len(name))]) {
			continue
		}
		if e.IsDir() {
			if (strings.HasPrefix(after, name) || name > after) && !walk(ctx, root, name, prefix, after, yield) {
				return false
			}
			continue
		}
		if len(name) < len(prefix) || name <= after {
			continue
		}
		if !tell(name, e, yield) {
			return false
		}
	}
	return true
}

// sortName is how the name of a file or folder sorts among those of objects.
func sortName(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

func tell(name string, e fs.DirEntry, yield func(Object, error) bool) bool {
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return true // it was removed meanwhile
	}
	if err != nil {
		yield(Object{}, describe(name, err))
		return false
	}
	return yield(Object{Name: name, Size: info.Size(), Modified: info.ModTime()}, nil)
}

// describe names the object of an error, and not the folder: clients of a server see it.
func describe(name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("storage: failed to %s %s: %w", strings.TrimSuffix(cause.Op, "at"), cmp.Or(name,
			"the folder"), cause.Err)
	}
	if cause, ok := errors.AsType[*os.LinkError](err); ok {
		return fmt.Errorf("storage: failed to %s %s: %w", strings.TrimSuffix(cause.Op, "at"), cmp.Or(name,
			"the folder"), cause.Err)
	}
	return err
}

// reader ends with its context.
type reader struct {
	ctx  context.Context
	from io.Reader
}

func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(b)
}

// MakeDir makes a folder and its parents, closed to other users, so that a loss of power can't take it away again. A
// folder that is there stays as it is; its own name is made durable, in case somebody has made it just now.
func MakeDir(dir string) error { return makeDir(dir, SyncDir) }

func makeDir(dir string, sync func(dir string) error) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	top := dir // the highest folder whose name may not be durable
	for parent := filepath.Dir(top); parent != top; parent = filepath.Dir(top) {
		if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		top = parent
	}
	_, err = os.Stat(dir)
	made := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for at := dir; ; at = filepath.Dir(at) {
		err := sync(filepath.Dir(at))
		if err != nil && (made || !errors.Is(err, fs.ErrPermission)) { // where we may not look, we have made nothing
			return err
		}
		if at == top {
			return nil
		}
	}
}

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
