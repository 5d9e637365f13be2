// SPDX-License-Identifier: Apache-2.0

package task_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

func file(t *testing.T, store kv.Store, kind, id string) {
	t.Helper()
	err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
		return task.Put(t.Context(), txn, task.Task{Kind: kind, ID: id, Open: true, Detail: []byte(`{}`)})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func finish(ctx context.Context, store kv.Store, one task.Task) error {
	return kv.Update(ctx, store, func(txn kv.Txn) error {
		return task.Change(ctx, txn, one.Kind, one.ID, func(t *task.Task) error { t.Open = false; return nil })
	})
}

func TestRecords(t *testing.T) {
	store := mem.Open(mem.Options{})
	file(t, store, "b", "2")
	file(t, store, "b", "1")
	file(t, store, "ba", "3")
	err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
		if err := task.Put(t.Context(), txn, task.Task{Kind: "b", ID: "1"}); !errors.Is(err, task.ErrExists) {
			t.Errorf("a second record of an id: %v", err)
		}
		if err := task.Change(t.Context(), txn, "b", "none", func(*task.Task) error { return nil }); !errors.Is(err,
			task.ErrNotFound) {
			t.Errorf("a change of no record: %v", err)
		}
		return task.Remove(txn, "b", "2")
	})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	all, err := task.List(t.Context(), reader, "b")
	if err != nil || len(all) != 1 || all[0].ID != "1" || !all[0].Open {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := task.Get(t.Context(), reader, "b", "2"); !errors.Is(err, task.ErrNotFound) {
		t.Errorf("a record that was removed: %v", err)
	}
}

// TestRunner: what is open when a runner starts is done, in order; what fails is tried again; what was stopped, too.
func TestRunner(t *testing.T) {
	store := mem.Open(mem.Options{})
	file(t, store, "k", "1")
	file(t, store, "k", "2")
	runner := task.Start(t.Context(), task.Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
	defer runner.Close()
	var done []string
	var attempts atomic.Int64
	begun := make(chan struct{})
	runner.Serve("k", func(ctx context.Context, one task.Task) error {
		if one.ID == "1" && attempts.Add(1) == 1 {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		}
		done = append(done, one.ID)
		return finish(ctx, store, one)
	})
	<-begun
	runner.Stop("k", "2") // another one
	runner.Stop("k", "1")
	if err := runner.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	file(t, store, "k", "0")
	runner.Wake("k")
	if err := runner.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	runner.Close()
	if !slices.Equal(done, []string{"1", "2", "0"}) {
		t.Errorf("done: %v", done)
	}
}

// TestClosed: work ends with its runner, and goes on with the next one.
func TestClosed(t *testing.T) {
	store := mem.Open(mem.Options{})
	file(t, store, "k", "1")
	first := task.Start(t.Context(), task.Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
	begun := make(chan struct{})
	first.Serve("k", func(ctx context.Context, _ task.Task) error { close(begun); <-ctx.Done(); return ctx.Err() })
	<-begun
	first.Close()
	second := task.Start(t.Context(), task.Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
	defer second.Close()
	second.Serve("k", func(ctx context.Context, one task.Task) error { return finish(ctx, store, one) })
	if err := second.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	idle := task.Start(t.Context(), task.Options{Store: store, Logger: slog.New(slog.DiscardHandler), Idle: true})
	idle.Serve("k", func(context.Context, task.Task) error { t.Error("an idle runner does work"); return nil })
	idle.Close()
}
