// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// WriteOutRegexp writes a REGEXP b as REGEXP_LIKE(a, b) = 1, the function being Weft's: the engine's own searches can't be ended. It says whether it
// has changed anything.
func WriteOutRegexp(parsed sqlparser.SQLNode) (changed bool) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		c, ok := node.(*sqlparser.ComparisonExpr)
		if !ok || c.Operator != sqlparser.RegexpStr && c.Operator != sqlparser.NotRegexpStr {
			return true, nil
		}
		matches := "1"
		if c.Operator == sqlparser.NotRegexpStr {
			matches = "0"
		}
		like := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("regexp_like"),
			Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: c.Left}, &sqlparser.AliasedExpr{Expr: c.Right}}}
		c.Operator, c.Left, c.Right = sqlparser.EqualStr, like, sqlparser.NewIntVal([]byte(matches))
		changed = true
		return true, nil
	}, parsed)
	return changed
}
