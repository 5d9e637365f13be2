// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
)

// stream sends the rows of a statement that groups, sorts or drops some through a block's operators.
func (r *runner) stream(ctx context.Context) (err error) {
	s, b := r.statement, &r.block
	r.run.begin(r.request, 0)
	r.run.budget.Undivided = true
	r.shape = algebra.Block{Select: s, Sorted: r.access.Sorted, Grouped: r.access.Grouped, Visible: len(s.Items)}
	b.run, b.of = &r.run, &r.shape
	var release func()
	rows, x := r.input(), r.x.Context
	if s.Groups != nil && r.limit != 0 {
		if rows, x, release, err = r.groupRows(ctx, rows); err != nil {
			return err
		}
		defer release()
	}
	b.upper(filter(rows, x, having(s)), x)
	if s.Stored {
		b.projection.stored = &r.rows
	}
	b.bound(r.limit, r.offset)
	err = b.Rows.Open(ctx)
	for err == nil {
		ok := false
		if ok, err = b.Next(); err != nil || !ok {
			break
		}
		r.sent++
		err = r.request.Sink.Row(b.row)
	}
	err = errors.Join(err, b.Close())
	r.groups += b.group.Counts.Rows
	r.workers = max(r.workers, len(b.group.Parts))
	for _, p := range b.group.Parts {
		r.rows.counts.add(p.Input.(*part).rows.counts)
	}
	return err
}

// input is the rows that WHERE accepts; without a table, one row.
func (r *runner) input() operator.Rows {
	if r.source.Table != nil {
		return &tableRows{reader: &r.reader}
	}
	r.x.Context.Row = nil
	return filter(emptyRow(r.x.Context), r.x.Context, r.source.Conjuncts)
}

// groupRows is the rows of the groups of rows, and their context: by the way that reads least.
func (r *runner) groupRows(ctx context.Context, rows operator.Rows) (operator.Rows, *evaluate.Context, func(), error) {
	group, out := r.block.groups(rows, r.x.Context, allSlots(len(r.source.Slots)))
	release := func() {}
	if r.source.Table == nil || r.locks() || r.view == nil && r.request.DB == nil {
		return group, out, release, nil
	}
	if r.countsAll() {
		return once(out.Row[:1], r.countAll), out, release, nil
	}
	list, ok, err := r.statement.BindEnds(r.x)
	switch {
	case err != nil:
		return nil, nil, nil, err
	case ok:
		return once(out.Row, func(ctx context.Context, row []datum.Datum) error {
			return r.ends(ctx, list, row)
		}), out, release, nil
	}
	group.Parts, release, err = r.parts(ctx, group)
	return group, out, release, err
}

// once is one row, which is computed when it is asked for.
func once(row []datum.Datum, compute func(ctx context.Context, row []datum.Datum) error) operator.Rows {
	var within context.Context // nil: the row has been asked for
	return &operator.Func{OnOpen: func(ctx context.Context) error {
		within = ctx
		return nil
	}, OnNext: func() (bool, error) {
		if within == nil {
			return false, nil
		}
		ctx := within
		within = nil
		err := compute(ctx, row)
		return err == nil, err
	}}
}

// tableRows are the rows of a statement's only table.
type tableRows struct {
	*reader
	ctx context.Context
}

func (t *tableRows) Open(ctx context.Context) error {
	t.ctx = ctx
	if err := t.lockPoint(ctx); err != nil {
		return err
	}
	return t.open(ctx)
}

func (t *tableRows) Next() (bool, error) {
	for t.rows.Next() {
		if !t.locks() {
			return true, nil
		}
		if skip, err := t.lock(t.ctx); !skip || err != nil {
			return err == nil, err
		}
		t.x.Context.Reset()
	}
	return false, t.rows.Close()
}

func (t *tableRows) Close() error { return t.rows.Close() }
