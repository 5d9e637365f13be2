// SPDX-License-Identifier: Apache-2.0

package tree

import "slices"

// Rebuild returns e with some nodes replaced: replace is asked outermost first, and what it returns, if not nil, stands
// there. Nodes that do not change are shared. Queries inside of e are left as they are.
func Rebuild(e Expression, replace func(Expression) Expression) Expression {
	if e == nil {
		return nil
	}
	if other := replace(e); other != nil {
		return other
	}
	each := func(e Expression) Expression { return Rebuild(e, replace) }
	list := func(l []Expression) []Expression {
		out := make([]Expression, len(l))
		for i := range l {
			out[i] = each(l[i])
		}
		return out
	}
	switch e := e.(type) {
	case *Unary:
		return &Unary{Operator: e.Operator, X: each(e.X)}
	case *Binary:
		return &Binary{Operator: e.Operator, Left: each(e.Left), Right: each(e.Right)}
	case *In:
		return &In{X: each(e.X), List: list(e.List), Not: e.Not}
	case *Between:
		return &Between{X: each(e.X), Low: each(e.Low), High: each(e.High), Not: e.Not}
	case *Like:
		other := *e
		other.X, other.Pattern = each(e.X), each(e.Pattern)
		return &other
	case *Is:
		return &Is{X: each(e.X), Kind: e.Kind, Not: e.Not}
	case *Tuple:
		return &Tuple{Elements: list(e.Elements)}
	case *Case:
		other := &Case{Operand: each(e.Operand), Else: each(e.Else)}
		for _, when := range e.Whens {
			other.Whens = append(other.Whens, When{Condition: each(when.Condition), Result: each(when.Result)})
		}
		return other
	case *Call:
		other := *e
		other.Arguments = list(e.Arguments)
		other.OrderBy = slices.Clone(e.OrderBy)
		for i := range other.OrderBy {
			other.OrderBy[i].By = each(other.OrderBy[i].By)
		}
		other.Over = e.Over.rebuild(each)
		return &other
	case *Cast:
		return &Cast{X: each(e.X), To: e.To}
	case *InQuery:
		return &InQuery{X: each(e.X), Query: e.Query, Not: e.Not}
	case *Quantified:
		other := *e
		other.X = each(e.X)
		return &other
	case *Interval:
		return &Interval{X: each(e.X), Unit: e.Unit}
	}
	return e
}

// rebuild copies a window with other expressions.
func (w *Window) rebuild(each func(Expression) Expression) *Window {
	if w == nil {
		return nil
	}
	other := &Window{Name: w.Name}
	for _, e := range w.Partition {
		other.Partition = append(other.Partition, each(e))
	}
	for _, o := range w.OrderBy {
		other.OrderBy = append(other.OrderBy, Order{By: each(o.By), Descending: o.Descending})
	}
	if w.Frame != nil {
		frame := *w.Frame
		frame.Start.Offset, frame.End.Offset = each(frame.Start.Offset), each(frame.End.Offset)
		other.Frame = &frame
	}
	return other
}
