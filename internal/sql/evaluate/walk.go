// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/sql/tree"
)

// Walk is tree.Walk.
func Walk(e tree.Expression, visit func(tree.Expression) bool) { tree.Walk(e, visit) }

// Columns returns the columns that an expression names, in the order in which they stand; one may occur twice.
func Columns(e tree.Expression) []*tree.Column {
	var found []*tree.Column
	Walk(e, func(e tree.Expression) bool {
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

// sameNode compares two nodes without what is below them.
func sameNode(a, b tree.Expression) bool {
	switch a := a.(type) {
	case *tree.Column:
		b, ok := b.(*tree.Column)
		return ok && a.Name == b.Name && (a.Table == b.Table || a.Table == "" || b.Table == "")
	case *tree.Star:
		_, ok := b.(*tree.Star)
		return ok
	case *tree.Literal:
		b, ok := b.(*tree.Literal)
		return ok && a.Value.Kind() == b.Value.Kind() && bytes.Equal(a.Value.AppendKey(nil), b.Value.AppendKey(nil))
	case *tree.Parameter:
		b, ok := b.(*tree.Parameter)
		return ok && a.Index == b.Index
	case *tree.Variable:
		b, ok := b.(*tree.Variable)
		return ok && *a == *b
	case *tree.Unary:
		b, ok := b.(*tree.Unary)
		return ok && a.Operator == b.Operator
	case *tree.Binary:
		b, ok := b.(*tree.Binary)
		return ok && a.Operator == b.Operator
	case *tree.In:
		b, ok := b.(*tree.In)
		return ok && a.Not == b.Not
	case *tree.Between:
		b, ok := b.(*tree.Between)
		return ok && a.Not == b.Not
	case *tree.Like:
		b, ok := b.(*tree.Like)
		return ok && a.Not == b.Not && a.Regexp == b.Regexp && a.Escape == b.Escape && a.EscapeGiven == b.EscapeGiven
	}
	return sameCompound(a, b)
}

func sameCompound(a, b tree.Expression) bool {
	switch a := a.(type) {
	case *tree.Is:
		b, ok := b.(*tree.Is)
		return ok && a.Kind == b.Kind && a.Not == b.Not
	case *tree.Tuple:
		_, ok := b.(*tree.Tuple)
		return ok
	case *tree.Case:
		b, ok := b.(*tree.Case)
		return ok && len(a.Whens) == len(b.Whens)
	case *tree.Cast:
		b, ok := b.(*tree.Cast)
		return ok && a.To == b.To
	case *tree.Interval:
		b, ok := b.(*tree.Interval)
		return ok && a.Unit == b.Unit
	case *tree.ValuesOf:
		b, ok := b.(*tree.ValuesOf)
		return ok && a.Column == b.Column
	case *tree.Call:
		b, ok := b.(*tree.Call)
		return ok && sameCall(a, b)
	case *tree.Computed:
		b, ok := b.(*tree.Computed)
		return ok && a.Slot == b.Slot
	}
	return sameQuery(a, b)
}

// sameQuery compares queries in expressions: each is the same as itself alone.
func sameQuery(a, b tree.Expression) bool {
	switch a := a.(type) {
	case *tree.Subquery:
		b, ok := b.(*tree.Subquery)
		return ok && a.Query == b.Query
	case *tree.Exists:
		b, ok := b.(*tree.Exists)
		return ok && a.Query == b.Query
	case *tree.InQuery:
		b, ok := b.(*tree.InQuery)
		return ok && a.Query == b.Query && a.Not == b.Not
	case *tree.Quantified:
		b, ok := b.(*tree.Quantified)
		return ok && a.Query == b.Query && a.Operator == b.Operator && a.All == b.All
	}
	return false
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
