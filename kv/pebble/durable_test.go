// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/weftdb/weft/kv"
)

// heldStore is a store whose log syncs a test can hold up.
type heldStore struct {
	*Store
	fs      *faultFS
	reached chan struct{} // closed when a sync is held
	release func()        // lets it go on
}

func newHeldStore(t *testing.T) *heldStore {
	fs := newFaultFS(vfs.NewMem())
	return &heldStore{Store: opened(t, small(fs)), fs: fs}
}

// hold holds the next syncs up, until release.
func (h *heldStore) hold() {
	released := make(chan struct{})
	h.reached = make(chan struct{})
	var reach, release sync.Once
	reached := h.reached
	h.release = func() { release.Do(func() { close(released) }) }
	h.fs.set(func(op errorfs.Op) error {
		if isLogSync(op) {
			reach.Do(func() { close(reached) })
			<-released
		}
		return nil
	})
}

// start begins a commit and returns when it is visible and its sync is held.
func (h *heldStore) start(key, value string) <-chan error {
	done, before := make(chan error, 1), h.commits.version.Load()
	go func() { done <- put(h.Store, []byte(key), []byte(value)) }()
	<-h.reached
	for h.commits.version.Load() == before { // the log may be syncing before the commit is visible
		runtime.Gosched()
	}
	return done
}

// TestNobodySeesWhatIsNotDurable: a read that would show a commit before its sync waits, by every way of reading; other
// keys are not held up.
func TestNobodySeesWhatIsNotDurable(t *testing.T) {
	ctx := context.Background()
	h := newHeldStore(t)
	must(t, put(h.Store, []byte("a"), []byte("old")))
	must(t, put(h.Store, []byte("b"), []byte("other")))
	before, err := h.Read(ctx)
	must(t, err)
	h.hold()
	done := h.start("a", "new")

	short, cancel := context.WithCancel(ctx)
	cancel()
	waits := func(name string, read func(ctx context.Context) (string, error)) {
		t.Helper()
		_, err := read(&lateContext{Context: short})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s does not wait for the sync (%v)", name, err)
		}
	}
	after, err := h.Read(ctx)
	must(t, err)
	txn, err := h.Begin(ctx)
	must(t, err)
	get := func(from getter, key string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			value, _, err := from.Get(ctx, []byte(key), nil)
			return string(value), err
		}
	}
	scan := func(from view2) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			cursor := from.Scan(ctx, kv.Range{}, false)
			value := ""
			if cursor.Next() {
				value = string(cursor.Value())
			}
			return value, cursor.Close()
		}
	}
	waits("Store.Get", get(h, "a"))
	waits("Reader.Get", get(after, "a"))
	waits("Txn.Get", get(txn, "a"))
	var released atomic.Bool
	var scans sync.WaitGroup
	for _, from := range []view2{after, txn} {
		scans.Go(func() {
			value, err := scan(from)(ctx)
			if err != nil || value != "new" || !released.Load() {
				t.Errorf("a scan shows %q, %v, before the sync: %t", value, err, !released.Load())
			}
		})
	}
	for range 1000 {
		runtime.Gosched() // lets the scans run into what they must wait for
	}
	for _, from := range []getter{h, before, after} { // a Txn is used by one goroutine at a time
		if value, err := get(from, "b")(ctx); err != nil || value != "other" {
			t.Errorf("another key is %q, %v", value, err)
		}
	}
	if value, err := get(before, "a")(ctx); err != nil || value != "old" {
		t.Errorf("an older snapshot shows %q, %v", value, err)
	}
	if value, err := scan(before)(ctx); err != nil || value != "old" {
		t.Errorf("a scan of an older snapshot shows %q, %v", value, err)
	}
	released.Store(true)
	h.release()
	must(t, <-done)
	scans.Wait()
	for _, read := range []func(context.Context) (string, error){get(h, "a"), get(after, "a"), get(txn, "a"),
		scan(after), scan(txn)} {
		if value, err := read(ctx); err != nil || value != "new" {
			t.Errorf("after the sync a read shows %q, %v", value, err)
		}
	}
	txn.Rollback()
	must(t, before.Close())
	must(t, after.Close())
}

type getter interface {
	Get(ctx context.Context, key, dst []byte) ([]byte, bool, error)
}

type view2 interface {
	Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor
}

// lateContext is cancelled, but says so only to who waits for it: a call that starts by looking at Err goes on.
type lateContext struct {
	context.Context
	asked int
}

func (c *lateContext) Err() error {
	if c.asked++; c.asked <= 1 {
		return nil
	}
	return c.Context.Err()
}

// TestOverwriteHidesPending: a snapshot shows a commit that isn't durable; a later commit of the same key must not make
// the read forget that.
func TestOverwriteHidesPending(t *testing.T) {
	ctx := context.Background()
	h := newHeldStore(t)
	h.hold()
	first := h.start("a", "1")
	r, err := h.Read(ctx)
	must(t, err)
	second := make(chan error, 1)
	go func() { second <- put(h.Store, []byte("a"), []byte("2")) }()
	for h.commits.version.Load() < 2 {
		runtime.Gosched() // until the second is visible
	}
	short, cancel := context.WithCancel(ctx)
	cancel()
	for range 3 {
		if _, _, err := r.Get(&lateContext{Context: short}, []byte("a"), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("the read does not wait (%v)", err)
		}
	}
	h.release()
	must(t, <-first)
	must(t, <-second)
	if value, _, err := r.Get(ctx, []byte("a"), nil); err != nil || string(value) != "1" {
		t.Errorf("the snapshot shows %q, %v", value, err)
	}
	must(t, r.Close())
}

// TestGivingUpACommit: a commit whose context ends while it waits for the disk is of unknown outcome, and harms nobody.
func TestGivingUpACommit(t *testing.T) {
	h := newHeldStore(t)
	h.hold()
	held := h.start("a", "1")
	ctx, cancel := context.WithCancel(context.Background())
	txn, err := h.Begin(ctx)
	must(t, err)
	must(t, txn.Set([]byte("b"), []byte("2")))
	gaveUp := make(chan error, 1)
	go func() { gaveUp <- txn.Commit(&lateContext{Context: ctx}) }()
	cancel()
	if err := <-gaveUp; !errors.Is(err, kv.ErrUnknownOutcome) || !errors.Is(err, context.Canceled) {
		t.Errorf("Commit returns %v", err)
	}
	h.release()
	must(t, <-held)
	must(t, put(h.Store, []byte("b"), []byte("3")))
	if value, _, err := h.Get(context.Background(), []byte("b"), nil); err != nil || string(value) != "3" {
		t.Errorf("b is %q, %v", value, err)
	}
}
