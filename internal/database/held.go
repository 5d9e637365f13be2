// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/change"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// ErrCopied is the cause where a transaction meets a table that took another one's place after the transaction began.
var ErrCopied = change.ErrCopied

// Hold lets nobody write rows of the table until it is Freed or Replaced, and returns once nobody does. It ends with
// the process. Errors: KindBusy for a table that is held.
func (t *Table) Hold(ctx context.Context) error { return t.setHeld(ctx, "", t.db.process()) }

// Free ends that this process holds the table. Errors: KindBusy if it doesn't.
func (t *Table) Free(ctx context.Context) error { return t.setHeld(ctx, t.db.process(), "") }

func (t *Table) setHeld(ctx context.Context, from, to string) error {
	return t.Edit(ctx, func(table *schema.Table) (err error) {
		if table.Held != from {
			err = ErrHeld
		}
		table.Held = to
		return err
	})
}

// IsHeld reports whether rows of the table can't be written now.
func (p Pinned) IsHeld() bool { return p.Descriptor().Held != "" }

// Replace gives the table's name to another one, which has its rows by now, and drops it, in one commit. The other one
// becomes as old as it, and keeps its changes for as long. edit sees both descriptors. Users of the table may go on
// with it, but not write. Errors: KindBusy unless this process holds the table; KindNotFound, edit's.
func (t *Table) Replace(ctx context.Context, by *Table, edit func(old, fresh *schema.Table) error) error {
	id, err := t.change(ctx, "dynamodb:UpdateTable")
	if err != nil {
		return err
	}
	next, err := by.id()
	if err != nil {
		return err
	}
	work := job.Job{Kind: job.DropTable, Table: id, Database: t.database, Title: t.name}
	fresh, err := t.db.catalog.Replace(ctx, id, next, func(old, fresh *schema.Table) error {
		if old.Held != t.db.process() {
			return ErrHeld
		}
		fresh.UUID, fresh.CreatedAtMS, fresh.Copied = old.UUID, old.CreatedAtMS, true
		if fresh.Recovery = old.Recovery; fresh.Recovery != nil {
			fresh.Recovery.SinceMS = 0 // what was in the other one before can't be restored
		}
		return edit(old, fresh)
	}, func(txn kv.Txn) error { return job.File(ctx, txn, &work, t.db.nowMS()) })
	if fresh == nil {
		return wrap(t.name, err)
	}
	if _, expires := fresh.Expiry(); expires {
		t.db.jobs.Watch(fresh.ID)
	}
	t.db.jobs.Add(work)
	return wrap(t.name, errors.Join(err, t.db.changes.SettleTable(ctx, fresh.ID)))
}

// errCopied is the error for a table that the transaction does not see.
func (tx *Tx) errCopied(p Pinned) error {
	d := p.Descriptor()
	if !d.Copied || !tx.view.isOlder(p) {
		return nil
	}
	stored, ok, err := tx.txn.Get(context.Background(), keyspace.AppendName(nil, d.Database, d.Name), nil)
	if err != nil || !ok {
		return wrap(d.Name, err) // without a name it was there before under another one
	}
	id, _, err := order.CutUvarint(stored)
	if err == nil && uint32(id) != d.ID {
		err = ErrCopied
	}
	return wrap(d.Name, err)
}

// freeLost frees the tables that are held by processes which are gone.
func (db *DB) freeLost(ctx context.Context) error {
	alive, failed := db.processes(ctx)
	lost := func(table *schema.Table) bool { return table.Held != "" && !slices.Contains(alive, table.Held) }
	var ids []uint32 // a change waits for the versions that are looked at
	for version := range db.catalog.Versions() {
		if lost(version.Table) && version.Table.State != schema.Dropping {
			ids = append(ids, version.Table.ID)
		}
	}
	for i := 0; failed == nil && i < len(ids) && !db.options.Idle; i++ {
		_, failed = db.catalog.Change(ctx, ids[i], func(table *schema.Table) error {
			if lost(table) {
				table.Held = ""
			}
			return nil
		}, nil)
	}
	return failed
}
