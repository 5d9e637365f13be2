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

// block is a SELECT as a stream: its rows are in row. It may be used again for another statement, and keeps memory.
type block struct {
	operator.Rows // what yields them
	run           *run
	of            *algebra.Block
	row           []datum.Datum
	out           *evaluate.Context // whose Row row begins
	contexts      []*evaluate.Context
	group         operator.Group
	projection    projection
	distinct      operator.Distinct
	sort          operator.Sort // without an order: none
	limit         operator.Limit
	slots         []int // all of out
	ends          *scan // of which no more rows are wanted than LIMIT says; nil: none
}

// block makes the stream of a block. shown says that FOR UPDATE is about its tables.
func (q *run) block(of *algebra.Block, shown bool) *block {
	s := of.Select
	x := q.context(of.Width)
	b := &block{run: q, of: of, contexts: []*evaluate.Context{x}}
	rows, slots := emptyRow(x), []int(nil)
	if of.From != nil {
		builder := &builder{run: q, x: x, locks: shown && q.request.Query.ForUpdate, statement: s}
		rows, slots = builder.node(of.From), of.From.Slots()
		if of.Ends {
			b.ends = rows.(*scan)
		}
	}
	rows = filter(rows, x, s.Source.Conjuncts)
	if s.Groups != nil {
		rows, x = b.groups(rows, x, slots)
		slots = allSlots(s.Groups.Width())
	}
	rows = filter(rows, x, having(s))
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

// release forgets the statement, and keeps memory.
func (b *block) release() {
	if b.out != nil {
		row := b.out.Row[:cap(b.out.Row)]
		clear(row)
		*b.out = evaluate.Context{Row: row[:0]}
	}
	b.Rows, b.run, b.of, b.row, b.contexts = nil, nil, nil, nil, nil
	b.group = operator.Group{}
	b.projection = projection{behind: b.projection.behind[:0]}
	b.distinct.Release()
	b.sort.Release()
}

func allSlots(n int) []int {
	slots := make([]int, n)
	for i := range slots {
		slots[i] = i
	}
	return slots
}

// groups puts rows into groups, whose rows are in a context of their own.
func (b *block) groups(rows operator.Rows, x *evaluate.Context, slots []int) (*operator.Group, *evaluate.Context) {
	s := b.of.Select
	g := s.Groups
	width := g.Width()
	for i := range s.Windows {
		for _, f := range s.Windows[i].Functions {
			width = max(width, f.Slot+1)
		}
	}
	out := b.run.context(width)
	b.contexts = append(b.contexts, out)
	b.group = operator.Group{Input: rows, Keys: g.Keys, Dependents: g.Dependents, Aggregates: g.Aggregates,
		Rollup: g.Rollup, Together: b.of.Grouped && len(g.Keys) > 0,
		Growing: g.Growing, Slots: slots, Context: x, Out: out, Budget: &b.run.budget}
	return &b.group, out
}

func having(s *plan.Select) []*evaluate.Program {
	if s.Having == nil {
		return nil
	}
	return []*evaluate.Program{s.Having}
}

// emptyRow is the row without columns of a SELECT without FROM.
func emptyRow(x *evaluate.Context) operator.Rows {
	return &operator.Values{Rows: [][]*evaluate.Program{nil}, Context: x}
}

// filter passes the rows that meet all conditions, if there are some.
func filter(rows operator.Rows, x *evaluate.Context, conditions []*evaluate.Program) operator.Rows {
	if len(conditions) == 0 {
		return rows
	}
	return &operator.Filter{Input: rows, Conditions: conditions, Context: x}
}

// upper puts the select list, DISTINCT, ORDER BY and LIMIT above rows. Sort keys that are not in the select list stand
// behind it.
func (b *block) upper(rows operator.Rows, x *evaluate.Context) {
	s, p := b.of.Select, &b.projection
	*p = projection{Rows: rows, x: x, items: s.Items, behind: p.behind[:0]}
	b.order()
	width := len(p.items) + len(p.behind)
	b.makeRow(width)
	p.row, b.row = b.out.Row, b.out.Row[:len(p.items)]
	b.Rows = p
	if s.Distinct {
		d := &b.distinct
		d.Input, d.Keys, d.Slots, d.Context, d.Budget = p, b.slots[:len(p.items)], b.slots, b.out, &b.run.budget
		d.Together = b.of.Grouped && s.Groups == nil
		b.Rows = d
	}
	if len(b.sort.Order) > 0 {
		b.sort.Input, b.sort.Slots, b.sort.Context, b.sort.Budget = b.Rows, b.slots[:len(p.items)], b.out, &b.run.budget
		b.Rows = &b.sort
	}
	b.limit = operator.Limit{Input: b.Rows}
	b.Rows = &b.limit
}

// order finds what rows are sorted by, unless they come in that order.
func (b *block) order() {
	s, p := b.of.Select, &b.projection
	if b.of.Sorted && s.Groups == nil && len(s.Windows) == 0 {
		return
	}
	for _, by := range s.Order {
		slot := by.Item
		if slot < 0 {
			slot = len(p.items) + len(p.behind)
			p.behind = append(p.behind, by.Program)
		}
		b.sort.Order = append(b.sort.Order, operator.Ordering{Slot: slot, Descending: by.Descending})
	}
}

// makeRow makes the row of the block's context, in which nothing is computed but what a set operation converts.
func (b *block) makeRow(width int) {
	if b.out == nil {
		b.out = new(evaluate.Context)
	}
	b.run.adopt(b.out)
	b.out.Row = resize(b.out.Row, width)
	for len(b.slots) < width {
		b.slots = append(b.slots, len(b.slots))
	}
	b.slots = b.slots[:width]
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
	b.bound(limit, offset)
	return b.Rows.Open(ctx)
}

// bound sets how many rows are wanted; a negative limit is none.
func (b *block) bound(limit, offset int) {
	b.limit.Count, b.limit.Offset = int64(limit), int64(offset)
	most := limit + offset
	if limit < 0 || most < 0 {
		most = -1
	}
	if b.ends != nil {
		b.ends.need.RowsMax = most
	}
	b.sort.KeepMax = 0
	if most >= 0 && most < 1<<31 {
		b.sort.KeepMax = max(1, most)
	}
}

// projection computes a select list, and what rows are sorted by, into a row of its own.
type projection struct {
	operator.Rows
	x      *evaluate.Context
	items  []plan.Item
	behind []*evaluate.Program
	row    []datum.Datum
	stored *Rows // whose rows, as they are stored, are the answer; nil: items are
}

func (p *projection) Next() (bool, error) {
	p.x.Reset()
	ok, err := p.Rows.Next()
	if err != nil || !ok {
		return false, err
	}
	if err := project(p.row, p.items, p.x); err != nil {
		return false, err
	}
	if p.stored != nil {
		p.row[0] = datum.Binary(p.stored.item)
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
