// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble/internal/guard"
)

// Open opens the store in o.Dir and creates it if the folder is new or empty. Errors: kv.ErrFormat if the folder holds
// something else or a newer format; kv.ErrDamaged if files are missing or damaged; kv.ErrLocked if it is open
// already; whatever the file system returns.
func Open(o Options) (*Store, error) {
	if o.Dir == "" {
		return nil, errors.New("pebble: Options.Dir is empty: name the folder of the store")
	}
	o = o.withDefaults()
	s := &Store{options: o, txns: newRegistry(), views: newRegistry()}
	if o.Marks {
		s.marks = new(marks)
	}
	if (o.Existing || o.ReadOnly) && !isStore(o.FS, o.Dir) {
		return nil, noStore(o.FS, o.Dir)
	}
	s.failure = guard.NewFailure(&s.gate, o.Logger, o.Fatal)
	if err := s.prepare(); err != nil {
		return nil, err
	}
	s.disk = newDiskMonitor(s)
	s.guard.OnFull(s.disk.full)
	if err := s.openLocked(); err != nil {
		s.disk.end()
		return nil, fmt.Errorf("pebble: opening %s: %w", o.Dir, errors.Join(err, s.shutEngine()))
	}
	s.start()
	if s.failure.Failed() { // in the background, and nobody was told yet
		return nil, s.Close()
	}
	return s, nil
}

// prepare makes the folder and locks it.
func (s *Store) prepare() error {
	o := &s.options
	if !o.ReadOnly {
		if err := makeDir(o.FS, o.Dir); err != nil {
			return fmt.Errorf("pebble: creating %s: %w", o.Dir, err)
		}
		guard.WarnIfExposed(o.FS, o.Dir, o.Logger)
	}
	s.guard = guard.NewFS(o.FS, o.Dir, o.tableRetries, s.failure)
	lock, err := pebble.LockDirectory(o.Dir, s.guard)
	switch {
	case err == nil:
	case isTaken(err):
		return fmt.Errorf("pebble: can't lock %s: %w (%w)", o.Dir, kv.ErrLocked, err)
	default:
		return fmt.Errorf("pebble: can't lock %s: %w", o.Dir, err)
	}
	s.lock = lock
	return nil
}

// openLocked opens the engine on a goroutine of its own, which does not end if a file can't be written.
func (s *Store) openLocked() error {
	fs, dir := s.options.FS, s.options.Dir
	fresh, left, err := s.checkFolder()
	if err == nil && !s.options.ReadOnly {
		err = errors.Join(fs.RemoveAll(ingestDir(fs, dir)), fs.RemoveAll(copyDir(fs, dir)), forget(fs, dir))
	}
	if err != nil {
		return err
	}
	s.cache = newBlockCache(s.options.CacheBytes, 2*int64(s.options.MemTableBytes))
	s.engine = s.options.engineOptions(s.guard, guard.NewLogger(s.options.Logger, s.failure), s.cache.cache)
	s.engine.Lock = s.lock
	s.engine.ErrorIfNotExists = !fresh
	s.engine.EventListener = s.events.listener(s.options.Logger, &s.versions)
	if err := s.openEngine(); err != nil {
		if fresh || isSystem(err) || s.failure.Failed() {
			return err
		}
		if left != nil && !s.options.ReadOnly { // Pebble looks at all that is there before it changes anything
			err = errors.Join(err, replaceFile(fs, dir, stateTmpName, stateName, left.text()))
		}
		return s.explain(err)
	}
	s.engine.EnsureDefaults() // as Pebble did with its own copy
	if s.options.ReadOnly {
		return nil
	}
	if fresh {
		if err := writeMarker(fs, dir); err != nil {
			return err
		}
	}
	if err := fs.Remove(fs.PathJoin(dir, markerNewName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s.noteOpen()
	s.noted = true
	return nil
}

// checkFolder judges the files before anything changes. fresh says that there are none yet; left is how they were left,
// nil if unknown.
func (s *Store) checkFolder() (fresh bool, left *endState, err error) {
	fs, dir := s.options.FS, s.options.Dir
	if fresh, err = checkMarker(fs, dir); err != nil || fresh {
		return fresh, nil, err
	}
	names, err := fs.List(dir)
	if err != nil {
		return false, nil, err
	}
	if left, err = readEnding(fs, dir, names); err != nil {
		return false, nil, err
	}
	manifest, err := checkParts(fs, dir, left)
	if err == nil && left != nil {
		err = left.check(fs, dir, manifest, names)
	}
	if err == nil && (left == nil || !left.stopped) {
		err = s.checkTails(manifest)
	}
	return false, left, err
}

// checkTails looks at the ends of the files that were being written when a process or the machine ended.
func (s *Store) checkTails(manifest string) error {
	torn, err := checkManifest(s.options.FS, s.options.Dir, manifest)
	if err != nil {
		return err
	}
	if torn > 0 {
		s.options.Logger.Warn("the store was not stopped in good order, and its list of files ends in an entry that is "+
			"cut short: it is dropped",
			"file", manifest, "droppedBytes", torn)
	}
	return s.tellTorn()
}

// openEngine opens Pebble, and makes sure that there is a manifest to write to: until the first change of its files
// Pebble has none if it found no log, as after a start that failed or was killed, and a checkpoint of it would be
// worthless.
func (s *Store) openEngine() error {
	type result struct {
		db  *pebble.DB
		err error
	}
	opened := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("engine panicked: %v", p)
			}
			opened <- r
		}()
		r.db, r.err = pebble.Open(s.options.Dir, s.engine)
		if r.err == nil && !s.options.ReadOnly && !s.events.manifest.Load() {
			r.err = r.db.Flush()
		}
	}()
	select {
	case r := <-opened:
		s.db = r.db
		return r.err
	case <-s.failure.Stopped():
		return s.failure.Cause()
	}
}

// noStore returns the error about a folder that holds no store.
func noStore(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err == nil {
		for _, name := range names {
			if _, ok := numberOf(name); ok || strings.HasPrefix(name, "marker.") {
				return fmt.Errorf("pebble: opening %s: %w", dir, lostFormat(name))
			}
		}
	}
	return fmt.Errorf("there is no store in %s: %w", dir, os.ErrNotExist)
}

// start runs the store's goroutines.
func (s *Store) start() {
	s.commits = newCommitTable(s.txns, &s.flight, s.failure.Stopped(), tableEntriesMax)
	s.guard.Opened()
	s.failure.Opened()
	s.cache.keep(s.options.DiskCheckInterval, func() int64 {
		s.commits.trim()
		s.renewAnchor()
		return s.Metrics().MemTableBytes
	})
	for range min(max(runtime.GOMAXPROCS(0)/8, 1), 4) {
		s.lanes = append(s.lanes, newLane(s))
	}
}

// Close implements kv.Store. See the package's documentation for its deadline.
func (s *Store) Close() error {
	err := error(nil)
	s.closing.Do(func() { err = s.close() })
	return err
}

func (s *Store) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.options.CloseTimeout)
	defer cancel()
	s.gate.Shut()
	s.disk.end()
	s.cache.end()
	if !s.gate.Drained(ctx.Done(), s.failure.Stopped()) {
		return s.abandon("calls or commits are still under way")
	}
	for _, l := range s.lanes {
		if !l.end(ctx.Done()) {
			return s.abandon("commits are still under way")
		}
	}
	err := s.releaseAll()
	closeErr := s.closeEngine(ctx)
	if s.failure.Failed() {
		return s.abandon("the engine is still busy")
	}
	return errors.Join(err, closeErr, s.unlock())
}

// shutEngine closes what a failed Open leaves.
func (s *Store) shutEngine() error {
	if s.cache != nil {
		s.cache.end()
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.options.CloseTimeout)
	defer cancel()
	return errors.Join(s.closeEngine(ctx), s.unlock())
}

// closeEngine closes Pebble on a goroutine of its own, because that may never end. If it takes too long the store is
// stopped.
func (s *Store) closeEngine(ctx context.Context) error {
	if s.db == nil {
		return nil
	}
	closed := make(chan error, 1)
	var logs int64
	go func() {
		defer func() {
			if r := recover(); r != nil {
				closed <- fmt.Errorf("pebble: closing panicked: %v", r)
			}
		}()
		logs = s.db.Metrics().WAL.Files
		closed <- s.db.Close()
	}()
	select {
	case err := <-closed:
		if err == nil && s.noted { // a store that was never open has nothing to tell, and may have no marker yet
			s.noteStopped(ctx, logs)
		}
		return err
	case <-s.failure.Stopped():
	case <-ctx.Done():
		s.failure.Stop(errors.New("closing takes too long"), func() {})
	}
	return nil
}

// abandon gives the engine up as it is. Its files don't change any more.
func (s *Store) abandon(why string) error {
	s.failure.Stop(errors.New(why), func() {})
	unlocked := s.unlock()
	if s.options.ReadOnly {
		return nil // nothing was to be written
	}
	return fmt.Errorf("pebble: %s was not closed in good order, end the process: %w", s.options.Dir,
		errors.Join(s.failure.Cause(), unlocked))
}

// unlock lets others open the folder, after the engine was closed or stopped.
func (s *Store) unlock() error {
	if !s.failure.Failed() {
		return s.lock.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.options.CloseTimeout)
	defer cancel()
	if !s.guard.Still(ctx) {
		return errors.New("the disk doesn't answer; the folder stays locked until this process ends")
	}
	return s.guard.Unlock()
}
