// SPDX-License-Identifier: Apache-2.0

package kv_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

func faulty(faults ...kvwrap.Fault) *kvwrap.FaultyStore {
	return kvwrap.Faulty(mem.Open(mem.Options{}), kvwrap.FaultyOptions{Faults: faults})
}

// count runs Update with a function that sets key a and returns how often it ran.
func count(ctx context.Context, store kv.Store) (runs int, err error) {
	err = kv.Update(ctx, store, func(txn kv.Txn) error {
		runs++
		return txn.Set([]byte("a"), fmt.Append(nil, runs))
	})
	return runs, err
}

func TestUpdateRunsAgainAfterConflicts(t *testing.T) {
	store := faulty()
	for n := range 3 {
		store.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: n + 1, Err: &kv.ConflictError{Key: []byte("a")}})
	}
	runs, err := count(t.Context(), store)
	if runs != 4 || err != nil {
		t.Fatalf("%d runs, error %v", runs, err)
	}
	value, _, err := store.Get(t.Context(), []byte("a"), nil)
	if string(value) != "4" || err != nil {
		t.Fatalf("the value is %q, error %v; want that of the last run", value, err)
	}
}

func TestUpdateRunsAgainAfterConflictInFn(t *testing.T) {
	store := faulty(kvwrap.Fault{Call: kvwrap.CallSet, Nth: 1, Err: kv.ErrConflict})
	if runs, err := count(t.Context(), store); runs != 2 || err != nil {
		t.Fatalf("%d runs, error %v", runs, err)
	}
}

func TestUpdateGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its pauses pass at once
		store := faulty(kvwrap.Fault{Call: kvwrap.CallCommit, Err: kv.ErrConflict})
		runs, err := count(t.Context(), store)
		if runs < 2 || runs != store.Calls(kvwrap.CallCommit) || !errors.Is(err, kv.ErrConflict) {
			t.Fatalf("%d runs, error %v", runs, err)
		}
	})
}

func TestUpdateReturnsOtherErrorsAtOnce(t *testing.T) {
	for _, call := range []kvwrap.Call{kvwrap.CallBegin, kvwrap.CallSet, kvwrap.CallCommit} {
		for _, want := range []error{kv.ErrUnknownOutcome, kv.ErrTooLarge, kv.ErrReadOnly, kv.ErrClosed,
			errors.New("other")} {
			store := faulty(kvwrap.Fault{Call: call, Err: want})
			runs, err := count(t.Context(), store)
			if runs > 1 || err != want {
				t.Errorf("%s fails with %q: %d runs, error %v", call, want, runs, err)
			}
		}
	}
}

func TestUpdateRollsBackWhatFails(t *testing.T) {
	store := faulty()
	failed := errors.New("failed")
	err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
		return errors.Join(txn.Set([]byte("a"), nil), failed)
	})
	if _, ok, _ := store.Get(t.Context(), []byte("a"), nil); ok || !errors.Is(err, failed) {
		t.Fatalf("the key is there: %t, error %v", ok, err)
	}
	if commits := store.Calls(kvwrap.CallCommit); commits != 0 {
		t.Fatalf("%d commits", commits)
	}
}

func TestUpdateStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	err := kv.Update(ctx, faulty(), func(kv.Txn) error {
		if runs++; runs == 3 {
			cancel()
		}
		return kv.ErrConflict
	})
	if runs != 3 || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d runs, error %v", runs, err)
	}
}

func TestConflictError(t *testing.T) {
	err := fmt.Errorf("wrapped: %w", &kv.ConflictError{Key: []byte("\x00k")})
	if !errors.Is(err, kv.ErrConflict) || errors.Is(err, kv.ErrUnknownOutcome) {
		t.Fatalf("%v is not exactly an ErrConflict", err)
	}
	if want := "wrapped: kv: conflict with another transaction; run it again (key 006b)"; err.Error() != want {
		t.Fatalf("the text is %q, want %q", err, want)
	}
	if bare := (&kv.ConflictError{}).Error(); bare == "" {
		t.Fatal("no text without a key")
	}
}
