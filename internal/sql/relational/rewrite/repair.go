// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Repair changes a statement's tree where the engine would go wrong, and nothing in what it means:
// conditions of NOT EXISTS that may be unknown, LIKE with a prefix, sums of integers, tuples.
func Repair(parsed sqlparser.Statement) {
	writeOutTuples(parsed)
	guardExists(parsed)
	WriteOutRegexp(parsed)
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.ComparisonExpr:
			// The engine makes a range of LIKE 'x%' that ends at U+00FF, and leaves one with an escape alone.
			if (node.Operator == sqlparser.LikeStr || node.Operator == sqlparser.NotLikeStr) && node.Escape == nil {
				node.Escape = sqlparser.NewStrVal([]byte(`\`))
			}
			writeOutNullSafe(node)
		case *sqlparser.FuncExpr:
			exactSum(node)
		case *sqlparser.Insert:
			valuesOfSelect(node)
		}
		return true, nil
	}, parsed)
}

// writeOutNullSafe writes a <=> b as IF(a IS NULL, b IS NULL, IFNULL(a = b, 0)) = 1: the engine looks nothing up where a is NULL.
func writeOutNullSafe(c *sqlparser.ComparisonExpr) {
	if c.Operator != sqlparser.NullSafeEqualStr || isLiteral(c.Left) || isLiteral(c.Right) {
		return
	}
	call := func(name string, arguments ...sqlparser.Expr) *sqlparser.FuncExpr {
		f := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name)}
		for _, a := range arguments {
			f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: a})
		}
		return f
	}
	isNull := func(e sqlparser.Expr) sqlparser.Expr {
		return &sqlparser.IsExpr{Operator: sqlparser.IsNullStr, Expr: e}
	}
	equal := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualStr, Left: c.Left, Right: c.Right}
	c.Left = call("if", isNull(c.Left), isNull(c.Right), call("ifnull", equal, sqlparser.NewIntVal([]byte("0"))))
	c.Operator, c.Right = sqlparser.EqualStr, sqlparser.NewIntVal([]byte("1"))
}

func isLiteral(e sqlparser.Expr) bool {
	switch unwrapped(e).(type) {
	case *sqlparser.SQLVal, *sqlparser.NullVal, sqlparser.BoolVal, sqlparser.ValTuple:
		return true
	}
	return false
}

// exactSum makes SUM and AVG add decimals where it would add floating-point numbers for integers: a sum of the same type and value as MySQL's.
func exactSum(f *sqlparser.FuncExpr) {
	name := f.Name.Lowered()
	if name != "sum" && name != "avg" || f.Over != nil || len(f.Exprs) != 1 {
		return
	}
	argument, ok := f.Exprs[0].(*sqlparser.AliasedExpr)
	if !ok {
		return
	}
	zero := &sqlparser.ConvertExpr{Name: "cast", Expr: sqlparser.NewIntVal([]byte("0")),
		Type: &sqlparser.ConvertType{Type: "decimal", Length: sqlparser.NewIntVal([]byte("1")), Scale: sqlparser.NewIntVal([]byte("0"))}}
	argument.Expr = &sqlparser.BinaryExpr{Operator: sqlparser.PlusStr, Left: &sqlparser.ParenExpr{Expr: argument.Expr}, Right: zero}
}

// newRows names the rows of INSERT .. SELECT for its ON DUPLICATE KEY UPDATE.
const newRows = "__new_rows"

// valuesOfSelect makes VALUES(c) of an INSERT .. SELECT read the column of the SELECT that goes to c, which the engine does for VALUES alone. Columns
// that are not named are left to it.
func valuesOfSelect(q *sqlparser.Insert) {
	selected, ok := q.Rows.(sqlparser.SelectStatement)
	if !ok || len(q.OnDup) == 0 || len(q.Columns) == 0 {
		return
	}
	renamed := make(map[string]sqlparser.ColIdent, len(q.Columns))
	columns := make(sqlparser.Columns, len(q.Columns))
	for i, c := range q.Columns {
		columns[i] = sqlparser.NewColIdent(newRows + "_" + c.String())
		renamed[c.Lowered()] = columns[i]
	}
	q.Rows = &sqlparser.Select{
		SelectExprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}},
		From: sqlparser.TableExprs{&sqlparser.AliasedTableExpr{As: sqlparser.NewTableIdent(newRows),
			Expr: &sqlparser.Subquery{Select: selected, Columns: columns}}},
	}
	for _, assignment := range q.OnDup {
		assignment.Expr = withoutValues(assignment.Expr, renamed)
	}
}

// withoutValues puts columns in the place of VALUES(c).
func withoutValues(e sqlparser.Expr, renamed map[string]sqlparser.ColIdent) sqlparser.Expr {
	column := func(v *sqlparser.ValuesFuncExpr) sqlparser.Expr {
		if name, ok := renamed[v.Name.Name.Lowered()]; ok {
			return &sqlparser.ColName{Name: name, Qualifier: sqlparser.TableName{Name: sqlparser.NewTableIdent(newRows)}}
		}
		return v
	}
	if v, ok := e.(*sqlparser.ValuesFuncExpr); ok {
		return column(v)
	}
	var met []*sqlparser.ValuesFuncExpr
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if v, ok := node.(*sqlparser.ValuesFuncExpr); ok {
			met = append(met, v)
		}
		return true, nil
	}, e)
	for _, v := range met {
		e = sqlparser.ReplaceExpr(e, v, column(v))
	}
	return e
}
