// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/zorder/codec"
)

const (
	// nearRowsMax is up to which LIMIT the nearest rows are searched for: beyond it, sorting is as good, and has files
	// to sort in.
	nearRowsMax = 10000
	// nearRows is about the number of rows that are examined besides those of the answer.
	nearRows = 200
)

// nearOrder is ORDER BY distance(columns.., point..).
type nearOrder struct {
	columns []string
	to      []constant
}

// near reads a call as the distance of columns of numbers from a point; nil: it is something else.
func (s *Source) near(call *tree.Call) *nearOrder {
	half := len(call.Arguments) / 2
	if call.Name != "distance" || half == 0 || len(call.Arguments)%2 != 0 {
		return nil
	}
	n := &nearOrder{}
	for _, e := range call.Arguments[:half] {
		column, ok := e.(*tree.Column)
		if !ok || !s.isNumber(column.Name) || slices.Contains(n.columns, column.Name) {
			return nil
		}
		n.columns = append(n.columns, column.Name)
	}
	for _, e := range call.Arguments[half:] {
		value, ok := s.constant(e)
		if !ok {
			return nil
		}
		n.to = append(n.to, value)
	}
	return n
}

// Ends says in which order a SELECT that was compiled over a table's rows alone wants them, to end after LIMIT of them;
// ok is false if it reads them all.
func (s *Select) Ends(source *Source) (need Need, ok bool) {
	need = Need{RowsMax: -1, AnyOrder: true}
	if s.limit == nil || s.Groups != nil || s.Distinct || s.Having != nil || len(s.Windows) > 0 ||
		len(s.Source.Conjuncts) > 0 {
		return need, false
	}
	switch {
	case s.orderIsPlain:
		need.Order = s.orderings
	case s.distance != nil:
		need.near = source.near(s.distance)
	}
	return need, len(need.Order) > 0 || need.near != nil
}

// Ends reports whether so many rows of an access are the first ones in the order that was wanted.
func (access *Access) Ends(need *Need) bool {
	return need.RowsMax >= 0 && (access.Query.Near != nil || len(need.Order) > 0 && access.Sorted)
}

// isNumber reports whether a column is declared with a type whose values are stored as the numbers that functions see.
func (s *Source) isNumber(name string) bool {
	c, ok := s.Table.Column(name)
	if !ok {
		return false
	}
	switch c.Type.Base {
	case datum.TinyInt, datum.SmallInt, datum.Integer, datum.BigInt, datum.BigIntUnsigned, datum.Float, datum.Double,
		datum.DecimalBase:
		return true
	}
	return false
}

// bind is the order of an execution; nil where rows have no distance, or too many are wanted.
func (n *nearOrder) bind(b *binder, rowsMax int) *database.Near {
	if rowsMax <= 0 || rowsMax > nearRowsMax {
		return nil
	}
	near := &database.Near{Columns: n.columns, Missing: true}
	for i := range n.to {
		d := b.value(&n.to[i])
		if d.IsNull() {
			return nil
		}
		x := d.NumberFloat()
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		near.To = append(near.To, x)
	}
	return near
}

const (
	sortCost = 0.5 // to sort a row, in that of reading one entry
	// luck is by how many more rows than expected may have to be looked through where conditions drop some: those that
	// stay may stand at the end.
	luck = 10
)

// planNear replaces the best plan, whose rows would have to be sorted, by a search for the nearest rows where that
// costs less.
func (c *chooser) planNear(query *database.Query, best database.Plan) database.Plan {
	cost := best.Cost + sortCost*best.Rows
	ignored := c.ignoredIndexes()
	consider := func(x *schema.Index) {
		if x.State != schema.Active || !x.IsPrimary() && slices.Contains(ignored, x.Name) || !c.isNearest(x) {
			return
		}
		other := *query
		other.AnyIndex, other.Index, other.Fetch = false, x.Name, true
		plan, err := c.pinned.Plan(other)
		if err != nil || plan.Bound > 0 && !plan.Boxes || plan.Keys == 0 {
			return
		}
		looked := nearRows + float64(c.rowsMax)
		if plan.Filter != nil || c.judges {
			looked *= max(luck, plan.Rows/max(best.Rows, 1))
		}
		if share := min(1, looked/max(plan.Rows, 1)); plan.Cost*share < cost || slices.Contains(c.force, x.Name) {
			near := *c.near
			near.Rows, near.Missing = plan.Rows, slices.ContainsFunc(near.Columns,
				func(name string) bool { return !c.wantsValue(name) })
			other.Near = &near
			best, cost, *query = plan, plan.Cost*share, other
		}
	}
	if len(c.force) == 0 || slices.Contains(c.force, "") {
		consider(&c.source.Table.Descriptor.Primary)
	}
	for x := range c.source.Table.Descriptor.Declared() {
		consider(x)
	}
	return best
}

// isNearest reports whether an index can give rows in the order of distances, and has all of them.
func (c *chooser) isNearest(x *schema.Index) bool {
	if x.Partial || x.Lenient || x.Key[0].Function != schema.ZOrder {
		return false
	}
	part := &x.Key[0]
	for _, name := range c.near.Columns {
		if !slices.ContainsFunc(part.Args, func(a schema.Argument) bool { return a.Column == name }) {
			return false
		}
	}
	if x.KeepNulls {
		return !slices.ContainsFunc(part.Curve.Codecs,
			func(one *codec.Codec) bool { return one.Attribute().Nulls != codec.NullsFirst })
	}
	for i := range x.Key { // a sparse index has the rows that have all its columns
		for _, a := range x.Key[i].Args {
			column, ok := c.source.Table.Column(a.Column)
			if !ok || !column.NotNull && column.KeyPart < 0 && !c.hasValue(a.Column) {
				return false
			}
		}
	}
	return true
}

// wantsValue reports whether WHERE leaves out all rows in which a column is NULL.
func (c *chooser) wantsValue(name string) bool {
	return c.hasValue(name) || slices.ContainsFunc(c.source.trees,
		func(e tree.Expression) bool { return isNotNull(e, name) })
}

// isNotNull reports whether a condition is that a column is not NULL.
func isNotNull(e tree.Expression, name string) bool {
	turned := false
	if u, ok := e.(*tree.Unary); ok && u.Operator == tree.Not {
		e, turned = u.X, true
	}
	is, ok := e.(*tree.Is)
	if !ok || is.Kind != tree.IsNull || is.Not == turned {
		return false
	}
	column, ok := is.X.(*tree.Column)
	return ok && column.Name == name
}

// findsNearest reports whether a search for the nearest rows ends after those that are wanted: WHERE asks for no more
// than that they have a place.
func (c *chooser) findsNearest(query *database.Query) bool {
	return query.Near != nil && !slices.ContainsFunc(c.source.trees, func(e tree.Expression) bool {
		return !slices.ContainsFunc(query.Near.Columns, func(name string) bool { return isNotNull(e, name) })
	})
}

// hasValue reports whether WHERE wants a column to have a value.
func (c *chooser) hasValue(name string) bool {
	return slices.ContainsFunc(c.limits, func(one limit) bool {
		return slices.ContainsFunc(one.columns, func(l columnLimit) bool {
			return l.column.name == name && !l.null && l.column.key != schema.AnyType && (l.isPoints || l.low || l.high)
		})
	})
}
