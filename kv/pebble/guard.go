// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS stands between Pebble and the file system. Pebble retries a failed table write at once and for ever, and an error of its log or manifest
// makes it panic with locks held. So here:
//
//   - An error of the log, the manifest or another file that Pebble can't do without stops the store, and Pebble never hears of it: the
//     goroutine stays here. Only "no space" in writing such a file is waited out, because nothing of what was refused is on the disk.
//   - An error of a table file goes to Pebble, which writes the table again; the next table waits, longer each time.
//   - Once the store has stopped, nothing changes any file.
//
// While the store is being opened errors pass through, and Open returns them.
type guardFS struct {
	vfs.FS
	dir     string
	failure *failure
	armed   atomic.Bool
	full    func()       // tells that the disk is full; set before armed
	failed  atomic.Int32 // table writes that failed since one succeeded
	syncs   syncStats
}

// Pauses after failures that time may heal.
const (
	guardPauseMin = 10 * time.Millisecond
	guardPauseMax = time.Second
)

func newGuardFS(fs vfs.FS, dir string, f *failure) *guardFS {
	return &guardFS{FS: fs, dir: dir, failure: f, full: func() {}}
}

// Unwrap implements vfs.FS.
func (g *guardFS) Unwrap() vfs.FS { return g.FS }

// isTable says whether Pebble can do without the file: it then writes another one.
func isTable(name string) bool {
	return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob")
}

// vital says whether the store can't go on after an error with the file.
func (g *guardFS) vital(name string) bool { return g.FS.PathDir(name) == g.dir && !isTable(name) }

// frozen keeps the caller for ever if the store has stopped.
func (g *guardFS) frozen() {
	if g.armed.Load() && g.failure.failed() {
		park()
	}
}

// change runs an operation that changes the file name, as often as it takes.
func (g *guardFS) change(name string, operation func() error) error {
	vital := g.vital(name)
	if !vital && isTable(name) {
		g.pauseTables()
	}
	for tries := 0; ; tries++ {
		g.frozen()
		err := operation()
		if err == nil || !g.armed.Load() {
			return err
		}
		if vfs.IsNoSpaceError(err) {
			g.full()
		}
		switch {
		case !vital:
			g.failed.Add(1)
			return err
		case !vfs.IsNoSpaceError(err):
			g.stop(name, err)
		}
		g.pause(tries)
	}
}

// stop stops the store and does not return.
func (g *guardFS) stop(name string, err error) {
	g.failure.fail(fmt.Errorf("file %s: %w", g.FS.PathBase(name), err))
	park()
}

func (g *guardFS) pause(tries int) {
	timer := time.NewTimer(min(guardPauseMin<<min(tries, 10), guardPauseMax))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-g.failure.stopped:
		park()
	}
}

// pauseTables slows down the writing of tables after failures.
func (g *guardFS) pauseTables() {
	if failed := g.failed.Load(); failed > 0 && g.armed.Load() {
		g.pause(int(failed))
	}
}

// Create implements vfs.FS.
func (g *guardFS) Create(name string, category vfs.DiskWriteCategory) (f vfs.File, err error) {
	err = g.change(name, func() error {
		f, err = g.FS.Create(name, category)
		return err
	})
	return g.wrap(name, f, err)
}

// ReuseForWrite implements vfs.FS.
func (g *guardFS) ReuseForWrite(oldName, newName string, category vfs.DiskWriteCategory) (f vfs.File, err error) {
	err = g.change(newName, func() error {
		f, err = g.FS.ReuseForWrite(oldName, newName, category)
		return err
	})
	return g.wrap(newName, f, err)
}

// OpenDir implements vfs.FS.
func (g *guardFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil || name != g.dir {
		return f, err
	}
	return g.wrap(g.FS.PathJoin(name, "."), f, nil)
}

// Link implements vfs.FS.
func (g *guardFS) Link(oldName, newName string) error {
	g.frozen()
	return g.FS.Link(oldName, newName)
}

// Remove implements vfs.FS. A file that can't be removed stays.
func (g *guardFS) Remove(name string) error {
	g.frozen()
	return g.FS.Remove(name)
}

// RemoveAll implements vfs.FS.
func (g *guardFS) RemoveAll(name string) error {
	g.frozen()
	return g.FS.RemoveAll(name)
}

// Rename implements vfs.FS.
func (g *guardFS) Rename(oldName, newName string) error {
	return g.change(newName, func() error { return g.FS.Rename(oldName, newName) })
}

// MkdirAll implements vfs.FS.
func (g *guardFS) MkdirAll(dir string, perm os.FileMode) error {
	g.frozen()
	return g.FS.MkdirAll(dir, perm)
}

func (g *guardFS) wrap(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &guardedFile{File: f, guard: g, name: name, isLog: strings.HasSuffix(name, ".log")}, nil
}

// guardedFile is a file opened for writing, or the store's folder.
type guardedFile struct {
	vfs.File
	guard *guardFS
	name  string
	isLog bool
}

// Write implements vfs.File.
func (f *guardedFile) Write(p []byte) (n int, err error) {
	err = f.guard.change(f.name, func() error {
		written, err := f.File.Write(p[n:])
		n += written
		return err
	})
	return n, err
}

// Preallocate implements vfs.File. It is only a hint: without space the write will tell.
func (f *guardedFile) Preallocate(offset, length int64) error {
	f.guard.frozen()
	err := f.File.Preallocate(offset, length)
	if vfs.IsNoSpaceError(err) {
		f.guard.full()
		return nil
	}
	return err
}

// sync runs a sync. It is never tried again: a disk may drop what it failed to write and then report success.
func (f *guardedFile) sync(operation func() error) error {
	f.guard.frozen()
	began := time.Now()
	err := operation()
	if f.isLog {
		f.guard.syncs.add(time.Since(began))
	}
	switch {
	case err == nil && isTable(f.name):
		f.guard.failed.Store(0)
	case err != nil && f.guard.armed.Load() && f.guard.vital(f.name):
		f.guard.stop(f.name, err)
	case err != nil && vfs.IsNoSpaceError(err):
		f.guard.full()
	}
	return err
}

// Sync implements vfs.File.
func (f *guardedFile) Sync() error { return f.sync(f.File.Sync) }

// SyncData implements vfs.File.
func (f *guardedFile) SyncData() error { return f.sync(f.File.SyncData) }

// SyncTo implements vfs.File.
func (f *guardedFile) SyncTo(length int64) (full bool, err error) {
	f.guard.frozen()
	if full, err = f.File.SyncTo(length); err != nil && f.guard.armed.Load() && f.guard.vital(f.name) {
		f.guard.stop(f.name, err)
	}
	return full, err
}

// Close implements vfs.File.
func (f *guardedFile) Close() error {
	err := f.File.Close()
	if err != nil && f.guard.armed.Load() && f.guard.vital(f.name) && !errors.Is(err, os.ErrClosed) {
		f.guard.stop(f.name, err)
	}
	return err
}
