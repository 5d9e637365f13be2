// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/weftdb/weft/kv"
)

// TestIngestGivenUp gives up an ingestion, in the middle or at its end: its caller's function is neither running nor
// called any more, and nothing is added.
func TestIngestGivenUp(t *testing.T) {
	s := opened(t, small(vfs.NewMem()))
	for round := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		calls, isRunning := 0, false // Ingest itself keeps the looks below apart from the changes here
		err := s.Ingest(ctx, func() (key, value []byte, err error) {
			isRunning = true
			if calls++; calls == 100*round+1 {
				cancel()
				time.Sleep(time.Millisecond)
				if round%2 > 0 {
					err = io.EOF
				}
			}
			isRunning = false
			return fmt.Appendf(nil, "key %09d", calls), []byte("value"), err
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		seen := calls
		if time.Sleep(time.Millisecond); isRunning || calls != seen {
			t.Fatalf("Ingest has returned: its caller's function is running: %t, and was called %d times more",
				isRunning, calls-seen)
		}
	}
	reader, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cursor := reader.Scan(t.Context(), kv.Range{}, false)
	if cursor.Next() {
		t.Errorf("%q is there", cursor.Key())
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
}

// entryB returns one entry, whose key is b.
func entryB() func() (key, value []byte, err error) {
	given := false
	return func() (key, value []byte, err error) {
		if given {
			return nil, nil, io.EOF
		}
		given = true
		return []byte("b"), []byte("1"), nil
	}
}

// lateChange is a change that is no commit, to a store that holds a, and since a mark c.
type lateChange struct {
	name string
	hits func(errorfs.Op) bool // while it is being made
	do   func(ctx context.Context, s *Store, mark kv.Mark) error
	want string // what the store holds after it
}

// TestNothingComesLate ends the context of a change while the change is being made: the call returns after it all the
// same, as what its caller writes next must not come before it.
func TestNothingComesLate(t *testing.T) {
	isLink := func(op errorfs.Op) bool { return op.Kind == errorfs.OpLink }
	for _, change := range []lateChange{
		{"Ingest", isLink, func(ctx context.Context, s *Store, _ kv.Mark) error {
			return s.Ingest(ctx, entryB())
		}, "a=1 b=1 c=1 "},
		{"Load", isLink, func(ctx context.Context, s *Store, _ kv.Mark) error {
			return s.Load(ctx, false, entryB())
		}, "a=1 b=1 c=1 "},
		{"DeleteRange", isLogSync, func(ctx context.Context, s *Store, _ kv.Mark) error {
			return s.DeleteRange(ctx, kv.Range{Start: []byte("b")})
		}, "a=1 "},
		{"Redo", isLogSync, func(ctx context.Context, s *Store, _ kv.Mark) error {
			batch := s.db.NewBatch()
			defer batch.Close()
			return errors.Join(batch.Delete(storedKey([]byte("a")), nil),
				s.Redo(ctx, []kv.Change{{Bytes: batch.Repr()}}))
		}, "c=1 "},
		{"Return", isLogSync, func(ctx context.Context, _ *Store, mark kv.Mark) error {
			return mark.Return(ctx, func([]byte) bool { return false })
		}, "a=1 "},
	} {
		t.Run(change.name, func(t *testing.T) { synctest.Test(t, change.try) })
	}
}

// try makes the change in a bubble.
func (l *lateChange) try(t *testing.T) {
	fs := newFaultFS(vfs.NewMem())
	s := opened(t, small(fs))
	must(t, put(s, []byte("a"), []byte("1")))
	mark, err := s.Mark(t.Context())
	must(t, err)
	must(t, put(s, []byte("c"), []byte("1")))
	ctx, cancel := context.WithCancel(t.Context())
	var hit sync.Once
	var hasReturned atomic.Bool
	isLate, held := false, make(chan struct{})
	fs.set(func(op errorfs.Op) error {
		if l.hits(op) {
			hit.Do(func() {
				defer close(held)
				cancel()
				synctest.Wait() // until all others have come as far as they can
				isLate = hasReturned.Load()
			})
		}
		return nil
	})
	err = l.do(ctx, s, mark)
	hasReturned.Store(true)
	if <-held; isLate || err != nil {
		t.Errorf("it returns %v; before the change was made: %t", err, isLate)
	}
	if text, err := scanOf(s.Walk(t.Context(), kv.Range{}, false)); text != l.want || err != nil {
		t.Errorf("the store holds %q, %v; %q is right", text, err, l.want)
	}
}

// TestLoadWaitsForSpace gives up a Load whose tables can't become the store's for want of space: the outcome is
// unknown, and they do once there is some.
func TestLoadWaitsForSpace(t *testing.T) {
	fs := newFaultFS(vfs.NewMem())
	s := mustOpen(t, small(fs))
	ctx, cancel := context.WithCancel(t.Context())
	fs.set(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && strings.Contains(op.Path, "MANIFEST") {
			cancel()
			return syscall.ENOSPC
		}
		return nil
	})
	mustBe(t, s.Load(ctx, false, entryB()), kv.ErrUnknownOutcome)
	fs.heal()
	must(t, s.Close())
	s = opened(t, small(fs))
	if text, err := scanOf(s.Walk(t.Context(), kv.Range{}, false)); text != "b=1 " || err != nil {
		t.Errorf("the store holds %q, %v", text, err)
	}
}
