// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"fmt"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// builder makes streams of the nodes of one frame.
type builder struct {
	run       *run
	x         *evaluate.Context // of the frame
	locks     bool              // FOR UPDATE is about these tables
	statement *plan.Select      // that the frame is of
}

// count notes what counts for a node.
func (b *builder) count(node algebra.Node, counts *operator.Counts) {
	b.run.counted = append(b.run.counted, counted{node, counts})
}

func (b *builder) node(node algebra.Node) operator.Rows {
	switch n := node.(type) {
	case *algebra.Scan:
		s := b.scan(n, n.Source, n.To, n.Need)
		if len(n.Sorted) > 0 {
			return b.inOrder(n, s)
		}
		return s
	case *algebra.Virtual:
		v := &virtual{run: b.run, x: b.x, of: n}
		b.count(n, &v.counts)
		return v
	case *algebra.Derived:
		return b.derived(n)
	case *algebra.Join:
		return b.join(n)
	case *algebra.Filter:
		f := &operator.Filter{Input: b.node(n.Of), Conditions: n.Conditions, Context: b.x}
		b.count(n, &f.Counts)
		return f
	case *algebra.Combine:
		return b.combine(n)
	case *algebra.Recursive:
		return b.recursion(n)
	case *algebra.Working:
		r := &operator.Reader{Recursive: b.run.recursive[n.Number], Slots: n.To, Context: b.x}
		b.count(n, &r.Counts)
		return r
	case *algebra.Values:
		v := &operator.Values{Rows: n.Rows, Slots: n.To, Context: b.x}
		b.count(n, &v.Counts)
		return v
	}
	failed := fault.New(fault.NotSupported, fmt.Sprintf("A query with %T", node))
	return &operator.Func{OnOpen: func(context.Context) error { return failed },
		OnNext: func() (bool, error) { return false, failed }}
}

// keys pairs the keys of a join.
func keys(left, right []*evaluate.Program, nullSafe []bool) (list []operator.Key) {
	for i := range left {
		list = append(list, operator.Key{Left: left[i], Right: right[i], NullSafe: i < len(nullSafe) && nullSafe[i]})
	}
	return list
}

// kinds are the joins by kind, and with their sides changed. // immutable
var (
	kinds = [...]operator.JoinKind{algebra.Inner: operator.Inner, algebra.Left: operator.Left,
		algebra.Full: operator.Full, algebra.Semi: operator.Semi, algebra.Anti: operator.Anti,
		algebra.AntiNull: operator.AntiNull}
	swappedKinds = [...]operator.JoinKind{algebra.Inner: operator.Inner, algebra.Left: operator.Right,
		algebra.Full: operator.Full, algebra.Semi: operator.RightSemi, algebra.Anti: operator.RightAnti}
)

func (b *builder) join(n *algebra.Join) operator.Rows {
	left, kind := b.node(n.Left), kinds[n.Kind]
	if n.Kind >= algebra.Semi { // FOR UPDATE is not about tables of queries in conditions
		beside := *b
		beside.locks = false
		b = &beside
	}
	switch {
	case n.Method == algebra.Lookup:
		return b.lookup(n, left)
	case n.Method == algebra.Merge:
		j := &operator.MergeJoin{Kind: kind, Left: left, Right: b.node(n.Right),
			Keys: keys(n.LeftKeys, n.RightKeys, nil), Unique: n.Unique, On: n.On,
			RightSlots: n.Right.Slots(), Context: b.x, Budget: &b.run.budget}
		b.count(n, &j.Counts)
		return j
	case n.Method == algebra.Loop && len(n.Outer) > 0:
		j := &operator.LoopJoin{Kind: kind, Left: left, Right: b.node(n.Right), On: n.On, RightSlots: n.Right.Slots(),
			Context: b.x, Outer: b.outer(n.Outer)}
		b.count(n, &j.Counts)
		return j
	}
	right := b.node(n.Right)
	j := &operator.HashJoin{Kind: kind, Left: left, Right: right, Keys: keys(n.LeftKeys, n.RightKeys, n.NullSafe),
		On: n.On, LeftSlots: n.Left.Slots(),
		RightSlots: n.Right.Slots(), Context: b.x, Budget: &b.run.budget}
	if n.BuildLeft && int(n.Kind) < len(swappedKinds) {
		j.Kind, j.Left, j.Right, j.LeftSlots, j.RightSlots = swappedKinds[n.Kind], right, left, j.RightSlots,
			j.LeftSlots
		j.Keys = keys(n.RightKeys, n.LeftKeys, n.NullSafe)
	}
	b.count(n, &j.Counts)
	if n.IsLoose {
		return &operator.LooseJoin{HashJoin: j, Equal: n.Loose}
	}
	return j
}

// outer hands values of the row at hand to parameters.
func (b *builder) outer(list []algebra.Outer) func() error {
	if len(list) == 0 {
		return nil
	}
	return func() error {
		for _, o := range list {
			b.run.parameters[o.Parameter] = b.x.Row[o.Slot]
		}
		return nil
	}
}

func (b *builder) lookup(n *algebra.Join, left operator.Rows) operator.Rows {
	j := &operator.LookupJoin{Kind: kinds[n.Kind], Left: left, Keys: keys(n.LeftKeys, n.RightKeys, n.NullSafe),
		Parameters: b.run.parameters, On: n.On,
		LeftSlots: n.Left.Slots(), RightSlots: n.Right.Slots(), Context: b.x, Budget: &b.run.budget}
	right := n.Right.(*algebra.Scan)
	for _, batch := range n.Batches {
		j.Right = append(j.Right, operator.Lookup{Size: batch.Keys, First: batch.First,
			Rows: b.scan(right, batch.Source, batch.To, plan.Need{RowsMax: -1, AnyOrder: true})})
	}
	b.count(n, &j.Counts)
	return j
}

// derived yields the rows of a block, or of a spool.
func (b *builder) derived(n *algebra.Derived) operator.Rows {
	if n.Spool != nil {
		return b.reader(n)
	}
	inner := b.run.block(n.Block, false)
	c := &copiedRows{block: inner, x: b.x, to: n.To, outer: b.outer(n.Outer)}
	b.count(n, &c.counts)
	return c
}

// copiedRows are a block's rows, in slots of the frame that it stands in, converted where that is asked for. Quotients
// have the digits that they show, as the columns of a table would.
type copiedRows struct {
	*block
	x       *evaluate.Context
	to      []int
	convert []*evaluate.Program // nil, or nil elements: as it is
	outer   func() error
	counts  operator.Counts
}

func (c *copiedRows) Open(ctx context.Context) error {
	c.counts.Opens++
	if c.outer != nil {
		if err := c.outer(); err != nil {
			return err
		}
	}
	return c.block.Open(ctx)
}

func (c *copiedRows) Next() (bool, error) {
	ok, err := c.block.Next()
	if err != nil || !ok {
		return false, err
	}
	c.counts.Rows++
	c.block.out.Reset()
	for i, slot := range c.to {
		switch {
		case slot < 0:
		case i < len(c.convert) && c.convert[i] != nil:
			if c.x.Row[slot], err = c.convert[i].Value(c.block.out); err != nil {
				return false, err
			}
		default:
			c.x.Row[slot] = c.block.column(i)
		}
	}
	return true, nil
}

// spool is a query whose rows are kept, with the outer values that they were read with.
type spool struct {
	kept *operator.Spool
	of   *algebra.Spool
	key  []byte
}

// spool makes a spool, or returns the one there is.
func (q *run) spool(of *algebra.Spool) *spool {
	if s := q.spools[of]; s != nil {
		return s
	}
	inner := q.block(of.Block, false)
	slots := allSlots(len(inner.row))
	s := &spool{of: of, kept: &operator.Spool{Input: shownRows{inner}, Slots: slots, Context: inner.out,
		Budget: &q.budget}}
	q.spools[of] = s
	return s
}

// shownRows are the rows of a block that stands in FROM: quotients have the digits that they show, as the columns of a
// table would.
type shownRows struct{ *block }

func (s shownRows) Next() (bool, error) {
	ok, err := s.block.Next()
	for i := range s.row {
		s.row[i] = s.block.column(i)
	}
	return ok, err
}

// column is a column of the row at hand as the table that the block is in FROM has it.
func (b *block) column(i int) datum.Datum {
	if b.of.Exact {
		return b.row[i]
	}
	return b.row[i].Shown()
}

// current empties the spool if the outer values that its rows depend on are others than when they were read.
func (s *spool) current(parameters []datum.Datum) error {
	if len(s.of.Parameters) == 0 {
		return nil
	}
	before := string(s.key)
	s.key = s.key[:0]
	for _, p := range s.of.Parameters {
		s.key = parameters[p].AppendKey(s.key)
	}
	if string(s.key) == before {
		return nil
	}
	return s.kept.Close()
}

func (b *builder) reader(n *algebra.Derived) operator.Rows {
	s := b.run.spool(n.Spool)
	r := &operator.Reader{Of: s.kept, Slots: n.To, Context: b.x}
	b.count(n, &r.Counts)
	b.count(n, &s.kept.Counts)
	return &operator.Func{OnOpen: func(ctx context.Context) error {
		if err := s.current(b.run.parameters); err != nil {
			return err
		}
		return r.Open(ctx)
	}, OnNext: r.Next, OnClose: r.Close}
}

// side is one of the blocks of a set operation, in the slots of the frame.
func (b *builder) side(of *algebra.Block, to []int, convert []*evaluate.Program) operator.Rows {
	return &copiedRows{block: b.run.block(of, false), x: b.x, to: to, convert: convert}
}

func (b *builder) combine(n *algebra.Combine) operator.Rows {
	left, right := b.side(n.Left, n.To, n.LeftConvert), b.side(n.Right, n.To, n.RightConvert)
	if n.Kind != tree.Union {
		s := &operator.Subset{Left: left, Right: right, Except: n.Kind == tree.Except, All: n.All, Slots: n.To,
			Context: b.x, Budget: &b.run.budget}
		b.count(n, &s.Counts)
		return s
	}
	c := &operator.Concat{Inputs: []operator.Rows{left, right}}
	if n.All {
		b.count(n, &c.Counts)
		return c
	}
	d := &operator.Distinct{Input: c, Keys: n.To, Slots: n.To, Context: b.x, Budget: &b.run.budget}
	b.count(n, &d.Counts)
	return d
}

func (b *builder) recursion(n *algebra.Recursive) operator.Rows {
	r := &operator.Recursive{Distinct: n.Distinct, DepthMax: b.run.request.DepthMax, Slots: n.To, Context: b.x,
		Budget: &b.run.budget}
	b.run.recursive[n.Number] = r
	r.Anchor, r.Step = b.side(n.Seed, n.To, nil), b.side(n.Step, n.To, n.StepConvert)
	b.count(n, &r.Counts)
	return r
}

// virtual reads a table that is made up. Its rows are few, and kept while it is open.
type virtual struct {
	run    *run
	x      *evaluate.Context
	of     *algebra.Virtual
	rows   [][]datum.Datum
	counts operator.Counts
}

// Open reads all rows.
func (v *virtual) Open(ctx context.Context) error {
	v.rows = v.rows[:0]
	v.counts.Opens++
	names := [2]string{}
	for i, program := range []*evaluate.Program{v.of.Schema, v.of.Name} {
		if program == nil {
			continue
		}
		d, err := program.Value(v.x)
		if err != nil {
			return err
		}
		if d.IsNull() {
			return nil // nothing equals it
		}
		if d.Kind() == datum.KindText { // a number equals several texts
			names[i] = string(d.Bytes())
		}
	}
	if v.run.request.Virtual == nil {
		return fault.New(fault.NotSupported, "Reading "+v.of.Alias)
	}
	return v.run.request.Virtual(ctx, v.of.Of, names[0], names[1], func(row []datum.Datum) error {
		kept := make([]datum.Datum, len(row))
		for i := range row {
			if i < len(v.of.To) && v.of.To[i] >= 0 {
				kept[i] = row[i].Clone()
			}
		}
		v.rows = append(v.rows, kept)
		return nil
	})
}

func (v *virtual) Next() (bool, error) {
	if len(v.rows) == 0 {
		return false, nil
	}
	row := v.rows[0]
	v.rows = v.rows[1:]
	v.counts.Rows++
	for i, slot := range v.of.To {
		if slot >= 0 {
			v.x.Row[slot] = row[i]
		}
	}
	return true, nil
}

// Close forgets the rows.
func (v *virtual) Close() error {
	v.rows = nil
	return nil
}
