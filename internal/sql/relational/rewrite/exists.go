// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// guardExists keeps NOT EXISTS right where its conditions meet NULL: the engine turns it into a join that takes an unknown condition for a match, as
// NOT IN would. So conditions are made to be false instead of unknown, which changes nothing else: WHERE takes both alike.
func guardExists(parsed sqlparser.Statement) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		not, ok := node.(*sqlparser.NotExpr)
		if !ok {
			return true, nil
		}
		if exists, ok := unwrapped(not.Expr).(*sqlparser.ExistsExpr); ok {
			if q, ok := exists.Subquery.Select.(*sqlparser.Select); ok && q.Where != nil {
				q.Where.Expr = guarded(q.Where.Expr, membersOf(q.From, nil))
			}
		}
		return true, nil
	}, parsed)
}

func unwrapped(e sqlparser.Expr) sqlparser.Expr {
	for {
		paren, ok := e.(*sqlparser.ParenExpr)
		if !ok {
			return e
		}
		e = paren.Expr
	}
}

// membersOf are the names of a FROM, in lower case.
func membersOf(from sqlparser.TableExprs, names []string) []string {
	for _, t := range from {
		names = memberOf(t, names)
	}
	return names
}

func memberOf(t sqlparser.TableExpr, names []string) []string {
	switch t := t.(type) {
	case *sqlparser.AliasedTableExpr:
		name := t.As.String()
		if table, ok := t.Expr.(sqlparser.TableName); ok && name == "" {
			name = table.Name.String()
		}
		return append(names, strings.ToLower(name))
	case *sqlparser.JoinTableExpr:
		return memberOf(t.RightExpr, memberOf(t.LeftExpr, names))
	case *sqlparser.ParenTableExpr:
		return membersOf(t.Exprs, names)
	}
	return names
}

// guarded is a condition that is false where e is unknown.
func guarded(e sqlparser.Expr, inner []string) sqlparser.Expr {
	switch x := e.(type) {
	case *sqlparser.AndExpr:
		return &sqlparser.AndExpr{Left: guarded(x.Left, inner), Right: guarded(x.Right, inner)}
	case *sqlparser.ParenExpr:
		return &sqlparser.ParenExpr{Expr: guarded(x.Expr, inner)}
	case *sqlparser.IsExpr, *sqlparser.ExistsExpr:
		return e
	case *sqlparser.ComparisonExpr:
		if x.Operator == sqlparser.NullSafeEqualStr {
			return e
		}
		if plain(x.Left) && plain(x.Right) {
			return notNull(notNull(e, x.Left), x.Right)
		}
	}
	if local(e, inner) {
		return e
	}
	return &sqlparser.IsExpr{Operator: sqlparser.IsTrueStr, Expr: &sqlparser.ParenExpr{Expr: e}}
}

// plain says whether an operand is a column or a value, so that a comparison is unknown only where a column is NULL.
func plain(e sqlparser.Expr) bool {
	switch e.(type) {
	case *sqlparser.ColName, *sqlparser.SQLVal:
		return true
	}
	return false
}

func notNull(e, operand sqlparser.Expr) sqlparser.Expr {
	if _, ok := operand.(*sqlparser.ColName); !ok {
		return e
	}
	return &sqlparser.AndExpr{Left: e, Right: &sqlparser.IsExpr{Operator: sqlparser.IsNotNullStr, Expr: operand}}
}

// local says whether all columns of a condition say that they belong to the subquery's own tables: then it is a filter below the join.
func local(e sqlparser.Expr, inner []string) bool {
	own := true
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.ColName:
			qualifier, found := strings.ToLower(node.Qualifier.Name.String()), false
			for _, name := range inner {
				found = found || name == qualifier
			}
			own = own && found && qualifier != ""
		case *sqlparser.Subquery:
			own = false
		}
		return true, nil
	}, e)
	return own
}
