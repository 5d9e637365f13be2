// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
)

// sweepHang is when a call counts as hanging. Nothing is measured by it: a correct store is far from it.
const sweepHang = time.Minute

// TestFileErrors fails the i-th file operation of a script, for many i: each call returns, with success or an error;
// what was acknowledged is there after a crash, and what failed for sure is not. A change tries every twelfth, from a
// place that the seed chooses, once and for ever; a night tries them all. Each sync of the log fails in any case.
func TestFileErrors(t *testing.T) {
	if !inOtherProcess(t) {
		return
	}
	stride := max(48/rounds.Of(t, 4), 1)
	first := 1 + int64(rounds.Seed(t)%uint64(stride))
	anything := func(errorfs.Op) bool { return true }
	sweepAll(t, first, int64(stride), false, anything)
	sweepAll(t, first, int64(stride), true, anything)
	sweepAll(t, 1, 1, false, isLogSync)
}

// sweepAll fails the operations of a kind, from the one on and with the stride between.
func sweepAll(t *testing.T, first, stride int64, lasting bool, counts func(errorfs.Op) bool) {
	points := 0
	for i := first; !t.Failed() && sweepOne(t, i, lasting, counts); i += stride {
		points++
	}
	if points < 10 {
		t.Errorf("only %d file operations failed: the script is too short", points)
	}
	t.Logf("%d points, lasting errors %t", points, lasting)
}

// sweep is one run of the script.
type sweep struct {
	mem      *vfs.MemFS
	ops      atomic.Int64
	failed   atomic.Bool // the error was injected
	mu       sync.Mutex
	accepted []string // transactions that were acknowledged
	refused  []string // transactions that failed for sure
}

// sweepOne fails operation i of those that count, and all later ones if lasting, and reports whether the script got
// that far.
func sweepOne(t *testing.T, i int64, lasting bool, counts func(errorfs.Op) bool) bool {
	w := &sweep{mem: vfs.NewCrashableMem()}
	fs := errorfs.Wrap(w.mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if !counts(op) {
			return nil
		}
		if n := w.ops.Add(1); n == i || (lasting && n > i) {
			w.failed.Store(true)
			return fmt.Errorf("injected into operation %d, kind %d of %s", n, op.Kind, op.Path)
		}
		return nil
	}))
	finished := make(chan error, 1)
	go func() { finished <- w.script(fs) }()
	select {
	case <-finished:
	case <-time.After(sweepHang):
		stacks := make([]byte, 1<<20)
		t.Errorf("operation %d: the script hangs\n%s", i, stacks[:runtime.Stack(stacks, true)])
		return true
	}
	if err := w.verify(); err != nil {
		t.Errorf("operation %d, lasting %t: %v", i, lasting, err)
	}
	return w.failed.Load()
}

// script opens a store, writes from several goroutines with flushes and compactions between, reopens it, and goes on.
func (w *sweep) script(fs vfs.FS) error {
	for round := range 2 {
		options := small(fs)
		options.CloseTimeout, options.tableRetries = 100*time.Millisecond, 4
		s, err := Open(options)
		if err != nil {
			return err
		}
		for phase := range 3 {
			w.writeAll(s, fmt.Sprintf("%d-%d", round, phase))
			errs := errors.Join(s.DeleteRange(context.Background(),
				kv.Range{Start: []byte("none"), End: []byte("nonf")}),
				s.Compact(context.Background(), kv.Range{}), w.ingest(s, round, phase))
			_, readErr := snapshotScan(s, []byte("t 0-0 0 a"))
			_ = errors.Join(errs, readErr) // any error is fine, a hang or a panic is not
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (w *sweep) writeAll(s *Store, phase string) {
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			for n := range 3 {
				w.writeOne(s, fmt.Sprintf("t %s %d", phase, g*10+n))
			}
		})
	}
	wg.Wait()
}

// writeOne writes two keys in one transaction and notes what came of it.
func (w *sweep) writeOne(s *Store, name string) {
	err := kv.Update(context.Background(), s, func(txn kv.Txn) error {
		if _, _, err := txn.Get(context.Background(), []byte(name), nil); err != nil {
			return err
		}
		return errors.Join(txn.Set([]byte(name+" a"), []byte(name)), txn.Set([]byte(name+" b"), make([]byte, 2000)))
	})
	w.note(name, err)
}

func (w *sweep) note(name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
		w.accepted = append(w.accepted, name)
	case !errors.Is(err, kv.ErrUnknownOutcome):
		w.refused = append(w.refused, name)
	}
}

func (w *sweep) ingest(s *Store, round, phase int) error {
	name, n := fmt.Sprintf("i %d-%d", round, phase), 0
	err := s.Ingest(context.Background(), func() ([]byte, []byte, error) {
		if n++; n > 2 {
			return nil, nil, io.EOF
		}
		return []byte(name + []string{" a", " b"}[n-1]), []byte("v"), nil
	})
	if err == nil {
		w.note(name, nil)
	}
	return err
}

// verify opens what a loss of power would leave.
func (w *sweep) verify() error {
	s, err := Open(small(w.mem.CrashClone(vfs.CrashCloneCfg{})))
	if err != nil {
		return fmt.Errorf("opening after the crash: %w", err)
	}
	var errs []error
	for _, name := range w.accepted {
		errs = append(errs, w.expect(s, name, true))
	}
	for _, name := range w.refused {
		errs = append(errs, w.expect(s, name, false))
	}
	return errors.Join(append(errs, s.Close())...)
}

func (w *sweep) expect(s *Store, name string, want bool) error {
	for _, side := range []string{" a", " b"} {
		_, ok, err := s.Get(context.Background(), []byte(name+side), nil)
		if err != nil || ok != want {
			return fmt.Errorf("%q is there: %t, want %t (error %v)", name+side, ok, want, err)
		}
	}
	return nil
}
