// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/weftdb/weft/internal/sql/relational/value"
	"github.com/weftdb/weft/internal/sql/tree"
)

// correlate tells a table inside of a subquery what the row around the subquery asks of it: conditions of its filter such as inner = outer, with the
// value that outer has. The engine would read the whole table for each row. It returns nil where nothing can be told.
func correlate(ctx *sql.Context, n sql.Node, row sql.Row) sql.Node {
	filter, ok := n.(*plan.Filter)
	if !ok || len(row) == 0 {
		return nil
	}
	t, columns := tableBelow(filter.Child)
	if t == nil {
		return nil
	}
	var where []tree.Expression
	r := &reader{table: t, columns: columns}
	for _, part := range expression.SplitConjunction(filter.Expression) {
		if e := r.outer(ctx, part, row); e != nil {
			where = append(where, e)
		}
	}
	if len(where) == 0 {
		return nil
	}
	child, err := withWhere(filter.Child, where)
	if err != nil || child == nil {
		return nil
	}
	return plan.NewFilter(filter.Expression, child)
}

// tableBelow is the table that a filter stands on, if it is one of ours.
func tableBelow(n sql.Node) (*table, sql.ColSet) {
	switch n := n.(type) {
	case *plan.TableAlias:
		return tableBelow(n.Child)
	case *plan.PrependNode: // puts the row around before each row
		return tableBelow(n.Child)
	case *plan.ResolvedTable:
		if t, ok := n.Table.(*table); ok {
			return t, n.Columns()
		}
	case *plan.IndexedTableAccess: // one that looks up what the row around says needs no more
		if t, ok := n.Table.(*table); ok && n.IsStatic() {
			return t, n.Columns()
		}
	}
	return nil, sql.ColSet{}
}

// outer reads column = e, or e = column, where e is of the row around alone.
func (r *reader) outer(ctx *sql.Context, part sql.Expression, row sql.Row) tree.Expression {
	equals, ok := part.(*expression.Equals)
	if !ok {
		return nil
	}
	for _, pair := range [][2]sql.Expression{{equals.Left(), equals.Right()}, {equals.Right(), equals.Left()}} {
		field, ok := pair[0].(*expression.GetField)
		if !ok || !r.isOuter(pair[1], len(row)) {
			continue
		}
		column, ok := r.column(field)
		if !ok {
			continue
		}
		v, err := pair[1].Eval(ctx, row)
		if err != nil {
			return nil
		}
		t := pair[1].Type()
		d, err := value.FromEngine(ctx, v, value.BaseOf(t.Type()), t)
		if err != nil {
			return nil
		}
		return &tree.Binary{Operator: tree.Equal, Left: column, Right: &tree.Literal{Value: d}}
	}
	return nil
}

// isOuter says whether an expression has columns, all of which stand in a row of so many values.
func (r *reader) isOuter(e sql.Expression, width int) bool {
	met, own := false, true
	transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			met = true
			own = own && !r.columns.Contains(e.Id()) && e.Index() < width
		case *plan.Subquery:
			own = false
		}
		return false
	})
	return met && own
}

// withWhere puts conditions on the table below a filter.
func withWhere(n sql.Node, where []tree.Expression) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.TableAlias, *plan.PrependNode:
		child, err := withWhere(n.Children()[0], where)
		if err != nil || child == nil {
			return nil, err
		}
		return n.WithChildren(child)
	case *plan.ResolvedTable:
		return n.ReplaceTable(n.Table.(*table).withWhere(where))
	case *plan.IndexedTableAccess:
		return n.WithTable(n.Table.(*table).withWhere(where))
	}
	return nil, nil
}
