// SPDX-License-Identifier: Apache-2.0

package kvwrap_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/mem"
)

// TestWrappersConform runs the suite through both wrappers: without faults they are stores like any other.
func TestWrappersConform(t *testing.T) {
	wrapped := map[kv.Store]kv.Admin{}
	kvtest.Run(t, kvtest.Engine{
		Open: func(t *testing.T) kv.Store {
			engine := mem.Open(mem.Options{})
			faulty := kvwrap.Faulty(engine, kvwrap.FaultyOptions{})
			store := kvwrap.Recording(faulty)
			wrapped[store] = store.Admin(faulty.Admin(engine))
			return store
		},
		Admin: func(s kv.Store) kv.Admin { return wrapped[s] },
	})
}

var errInjected = errors.New("injected")

// provoke makes one call of each kind and returns the first error.
func provoke(store kv.Store, admin kv.Admin) error {
	ctx := context.Background()
	if _, _, err := store.Get(ctx, []byte("a"), nil); err != nil {
		return err
	}
	r, err := store.Read(ctx)
	if err != nil {
		return err
	}
	cursor := r.Scan(ctx, kv.Range{}, false)
	for cursor.Next() {
	}
	many := r.GetMany(ctx, [][]byte{[]byte("a")}, func(int, []byte, bool) error { return nil })
	if err := errors.Join(cursor.Close(), many, r.Close()); err != nil {
		return err
	}
	txn, err := store.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := errors.Join(txn.Set([]byte("a"), nil), txn.Delete([]byte("b")), txn.Guard([]byte("c"))); err != nil {
		return err
	}
	if err := txn.Commit(ctx); err != nil {
		return err
	}
	return admin.Compact(ctx, kv.Range{})
}

func TestFaultyFailsEachKindOfCall(t *testing.T) {
	calls := []kvwrap.Call{
		kvwrap.CallGet, kvwrap.CallGetMany, kvwrap.CallScan, kvwrap.CallNext, kvwrap.CallRead, kvwrap.CallBegin,
		kvwrap.CallSet, kvwrap.CallDelete, kvwrap.CallGuard, kvwrap.CallCommit, kvwrap.CallAdmin,
	}
	for _, call := range calls {
		engine := mem.Open(mem.Options{})
		store := kvwrap.Faulty(engine, kvwrap.FaultyOptions{
			Faults: []kvwrap.Fault{{Call: call, Nth: 1, Err: errInjected}}})
		admin := store.Admin(engine)
		if err := provoke(store, admin); !errors.Is(err, errInjected) {
			t.Errorf("%s: the error is %v", call, err)
		}
		if err := provoke(store, admin); err != nil {
			t.Errorf("%s: the second time the error is %v", call, err)
		}
		store.Inject(kvwrap.Fault{Call: call, Nth: 2, Err: errInjected})
		if first, second := provoke(store, admin), provoke(store, admin); (first == nil) == (second == nil) {
			t.Errorf("%s: the second call from now should fail; the errors are %v and %v", call, first, second)
		}
		store.Inject(kvwrap.Fault{Call: call, Err: errInjected})
		for range 2 {
			if err := provoke(store, admin); !errors.Is(err, errInjected) {
				t.Errorf("%s: all should fail, the error is %v", call, err)
			}
		}
		store.Heal()
		if err := provoke(store, admin); err != nil || store.Calls(call) < 5 {
			t.Errorf("%s: after healing the error is %v; %d calls", call, err, store.Calls(call))
		}
	}
}

func TestFaultyCommit(t *testing.T) {
	ctx := t.Context()
	for _, after := range []bool{false, true} {
		store := kvwrap.Faulty(mem.Open(mem.Options{}), kvwrap.FaultyOptions{})
		store.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: 1, Err: kv.ErrUnknownOutcome, After: after})
		runs := 0
		err := kv.Update(ctx, store, func(txn kv.Txn) error {
			runs++
			return txn.Set([]byte("a"), []byte("1"))
		})
		_, ok, getErr := store.Get(ctx, []byte("a"), nil)
		if !errors.Is(err, kv.ErrUnknownOutcome) || runs != 1 || ok != after || getErr != nil {
			t.Errorf("after %t: Update returns %v after %d runs, and the key is there: %t", after, err, runs, ok)
		}
	}
}

// script drives a recorded store by the words of a test file.
type script struct {
	ctx   context.Context
	inner *mem.Store
	store *kvwrap.RecordingStore
	txn   kv.Txn
	read  kv.Reader
}

func TestRecording(t *testing.T) {
	inner := mem.Open(mem.Options{})
	s := &script{ctx: t.Context(), inner: inner, store: kvwrap.Recording(inner)}
	datadriven.RunTest(t, "testdata/recording", func(t *testing.T, d *datadriven.TestData) string {
		for line := range strings.Lines(d.Input) {
			s.run(t, strings.Fields(line))
		}
		s.txn, s.read = nil, nil
		return strings.Join(s.store.Lines(), "\n") + "\n"
	})
}

// run makes one call; errors are for the record.
func (s *script) run(t *testing.T, words []string) {
	args := make([][]byte, len(words))
	for i, word := range words {
		if word != "-" {
			args[i] = []byte(word)
		}
	}
	switch words[0] {
	case "begin":
		s.txn, _ = s.store.Begin(s.ctx)
	case "read":
		s.read, _ = s.store.Read(s.ctx)
	case "close":
		_ = s.read.Close()
	case "get":
		if s.txn != nil {
			_, _, _ = s.txn.Get(s.ctx, args[1], []byte("before"))
		} else {
			_, _, _ = s.store.Get(s.ctx, args[1], []byte("before"))
		}
	case "many":
		_ = s.read.GetMany(s.ctx, args[1:], func(int, []byte, bool) error { return nil })
	case "set":
		_ = s.txn.Set(args[1], args[2])
	case "delete":
		_ = s.txn.Delete(args[1])
	case "guard":
		_ = s.txn.Guard(args[1])
	case "scan":
		s.scan(s.txn.Scan(s.ctx, kv.Range{Start: args[1], End: args[2]}, slices.Contains(words, "reverse")))
	case "seek":
		cursor := s.read.Scan(s.ctx, kv.Range{Start: args[1], End: args[2]}, false)
		cursor.Seek(args[3])
		s.scan(cursor)
	case "commit":
		_ = s.txn.Commit(s.ctx)
	case "rollback":
		s.txn.Rollback()
	case "elsewhere":
		if err := kv.Update(s.ctx, s.inner, func(txn kv.Txn) error { return txn.Set(args[1], args[2]) }); err != nil {
			t.Fatal(err)
		}
	default:
		s.administer(t, words[0], args[1:])
	}
}

func (s *script) scan(cursor kv.Cursor) {
	for cursor.Next() {
	}
	_ = cursor.Close()
}

func (s *script) administer(t *testing.T, command string, args [][]byte) {
	admin := s.store.Admin(s.inner)
	switch command {
	case "size":
		_, _ = admin.ApproximateSize(s.ctx, kv.Range{Start: args[0], End: args[1]})
	case "deleterange":
		_ = admin.DeleteRange(s.ctx, kv.Range{Start: args[0], End: args[1]})
	case "split":
		_ = admin.Split(s.ctx, args)
	default:
		t.Fatal(fmt.Sprint("unknown command ", command))
	}
}
