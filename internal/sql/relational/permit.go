// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/weftdb/weft/internal/sql/tree"
)

// insertion is what an INSERT says beyond what the engine hands over with each row.
type insertion struct {
	rule tree.DuplicateRule
	// columns are those named, in the statement's order; nil for all.
	columns []string
}

// inspect notes what the tables need to know of a statement.
func (s *statement) inspect(parsed sqlparser.Statement) {
	switch q := parsed.(type) {
	case *sqlparser.Explain:
		s.inspect(q.Statement)
		return
	case *sqlparser.Insert:
		s.writes = true
		s.inspectInsert(q)
	case *sqlparser.Update, *sqlparser.Delete:
		s.writes, s.plain = true, true
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.ComparisonExpr:
			_, ofQuery := node.Right.(*sqlparser.Subquery)
			s.plain = s.plain || ofQuery && node.Operator == sqlparser.NotInStr // its lookups would not see a NULL
		case *sqlparser.NotExpr:
			s.plain = s.plain || holdsIn(node.Expr)
		case sqlparser.OrderBy:
			s.ordered = s.ordered || len(node) > 0
		case *sqlparser.Select:
			s.ordered = s.ordered || node.QueryOpts.Distinct
		case *sqlparser.FuncExpr:
			lower := node.Name.Lowered()
			s.ordered = s.ordered || lower == "min" || lower == "max"
		}
		return true, nil
	}, parsed)
}

func (s *statement) inspectInsert(q *sqlparser.Insert) {
	switch {
	case strings.EqualFold(q.Action, sqlparser.ReplaceStr):
		s.insert.rule = tree.ReplaceRow
	case len(q.OnDup) > 0:
		s.insert.rule = tree.DuplicateUpdate
	case q.Ignore != "":
		s.insert.rule = tree.DuplicateIgnore
	case s.insert.rule == tree.DuplicateIgnore:
		q.Ignore = sqlparser.IgnoreStr
	}
	s.nameColumns(q)
	for _, c := range q.Columns {
		s.insert.columns = append(s.insert.columns, c.String())
	}
}

// nameColumns writes out the declared columns where an INSERT names none.
func (s *statement) nameColumns(q *sqlparser.Insert) {
	database := q.Table.DbQualifier.String()
	if database == "" {
		database = s.database
	}
	t, ok, err := s.table(database, q.Table.Name.String())
	if len(q.Columns) > 0 || err != nil || !ok {
		return // what is wrong is said when the statement is planned
	}
	for _, c := range t.Columns() {
		if !c.Dynamic {
			q.Columns = append(q.Columns, sqlparser.NewColIdent(c.Name))
		}
	}
}

// holdsIn says whether a condition has an IN over a query.
func holdsIn(e sqlparser.Expr) (holds bool) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if in, ok := node.(*sqlparser.ComparisonExpr); ok && in.Operator == sqlparser.InStr {
			_, ofQuery := in.Right.(*sqlparser.Subquery)
			holds = holds || ofQuery
		}
		return !holds, nil
	}, e)
	return holds
}
