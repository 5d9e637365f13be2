// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/weftdb/weft/kv"
)

// usageFS is a file system with a made-up amount of free space.
type usageFS struct {
	vfs.FS
	free atomic.Int64
}

func (fs *usageFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: uint64(fs.free.Load()), TotalBytes: 100 << 30}, nil
}

// faultFS fails or holds up the operations that a test chooses.
type faultFS struct {
	vfs.FS
	fault atomic.Pointer[func(errorfs.Op) error]
}

func newFaultFS(inner vfs.FS) *faultFS {
	f := &faultFS{}
	f.FS = errorfs.Wrap(inner, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if fault := f.fault.Load(); fault != nil {
			return (*fault)(op)
		}
		return nil
	}))
	return f
}

func (f *faultFS) set(fault func(errorfs.Op) error) { f.fault.Store(&fault) }

func (f *faultFS) heal() { f.fault.Store(nil) }

func isLogSync(op errorfs.Op) bool {
	return strings.HasSuffix(op.Path, ".log") && (op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSync)
}

func isLogWrite(op errorfs.Op) bool {
	return strings.HasSuffix(op.Path, ".log") && op.Kind == errorfs.OpFileWrite
}

func mustBe(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func remove(s *Store, key []byte) error {
	return kv.Update(context.Background(), s, func(txn kv.Txn) error { return txn.Delete(key) })
}

func TestReadOnlyBelowWatermark(t *testing.T) {
	ctx := context.Background()
	fs := &usageFS{FS: vfs.NewMem()}
	fs.free.Store(10 << 30)
	options := small(fs)
	options.ReadOnlyBelowBytes = 1 << 30
	s := opened(t, options)
	must(t, put(s, []byte("a"), []byte("1")))
	must(t, put(s, []byte("b"), []byte("1")))
	early, err := s.Begin(ctx)
	must(t, err)
	must(t, early.Set([]byte("c"), []byte("1")))

	fs.free.Store(1<<30 - 1)
	s.disk.look()
	mustBe(t, put(s, []byte("c"), []byte("1")), kv.ErrReadOnly)
	mustBe(t, early.Commit(ctx), kv.ErrReadOnly)
	mustBe(t, s.Ingest(ctx, nil), kv.ErrReadOnly)
	if value, ok, err := s.Get(ctx, []byte("a"), nil); err != nil || !ok || string(value) != "1" {
		t.Errorf("Get returns %q, %t, %v while read-only", value, ok, err)
	}
	must(t, remove(s, []byte("a")))
	must(t, s.DeleteRange(ctx, kv.Range{Start: []byte("b")}))
	must(t, s.Compact(ctx, kv.Range{}))
	if !s.Metrics().ReadOnly {
		t.Error("Metrics don't tell that the store is read-only")
	}

	fs.free.Store(1<<30/8 - 1)
	s.disk.look()
	mustBe(t, remove(s, []byte("a")), kv.ErrReadOnly)

	fs.free.Store(1<<30 + 1) // not enough yet
	s.disk.look()
	mustBe(t, put(s, []byte("c"), []byte("1")), kv.ErrReadOnly)
	must(t, remove(s, []byte("a")))
	fs.free.Store(2 << 30)
	s.disk.look()
	must(t, put(s, []byte("c"), []byte("1")))
	if _, ok, _ := s.Get(ctx, []byte("a"), nil); ok {
		t.Error("a deleted key is there")
	}
}

// TestMonitor sees the watch over the disk work by itself, after an interval or after many bytes.
func TestMonitor(t *testing.T) {
	for _, bytes := range []bool{false, true} {
		fs := &usageFS{FS: vfs.NewMem()}
		fs.free.Store(10 << 20)
		options := small(fs)
		options.ReadOnlyBelowBytes = 1 << 20
		if !bytes {
			options.DiskCheckInterval = time.Millisecond
		}
		s := opened(t, options)
		fs.free.Store(1 << 19)
		value := make([]byte, 1<<10)
		var err error
		for i := 0; err == nil && (i < 1e6); i++ {
			err = put(s, []byte("a"), value)
		}
		mustBe(t, err, kv.ErrReadOnly)
	}
}

// TestNoSpaceHeals: when the log finds no space, commits wait and the store turns read-only; when there is space again,
// everything goes on.
func TestNoSpaceHeals(t *testing.T) {
	fs := newFaultFS(vfs.NewMem())
	usage := &usageFS{FS: fs}
	usage.free.Store(10 << 30)
	options := small(usage)
	options.ReadOnlyBelowBytes, options.hungerMax = 1<<30, time.Hour
	s := opened(t, options)
	must(t, put(s, []byte("a"), []byte("1")))
	hit := make(chan struct{})
	var once sync.Once
	usage.free.Store(0)
	fs.set(func(op errorfs.Op) error {
		if isLogWrite(op) {
			defer once.Do(func() { close(hit) })
			return syscall.ENOSPC
		}
		return nil
	})
	done := make(chan error, 1)
	go func() { done <- put(s, []byte("b"), []byte("1")) }()
	<-hit
	ctx, cancel := context.WithCancel(context.Background())
	txn, err := s.Begin(ctx)
	must(t, err)
	must(t, txn.Delete([]byte("c")))
	cancel()
	if err := txn.Commit(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit with a cancelled context returns %v", err)
	}
	fs.heal()
	must(t, <-done)
	usage.free.Store(10 << 30)
	s.disk.look()
	must(t, put(s, []byte("c"), []byte("1")))
	if s.failure.Failed() {
		t.Error("the store has stopped")
	}
}

// TestFullWithoutWatermark: with the watermark off, a full disk still makes the store read-only, and space heals it.
func TestFullWithoutWatermark(t *testing.T) {
	usage := &usageFS{FS: vfs.NewMem()}
	s := opened(t, small(usage))
	must(t, put(s, []byte("a"), []byte("1")))
	s.disk.full()
	s.disk.look()
	mustBe(t, put(s, []byte("a"), []byte("2")), kv.ErrReadOnly)
	usage.free.Store(1 << 30)
	s.disk.look()
	must(t, put(s, []byte("a"), []byte("2")))
	s.disk.full()
	s.disk.store.options.FS = usage.FS // a file system that doesn't tell its free space
	s.disk.look()
	must(t, put(s, []byte("a"), []byte("3")))
}

// TestLogFailure: after a failed sync of the log nothing is acknowledged any more, nobody waits for ever, and the
// folder can be opened anew.
func TestLogFailure(t *testing.T) {
	if !inOtherProcess(t) {
		return
	}
	for _, what := range []struct {
		name string
		hits func(errorfs.Op) bool
	}{{"sync", isLogSync}, {"write", isLogWrite}} {
		t.Run(what.name, func(t *testing.T) { failLog(t, what.hits) })
	}
}

func failLog(t *testing.T, hits func(errorfs.Op) bool) {
	ctx := context.Background()
	mem := vfs.NewCrashableMem()
	fs := newFaultFS(mem)
	options := small(fs)
	fatal := make(chan error, 10)
	options.Fatal = func(err error) { fatal <- err }
	s := mustOpen(t, options)
	must(t, put(s, []byte("a"), []byte("1")))
	reader, err := s.Read(ctx)
	must(t, err)
	injected := errors.New("injected")
	fs.set(func(op errorfs.Op) error {
		if hits(op) {
			return injected
		}
		return nil
	})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			err := put(s, []byte{'b', byte(i)}, []byte("1"))
			if !errors.Is(err, kv.ErrUnknownOutcome) && !errors.Is(err, kv.ErrClosed) {
				t.Errorf("Commit returns %v", err)
			}
		})
	}
	wg.Wait()
	mustBe(t, <-fatal, injected)
	_, _, err = s.Get(ctx, []byte("a"), nil)
	mustBe(t, err, kv.ErrClosed)
	_, _, err = reader.Get(ctx, []byte("a"), nil)
	mustBe(t, err, kv.ErrClosed)
	mustBe(t, put(s, []byte("c"), []byte("1")), kv.ErrClosed)
	mustBe(t, s.Close(), injected)
	must(t, s.Close())
	if len(fatal) > 0 {
		t.Error("Fatal was called twice")
	}
	fs.heal()
	again := opened(t, small(fs))
	if _, ok, err := again.Get(ctx, []byte("a"), nil); !ok || err != nil {
		t.Errorf("after reopening an acknowledged key is there: %t, %v", ok, err)
	}
	must(t, put(again, []byte("c"), []byte("1")))
}

// TestCloseGivesUp: Close returns although a commit hangs in the disk, and the commit returns as well.
func TestCloseGivesUp(t *testing.T) {
	if !inOtherProcess(t) {
		return
	}
	fs := newFaultFS(vfs.NewMem())
	options := small(fs)
	options.CloseTimeout = 50 * time.Millisecond
	s := mustOpen(t, options)
	reached := make(chan struct{})
	var once sync.Once
	fs.set(func(op errorfs.Op) error {
		if isLogSync(op) {
			once.Do(func() { close(reached) })
			select {}
		}
		return nil
	})
	done := make(chan error, 1)
	go func() { done <- put(s, []byte("a"), []byte("1")) }()
	<-reached
	if err := s.Close(); err == nil {
		t.Error("Close returns nil")
	}
	mustBe(t, <-done, kv.ErrUnknownOutcome)
}

// TestFlushFailures: a table that can't be written is tried again until it can, and nothing stops.
func TestFlushFailures(t *testing.T) {
	fs := newFaultFS(vfs.NewMem())
	s := opened(t, small(fs))
	must(t, put(s, []byte("a"), []byte("1")))
	var failures atomic.Int32
	fs.set(func(op errorfs.Op) error {
		if strings.HasSuffix(op.Path, ".sst") && op.Kind == errorfs.OpFileWrite && failures.Add(1) <= 5 {
			return errors.New("injected")
		}
		return nil
	})
	must(t, s.db.Flush())
	if m := s.Metrics(); failures.Load() < 5 || m.BackgroundErrors == 0 || m.Flushes == 0 {
		t.Errorf("%d failures, %d background errors, %d flushes", failures.Load(), m.BackgroundErrors, m.Flushes)
	}
	must(t, put(s, []byte("b"), []byte("1")))
}

// TestReadsWithoutSpace: while the log finds no space, by a quota or otherwise, reads show what is durable, and nothing
// else; new writes are refused at once, and those under way are told that their outcome is unknown. When there is space
// again, everything goes on.
func TestReadsWithoutSpace(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		fs := newFaultFS(vfs.NewMem())
		usage := &usageFS{FS: fs}
		usage.free.Store(10 << 30) // the file system does not know of it
		options := small(usage)
		options.hungerMax = time.Millisecond
		s := opened(t, options)
		must(t, put(s, []byte("a"), []byte("1")))
		must(t, put(s, []byte("gone"), []byte("1")))
		fs.set(func(op errorfs.Op) error {
			if isLogWrite(op) || op.Kind == errorfs.OpCreate {
				return cause
			}
			return nil
		})
		early, err := s.Begin(t.Context())
		must(t, err)
		_, _, err = early.Get(t.Context(), []byte("a"), nil)
		must(t, err)
		must(t, early.Set([]byte("a"), []byte("3")))
		mustBe(t, kv.Update(t.Context(), s, func(txn kv.Txn) error {
			return errors.Join(txn.Set([]byte("a"), []byte("2")), txn.Delete([]byte("gone")))
		}), kv.ErrUnknownOutcome)
		for range 2 {
			s.disk.look()
			mustBe(t, put(s, []byte("b"), []byte("1")), kv.ErrReadOnly)
			mustBe(t, remove(s, []byte("b")), kv.ErrReadOnly)
			if !s.Metrics().ReadOnly {
				t.Error("the store seems to take writes")
			}
			r, err := s.Read(t.Context())
			must(t, err)
			for what, read := range map[string]func() (string, error){
				"the store's gets": func() (string, error) { return getsOf(s) },
				"a reader's gets":  func() (string, error) { return getsOf(r) },
				"the store's walk": func() (string,
					error) {
					return scanOf(kv.Walk(t.Context(), s, kv.Range{}, false))
				},
				"a reader's cursors": func() (string, error) { return scanOf(r.Scan(t.Context(), kv.Range{}, false)) },
			} {
				if text, err := read(); err != nil || text != "a=1 gone=1 " {
					t.Errorf("%v: by %s: %q, %v", cause, what, text, err)
				}
			}
			must(t, r.Close())
		}
		late, err := s.Begin(t.Context())
		must(t, err)
		_, _, err = late.Get(t.Context(), []byte("a"), nil)
		must(t, err)
		fs.heal()
		for s.guard.IsHungry() || s.flight.count.Load() > 0 {
			time.Sleep(time.Millisecond)
		}
		s.disk.look()
		must(t, late.Set([]byte("a"), []byte("4")))
		mustBe(t, late.Commit(t.Context()), kv.ErrConflict)
		mustBe(t, early.Commit(t.Context()), kv.ErrConflict)
		if text, err := scanOf(kv.Walk(t.Context(), s, kv.Range{}, false)); err != nil || text != "a=2 " {
			t.Errorf("%v: afterwards there is %q, %v", cause, text, err)
		}
		must(t, put(s, []byte("a"), []byte("5")))
		if s.failure.Failed() {
			t.Error("the store has stopped")
		}
	}
}

func getsOf(from interface {
	Get(ctx context.Context, key, dst []byte) ([]byte, bool, error)
}) (text string, err error) {
	for _, key := range []string{"a", "b", "gone"} {
		value, ok, err := from.Get(context.Background(), []byte(key), nil)
		if err != nil {
			return text, err
		}
		if ok {
			text += key + "=" + string(value) + " "
		}
	}
	return text, nil
}

func scanOf(c kv.Cursor) (text string, err error) {
	for c.Next() {
		text += string(c.Key()) + "=" + string(c.Value()) + " "
	}
	return text, c.Close()
}
