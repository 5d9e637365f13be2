// SPDX-License-Identifier: Apache-2.0

package recovery_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/recovery"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
)

// TestFailedArrival: what a restore that has failed leaves is cleared away, also by a later attempt. An attempt whose
// task another process has done meanwhile clears nothing: the rows are those of a table by then.
func TestFailedArrival(t *testing.T) {
	store := teststore.Store(t)
	db, err := database.Open(t.Context(), store, database.Options{Idle: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	k := db.Recovery()
	a := &recovery.Arrival{Schema: &schema.Table{ID: 77, Name: "t"}, Backup: "none", Failed: "it had to"}
	key := append(keyspace.AppendRows(nil, a.Schema.ID, 0), 1)
	err = kv.Update(t.Context(), store, func(txn kv.Txn) error { return txn.Set(key, []byte("row")) })
	if err != nil {
		t.Fatal(err)
	}
	isThere := func() bool {
		_, ok, err := store.Get(t.Context(), key, nil)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	gone := task.Task{Kind: recovery.TaskRestore, ID: "1"}
	if err := recovery.ClearArrival(k, t.Context(), gone, a); !errors.Is(err, task.ErrNotFound) || !isThere() {
		t.Errorf("an attempt at a task that is over: %v, the row is there: %t", err, isThere())
	}
	if err := k.Tasks.File(t.Context(), recovery.TaskRestore, "2", a); err != nil {
		t.Fatal(err)
	}
	filed, err := k.Tasks.Get(t.Context(), recovery.TaskRestore, "2")
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := recovery.DoRestore(k, canceled, filed); err == nil || !isThere() {
		t.Errorf("an attempt that ended: %v, the row is there: %t", err, isThere())
	}
	if err := recovery.DoRestore(k, t.Context(), filed); err != nil || isThere() {
		t.Errorf("the next attempt: %v, the row is there: %t", err, isThere())
	}
	if over, err := k.Tasks.Get(t.Context(), recovery.TaskRestore, "2"); err != nil || over.Open {
		t.Errorf("the task is open: %t, %v", over.Open, err)
	}
}
