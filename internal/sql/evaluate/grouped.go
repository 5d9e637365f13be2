// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// UngroupedError is the error of CompileGrouped for a column that is neither in GROUP BY nor below an aggregate.
// Whoever knows where the expression stands makes a fault of it: WrongGroupField with GROUP BY, InvalidGroup without.
type UngroupedError struct{ Column *tree.Column }

func (e *UngroupedError) Error() string {
	return "evaluate: column " + e.Column.Name + " is neither in GROUP BY nor below an aggregate; put it there"
}

// groupScope holds the values that an expression over groups may use.
type groupScope struct {
	keys       []tree.Expression
	keyTypes   []datum.Type
	aggregates []*Aggregate
}

// CompileGrouped compiles an expression of an aggregate query: a part of it that is written like keys[i] reads slot i
// of the row, and an aggregate written like aggregates[j] slot len(keys)+j. The errors are those of Compile, and
// *Ungrouped.
func CompileGrouped(e tree.Expression, keys []tree.Expression, aggregates []*Aggregate, scope Scope) (*Program, error) {
	g := &groupScope{keys: keys, aggregates: aggregates}
	for _, k := range keys {
		p, err := Compile(k, scope)
		if err != nil {
			return nil, err
		}
		g.keyTypes = append(g.keyTypes, p.t)
	}
	c := compiler{scope: scope, grouping: g}
	return c.program(e)
}

// findGrouped finds e among the keys and the aggregates.
func (c *compiler) findGrouped(e tree.Expression) (typedNode, bool) {
	for i, k := range slices.Backward(c.grouping.keys) { // of two alike, WITH ROLLUP makes the last one NULL first
		if Same(e, k) {
			c.slots = append(c.slots, i)
			return typedNode{&column{i}, c.grouping.keyTypes[i], false}, true
		}
	}
	call, ok := e.(*tree.Call)
	if !ok || call.Over != nil || !IsAggregate(call.Name) {
		return typedNode{}, false
	}
	for j, a := range c.grouping.aggregates {
		if Same(call, a.call) {
			slot := len(c.grouping.keys) + j
			c.slots = append(c.slots, slot)
			return typedNode{&column{slot}, a.t, false}, true
		}
	}
	return typedNode{}, false
}

// IsAggregate reports whether a function, by its name in lower case, is an aggregate.
func IsAggregate(name string) bool { return aggregates[name] != 0 }

// Aggregates returns the aggregate calls of expressions, which no windows are over, each once, in the order in which
// they stand.
func Aggregates(expressions ...tree.Expression) []*tree.Call {
	var found []*tree.Call
	for _, e := range expressions {
		tree.Walk(e, func(e tree.Expression) bool {
			call, ok := e.(*tree.Call)
			if !ok || call.Over != nil || !IsAggregate(call.Name) {
				return true
			}
			if !slices.ContainsFunc(found, func(other *tree.Call) bool { return Same(call, other) }) {
				found = append(found, call)
			}
			return false
		})
	}
	return found
}
