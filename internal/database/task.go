// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/recovery"
	"github.com/weftdb/weft/kv"
)

// TableTask is a task for a table that is made in the same commit.
type TableTask struct {
	Kind, ID string
	Detail   func(*schema.Table) any // of the table, which has its id; it becomes JSON
}

// Tasks does the work that clients asked for, and keeps its records. Dialects serve kinds of their own.
func (db *DB) Tasks() *task.Runner { return db.tasks }

// Recovery makes backups of tables, and brings tables back from them and to moments.
func (db *DB) Recovery() *recovery.Keeper { return db.recovery }

func (db *DB) startTasks(ctx context.Context) {
	o := task.Options{Store: heat.Own(db.store), Logger: db.options.Logger, Now: db.options.Now, Idle: db.options.Idle}
	if db.gateway != nil {
		o.Owner, o.Poll, o.Rings = db.gateway.Work(task.Work), db.gateway.Poll, db.gateway.Rings
	}
	db.tasks = task.Start(ctx, o)
	db.recovery = recovery.Open(recovery.Options{Changes: db.changes, Tasks: db.tasks, Jobs: db.jobs,
		Regions: db.regions, Commit: func(ctx context.Context, rows [][]byte, fn func(kv.Txn) error) error {
			return db.updateLatched(ctx, rows, func(txn kv.Txn, _ *scratch) error { return fn(txn) })
		}})
}

// ChangeTask changes the record of a task in the transaction: together with what else that writes, or not at all.
// Errors: task.ErrNotFound, edit's.
func (tx *Tx) ChangeTask(ctx context.Context, kind, id string, edit func(*task.Task) error) error {
	return task.Change(ctx, tx.txn, kind, id, edit)
}
