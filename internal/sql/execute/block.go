// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/plan"
)

// block is a SELECT as a stream: its rows are in row.
type block struct {
	operator.Rows // what yields them
	run           *run
	of            *algebra.Block
	row           []datum.Datum
	out           *evaluate.Context // whose Row row begins
	contexts      []*evaluate.Context
	limit         *operator.Limit
	sort          *operator.Sort // nil: none
	ends          *scan          // of which no more rows are wanted than LIMIT says; nil: none
}

// block makes the stream of a block. shown says that FOR UPDATE is about its tables.
func (q *run) block(of *algebra.Block, shown bool) *block {
	s := of.Select
	x := q.context(of.Width)
	b := &block{run: q, of: of, contexts: []*evaluate.Context{x}}
	rows, slots := operator.Rows(&operator.Values{Rows: [][]*evaluate.Program{nil}, Context: x}), []int(nil)
	if of.From != nil {
		builder := &builder{run: q, x: x, locks: shown && q.request.Query.ForUpdate, statement: s}
		rows, slots = builder.node(of.From), of.From.Slots()
		if of.Ends {
			b.ends = rows.(*scan)
		}
	}
	if len(s.Source.Conjuncts) > 0 {
		rows = &operator.Filter{Input: rows, Conditions: s.Source.Conjuncts, Context: x}
	}
	if g := s.Groups; g != nil {
		rows, x, slots = b.groups(rows, x, slots)
	}
	if s.Having != nil {
		rows = &operator.Filter{Input: rows, Conditions: []*evaluate.Program{s.Having}, Context: x}
	}
	for i := range s.Windows {
		window := q.window(&s.Windows[i], rows, x, slots)
		for _, f := range window.Functions {
			slots = append(slots[:len(slots):len(slots)], f.Slot)
		}
		rows = window
	}
	b.upper(rows, x)
	return b
}

// groups puts rows into groups, whose rows are in a context of their own.
func (b *block) groups(rows operator.Rows, x *evaluate.Context, slots []int) (operator.Rows, *evaluate.Context, []int) {
	s := b.of.Select
	g := s.Groups
	width := len(g.Keys) + len(g.Dependents) + len(g.Aggregates)
	if g.Rollup {
		width++
	}
	own := make([]int, width)
	for i := range own {
		own[i] = i
	}
	for i := range s.Windows {
		for _, f := range s.Windows[i].Functions {
			width = max(width, f.Slot+1)
		}
	}
	out := b.run.context(width)
	b.contexts = append(b.contexts, out)
	return &operator.Group{Input: rows, Keys: g.Keys, Dependents: g.Dependents, Aggregates: g.Aggregates,
		Rollup: g.Rollup, Together: b.of.Grouped && len(g.Keys) > 0,
		Growing: g.Growing, Slots: slots, Context: x, Out: out, Budget: &b.run.budget}, out, own
}

// upper puts the select list, DISTINCT, ORDER BY and LIMIT above rows. Sort keys that are not in the select list stand
// behind it.
func (b *block) upper(rows operator.Rows, x *evaluate.Context) {
	s := b.of.Select
	p := &projection{Rows: rows, x: x, items: s.Items}
	var order []operator.Ordering
	if !b.of.Sorted || s.Groups != nil || len(s.Windows) > 0 {
		for _, by := range s.Order {
			slot := by.Item
			if slot < 0 {
				slot = len(p.items) + len(p.behind)
				p.behind = append(p.behind, by.Program)
			}
			order = append(order, operator.Ordering{Slot: slot, Descending: by.Descending})
		}
	}
	width := len(p.items) + len(p.behind)
	b.out = b.run.context(width)
	p.row, b.row = b.out.Row, b.out.Row[:len(p.items)]
	slots := make([]int, width)
	for i := range slots {
		slots[i] = i
	}
	b.Rows = p
	if s.Distinct {
		b.Rows = &operator.Distinct{Input: p, Slots: slots, Context: b.out, Budget: &b.run.budget}
	}
	if len(order) > 0 {
		b.sort = &operator.Sort{Input: b.Rows, Order: order, Slots: slots, Context: b.out, Budget: &b.run.budget}
		b.Rows = b.sort
	}
	b.limit = &operator.Limit{Input: b.Rows}
	b.Rows = b.limit
}

// Open begins, with outer values as they are now.
func (b *block) Open(ctx context.Context) error {
	for _, x := range b.contexts {
		b.run.renew(x)
	}
	limit, offset, err := b.of.Select.Limits(b.contexts[0])
	if err != nil {
		return err
	}
	b.limit.Count, b.limit.Offset = int64(limit), int64(offset)
	if b.ends != nil {
		b.ends.need.RowsMax = -1
		if most := limit + offset; limit >= 0 && most >= 0 {
			b.ends.need.RowsMax = most
		}
	}
	if b.sort != nil {
		b.sort.KeepMax = 0
		if most := limit + offset; limit >= 0 && most >= 0 && most < 1<<31 {
			b.sort.KeepMax = max(1, most)
		}
	}
	return b.Rows.Open(ctx)
}

// projection computes a select list, and what rows are sorted by, into a row of its own.
type projection struct {
	operator.Rows
	x      *evaluate.Context
	items  []plan.Item
	behind []*evaluate.Program
	row    []datum.Datum
}

// Next moves to the next row.
func (p *projection) Next() (bool, error) {
	p.x.Reset()
	ok, err := p.Rows.Next()
	if err != nil || !ok {
		return false, err
	}
	for i := range p.items {
		if slot := p.items[i].Slot; slot >= 0 {
			p.row[i] = p.x.Row[slot]
		} else if p.row[i], err = p.items[i].Program.Value(p.x); err != nil {
			return false, err
		}
	}
	for i, program := range p.behind {
		if p.row[len(p.items)+i], err = program.Value(p.x); err != nil {
			return false, err
		}
	}
	return true, nil
}

// window makes the stream of a window.
func (q *run) window(of *plan.Window, rows operator.Rows, x *evaluate.Context, slots []int) *operator.Window {
	w := &operator.Window{Input: rows, Partition: of.Partition, Functions: of.Functions, Slots: slots, Context: x,
		Budget: &q.budget}
	for _, by := range of.Order {
		w.Order = append(w.Order, operator.Ordering{By: by.Program, Descending: by.Descending})
	}
	return w
}
