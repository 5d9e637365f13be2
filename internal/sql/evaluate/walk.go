// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/weftdb/weft/internal/sql/tree"
)

// Columns returns the columns that an expression names, in the order in which they stand; one may occur twice.
func Columns(e tree.Expression) []*tree.Column {
	var found []*tree.Column
	tree.Walk(e, func(e tree.Expression) bool {
		if c, ok := e.(*tree.Column); ok {
			found = append(found, c)
		}
		return true
	})
	return found
}

// Same reports whether two expressions are written alike, whatever their columns' tables are called where one leaves
// that out. Parameters are alike if they are the same one.
func Same(a, b tree.Expression) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return sameNode(a, b) && slices.EqualFunc(tree.Children(a), tree.Children(b), Same)
}

// sameNode compares two nodes without what is below them. A query is the same as itself alone.
func sameNode(a, b tree.Expression) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	switch a := a.(type) {
	case *tree.Column:
		b := b.(*tree.Column)
		return a.Name == b.Name && (a.Table == b.Table || a.Table == "" || b.Table == "")
	case *tree.Literal:
		b := b.(*tree.Literal)
		return a.Value.Kind() == b.Value.Kind() && bytes.Equal(a.Value.AppendKey(nil), b.Value.AppendKey(nil))
	case *tree.Variable:
		return *a == *b.(*tree.Variable)
	case *tree.Call:
		return sameCall(a, b.(*tree.Call))
	case *tree.Like:
		b := b.(*tree.Like)
		return a.Not == b.Not && a.Regexp == b.Regexp && a.Escape == b.Escape && a.EscapeGiven == b.EscapeGiven
	case *tree.Is:
		b := b.(*tree.Is)
		return a.Kind == b.Kind && a.Not == b.Not
	case *tree.InQuery:
		b := b.(*tree.InQuery)
		return a.Query == b.Query && a.Not == b.Not
	case *tree.Quantified:
		b := b.(*tree.Quantified)
		return a.Query == b.Query && a.Operator == b.Operator && a.All == b.All
	}
	return traitOf(a) == traitOf(b) && traitOf(a) != nil
}

// traitOf is the one thing by which nodes of other types differ; nil: they are never the same.
func traitOf(e tree.Expression) any {
	switch e := e.(type) {
	case *tree.Star, *tree.Tuple:
		return true
	case *tree.Parameter:
		return e.Index
	case *tree.Unary:
		return e.Operator
	case *tree.Binary:
		return e.Operator
	case *tree.In:
		return e.Not
	case *tree.Between:
		return e.Not
	case *tree.Case:
		return len(e.Whens)
	case *tree.Cast:
		return e.To
	case *tree.Interval:
		return e.Unit
	case *tree.ValuesOf:
		return e.Column
	case *tree.Computed:
		return e.Slot
	case *tree.Subquery:
		return e.Query
	case *tree.Exists:
		return e.Query
	}
	return nil
}

func sameCall(a, b *tree.Call) bool {
	if a.Name != b.Name || a.Distinct != b.Distinct || len(a.Arguments) != len(b.Arguments) ||
		(a.Separator == nil) != (b.Separator == nil) {
		return false
	}
	if a.Separator != nil && *a.Separator != *b.Separator {
		return false
	}
	return sameDirections(a.OrderBy, b.OrderBy) && sameWindow(a.Over, b.Over)
}

func sameDirections(a, b []tree.Order) bool {
	return slices.EqualFunc(a, b, func(o, p tree.Order) bool { return o.Descending == p.Descending })
}

// sameWindow compares two windows, either of which may be nil, without their expressions.
func sameWindow(a, b *tree.Window) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Name != b.Name || len(a.Partition) != len(b.Partition) || !sameDirections(a.OrderBy, b.OrderBy) {
		return false
	}
	f, g := a.Frame, b.Frame
	if f == nil || g == nil {
		return f == g
	}
	return f.Range == g.Range && f.Start.Kind == g.Start.Kind && f.End.Kind == g.End.Kind
}
