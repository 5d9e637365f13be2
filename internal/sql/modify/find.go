// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// places is which rows an UPDATE or DELETE is about.
type places struct {
	source *plan.Source
	// by are the sort keys, over the columns of over. Where all of it are columns, they are order: rows may be read in
	// it.
	by    []*evaluate.Program
	down  []bool // descending, by position in by
	over  scope
	order []database.Ordering
	limit *evaluate.Program // nil: none
}

func compilePlaces(q plan.Query, of *target, order []tree.Order, limit tree.Expression) (p places, err error) {
	if p.source, err = plan.CompileSource(q); err != nil {
		return p, err
	}
	p.over = scope{target: of, alias: q.Alias, clause: "order clause"}
	for _, o := range order {
		by, err := evaluate.Compile(o.By, &p.over)
		if err != nil {
			return p, err
		}
		p.by, p.down = append(p.by, by), append(p.down, o.Descending)
		if column, ok := o.By.(*tree.Column); ok && !by.Type().IsList() {
			p.order = append(p.order, database.Ordering{Column: column.Name, Descending: o.Descending})
		}
	}
	if len(p.order) < len(p.by) {
		p.order = nil
	}
	if limit != nil {
		p.limit, err = evaluate.Compile(limit, nil)
	}
	return p, err
}

// Finder is a statement that finds the rows that it changes.
type Finder interface {
	// Finds says which rows, for EXPLAIN, and whether in an order: need's, or where it has none that of expressions.
	Finds() (source *plan.Source, need plan.Need, sorts bool)
}

// Finds is Finder's.
func (p *places) Finds() (source *plan.Source, need plan.Need, sorts bool) {
	return p.source, plan.Need{Order: p.order, RowsMax: -1, Whole: true}, len(p.by) > 0
}

// search is one execution of places.
type search struct {
	*places
	execution plan.Execution
	access    plan.Access
	most      int      // LIMIT; -1: none
	sorts     bool     // rows are read in another order than the statement's
	keys      [][]byte // the item that it is about, if it is a single one that WHERE names
}

// prepare chooses the path.
func (p *places) prepare(call *Call) (*search, error) {
	s := &search{places: p, most: -1, execution: plan.Execution{Pinned: call.Pin, Context: &call.Finding,
		Settings: call.Settings}}
	call.Finding.Begin(call.Context.Parameters, call.Context.NowUS, call.Context.Session)
	call.Finding.StrictDivision, call.Finding.StrictNumbers = call.Context.StrictDivision, call.Context.StrictNumbers
	if p.limit != nil {
		d, err := p.limit.Value(&call.Finding)
		if err != nil {
			return nil, err
		}
		if d.Kind() != datum.KindInt || d.Int() < 0 {
			return nil, fault.New(fault.WrongArguments, "LIMIT")
		}
		s.most = int(d.Int())
	}
	need := plan.Need{Order: p.order, RowsMax: s.most, Whole: true}
	if len(p.order) < len(p.by) {
		need.RowsMax = -1
	}
	if err := p.source.Bind(&s.execution, &need, &s.access); err != nil {
		return nil, err
	}
	s.sorts = len(p.by) > 0 && (len(p.order) == 0 || !s.access.Sorted)
	if s.access.Point == nil {
		return s, nil
	}
	if key, err := call.Pin.AppendItemKey(nil,
		&database.Write{Op: database.OpDelete, Row: s.access.Point}); err == nil {
		s.keys = [][]byte{key} // a key that can't be belongs to no row
	}
	return s, nil
}

// each calls visit for each row, whole, until it returns an error, and tells what it read. Rows are valid during the
// call.
func (s *search) each(ctx context.Context, tx *database.Tx, read *database.Counts,
	visit func(row value.Row) error) error {
	if s.access.Point != nil {
		ctx = database.OwnWork(ctx) // looking at the row that is written is part of the write
	}
	rows, err := execute.Open(ctx, tx.View(), s.source, &s.execution, &s.access)
	if err != nil {
		return err
	}
	defer func() { *read = rows.Counts().Counts }()
	for n := 0; (s.most < 0 || s.sorts || n < s.most) && rows.Next(); n++ {
		if err := visit(rows.Item()); err != nil {
			_ = rows.Close() // the visitor's error says more
			return err
		}
	}
	return rows.Close()
}

// queryOf is FROM and WHERE of a statement that writes.
func queryOf(t *definition.Table, alias string, where tree.Expression, hints []tree.Hint, o Options) plan.Query {
	return plan.Query{Table: t, Alias: alias, Where: where, Hints: hints, Writes: true, Statement: o.Text}
}
