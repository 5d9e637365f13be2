// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// nowMS is the present.
// NowMS is the database's clock, Unix milliseconds.
func (db *DB) NowMS() int64 { return db.nowMS() }

func (db *DB) nowMS() int64 { return db.options.Now().UnixMilli() }

// Compact begins to rewrite a table: delete marks, versions and values that nobody sees any more go, and the engine
// gives the space back, where it can. It returns as soon as the work is filed; WaitJobs waits for its end. Errors:
// KindNotFound.
func (t *Table) Compact(ctx context.Context) error {
	id, err := t.change(ctx, "dynamodb:UpdateTable")
	if err != nil {
		return err
	}
	work := job.Job{Kind: job.Compact, Table: id, Markers: true, Engine: true}
	err = kv.Update(ctx, t.db.store, func(txn kv.Txn) error {
		return errors.Join(job.File(ctx, txn, &work, t.db.nowMS()), t.db.ring(txn))
	})
	if err == nil {
		t.db.jobs.Add(work)
	}
	return wrap(t.name, err)
}

// beginCells completes rules that an edit has given a table which had others before, and returns the work that this
// makes.
func (db *DB) beginCells(table *schema.Table, before *cell.Rules) ([]job.Job, error) {
	switch {
	case table.Cells == nil && before == nil:
		return nil, nil
	case table.Cells == nil:
		return nil, invalid(table.Name, "cell rules can be changed, but not removed")
	case before != nil:
		rules := *table.Cells
		if rules.SinceMS, rules.Pending = before.SinceMS, before.Pending; rules.Equal(before) {
			table.Cells = &rules
			return nil, nil
		}
		table.Cells = &rules
	default:
		rules := *table.Cells
		rules.SinceMS, rules.Pending = db.nowMS(), true
		table.Cells = &rules
	}
	var work []job.Job
	if _, ok := table.CellExpiry(); !ok {
		index := table.AddCellIndex(schema.DeleteOnly)
		work = append(work, job.Job{Kind: job.BuildIndex, Table: table.ID, Index: index.ID})
	}
	return append(work, job.Job{Kind: job.Compact, Table: table.ID}), nil
}

// visibleRow appends the visible part of a stored row to dst. A plain table's row is
// both.
func (p Pinned) visibleRow(dst []byte, stored value.Row, nowMS int64) (value.Row, bool, error) {
	visible, ok, err := p.table.Visible(nil, stored, nowMS)
	if err != nil || !ok {
		return nil, false, wrap(p.name(), err)
	}
	return value.Row(append(dst, visible...)[len(dst):]), true, nil
}

// checkSelect refuses versions of cells where there are none.
func (p Pinned) checkSelect(q *Query, x *record.Index) error {
	switch {
	case q.Cells == nil:
		return nil
	case p.table.Cells == nil:
		return &Error{Kind: KindInvalid, Table: p.name(), Err: ErrNoCells}
	case !x.IsPrimary() || q.Index != "" && !q.AnyIndex:
		return invalid(p.name(), "read cell versions from the table, not from an index")
	}
	return nil
}

// GetStored reads a row as it is stored at the latest commits, for CellsOf, and tells the present. ok is false if there
// is none.
func (p Pinned) GetStored(ctx context.Context, key value.Row) (stored value.Row, nowMS int64, ok bool, err error) {
	encoded, err := p.appendKey(nil, p.table.Primary, key)
	if err == nil {
		err = p.db.guard.Read(ctx, p.table, encoded)
	}
	if err == nil {
		stored, ok, err = p.table.Get(ctx, p.db.store, encoded, nil)
	}
	return stored, p.db.nowMS(), ok, wrap(p.name(), err)
}

// GetStoredAll is GetStored for several rows at one snapshot. found is called once for each, in any order; stored is
// nil for an absent one and valid only during the call.
func (p Pinned) GetStoredAll(ctx context.Context, keys []value.Row,
	found func(i int, stored value.Row, nowMS int64) error) error {
	reads := make([]KeyRead, len(keys))
	for i, key := range keys {
		reads[i] = KeyRead{Table: p, Key: key}
	}
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return wrap(p.name(), err)
	}
	defer reader.Close()
	_, err = getStored(ctx, reader, reads, func(i int, row value.Row) error { return found(i, row, p.db.nowMS()) })
	return wrap(p.name(), err)
}

// CellsOf calls visit for the cells of a stored row that readers may see at nowMS, attribute by attribute in the order
// of names, newest first, until it returns false. The name and the value are valid as long as the row is, the Version
// during the call only.
func (p Pinned) CellsOf(stored value.Row, nowMS int64, visit func(name []byte, v *cell.Version) bool) error {
	return wrap(p.name(), p.table.Cells.Cells(stored, p.table.Names, p.table.IsKey, nowMS, visit))
}

// IsCompacting reports whether rows of the table are being rewritten: see Table.Compact and Table.Edit.
func (p Pinned) IsCompacting() bool {
	return slices.ContainsFunc(p.db.jobs.List(),
		func(j Job) bool { return j.Kind == job.Compact && j.Table == p.Descriptor().ID })
}
