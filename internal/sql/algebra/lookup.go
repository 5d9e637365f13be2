// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

const (
	// lookupRowsMin is the number of rows from which on they are looked up by batches.
	lookupRowsMin = 4
	// lookupCost is the cost of a key of a batch, as a share of the cost of opening a scan for that key alone.
	lookupCost = 0.3
)

// batchSizes are the number of keys that are looked up at once: first few, so that few rows cost little. // immutable
var batchSizes = [...]int{1, 8, 64}

// lookupPlan holds what turns a Join into a Lookup once it is chosen: sources of many keys are expensive to compile.
type lookupPlan struct {
	region     *region
	leaf       *leaf
	local      []condition // on the table alone
	columns    []*tree.Column
	bound      int     // columns of an index that a single row's values bind
	keys       int     // whole keys that one row's values name; 0: none
	rows       float64 // left rows, about
	parameters int
	index      string // that a single row's values are looked up by; "": by the key
}

// lookup makes a Lookup of a join by values if its rows are many, and equalities with columns of an index choose their
// partners. Else the part has no node.
func (r *region) lookup(p, by part, inner *part, u *unit, list []condition) (out part, err error) {
	j := by.node.(*Join)
	// A row that is locked and not shown would stand in the way of others.
	if p.rows < lookupRowsMin && r.Only == nil || r.query.ForUpdate && j.Kind < Semi || len(inner.bound) == 0 {
		return out, nil
	}
	local, _ := r.own(u.leaves, false)
	batched := &Join{Method: Lookup, Kind: j.Kind, Left: j.Left, Right: j.Right, Outer: j.Outer}
	look := &lookupPlan{region: r, leaf: u.leaf, local: local, bound: len(inner.bound), keys: inner.keys,
		index: inner.index, rows: p.rows}
	for _, c := range list {
		column := r.keyColumn(u.leaf, c.e)
		ok := column != nil && slices.Contains(inner.bound, column.Name) &&
			!slices.ContainsFunc(look.columns, func(o *tree.Column) bool { return o.Name == column.Name })
		if ok {
			if ok, err = r.hashKey(batched, c.e, p.leaves, u.leaves); err != nil {
				return out, err
			}
		}
		if ok {
			look.columns = append(look.columns, column)
			continue
		}
		program, err := r.program(c.e, "on clause")
		if err != nil {
			return out, err
		}
		batched.On = append(batched.On, program)
	}
	if len(look.columns) == 0 {
		return out, nil
	}
	batched.looked, batched.loop = look, j.On
	cost := inner.cost - openCost*(1-lookupCost)
	if inner.keys > 0 {
		cost = inner.cost * lookupCost
	}
	out = by
	out.node, out.cost = batched, p.cost+p.rows*cost
	batched.Estimate = Estimate{Rows: out.rows, Cost: out.cost}
	return out, nil
}

// keyColumn is the column of a table that an equality compares with a value of the same type; nil: the condition is
// another one.
func (s *scope) keyColumn(l *leaf, e tree.Expression) *tree.Column {
	b, ok := e.(*tree.Binary)
	if !ok || b.Operator != tree.Equal {
		return nil
	}
	for _, pair := range [...][2]tree.Expression{{b.Left, b.Right}, {b.Right, b.Left}} {
		c, ok := pair[0].(*tree.Column)
		if !ok || c.Table != l.name {
			continue
		}
		if other, err := s.program(pair[1], "on clause"); err == nil && alike(other.Type(), l.typeOf(c.Name)) {
			return c
		}
	}
	return nil
}

// alike reports whether each value of a type can be looked for in a key of another one.
func alike(a, b datum.Type) bool {
	whole := func(t datum.Type) bool {
		switch t.Base {
		case datum.TinyInt, datum.SmallInt, datum.Integer, datum.BigInt:
			return true
		}
		return false
	}
	return a.Base != datum.Untyped && a.Base == b.Base || a.IsText() && b.IsText() || whole(a) && whole(b)
}

// settle compiles the sources of a Lookup. Where batches would be read in a worse way than a single row's partners, it
// becomes a Loop.
func (j *Join) settle() error {
	look := j.looked
	if look == nil {
		return nil
	}
	for range batchSizes[len(batchSizes)-1] {
		for i := range look.columns {
			p := look.region.parameter(j.LeftKeys[i].Type())
			look.parameters = cmp.Or(look.parameters, p)
		}
	}
	for _, size := range batchSizes {
		if size > batchSizes[1] && float64(size) > 4*look.rows {
			break // few rows are not worth the sources of many keys
		}
		if max(look.keys, 1)*size > look.region.Execution.Settings.WithDefaults().MultiGetKeysMax {
			break
		}
		batch, err := look.batch(size)
		if err != nil {
			return err
		}
		if batch == nil {
			break
		}
		j.Batches = append(j.Batches, *batch)
	}
	if j.looked = nil; len(j.Batches) < 2 {
		j.Method, j.On, j.Batches, j.LeftKeys, j.RightKeys, j.NullSafe = Loop, j.loop, nil, nil, nil, nil
		return nil
	}
	j.Outer, j.loop = nil, nil
	return nil
}

// batch is the source for so many keys; nil: it would not be read by the columns of the keys.
func (l *lookupPlan) batch(size int) (*Batch, error) {
	in := &tree.In{X: l.element(func(i int) tree.Expression { return l.columns[i] })}
	for k := range size {
		in.List = append(in.List, l.element(
			func(i int) tree.Expression { return &tree.Parameter{Index: l.parameters + k*len(l.columns) + i} }))
	}
	list := append(slices.Clone(l.local), condition{e: in, needs: l.leaf.set()})
	if read := l.leaf.read; l.index != "" && len(read.force) == 0 { // with many values, all indexes look alike
		defer func() { l.leaf.read = read }()
		l.leaf.read.force = []string{l.index}
	}
	p, err := l.region.scan(l.leaf, list)
	if err != nil || p.refused || len(p.bound) < l.bound {
		return nil, err
	}
	scan := p.node.(*Scan)
	l.leaf.settle(scan)
	return &Batch{Keys: size, First: l.parameters, Source: scan.Source, To: scan.To}, nil
}

// element is one value, or a tuple of several.
func (l *lookupPlan) element(of func(i int) tree.Expression) tree.Expression {
	if len(l.columns) == 1 {
		return of(0)
	}
	t := &tree.Tuple{}
	for i := range l.columns {
		t.Elements = append(t.Elements, of(i))
	}
	return t
}

// boundColumns are the columns of an index that an access binds; nil: it reads the whole of it.
func boundColumns(a *plan.Access, table *leaf) (columns []string) {
	key, bound := table.table.Descriptor.Primary.Visible(), a.Plan.Bound
	switch {
	case a.Class == plan.Get, a.Class == plan.MultiGet:
		bound = len(key)
	case a.Class != plan.Range || a.Plan.Index == nil:
		return nil
	default:
		key = a.Plan.Index.Visible()
	}
	for i := range key[:min(bound, len(key))] {
		columns = append(columns, key[i].Column())
	}
	return columns
}
