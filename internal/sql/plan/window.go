// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Window is the functions of a SELECT that share one order of its rows, after groups and HAVING. Programs run over the
// row of FROM, or of a group; results are written into slots behind its data, where the select list and ORDER BY read
// them.
type Window struct {
	Partition []*evaluate.Program
	Order     []SortKey // Item is -1
	Functions []evaluate.WindowFunction
}

// windowCall is a call of a window function, whose result stands in a slot.
type windowCall struct {
	call     *tree.Call
	computed *tree.Computed
}

// windowCalls lists the calls of window functions in expressions, each once.
func windowCalls(expressions ...tree.Expression) (calls []*tree.Call) {
	for _, e := range expressions {
		tree.Walk(e, func(e tree.Expression) bool {
			call, ok := e.(*tree.Call)
			if !ok || call.Over == nil {
				return true
			}
			if !slices.ContainsFunc(calls, func(other *tree.Call) bool { return evaluate.Same(call, other) }) {
				calls = append(calls, call)
			}
			return false
		})
	}
	return calls
}

// groupParts are the parts of an expression that are computed over groups: the operands of window functions, and what
// is around these.
func groupParts(e tree.Expression) []tree.Expression {
	calls := windowCalls(e)
	if len(calls) == 0 {
		return []tree.Expression{e}
	}
	list := []tree.Expression{tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		if call, ok := e.(*tree.Call); ok && call.Over != nil {
			return &tree.Literal{}
		}
		return nil
	})}
	for _, call := range calls {
		for _, child := range tree.Children(call) {
			switch child.(type) {
			case nil, *tree.Star, *tree.Interval:
			default:
				list = append(list, child)
			}
		}
	}
	return list
}

// windows compiles the window functions of the select list and of ORDER BY.
func (c *compiler) windows() error {
	calls := windowCalls(c.selectExpressions()...)
	if len(calls) == 0 {
		return nil
	}
	slot := 0
	if g := c.selected.Groups; g != nil {
		slot = g.Width()
	} else {
		slot = c.origin.Extend(len(calls))
	}
	for i, call := range calls {
		if err := c.window(call, slot+i); err != nil {
			return err
		}
	}
	return nil
}

// selectExpressions are the expressions of the select list and of ORDER BY.
func (c *compiler) selectExpressions() (list []tree.Expression) {
	for i := range c.list {
		list = append(list, c.list[i].Expression)
	}
	for i := range c.orderBy {
		list = append(list, c.replaceAliases(c.orderBy[i].By))
	}
	return list
}

// window compiles one call.
func (c *compiler) window(call *tree.Call, slot int) error {
	f := evaluate.WindowFunction{Slot: slot}
	t, err := c.windowFunction(&f, call)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(c.windowed, func(w windowCall) bool { return sameOrder(w.call.Over, call.Over) })
	c.windowed = append(c.windowed, windowCall{call, &tree.Computed{Slot: slot, Type: t}})
	s := c.selected
	if at < 0 {
		at = len(c.windowed) - 1
		w, err := c.windowOrder(call.Over)
		if err != nil {
			return err
		}
		s.Windows = append(s.Windows, w)
		c.windowOf = append(c.windowOf, len(s.Windows)-1)
	} else {
		c.windowOf = append(c.windowOf, c.windowOf[at])
	}
	w := &s.Windows[c.windowOf[at]]
	if f.Frame, err = c.windowFrame(call.Over, w); err != nil {
		return err
	}
	w.Functions = append(w.Functions, f)
	return nil
}

// sameOrder reports whether two windows have their rows in the same order.
func sameOrder(a, b *tree.Window) bool {
	return slices.EqualFunc(a.Partition, b.Partition, evaluate.Same) &&
		slices.EqualFunc(a.OrderBy, b.OrderBy, func(o, p tree.Order) bool {
			return o.Descending == p.Descending && evaluate.Same(o.By, p.By)
		})
}

// windowOrder compiles PARTITION BY and ORDER BY of a window.
func (c *compiler) windowOrder(of *tree.Window) (w Window, err error) {
	for _, e := range of.Partition {
		program, err := c.compile(e, "window partition by", 0)
		if err != nil {
			return w, err
		}
		w.Partition = append(w.Partition, program)
	}
	for _, o := range of.OrderBy {
		program, err := c.compile(o.By, "window order by", 0)
		if err != nil {
			return w, err
		}
		w.Order = append(w.Order, SortKey{Item: -1, Program: program, Descending: o.Descending})
	}
	return w, nil
}

// windowFunction compiles a call without its window and finds the type of its result.
func (c *compiler) windowFunction(f *evaluate.WindowFunction, call *tree.Call) (t datum.Type, err error) {
	kind, ok := evaluate.WindowKindOf(call.Name)
	if !ok {
		return t, fault.New(fault.WindowFunction, call.Name)
	}
	f.Kind = kind
	least, most := 0, 0
	t = datum.Type{Base: datum.BigInt}
	switch f.Kind {
	case evaluate.Aggregated:
		return c.windowAggregate(f, call)
	case evaluate.PercentRank, evaluate.CumeDist:
		t.Base = datum.Double
	case evaluate.Lag, evaluate.Lead:
		least, most = 1, 3
	case evaluate.NTile, evaluate.FirstValue, evaluate.LastValue:
		least, most = 1, 1
	case evaluate.NthValue:
		least, most = 2, 2
	}
	if n := len(call.Arguments); n < least || n > most {
		return t, fault.New(fault.ParameterCount, call.Name)
	}
	for _, e := range call.Arguments {
		program, err := c.compile(e, "field list", 0)
		if err != nil {
			return t, err
		}
		f.Arguments = append(f.Arguments, program)
	}
	if least == 0 || f.Kind == evaluate.NTile {
		return t, nil
	}
	if t = f.Arguments[0].Type(); len(f.Arguments) < 3 {
		return t, nil
	}
	return c.unifyDefault(f, call.Arguments[0], call.Arguments[2])
}

// unifyDefault makes the value of LAG or LEAD and what stands for a missing one of one type.
func (c *compiler) unifyDefault(f *evaluate.WindowFunction, value, missing tree.Expression) (datum.Type, error) {
	t, mixed := datum.Unify([]datum.Type{f.Arguments[0].Type(), f.Arguments[2].Type()})
	if !mixed {
		return t, nil
	}
	always := &tree.Literal{Value: datum.Bool(true)}
	for i, pair := range map[int][2]tree.Expression{0: {value, missing}, 2: {missing, value}} {
		both := &tree.Case{Whens: []tree.When{{Condition: always, Result: pair[0]}}, Else: pair[1]}
		program, err := c.compile(both, "field list", 0)
		if err != nil {
			return t, err
		}
		f.Arguments[i] = program
	}
	return t, nil
}

// windowAggregate compiles an aggregate over a window.
func (c *compiler) windowAggregate(f *evaluate.WindowFunction, call *tree.Call) (t datum.Type, err error) {
	if call.Distinct {
		return t, fault.New(fault.NotSupported, "DISTINCT is not allowed in an aggregate over a window.")
	}
	plain := *call
	plain.Over = nil
	if c.selected.Groups != nil {
		if plain.Arguments, err = c.overGroups(call.Arguments); err != nil {
			return t, err
		}
	}
	if f.Aggregate, err = evaluate.NewAggregate(&plain, c.scopeOf("field list")); err != nil {
		return t, err
	}
	if !f.Aggregate.Combines() {
		return t, fault.New(fault.NotSupported,
			"GROUP_CONCAT, HEAD, JSON_ARRAYAGG and JSON_OBJECTAGG can't be computed over a window.")
	}
	return f.Aggregate.Type(), nil
}

// overGroups writes expressions over the columns of FROM as such over the row of a group.
func (c *compiler) overGroups(list []tree.Expression) (over []tree.Expression, err error) {
	g := c.selected.Groups
	for _, e := range list {
		over = append(over, tree.Rebuild(e, func(e tree.Expression) tree.Expression {
			if tree.QueryOf(e) != nil {
				err = fault.New(fault.NotSupported,
					"A subquery is not allowed in an aggregate over a window of groups.")
			}
			slot := slices.IndexFunc(g.expressions, func(key tree.Expression) bool { return evaluate.Same(e, key) })
			if call, ok := e.(*tree.Call); ok && slot < 0 && evaluate.IsAggregate(call.Name) && call.Over == nil {
				slot = slices.IndexFunc(g.calls, func(other *tree.Call) bool { return evaluate.Same(call, other) })
				slot += len(g.expressions)
			}
			if slot < 0 {
				return nil
			}
			program, failed := c.compileGrouped(e, "field list", 0)
			if failed != nil {
				err = failed
				return nil
			}
			return &tree.Computed{Slot: slot, Type: program.Type()}
		}))
	}
	return over, err
}

// replaceComputed puts the slots of what is computed before in the places of window functions and of GROUPING.
func (c *compiler) replaceComputed(e tree.Expression) (replaced tree.Expression, err error) {
	g := c.selected.Groups
	if len(c.windowed) == 0 && (g == nil || !g.Rollup) {
		return e, nil
	}
	replaced = tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		call, ok := e.(*tree.Call)
		if !ok {
			return nil
		}
		if call.Over == nil && call.Name == "grouping" && g != nil && g.Rollup {
			found, failed := c.grouping(call)
			if failed != nil {
				err = failed
			}
			return found
		}
		for _, w := range c.windowed {
			if call.Over != nil && evaluate.Same(call, w.call) {
				return w.computed
			}
		}
		return nil
	})
	return replaced, err
}
