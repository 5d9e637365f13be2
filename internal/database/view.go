// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/kv"
)

// View is one snapshot of all tables, for several reads that must agree. It is safe for concurrent use; cursors are for
// one goroutine each. It must be closed, after its cursors. Of a nil View, Query and Get read the latest commits.
type View struct {
	db         *DB
	from       kv.Snapshot
	reader     kv.Reader    // nil: from belongs to a transaction
	atMS       atomic.Int64 // what the time is for it; 0 as long as nobody asked
	generation uint64       // versions up to this one were in use before the snapshot was taken
}

// View takes a snapshot of the latest commits.
func (db *DB) View(ctx context.Context) (*View, error) {
	generation := db.catalog.Generation()
	reader, err := db.store.Read(ctx)
	if err != nil {
		return nil, wrap("", err)
	}
	return &View{db: db, from: reader, reader: reader, generation: generation}, nil
}

// now is the time at which the view sees cells: that of its first look at a table with CellRules.
func (v *View) now() int64 {
	if at := v.atMS.Load(); at != 0 {
		return at
	}
	v.atMS.CompareAndSwap(0, v.db.nowMS())
	return v.atMS.Load()
}

// nowMS is now where a table has rules, 0 elsewhere.
func (v *View) nowMS(p Pinned) int64 {
	if p.table.Cells == nil {
		return 0
	}
	return v.now()
}

// isOlder reports whether the snapshot may have been taken before the version was in use.
func (v *View) isOlder(p Pinned) bool { return p.version.Generation > v.generation }

// HasTablesOfNow reports whether no table was made, changed or dropped since the snapshot was taken, and the database
// did not return to a mark.
func (v *View) HasTablesOfNow() bool { return v.generation == v.db.catalog.Generation() }

// Query walks a table or index. p stays the caller's, older or newer than the view. An index that became active after
// the view is not used; naming it is of KindBusy.
func (v *View) Query(ctx context.Context, p Pinned, q Query) (*Cursor, error) {
	if v == nil {
		return p.Query(ctx, q)
	}
	if q.Quiet {
		ctx = OwnWork(ctx)
	}
	c, err := p.walk(ctx, v.from, &q, v.isOlder(p), v.nowMS(p))
	return c, wrap(p.name(), err)
}

// Stored calls visit with each row as it is stored, with what readers don't see any more. p must have been taken before
// the view. A row is valid until visit returns.
func (v *View) Stored(ctx context.Context, p Pinned, visit func(row value.Row) error) (err error) {
	err = p.askWalk(ctx, &Query{})
	cursor := v.from.Scan(ctx, p.table.Primary.Range(), false)
	for err == nil && cursor.Next() {
		var row value.Row
		if row, err = p.table.Adapt(ctx, cursor.Value()); err == nil {
			err = visit(row)
		}
	}
	return wrap(p.name(), errors.Join(err, cursor.Close()))
}

// Get reads the item with the key attributes in key, appending its bytes to dst.
func (v *View) Get(ctx context.Context, p Pinned, key value.Row, dst []byte) (value.Row, bool, error) {
	if v == nil {
		return p.Get(ctx, key, dst)
	}
	return p.getFrom(ctx, v.from, key, dst, v.nowMS(p))
}

// GetAll is DB.GetAll at the view's snapshot.
func (v *View) GetAll(ctx context.Context, reads []KeyRead, found func(i int, row value.Row) error) (failed int,
	err error) {
	return getAll(ctx, v.from, reads, found, v.now)
}

// Split returns at most parts Queries that answer q together, each by a part of the index of about the same size: the
// items of the first come before those of the second, as if q were walked once. Each is walked by its own goroutine
// through View.Query. What can't be cut, or is not worth it, comes back as it is: a walk that has a page key, a limit
// or segments, single items, less than some megabytes.
func (v *View) Split(ctx context.Context, p Pinned, q Query, parts int) ([]Query, error) {
	if q.Rank != nil || q.After != nil || q.ExaminedMax > 0 || q.BytesMax > 0 || q.Segments > 1 || parts < 2 ||
		v.isOlder(p) {
		return []Query{q}, nil
	}
	if q.Plan == nil {
		plan, err := p.Plan(q)
		if err != nil {
			return nil, err
		}
		q.Plan = &plan
	}
	spans := q.Plan.path.Scan.Spans
	if q.Plan.Class == access.Get || len(spans) == 0 {
		return []Query{q}, nil
	}
	whole := indexkey.Span{Start: spans[0].Start, End: spans[len(spans)-1].End}
	starts, err := p.db.regions.StartsWithin(ctx, v.from, p.Descriptor().ID, q.Plan.index, whole)
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	cuts, err := query.Cut(ctx, v.from, q.Plan.index, whole, starts, parts-1, p.sizer(ctx))
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	list := make([]Query, len(cuts)+1)
	for i := range list {
		list[i] = q
		if i > 0 {
			list[i].within.Start = cuts[i-1]
		}
		if i < len(cuts) {
			list[i].within.End = cuts[i]
		}
	}
	if q.Reverse {
		slices.Reverse(list)
	}
	return list, nil
}

// Close ends the view. Closing twice, or a nil View, is no error.
func (v *View) Close() {
	if v != nil && v.reader != nil {
		v.reader.Close()
	}
}
