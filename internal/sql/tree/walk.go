// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"
	"strings"
)

// Children returns the operands of an expression, nil among them where an optional one is not there. A query within it
// has none.
func Children(e Expression) []Expression {
	switch e := e.(type) {
	case *Unary:
		return []Expression{e.X}
	case *Binary:
		return []Expression{e.Left, e.Right}
	case *In:
		return append([]Expression{e.X}, e.List...)
	case *Between:
		return []Expression{e.X, e.Low, e.High}
	case *Like:
		return []Expression{e.X, e.Pattern}
	case *Is:
		return []Expression{e.X}
	case *Tuple:
		return e.Elements
	case *Cast:
		return []Expression{e.X}
	case *Interval:
		return []Expression{e.X}
	case *InQuery:
		return []Expression{e.X}
	case *Quantified:
		return []Expression{e.X}
	case *Case:
		list := []Expression{e.Operand, e.Else}
		for _, w := range e.Whens {
			list = append(list, w.Condition, w.Result)
		}
		return list
	case *Call:
		return e.Over.children(orderChildren(slices.Clone(e.Arguments), e.OrderBy))
	}
	return nil
}

func orderChildren(list []Expression, orders []Order) []Expression {
	for _, o := range orders {
		list = append(list, o.By)
	}
	return list
}

// children appends the expressions of a window.
func (w *Window) children(list []Expression) []Expression {
	if w == nil {
		return list
	}
	list = orderChildren(append(list, w.Partition...), w.OrderBy)
	if w.Frame != nil {
		list = append(list, w.Frame.Start.Offset, w.Frame.End.Offset)
	}
	return list
}

// Walk calls visit for e and everything below it, from the top; it does not go below an expression for which visit
// returns false, and not into queries.
func Walk(e Expression, visit func(Expression) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, child := range Children(e) {
		Walk(child, visit)
	}
}

// QueryOf is the query of a node that has one, else nil.
func QueryOf(e Expression) Query {
	switch e := e.(type) {
	case *Subquery:
		return e.Query
	case *Exists:
		return e.Query
	case *InQuery:
		return e.Query
	case *Quantified:
		return e.Query
	}
	return nil
}

// IsValue reports whether an expression is a literal or a parameter.
func IsValue(e Expression) bool {
	switch e.(type) {
	case *Literal, *Parameter:
		return true
	}
	return false
}

// System reports whether a database is one that a server has of its own, such as information_schema. Its name may be
// written in any case.
func System(database string) bool {
	return slices.Contains([]string{"information_schema", "performance_schema", "mysql", "sys"},
		strings.ToLower(database))
}

// Leftmost is the first SELECT of a query, whose hints and locks are the whole's; nil if there is none.
func Leftmost(q Query) *Select {
	for {
		switch one := q.(type) {
		case *Select:
			return one
		case *SetOperation:
			q = one.Left
		default:
			return nil
		}
	}
}

// IsPlain reports whether a statement reads and writes rows of one table at most, by its name, without subqueries,
// windows, common table expressions and ROLLUP. That table may still be a view. Statements about anything but rows are
// plain.
func IsPlain(s Statement) bool {
	switch s := s.(type) {
	case *Select:
		return s.With == nil && s.Tables == nil && !s.Rollup && len(s.Windows) == 0 &&
			(s.From == nil || !System(s.From.Database)) && s.each(isPlain)
	case *Insert:
		return s.Query == nil && !System(s.Into.Database) && !slices.ContainsFunc(s.Rows, func(row []Expression) bool {
			return slices.ContainsFunc(row, func(e Expression) bool { return !isPlain(e) })
		}) && plainAssignments(s.Updates)
	case *Update:
		return s.With == nil && s.Tables == nil && !System(s.Table.Database) && plainAssignments(s.Set) &&
			isPlain(s.Where) && plainOrders(s.OrderBy)
	case *Delete:
		return s.With == nil && s.Tables == nil && !System(s.From.Database) && isPlain(s.Where) &&
			plainOrders(s.OrderBy)
	case *Set:
		return !slices.ContainsFunc(s.Assignments, func(a SetVariable) bool { return !isPlain(a.Value) })
	case *Show:
		return isPlain(s.Where)
	case *Explain:
		return IsPlain(s.Of)
	case *Describe:
		return !System(s.Table.Database)
	case *SetOperation, *Values, *SelectInto, *CreateView, *DropView:
		return false
	}
	return true
}

// HasQuery reports whether an expression has queries or windows.
func HasQuery(e Expression) bool { return !isPlain(e) }

// isPlain reports whether an expression has neither queries nor windows.
func isPlain(e Expression) bool {
	plain := true
	Walk(e, func(e Expression) bool {
		call, ok := e.(*Call)
		plain = plain && QueryOf(e) == nil && !(ok && call.Over != nil)
		return plain
	})
	return plain
}

func plainAssignments(list []Assignment) bool {
	return !slices.ContainsFunc(list, func(a Assignment) bool { return !isPlain(a.Value) })
}

func plainOrders(list []Order) bool {
	return !slices.ContainsFunc(list, func(o Order) bool { return !isPlain(o.By) })
}

// each reports whether all expressions of a SELECT pass.
func (s *Select) each(pass func(Expression) bool) bool {
	fails := func(e Expression) bool { return !pass(e) }
	return pass(s.Where) && pass(s.Having) && !slices.ContainsFunc(s.GroupBy, fails) &&
		!slices.ContainsFunc(s.List, func(i SelectItem) bool { return fails(i.Expression) }) &&
		!slices.ContainsFunc(s.OrderBy, func(o Order) bool { return fails(o.By) })
}

// Ignores reports whether a statement that writes has IGNORE.
func Ignores(s Statement) bool {
	switch s := s.(type) {
	case *Insert:
		return s.Rule == DuplicateIgnore
	case *Update:
		return s.Ignore
	case *Delete:
		return s.Ignore
	}
	return false
}
