// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// judge asks tables whether they let joins read them whole. A join is by key if its condition compares the first column of a key or index of one
// of its tables: then the other may be read whole, as by SELECT * FROM it. Tables with conditions of their own are judged when they are scanned.
func (s *statement) judge(node sql.Node) (err error) {
	visit := func(n sql.Node) bool {
		if join, ok := n.(*plan.JoinNode); ok && err == nil && join.Filter != nil && !join.Op.IsLookup() {
			err = s.judgeJoin(join)
		}
		return err == nil
	}
	var each func(n sql.Node)
	each = func(n sql.Node) {
		if n == nil || !visit(n) {
			return
		}
		if into, ok := n.(*plan.InsertInto); ok {
			each(into.Source)
		}
		if e, ok := n.(sql.Expressioner); ok {
			for _, one := range e.Expressions() {
				eachSubquery(one, each)
			}
		}
		for _, child := range n.Children() {
			each(child)
		}
	}
	each(node)
	return err
}

func eachSubquery(e sql.Expression, visit func(sql.Node)) {
	transform.InspectExpr(e, func(e sql.Expression) bool {
		if q, ok := e.(*plan.Subquery); ok {
			visit(q.Query)
		}
		return false
	})
}

// side is a table of a join.
type side struct {
	table   *table
	columns sql.ColSet
	whole   bool // nothing bounds what is read of it
	named   []string
}

func (s *statement) judgeJoin(join *plan.JoinNode) error {
	sides := sidesOf(join, nil)
	byKey := false
	for _, part := range expression.SplitConjunction(join.Filter) {
		comparison, ok := part.(expression.Comparer)
		if !ok {
			continue
		}
		for _, operand := range []sql.Expression{comparison.Left(), comparison.Right()} {
			byKey = noteOperand(sides, operand) || byKey
		}
	}
	if byKey {
		return nil
	}
	for i := len(sides) - 1; i >= 0; i-- {
		if one := sides[i]; one.whole && len(one.named) > 0 {
			return one.table.of.Joined(one.named, s.allowFiltering)
		}
	}
	return nil
}

// noteOperand notes the columns of one side of a comparison; it returns true if it is the first column of a key.
func noteOperand(sides []*side, operand sql.Expression) (byKey bool) {
	bare, isBare := operand.(*expression.GetField)
	transform.InspectExpr(operand, func(e sql.Expression) bool {
		field, ok := e.(*expression.GetField)
		if !ok {
			return false
		}
		for _, one := range sides {
			if !one.columns.Contains(field.Id()) {
				continue
			}
			name := original(field.Name())
			one.named = append(one.named, name)
			byKey = byKey || isBare && field == bare && one.table.leads(name)
		}
		return false
	})
	return byKey
}

// leads says whether a key or index begins with a column.
func (t *table) leads(name string) bool {
	for _, index := range t.of.Indexes() {
		if len(index.Columns) > 0 && index.Columns[0].Name == name {
			return true
		}
	}
	return false
}

// sidesOf lists the tables of ours below a join, not those inside of derived tables.
func sidesOf(n sql.Node, sides []*side) []*side {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		if t, ok := n.Table.(*table); ok {
			return append(sides, &side{table: t, columns: n.Columns(), whole: len(t.where) == 0})
		}
		return sides
	case *plan.IndexedTableAccess:
		if t, ok := n.Table.(*table); ok {
			return append(sides, &side{table: t, columns: n.Columns()})
		}
		return sides
	case *plan.SubqueryAlias:
		return sides
	}
	for _, child := range n.Children() {
		sides = sidesOf(child, sides)
	}
	return sides
}
