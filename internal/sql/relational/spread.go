// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/weftdb/weft/internal/sql/tree"
)

// spread tells a table of a join what another one's conditions say of it: where a.x = b.y joins them and b.y = 1 is asked for, a.x = 1 holds, too. The
// engine does not see that, and would read a whole.
func spread(node sql.Node) (sql.Node, error) {
	node, _, err := transform.NodeWithOpaque(node, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		join, ok := n.(*plan.JoinNode)
		if !ok || join.Filter == nil {
			return n, transform.SameTree, nil
		}
		inner := join.Op.IsInner() || join.Op == plan.JoinTypeHash
		if !inner && join.Op != plan.JoinTypeLeftOuter && join.Op != plan.JoinTypeLeftOuterHash {
			return n, transform.SameTree, nil
		}
		var changed sql.Node = join
		left, right := sidesOf(join.Left(), nil), sidesOf(join.Right(), nil)
		for _, part := range expression.SplitConjunction(join.Filter) {
			equals, ok := part.(*expression.Equals)
			if !ok {
				continue
			}
			a, aOK := equals.Left().(*expression.GetField)
			b, bOK := equals.Right().(*expression.GetField)
			if !aOK || !bOK {
				continue
			}
			var err error
			for _, pair := range [][2]*expression.GetField{{a, b}, {b, a}} {
				// An outer join keeps rows of its left side that meet no condition.
				if changed, err = spreadOne(changed, left, right, pair[0], pair[1]); err != nil {
					return nil, transform.SameTree, err
				}
				if inner {
					if changed, err = spreadOne(changed, right, left, pair[0], pair[1]); err != nil {
						return nil, transform.SameTree, err
					}
				}
			}
		}
		return changed, transform.TreeIdentity(changed == sql.Node(join)), nil
	})
	return node, err
}

// spreadOne carries what is asked of one column, of a table on one side, to its equal on the other.
func spreadOne(join sql.Node, from, to []*side, known, equal *expression.GetField) (sql.Node, error) {
	source, sourceType := columnOf(from, known)
	target, targetType := columnOf(to, equal)
	if source == nil || target == nil || sourceType != targetType {
		return join, nil
	}
	var where []tree.Expression
	for _, e := range source.table.where {
		if moved := renamed(e, original(known.Name()), original(equal.Name())); moved != nil {
			where = append(where, moved)
		}
	}
	if len(where) == 0 {
		return join, nil
	}
	changed, _, err := transform.Node(join, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *plan.ResolvedTable:
			if t, ok := n.Table.(*table); ok && n.Columns().Contains(equal.Id()) {
				replaced, err := n.ReplaceTable(t.withWhere(where))
				return replaced, transform.NewTree, err
			}
		case *plan.IndexedTableAccess:
			if t, ok := n.Table.(*table); ok && n.IsStatic() && n.Columns().Contains(equal.Id()) {
				replaced, err := n.WithTable(t.withWhere(where))
				return replaced, transform.NewTree, err
			}
		}
		return n, transform.SameTree, nil
	})
	return changed, err
}

// columnOf finds the table of a column among some, and the column's type.
func columnOf(sides []*side, field *expression.GetField) (*side, int) {
	for _, one := range sides {
		if !one.columns.Contains(field.Id()) {
			continue
		}
		if at := one.table.position(original(field.Name())); at >= 0 {
			return one, int(one.table.columns[at].Type.Base)
		}
	}
	return nil, 0
}

// renamed is column = value, or column IN (values), with another column; nil for other conditions.
func renamed(e tree.Expression, from, to string) tree.Expression {
	is := func(e tree.Expression) bool { c, ok := e.(*tree.Column); return ok && c.Name == from }
	switch e := e.(type) {
	case *tree.Binary:
		if _, ok := e.Right.(*tree.Literal); ok && e.Operator == tree.Equal && is(e.Left) {
			return &tree.Binary{Operator: tree.Equal, Left: &tree.Column{Name: to}, Right: e.Right}
		}
	case *tree.In:
		for _, one := range e.List {
			if _, ok := one.(*tree.Literal); !ok {
				return nil
			}
		}
		if is(e.X) && !e.Not {
			return &tree.In{X: &tree.Column{Name: to}, List: e.List}
		}
	}
	return nil
}
