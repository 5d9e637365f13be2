// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS stands between Pebble and the file system. Pebble retries failed background work at once and for ever, and an
// error of its log or manifest makes it panic, some of the time on a goroutine of its own and with locks held. So here:
//
//   - An error of the log, the manifest, the folder or another file that Pebble can't do without stops the store, and
//     Pebble never hears of it: the goroutine stays here. Only "no space" in writing such a file, and "too many open
//     files" in opening it, are waited out, because no refused byte is on the disk.
//   - An error of a table file goes to Pebble, which tries again; but not at once, and later each time. If tables can't
//     be written for some ten seconds, for another reason than those two, the store stops too.
//   - Once the store has stopped, nothing changes any file, so that the folder can be opened anew.
type FS struct {
	vfs.FS
	dir     string
	failure *Failure
	open    atomic.Bool  // Pebble has been opened; before, even "no space" stops the store
	full    func()       // tells that the disk is full; set before open
	scarce  atomic.Int64 // when it was last said that file descriptors ran out, in nanoseconds since 1970
	failed  atomic.Int32 // writes of tables that failed since one was synced
	burst   atomic.Int32 // the same since it was quiet for guardQuiet
	quiet   atomic.Int64 // when the last one failed, in nanoseconds since 1970
	unread  atomic.Int32 // reads of tables that failed
	retries int32        // writes of tables that may fail in a row
	changes atomic.Int64 // operations under way that may change a file
	syncs   syncStats
	hunger  hunger
	lock    lockFile
}

// Pauses after failures that time may heal.
const (
	guardPauseMin = 10 * time.Millisecond
	guardPauseMax = time.Second
	guardRetries  = 16 // together about ten seconds
	guardQuiet    = 10 * time.Second
)

// NewFS returns a guard of the store's folder dir on a file system. retries is the number of writes of tables that may
// fail in a row; 0 is a default that comes to about ten seconds. See OnFull, too.
func NewFS(files vfs.FS, dir string, retries int32, f *Failure) *FS {
	if retries == 0 {
		retries = guardRetries
	}
	g := &FS{FS: files, dir: dir, failure: f, full: func() {}, retries: retries}
	g.hunger.init()
	return g
}

// OnFull sets what is called whenever the disk turns out to be full. It comes before Opened.
func (g *FS) OnFull(full func()) { g.full = full }

// isScarce reports whether a file could not be opened because too many are open.
func isScarce(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// mayHeal reports whether time may heal the error, and tells of it.
func (g *FS) mayHeal(err error) bool {
	switch {
	case IsFull(err):
		g.full()
	case isScarce(err):
		g.sayScarce()
	default:
		return false
	}
	return true
}

// scarceEvery is the least time between two messages that file descriptors ran out.
const scarceEvery = 10 * time.Second

func (g *FS) sayScarce() {
	now := time.Now().UnixNano()
	if last := g.scarce.Load(); now-last > int64(scarceEvery) && g.scarce.CompareAndSwap(last, now) {
		g.failure.logger.Error("the store is waiting for file descriptors: too many files and connections are open; raise the limit (ulimit -n)")
	}
}

// Opened tells that Pebble has been opened: from here on it waits for space and for file descriptors.
func (g *FS) Opened() { g.open.Store(true) }

// Unlock releases the folder's lock, although Pebble may still hold it. A second call does nothing.
func (g *FS) Unlock() error { return g.lock.Close() }

// SyncLatency tells how long syncs of the log took.
func (g *FS) SyncLatency() SyncLatency { return g.syncs.latency() }

// Unwrap implements vfs.FS.
func (g *FS) Unwrap() vfs.FS { return g.FS }

// isTable reports whether Pebble can do without the file: it then writes another one.
func isTable(name string) bool {
	return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob")
}

// isLog reports whether a file belongs to the write-ahead log.
func isLog(name string) bool { return strings.HasSuffix(name, ".log") }

// vital reports whether the store can't go on after an error in writing the file.
func (g *FS) vital(name string) bool { return g.FS.PathDir(name) == g.dir && !isTable(name) }

// begin counts a change of a file, or keeps the caller for ever if the store has stopped.
func (g *FS) begin() {
	g.changes.Add(1)
	if g.failure.Failed() {
		g.keep()
	}
}

func (g *FS) end() { g.changes.Add(-1) }

// keep blocks the caller, which has begun a change, for ever.
func (g *FS) keep() {
	g.end()
	park()
}

// Still waits until no change is under way any more, after the store has stopped.
func (g *FS) Still(ctx context.Context) bool {
	for pause := 100 * time.Microsecond; g.changes.Load() > 0; pause = min(2*pause, 10*time.Millisecond) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
	return true
}

// change runs an operation that changes the file name, as often as it takes.
func (g *FS) change(name string, vital bool, operation func() error) error {
	g.begin()
	defer g.end()
	hungry := false
	defer func() {
		if hungry {
			g.hunger.end()
		}
	}()
	for tries := 0; ; tries++ {
		err := operation()
		passing := g.mayHeal(err)
		if vital && !hungry && IsFull(err) {
			hungry = true
			g.hunger.begin()
		}
		switch {
		case err == nil:
			return nil
		case !vital:
			g.slowDown(name, err)
			return err
		case !passing || !g.open.Load():
			g.stop(name, err)
		}
		g.pause(tries)
	}
}

// stop stops the store and does not return.
func (g *FS) stop(name string, err error) {
	g.failure.Fail(fmt.Errorf("file %s: %w", g.FS.PathBase(name), err))
	g.keep()
}

func (g *FS) pause(tries int) {
	timer := time.NewTimer(min(guardPauseMin<<min(tries, 10), guardPauseMax))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-g.failure.Stopped():
		g.keep()
	}
}

// slowDown delays a goroutine that couldn't write a table, longer if that was several times, and stops the store if it
// was too often.
func (g *FS) slowDown(name string, err error) {
	if !isTable(name) || g.FS.PathDir(name) != g.dir {
		return
	}
	failed := g.failed.Add(1)
	if failed > g.retries && !IsFull(err) && !isScarce(err) {
		g.stop(name, err)
	}
	if now := time.Now().UnixNano(); now-g.quiet.Swap(now) > int64(guardQuiet) {
		g.burst.Store(0)
	}
	g.pause(int(g.burst.Add(1)) - 1)
}

// Create implements vfs.FS.
func (g *FS) Create(name string, category vfs.DiskWriteCategory) (f vfs.File, err error) {
	err = g.change(name, g.vital(name), func() error {
		f, err = g.FS.Create(name, category)
		return err
	})
	return g.wrap(name, f, err)
}

// ReuseForWrite implements vfs.FS.
func (g *FS) ReuseForWrite(oldName, newName string, category vfs.DiskWriteCategory) (f vfs.File, err error) {
	err = g.change(newName, g.vital(newName), func() error {
		if f, err = g.FS.ReuseForWrite(oldName, newName, category); isScarce(err) { // it may have been renamed already
			f, err = g.FS.Create(newName, category)
		}
		return err
	})
	return g.wrap(newName, f, err)
}

// Open implements vfs.FS.
func (g *FS) Open(name string, options ...vfs.OpenOption) (vfs.File, error) {
	f, err := g.FS.Open(name, options...)
	if !isTable(name) {
		return f, err
	}
	if err != nil {
		g.mayHeal(err)
		g.slowRead()
		return nil, err
	}
	return &readFile{File: f, guard: g}, nil
}

// slowRead delays a goroutine that couldn't read a table, so that Pebble's background work doesn't spin. Reads go on
// after the store has stopped.
func (g *FS) slowRead() {
	timer := time.NewTimer(min(guardPauseMin<<min(g.unread.Add(1)-1, 10), guardPauseMax))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-g.failure.Stopped():
	}
}

// OpenDir implements vfs.FS.
func (g *FS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil || name != g.dir {
		return f, err
	}
	return &guardedFile{File: f, guard: g, name: name, vital: true}, nil
}

// Link implements vfs.FS.
func (g *FS) Link(oldName, newName string) error {
	g.begin()
	defer g.end()
	return g.FS.Link(oldName, newName)
}

// Remove implements vfs.FS. A file that can't be removed stays.
func (g *FS) Remove(name string) error {
	g.begin()
	defer g.end()
	return g.FS.Remove(name)
}

// RemoveAll implements vfs.FS.
func (g *FS) RemoveAll(name string) error {
	g.begin()
	defer g.end()
	return g.FS.RemoveAll(name)
}

// Rename implements vfs.FS.
func (g *FS) Rename(oldName, newName string) error {
	return g.change(newName, g.vital(newName), func() error { return g.FS.Rename(oldName, newName) })
}

// MkdirAll implements vfs.FS.
func (g *FS) MkdirAll(dir string, perm os.FileMode) error {
	g.begin()
	defer g.end()
	return g.FS.MkdirAll(dir, perm)
}

// Lock implements vfs.FS. The lock is kept so that it can be released although Pebble still holds it.
func (g *FS) Lock(name string) (io.Closer, error) {
	held, err := g.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	g.lock.held = held
	return &g.lock, nil
}

// lockFile is the lock of the folder. Closing it twice is no error.
type lockFile struct {
	once sync.Once
	held io.Closer
}

// Close implements io.Closer.
func (l *lockFile) Close() (err error) {
	l.once.Do(func() { err = l.held.Close() })
	return err
}

func (g *FS) wrap(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &guardedFile{File: f, guard: g, name: name, vital: g.vital(name), isLog: isLog(name)}, nil
}

// readFile is a table opened for reading.
type readFile struct {
	vfs.File
	guard *FS
}

// ReadAt implements vfs.File.
func (f *readFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(p, offset)
	switch {
	case err != nil && err != io.EOF:
		f.guard.slowRead()
	case f.guard.unread.Load() > 0:
		f.guard.unread.Store(0)
	}
	return n, err
}

// guardedFile is a file opened for writing, or the store's folder.
type guardedFile struct {
	vfs.File
	guard *FS
	name  string
	vital bool // see FS.vital
	isLog bool
}

// Write implements vfs.File.
func (f *guardedFile) Write(p []byte) (n int, err error) {
	err = f.guard.change(f.name, f.vital, func() error {
		written, err := f.File.Write(p[n:])
		n += written
		return err
	})
	return n, err
}

// Preallocate implements vfs.File. It is only a hint: what is wrong with the disk the next write will tell, and some
// file systems can't do it.
func (f *guardedFile) Preallocate(offset, length int64) error {
	f.guard.begin()
	defer f.guard.end()
	if err := f.File.Preallocate(offset, length); IsFull(err) {
		f.guard.full()
	}
	return nil
}

// once runs an operation that is never tried again: a disk may drop what it failed to write and then report success.
func (f *guardedFile) once(operation func() error) error {
	f.guard.begin()
	defer f.guard.end()
	err := operation()
	switch {
	case err == nil:
		return nil
	case f.vital:
		f.guard.stop(f.name, err)
	case IsFull(err):
		f.guard.full()
	}
	f.guard.slowDown(f.name, err)
	return err
}

func (f *guardedFile) sync(operation func() error) error {
	began := time.Now()
	err := f.once(operation)
	if f.isLog {
		f.guard.syncs.add(time.Since(began))
	} else if err == nil && !f.vital {
		f.guard.failed.Store(0)
	}
	return err
}

// Sync implements vfs.File.
func (f *guardedFile) Sync() error { return f.sync(f.File.Sync) }

// SyncData implements vfs.File.
func (f *guardedFile) SyncData() error { return f.sync(f.File.SyncData) }

// SyncTo implements vfs.File.
func (f *guardedFile) SyncTo(length int64) (full bool, err error) {
	err = f.once(func() error {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

// Close implements vfs.File.
func (f *guardedFile) Close() error { return f.once(f.File.Close) }
