// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/tree"
)

const (
	// mergeCost is the cost of comparing the key of a row with that of the other side, and keepCost of keeping a row
	// with others of its key.
	mergeCost = 0.2
	keepCost  = 0.5
	// mergeRowsMin is the number of rows from which on both sides are tried in one order.
	mergeRowsMin = 100
)

// pairing is an equality of a column of the left side's first table with one of the right table.
type pairing struct {
	condition   condition
	left, right *tree.Column
}

// merge joins a table by going through both sides in the order of columns that have to be equal, where both can be read
// in it. whole is the join by hashing, and best the cheapest one so far. The part has no node where merging can't be
// done, or costs more.
func (r *region) merge(p, whole, best part, u *unit, list []condition) (out part, err error) {
	hash, right := whole.node.(*Join), u.leaf
	n, m := max(p.rows, 1), max(u.part.rows, 1)
	least := p.cost + u.part.cost + (n+m)*mergeCost
	if hash.Method != Hash || hash.Kind == Full || hash.Kind == AntiNull || hash.IsLoose ||
		r.Only == nil && (min(n, m) < mergeRowsMin || least >= best.cost) {
		return out, nil
	}
	scan, ok := u.part.node.(*Scan)
	first := firstScan(p.node)
	if !ok || first == nil || len(u.part.outer) > 0 {
		return out, nil
	}
	left := r.leafOfScan(first)
	pairs := r.pairings(left, right, list)
	for x := range right.indexes() {
		keys := inOrderOf(x, pairs)
		if len(keys) == 0 {
			continue
		}
		a, more, err := r.orderedScan(left, first, keys, func(k pairing) *tree.Column { return k.left })
		if err != nil || a == nil {
			return out, err
		}
		b, also, err := r.orderedScan(right, scan, keys, func(k pairing) *tree.Column { return k.right })
		if err != nil {
			return out, err
		}
		if b == nil || out.node != nil && out.cost <= least+more+also {
			continue
		}
		j := &Join{Method: Merge, Kind: hash.Kind, Left: withFirst(p.node, a), Right: b, Warning: hash.Warning}
		if err := r.mergeBy(j, p.leaves, u, keys, list); err != nil {
			return out, err
		}
		out = whole
		out.node, out.cost = j, least+more+also
		if !j.Unique {
			out.cost += m * keepCost
		}
		j.Estimate = Estimate{Rows: out.rows, Cost: out.cost}
	}
	return out, nil
}

// mergeBy tells a join its keys and further conditions.
func (r *region) mergeBy(j *Join, left set, u *unit, keys []pairing, list []condition) error {
	var equal []condition
	for _, k := range keys {
		equal = append(equal, k.condition)
		if _, err := r.hashKey(j, k.condition.e, left, u.leaves); err != nil {
			return err
		}
	}
	var rest []condition
	for _, c := range list {
		if !slices.ContainsFunc(equal, func(k condition) bool { return k.e == c.e }) {
			rest = append(rest, c)
		}
	}
	var err error
	j.Unique = r.isUnique(u, equal)
	j.On, err = r.programs(rest)
	return err
}

// firstScan is the scan whose order the rows of a node have; nil: there is none.
func firstScan(n Node) *Scan {
	switch n := n.(type) {
	case *Scan:
		return n
	case *Filter:
		return firstScan(n.Of)
	case *Join:
		if n.Method == Lookup || n.Method == Merge || n.Method == Loop && len(n.Outer) > 0 {
			return firstScan(n.Left)
		}
	}
	return nil
}

// withFirst is a node with another scan in the place of its leftmost one.
func withFirst(n Node, first *Scan) Node {
	switch n := n.(type) {
	case *Filter:
		other := *n
		other.Of = withFirst(n.Of, first)
		return &other
	case *Join:
		other := *n
		other.Left = withFirst(n.Left, first)
		return &other
	}
	return first
}

func (f *frame) leafOfScan(scan *Scan) *leaf {
	for _, l := range f.leaves {
		if l.scans[scan] {
			return l
		}
	}
	return nil
}

// pairings are the equalities of columns of two tables whose values are ordered alike in indexes and in comparisons.
func (s *scope) pairings(left, right *leaf, list []condition) (pairs []pairing) {
	for _, c := range list {
		b, ok := c.e.(*tree.Binary)
		if !ok || b.Operator != tree.Equal || left == nil {
			continue
		}
		x, isX := b.Left.(*tree.Column)
		y, isY := b.Right.(*tree.Column)
		if !isX || !isY {
			continue
		}
		if x.Table == right.name {
			x, y = y, x
		}
		if x.Table == left.name && y.Table == right.name && isOrdered(left.typeOf(x.Name)) &&
			isOrdered(right.typeOf(y.Name)) {
			pairs = append(pairs, pairing{c, x, y})
		}
	}
	return pairs
}

// isOrdered reports whether rows in the order of an index on a column of the type come in the order in which its values
// compare. Floats have NaN, the clocks of zones are turned back, and bits are texts to some.
func isOrdered(t datum.Type) bool {
	switch t.Variety {
	case datum.Zoned, datum.Bit, datum.Enum, datum.Set:
		return false
	}
	return t.IsInteger() || t.Base == datum.DecimalBase || t.IsText() || t.IsBinary() || t.Base == datum.Date ||
		t.Base == datum.Timestamp
}

// indexes are the key of a table and its indexes.
func (l *leaf) indexes() func(yield func(x *schema.Index) bool) {
	return func(yield func(x *schema.Index) bool) {
		if !yield(&l.table.Descriptor.Primary) {
			return
		}
		for x := range l.table.Descriptor.Declared() {
			if !yield(x) {
				return
			}
		}
	}
}

// inOrderOf are the pairs whose right columns an index begins with, in its order. Columns before them may have one
// value each: that is looked at later.
func inOrderOf(x *schema.Index, pairs []pairing) (keys []pairing) {
	for _, part := range x.Visible() {
		at := slices.IndexFunc(pairs, func(k pairing) bool { return k.right.Name == part.Column() })
		switch {
		case at >= 0:
			keys = append(keys, pairs[at])
		case len(keys) > 0:
			return keys
		}
	}
	return keys
}

// orderedScan is a scan in the order of keys, and what it costs more; nil where no index yields that order, or where
// another one is needed of the scan.
func (r *region) orderedScan(l *leaf, scan *Scan, keys []pairing, of func(k pairing) *tree.Column) (ordered *Scan,
	more float64, err error) {
	var order []database.Ordering
	for _, k := range keys {
		order = append(order, database.Ordering{Column: of(k).Name})
	}
	if had := scan.Need.Order; len(had) > 0 {
		if len(had) < len(order) || !slices.Equal(had[:len(order)], order) {
			return nil, 0, nil
		}
		return scan, 0, nil
	}
	other := *scan
	other.Need.Order = order
	var p part
	r.estimate(l, &other, nil, &p)
	if !p.sorted || p.refused {
		return nil, 0, nil
	}
	for _, k := range keys {
		program, err := r.program(of(k), "on clause")
		if err != nil {
			return nil, 0, err
		}
		other.Sorted = append(other.Sorted, program)
	}
	more = max(p.cost-scan.Estimate.Cost, 0)
	other.Estimate.Cost += more
	l.scans[&other] = true
	return &other, more, nil
}

// orderByGroups lets the only table of a block be read in the order of its groups, where an index has that order and
// costs no more.
func (s *scope) orderByGroups(b *Block, read *tree.Select) error {
	scan, ok := b.From.(*Scan)
	if !ok || b.Select.Groups == nil || read.Rollup || len(scan.Need.Order) > 0 {
		return nil
	}
	l := s.leafOfScan(scan)
	var names []string
	for _, e := range read.GroupBy {
		c, ok := e.(*tree.Column)
		if !ok || l == nil || !isOrdered(l.typeOf(c.Name)) {
			return nil
		}
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	r := &region{scope: s, memo: map[string]part{}}
	for x := range l.indexes() {
		var keys []pairing
		for _, p := range x.Visible() {
			if len(keys) == len(names) || !slices.Contains(names, p.Column()) {
				break
			}
			keys = append(keys, pairing{right: &tree.Column{Table: l.name, Name: p.Column()}})
		}
		if len(keys) < len(names) {
			continue
		}
		ordered, more, err := r.orderedScan(l, scan, keys, func(k pairing) *tree.Column { return k.right })
		if err != nil {
			return err
		}
		if ordered != nil && more == 0 {
			b.From = ordered
			return nil
		}
	}
	return nil
}

// stream spares the sorting of ORDER BY and the keeping of groups where a join by merging yields its rows in their
// order.
func (s *scope) stream(b *Block, read *tree.Select) {
	scan := firstScan(b.From)
	if scan == nil || len(scan.Sorted) == 0 || read.Rollup || !s.areExact(s.equalities()) {
		return
	}
	fixed := func(by tree.Expression, n int) bool {
		first := &tree.Column{Table: s.leafOfScan(scan).name, Name: scan.Need.Order[n].Column}
		c, ok := by.(*tree.Column)
		return ok && (evaluate.Same(c, first) ||
			s.determinedBy([]tree.Expression{first})(c.Table, c.Name) &&
				s.determinedBy([]tree.Expression{c})(first.Table, first.Name))
	}
	if b.Select.Groups == nil && len(b.Select.Windows) == 0 && !b.Select.Distinct &&
		len(read.OrderBy) <= len(scan.Need.Order) {
		b.Sorted = len(read.OrderBy) > 0
		for i, o := range read.OrderBy {
			b.Sorted = b.Sorted && !o.Descending && fixed(o.By, i)
		}
	}
	var keys []tree.Expression
	for i := range scan.Need.Order {
		at := slices.IndexFunc(read.GroupBy, func(e tree.Expression) bool { return fixed(e, i) })
		if at < 0 {
			break
		}
		keys = append(keys, read.GroupBy[at])
	}
	b.Grouped = len(keys) > 0 && !slices.ContainsFunc(read.GroupBy, func(e tree.Expression) bool {
		c, ok := e.(*tree.Column)
		return !ok || !s.Depends(c, keys)
	})
}

// areExact reports whether of values that equalities accept for one value of the other side there is just one, which is
// not so where texts equal numbers.
func (s *scope) areExact(list []*tree.Binary) bool {
	typeOf := func(e tree.Expression) (t datum.Type) {
		if p, err := s.program(e, "where clause"); err == nil {
			t = p.Type()
		}
		return t
	}
	return !slices.ContainsFunc(list, func(e *tree.Binary) bool {
		a, b := typeOf(e.Left), typeOf(e.Right)
		return !hashes(a, b) && (a.IsText() || b.IsText() ||
			len(evaluate.Columns(e.Left)) > 0 && len(evaluate.Columns(e.Right)) > 0)
	})
}
