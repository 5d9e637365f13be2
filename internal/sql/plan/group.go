// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Groups is GROUP BY and the aggregates of a SELECT. Programs of the select list, HAVING and ORDER BY run over a row of
// the keys, the dependents and the results of the aggregates.
type Groups struct {
	// Keys are the expressions of GROUP BY; none: all rows are one group, even if there are none.
	Keys []*evaluate.Program
	// Dependents are columns that have one value in all rows of a group.
	Dependents []int // slots
	Aggregates []*evaluate.Aggregate
	// Rollup adds, for each number of leading keys down to none, groups of these alone: the other keys are NULL in
	// them.
	Rollup bool
	// CountsRows says that the only thing wanted is COUNT(*) of all rows.
	CountsRows bool
	// Growing says that what an aggregate keeps of a group grows with its rows.
	Growing bool
	// Ends are the orders in which the first value that is not NULL is the result of each aggregate: all are MIN or MAX
	// of a column, of all rows.
	Ends []database.Ordering

	expressions []tree.Expression // of keys and dependents
	columns     []string          // Keys as columns
	calls       []*tree.Call      // of Aggregates
	isPlain     bool              // all of Keys are columns
}

// group compiles GROUP BY and the aggregates.
func (c *compiler) group() error {
	t := c.statement
	expressions := make([]tree.Expression, 0, len(c.list)+len(c.orderBy)+1)
	for i := range c.list {
		expressions = append(expressions, c.list[i].Expression)
	}
	if t.Having != nil {
		expressions = append(expressions, c.replaceAliases(t.Having))
	}
	ordered := len(expressions)
	for i := range c.orderBy {
		expressions = append(expressions, c.replaceAliases(c.orderBy[i].By))
	}
	for _, call := range t.Aggregates {
		expressions = append(expressions, call)
	}
	calls := evaluate.Aggregates(expressions...)
	if len(t.GroupBy) == 0 && len(calls) == 0 {
		return nil // HAVING is a second WHERE then
	}
	g := &Groups{isPlain: true, Rollup: t.Rollup, calls: calls}
	for _, call := range calls {
		a, err := evaluate.NewAggregate(call, c.scopeOf("field list"))
		if err != nil {
			return err
		}
		g.Aggregates = append(g.Aggregates, a)
		g.Growing = g.Growing || a.Grows()
	}
	for _, e := range t.GroupBy {
		if err := c.key(g, e); err != nil {
			return err
		}
	}
	g.CountsRows = len(g.Keys) == 0 && len(g.Aggregates) == 1 && g.Aggregates[0].CountsRows()
	g.findEnds(calls)
	c.selected.Groups = g
	// All dependents have to be known before anything is compiled for good: aggregates stand behind them.
	for i, e := range expressions {
		where, number := "field list", 0
		switch {
		case i < len(c.list):
			number = i + 1
		case i >= ordered && i < ordered+len(c.orderBy):
			where, number = "order clause", i-ordered+1
		}
		for _, part := range groupParts(e) {
			if _, err := c.compileGrouped(part, where, number); err != nil {
				return err
			}
		}
	}
	return nil
}

// Width is the number of slots the row of a group has: with Rollup, the last is the number of leading keys that the
// group is of.
func (g *Groups) Width() int {
	width := len(g.Keys) + len(g.Dependents) + len(g.Aggregates)
	if g.Rollup {
		width++
	}
	return width
}

// grouping writes GROUPING(key, ..): of each key a bit, the last one's lowest, which is set in groups that do not have
// it.
func (c *compiler) grouping(call *tree.Call) (sum tree.Expression, err error) {
	g := c.selected.Groups
	level := &tree.Computed{Slot: g.Width() - 1, Type: datum.Type{Base: datum.BigInt}}
	if n := len(call.Arguments); n == 0 || n > 62 {
		return nil, fault.New(fault.ParameterCount, call.Name)
	}
	for i, e := range call.Arguments {
		e = c.replaceAliases(e)
		key := slices.IndexFunc(g.expressions[:len(g.Keys)],
			func(key tree.Expression) bool { return evaluate.Same(e, key) })
		if key < 0 {
			return nil, fault.New(fault.GroupingKey, i+1)
		}
		is := &tree.Binary{Operator: tree.LessOrEqual, Left: level, Right: &tree.Literal{Value: datum.Int(int64(key))}}
		bit := tree.Expression(&tree.Case{
			Whens: []tree.When{{Condition: is,
				Result: &tree.Literal{Value: datum.Int(1 << (len(call.Arguments) - 1 - i))}}},
			Else: &tree.Literal{Value: datum.Int(0)}})
		if sum != nil {
			bit = &tree.Binary{Operator: tree.Plus, Left: sum, Right: bit}
		}
		sum = bit
	}
	return sum, nil
}

// findEnds finds Ends.
func (g *Groups) findEnds(calls []*tree.Call) {
	if len(g.Keys) > 0 {
		return
	}
	var ends []database.Ordering
	for _, call := range calls {
		column, ok := call.Arguments[0].(*tree.Column)
		if !ok || call.Name != "min" && call.Name != "max" {
			return
		}
		ends = append(ends, database.Ordering{Column: column.Name, Descending: call.Name == "max"})
	}
	g.Ends = ends
}

// BindEnds finds, for each of Groups.Ends, an access whose first rows are the end that is wanted. ok is false where
// rows have to be looked through.
func (s *Select) BindEnds(x *Execution) (list []Access, ok bool, err error) {
	if len(s.Groups.Ends) == 0 || len(s.Groups.Dependents) > 0 {
		return nil, false, nil
	}
	list = make([]Access, len(s.Groups.Ends))
	for i := range list {
		a := &list[i]
		if err := s.Source.Bind(x, &Need{Order: s.Groups.Ends[i : i+1], RowsMax: 1}, a); err != nil {
			return nil, false, err
		}
		if !a.Sorted || a.Point == nil && a.Class != Nothing && (len(a.Residual) > 0 || a.Plan.Filter != nil) {
			return nil, false, nil
		}
	}
	return list, true, nil
}

func (c *compiler) scopeOf(where string) evaluate.Scope { return originScope{c.origin, where} }

// key compiles one expression of GROUP BY: a column of the table before an alias.
func (c *compiler) key(g *Groups, e tree.Expression) error {
	item, ok, err := c.position(e, "group statement")
	if err != nil {
		return err
	}
	if column, isColumn := e.(*tree.Column); isColumn && !ok {
		item, ok = c.alias(e)
		ok = ok && !c.origin.Declares(column)
	}
	if ok {
		e = c.list[item].Expression
	} else if _, isColumn := e.(*tree.Column); !isColumn {
		e = c.replaceAliases(e)
	}
	if len(evaluate.Aggregates(e)) > 0 {
		return fault.New(fault.GroupWithoutBy)
	}
	program, err := evaluate.Compile(e, c.scopeOf("group statement"))
	if err != nil {
		return err
	}
	if column, ok := e.(*tree.Column); ok {
		g.columns = append(g.columns, column.Name)
	} else {
		g.isPlain = false
	}
	g.Keys, g.expressions = append(g.Keys, program), append(g.expressions, e)
	return nil
}

// compileGrouped compiles an expression over groups. number is the place in the select list or in
// ORDER BY, 0 elsewhere.
func (c *compiler) compileGrouped(e tree.Expression, where string, number int) (*evaluate.Program, error) {
	g := c.selected.Groups
	e, err := c.replaceComputed(e)
	if err != nil {
		return nil, err
	}
	for {
		program, err := evaluate.CompileGrouped(e, g.expressions, g.Aggregates, c.scopeOf(where))
		ungrouped := (*evaluate.UngroupedError)(nil)
		if err == nil || !errors.As(err, &ungrouped) {
			return program, err
		}
		if err := c.depend(ungrouped.Column, where, number); err != nil {
			return nil, err
		}
	}
}

// depend takes in a column that is not grouped by, if it has one value in each group.
func (c *compiler) depend(column *tree.Column, where string, number int) error {
	g := c.selected.Groups
	slot, _, err := c.origin.Column(column, where)
	if err != nil {
		return err
	}
	if !c.statement.Loose && !c.origin.Depends(column, g.expressions[:len(g.Keys)]) {
		if len(g.Keys) == 0 {
			return fault.New(fault.InvalidGroup, max(number, 1), column.String())
		}
		clause := "SELECT list"
		if where == "order clause" {
			clause = "ORDER BY clause"
		}
		return fault.New(fault.WrongGroupField, max(number, 1), clause, column.String())
	}
	g.Dependents, g.expressions = append(g.Dependents, slot), append(g.expressions, column)
	return nil
}

// isEqual reports whether WHERE gives a column one value.
func (s *Source) isEqual(name string) bool {
	return slices.ContainsFunc(s.predicates, func(p predicate) bool {
		equal, ok := p.(*comparison)
		return ok && equal.operator == tree.Equal && equal.column.name == name
	})
}
