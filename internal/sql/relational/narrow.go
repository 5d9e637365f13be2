// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/relational/value"
	"github.com/weftdb/weft/internal/sql/tree"
)

// narrow tells the tables of a finished plan the conditions that stand above them, so that they can choose their paths. The conditions stay
// where they are: tables may answer more.
func narrow(node sql.Node) (sql.Node, error) {
	node, _, err := transform.NodeWithOpaque(node, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		n, same, err := narrowSubqueries(n)
		if err != nil {
			return nil, transform.SameTree, err
		}
		if into, ok := n.(*plan.InsertInto); ok && into.Source != nil { // which is none of its children
			narrowed, err := narrow(into.Source)
			if err != nil {
				return nil, transform.SameTree, err
			}
			return into.WithSource(narrowed), transform.NewTree, nil
		}
		filter, ok := n.(*plan.Filter)
		if !ok {
			return n, same, nil
		}
		child, err := narrowTable(filter.Child, filter.Expression)
		if err != nil || child == nil {
			return n, same, err
		}
		return plan.NewFilter(filter.Expression, child), transform.NewTree, nil
	})
	return node, err
}

// narrowSubqueries narrows the plans inside a node's expressions.
func narrowSubqueries(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if _, ok := n.(sql.Expressioner); !ok {
		return n, transform.SameTree, nil
	}
	return transform.OneNodeExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		subquery, ok := e.(*plan.Subquery)
		if !ok {
			return e, transform.SameTree, nil
		}
		narrowed, err := narrow(subquery.Query)
		if err != nil {
			return nil, transform.SameTree, err
		}
		return subquery.WithQuery(narrowed), transform.NewTree, nil
	})
}

// narrowTable is a node over one of our tables with a condition added to the table; nil if it is no such node or nothing can be said.
func narrowTable(n sql.Node, condition sql.Expression) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.TableAlias:
		child, err := narrowTable(n.Child, condition)
		if err != nil || child == nil {
			return nil, err
		}
		return n.WithChildren(child)
	case *plan.ResolvedTable:
		t, ok := n.Table.(*table)
		if !ok {
			return nil, nil
		}
		where := conjuncts(condition, t, n.Columns())
		if len(where) == 0 {
			return nil, nil
		}
		return n.ReplaceTable(t.withWhere(where))
	case *plan.IndexedTableAccess:
		t, ok := n.Table.(*table)
		if !ok {
			return nil, nil
		}
		where := conjuncts(condition, t, n.Columns())
		if len(where) == 0 {
			return nil, nil
		}
		return n.WithTable(t.withWhere(where))
	}
	return nil, nil
}

// conjuncts are the parts of a condition that can be said as trees over the table's columns.
func conjuncts(condition sql.Expression, t *table, columns sql.ColSet) []tree.Expression {
	var where []tree.Expression
	reader := &reader{table: t, columns: columns}
	for _, part := range expression.SplitConjunction(condition) {
		if isNotNull(part) {
			continue // the engine adds them for joins, and a table's access must not hang on that
		}
		reader.named = false
		if e, ok := reader.read(part); ok && reader.named {
			where = append(where, e)
		}
	}
	return where
}

func isNotNull(e sql.Expression) bool {
	not, ok := e.(*expression.Not)
	if !ok {
		return false
	}
	_, ok = not.Child.(*expression.IsNull)
	return ok
}

// reader reads the engine's expressions as trees.
type reader struct {
	table   *table
	columns sql.ColSet // ids of the table's columns
	named   bool       // a column was met
}

// read reads one expression; ok is false where something in it is of another kind or another table.
func (r *reader) read(e sql.Expression) (tree.Expression, bool) {
	switch e := e.(type) {
	case *expression.GetField:
		return r.column(e)
	case *expression.Literal:
		return r.literal(e)
	case *expression.Convert:
		return r.converted(e)
	case *expression.And:
		return r.binary(tree.And, e.LeftChild, e.RightChild)
	case *expression.Or:
		return r.binary(tree.Or, e.LeftChild, e.RightChild)
	case *expression.Not:
		x, ok := r.read(e.Child)
		return &tree.Unary{Operator: tree.Not, X: x}, ok
	case *expression.IsNull:
		x, ok := r.read(e.Child)
		return &tree.Is{X: x, Kind: tree.IsNull}, ok
	case *expression.Between:
		x, ok := r.read(e.Val)
		low, lowOK := r.read(e.Lower)
		high, highOK := r.read(e.Upper)
		return &tree.Between{X: x, Low: low, High: high}, ok && lowOK && highOK
	case *expression.Like:
		if escape, ok := e.Escape.(*expression.Literal); e.Escape != nil && (!ok || escape.Val != `\`) {
			return nil, false
		}
		x, ok := r.read(e.Left())
		pattern, patternOK := r.read(e.Right())
		return &tree.Like{X: x, Pattern: pattern}, ok && patternOK
	case *expression.InTuple:
		return r.in(e.Left(), e.Right())
	case *expression.HashInTuple:
		return r.in(e.Left(), e.Right())
	}
	return r.comparison(e)
}

func (r *reader) comparison(e sql.Expression) (tree.Expression, bool) {
	switch e := e.(type) {
	case *expression.Equals:
		return r.binary(tree.Equal, e.Left(), e.Right())
	case *expression.NullSafeEquals:
		return r.binary(tree.NullSafeEqual, e.Left(), e.Right())
	case *expression.GreaterThan:
		return r.binary(tree.Greater, e.Left(), e.Right())
	case *expression.GreaterThanOrEqual:
		return r.binary(tree.GreaterOrEqual, e.Left(), e.Right())
	case *expression.LessThan:
		return r.binary(tree.Less, e.Left(), e.Right())
	case *expression.LessThanOrEqual:
		return r.binary(tree.LessOrEqual, e.Left(), e.Right())
	}
	return nil, false
}

func (r *reader) binary(operator tree.Operator, left, right sql.Expression) (tree.Expression, bool) {
	l, ok := r.read(left)
	if !ok {
		return nil, false
	}
	x, ok := r.read(right)
	return &tree.Binary{Operator: operator, Left: l, Right: x}, ok
}

func (r *reader) in(left, right sql.Expression) (tree.Expression, bool) {
	x, ok := r.read(left)
	list, is := right.(expression.Tuple)
	if !ok || !is {
		return nil, false
	}
	elements := make([]tree.Expression, len(list))
	for i, e := range list {
		if elements[i], ok = r.read(e); !ok {
			return nil, false
		}
	}
	return &tree.In{X: x, List: elements}, true
}

// column reads a field of this very table: one of another table, of a query around, or without a type of its own is none.
func (r *reader) column(f *expression.GetField) (tree.Expression, bool) {
	if !r.columns.Contains(f.Id()) {
		return nil, false
	}
	for i, c := range r.table.schema {
		if c.Name == f.Name() || len(c.Name) == len(f.Name()) && strings.EqualFold(c.Name, f.Name()) {
			if r.table.columns[i].Type.Base == datum.Untyped {
				return nil, false // compared as a text by the engine, as what it is by the table
			}
			r.named = true
			return &tree.Column{Name: r.table.columns[i].Name}, true
		}
	}
	return nil, false
}

func (r *reader) literal(l *expression.Literal) (tree.Expression, bool) {
	constant, err := value.FromEngine(nil, l.Val, value.BaseOf(l.Typ.Type()), l.Typ)
	return &tree.Literal{Value: constant}, err == nil
}

// converted reads CAST of a value.
func (r *reader) converted(e *expression.Convert) (tree.Expression, bool) {
	if _, ok := e.Child.(*expression.Literal); !ok {
		return nil, false
	}
	v, err := e.Eval(sql.NewEmptyContext(), nil)
	if err != nil {
		return nil, false
	}
	constant, err := value.FromEngine(nil, v, value.BaseOf(e.Type().Type()), e.Type())
	return &tree.Literal{Value: constant}, err == nil
}
