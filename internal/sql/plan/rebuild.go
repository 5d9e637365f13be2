// SPDX-License-Identifier: Apache-2.0

package plan

import "github.com/weftdb/weft/internal/sql/tree"

// rebuild returns e with some nodes replaced: replace is asked outermost first, and what it returns, if not nil, stands there. Nodes that do not
// change are shared.
func rebuild(e tree.Expression, replace func(tree.Expression) tree.Expression) tree.Expression {
	if e == nil {
		return nil
	}
	if other := replace(e); other != nil {
		return other
	}
	each := func(e tree.Expression) tree.Expression { return rebuild(e, replace) }
	list := func(l []tree.Expression) []tree.Expression {
		out := make([]tree.Expression, len(l))
		for i := range l {
			out[i] = each(l[i])
		}
		return out
	}
	switch e := e.(type) {
	case *tree.Unary:
		return &tree.Unary{Operator: e.Operator, X: each(e.X)}
	case *tree.Binary:
		return &tree.Binary{Operator: e.Operator, Left: each(e.Left), Right: each(e.Right)}
	case *tree.In:
		return &tree.In{X: each(e.X), List: list(e.List), Not: e.Not}
	case *tree.Between:
		return &tree.Between{X: each(e.X), Low: each(e.Low), High: each(e.High), Not: e.Not}
	case *tree.Like:
		other := *e
		other.X, other.Pattern = each(e.X), each(e.Pattern)
		return &other
	case *tree.Is:
		return &tree.Is{X: each(e.X), Kind: e.Kind, Not: e.Not}
	case *tree.Tuple:
		return &tree.Tuple{Elements: list(e.Elements)}
	case *tree.Case:
		other := &tree.Case{Operand: each(e.Operand), Else: each(e.Else)}
		for _, when := range e.Whens {
			other.Whens = append(other.Whens, tree.When{Condition: each(when.Condition), Result: each(when.Result)})
		}
		return other
	case *tree.Call:
		other := *e
		other.Arguments = list(e.Arguments)
		return &other
	case *tree.Cast:
		return &tree.Cast{X: each(e.X), To: e.To}
	case *tree.Interval:
		return &tree.Interval{X: each(e.X), Unit: e.Unit}
	}
	return e
}
