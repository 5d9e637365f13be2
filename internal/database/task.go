// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
)

// Task is a record of work that a client asked for, such as an export, and how it goes.
type Task = task.Task

// Errors of tasks.
var (
	ErrTaskNotFound = task.ErrNotFound
	ErrTaskExists   = task.ErrExists
)

// startTasks takes up the tasks of this package. Dialects add theirs with ServeTasks.
func (db *DB) startTasks(ctx context.Context) {
	o := task.Options{Store: heat.Own(db.store), Logger: db.options.Logger, Idle: db.options.Idle}
	if db.gateway != nil {
		o.Owner, o.Poll, o.Rings = db.gateway.Work(task.Work), db.gateway.Poll, db.gateway.Rings
	}
	db.tasks = task.Start(ctx, o)
	db.tasks.Serve(TaskBackup, db.doBackup)
	db.tasks.Serve(taskRestore, db.doRestore)
}

// Tasks keeps the records of a dialect's work.
type Tasks struct{ db *DB }

// Tasks returns the records of work. It holds nothing.
func (db *DB) Tasks() Tasks { return Tasks{db} }

// TaskBornMS is when a task was filed, in Unix milliseconds.
func TaskBornMS(id string) int64 { return task.BornMS(id) }

// NewID returns an id that sorts by time.
func (t Tasks) NewID() string { return task.NewID(t.db.options.Now()) }

// Now is the time by the database's clock.
func (t Tasks) Now() time.Time { return t.db.options.Now() }

// Remove takes a record away.
func (t Tasks) Remove(ctx context.Context, kind, id string) error {
	return wrap("", kv.Update(ctx, t.db.store, func(txn kv.Txn) error { return task.Remove(txn, kind, id) }))
}

// Serve lets do do all open tasks of a kind, one after another, those too that an earlier process left. It returns nil
// once a task is over, and is called again after an error. Its context ends with the database, or with Stop.
func (t Tasks) Serve(kind string, do func(ctx context.Context, one Task) error) {
	t.db.tasks.Serve(kind, do)
}

// TableTask is a task for a table that is made in the same commit.
type TableTask struct {
	Kind, ID string
	Detail   func(*schema.Table) any // of the table, which has its id; it becomes JSON
}

// File stores a record that is open, and wakes the one that does its kind.
func (t Tasks) File(ctx context.Context, kind, id string, detail any) error {
	return wrap("", t.db.fileTask(ctx, kind, id, detail, nil))
}

// Close stores a record that is over.
func (t Tasks) Close(ctx context.Context, one Task, detail any) error {
	return wrap("", t.db.closeTask(ctx, one, detail))
}

// Change changes a record. edit may run more than once. Errors: ErrTaskNotFound.
func (t Tasks) Change(ctx context.Context, kind, id string, edit func(*Task) error) error {
	return kv.Update(ctx, t.db.store, func(txn kv.Txn) error { return task.Change(ctx, txn, kind, id, edit) })
}

// ChangeIn changes a record in a transaction: together with what else that writes, or not at all. Errors:
// ErrTaskNotFound, edit's.
func (t Tasks) ChangeIn(ctx context.Context, tx *Tx, kind, id string, edit func(*Task) error) error {
	return task.Change(ctx, tx.txn, kind, id, edit)
}

// Get returns a record. Errors: ErrTaskNotFound.
func (t Tasks) Get(ctx context.Context, kind, id string) (one Task, err error) {
	reader, err := t.db.store.Read(ctx)
	if err != nil {
		return one, wrap("", err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return task.Get(ctx, reader, kind, id)
}

// List returns the records of a kind, in the order of their ids.
func (t Tasks) List(ctx context.Context, kind string) ([]Task, error) {
	all, err := t.db.listTasks(ctx, kind)
	return all, wrap("", err)
}

// Rows is the number of rows of a task that this process has copied, if it is at it.
func (t Tasks) Rows(id string) int64 { return t.db.tasks.Rows(id) }

// Stop ends the attempt at a task that is under way.
func (t Tasks) Stop(kind, id string) { t.db.tasks.Stop(kind, id) }

// Wait returns once no task is open, or with ctx's error.
func (t Tasks) Wait(ctx context.Context) error { return wrap("", t.db.tasks.Wait(ctx)) }
