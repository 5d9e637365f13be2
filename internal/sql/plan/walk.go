// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/tree"
)

// IsVolatile reports whether a function gives another value each time it is called.
func IsVolatile(call *tree.Call) bool { return tree.SteadinessOf(call) == tree.OfCall }

// IsConstant reports whether an expression has one value during an execution.
func IsConstant(e tree.Expression) bool {
	constant := true
	tree.Walk(e, func(e tree.Expression) bool {
		switch e := e.(type) {
		case *tree.Column, *tree.Star, *tree.Default, *tree.ValuesOf, *tree.Tuple, *tree.Computed, *tree.Subquery,
			*tree.Exists, *tree.InQuery, *tree.Quantified:
			constant = false
		case *tree.Variable:
			constant = constant && !e.Changing
		case *tree.Call:
			constant = constant && e.Over == nil && !IsVolatile(e) && !evaluate.IsAggregate(e.Name)
		}
		return constant
	})
	return constant
}

// columnsOf lists the columns of an expression, those below aggregates too.
func columnsOf(e tree.Expression) (list []*tree.Column) {
	tree.Walk(e, func(e tree.Expression) bool {
		if c, ok := e.(*tree.Column); ok {
			list = append(list, c)
		}
		return true
	})
	return list
}
