// SPDX-License-Identifier: Apache-2.0

package survey

import (
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// shapeOf returns the shape of a walk. Values are stored as samples for ranges alone: their width matters, values of
// equalities don't.
func shapeOf(w *database.Walk) design.Shape {
	s := design.Shape{Index: w.Index, Descending: w.Reverse, Returned: float64(w.Counts.Returned),
		Read: float64(w.Counts.Looked()), Limit: float64(w.Limit), Wanted: w.Wanted}
	if w.Judged != nil { // how many items are left is not known
		s.Returned = 0
	}
	for _, where := range [...]expr.Condition{w.Where, w.Filter, w.Judged} {
		for _, condition := range expr.Conjuncts(where) {
			if or, ok := condition.(*expr.Or); ok {
				either(&s, or)
			} else if b, ok := boundOf(condition); ok {
				add(&s, b)
			}
		}
	}
	return s
}

// add joins a bound with one on the same attribute: two halves of a range are one.
func add(s *design.Shape, b design.Bound) {
	for i := range s.Bounds {
		known := &s.Bounds[i]
		if known.Attribute != b.Attribute {
			continue
		}
		if known.Operator == design.Range && b.Operator == design.Range {
			if known.Low.Type == "" {
				known.Low = b.Low
			}
			if known.High.Type == "" {
				known.High = b.High
			}
		}
		return
	}
	s.Bounds = append(s.Bounds, b)
}

// either adds alternatives. Those on one attribute are one bound of it; an alternative of which nothing is known lets
// every item pass.
func either(s *design.Shape, or *expr.Or) {
	bounds, ok := alternatives(or, nil)
	if !ok || len(bounds) == 0 {
		return
	}
	if slices.ContainsFunc(bounds, func(b design.Bound) bool { return b.Attribute != bounds[0].Attribute }) {
		s.Any = append(s.Any, bounds...)
		return
	}
	one := design.Bound{Attribute: bounds[0].Attribute, Operator: bounds[0].Operator}
	if slices.ContainsFunc(bounds, func(b design.Bound) bool { return b.Operator != one.Operator }) {
		one.Operator = design.Range
	}
	add(s, one)
}

// alternativesMax bounds the alternatives of a shape.
const alternativesMax = 64

// alternatives adds one bound for each of the alternatives that a condition is. Of an AND it is the narrowest, as the
// operator says: the others can be checked on what it finds.
func alternatives(c expr.Condition, list []design.Bound) ([]design.Bound, bool) {
	or, ok := c.(*expr.Or)
	if !ok {
		b, ok := narrowest(c)
		return append(list, b), ok && len(list) < alternativesMax
	}
	for _, member := range or.List {
		if list, ok = alternatives(member, list); !ok {
			return nil, false
		}
	}
	return list, true
}

// narrow lists the operators, those first that let the fewest items pass.
// immutable
var narrow = [...]design.Operator{design.Equal, design.Prefix, design.Contains, design.Range, design.Exists}

func narrowest(c expr.Condition) (best design.Bound, found bool) {
	for _, one := range expr.Conjuncts(c) {
		b, ok := boundOf(one)
		if !ok {
			b, ok = differs(one)
		}
		if ok && (!found || slices.Index(narrow[:], b.Operator) < slices.Index(narrow[:], best.Operator)) {
			best, found = b, true
		}
	}
	return best, found
}

// differs is the bound of a condition that excludes values of an attribute: such an item mostly has it.
func differs(c expr.Condition) (b design.Bound, ok bool) {
	switch c := c.(type) {
	case *expr.Compare:
		b.Operator = design.Exists
		b.Attribute, ok = attributeOf(c.A)
		return b, ok && c.Op == expr.NotEqual
	case *expr.Not:
		if b, ok = boundOf(c.Of); !ok {
			b, ok = differs(c.Of)
		}
		b = design.Bound{Attribute: b.Attribute, Operator: design.Exists}
	}
	return b, ok
}

// boundOf returns the bound of one condition on one attribute; ok is false if no index could use the condition.
func boundOf(condition expr.Condition) (b design.Bound, ok bool) {
	switch c := condition.(type) {
	case *expr.Compare:
		return compareOf(c)
	case *expr.Between:
		b.Operator = design.Range
		b.Low, b.High = literalOf(c.Low), literalOf(c.High)
		b.Attribute, ok = attributeOf(c.X)
	case *expr.In:
		b.Operator = design.Equal
		b.Attribute, ok = attributeOf(c.X)
	case *expr.BeginsWith:
		b.Operator = design.Prefix
		b.Low = literalOf(c.Prefix)
		b.Attribute, ok = attributeOf(c.X)
	case *expr.Contains:
		b.Operator = design.Contains
		b.Low = literalOf(c.Member)
		b.Attribute, ok = attributeOf(c.X)
	case *expr.Exists:
		b.Operator, b.Attribute, ok = design.Exists, c.Path.Name, c.Path.IsTopLevel()
	}
	return b, ok
}

func compareOf(c *expr.Compare) (b design.Bound, ok bool) {
	op, x, y := c.Op, c.A, c.B
	if _, swapped := x.(*expr.Literal); swapped {
		op, x, y = op.Swap(), y, x
	}
	if b.Attribute, ok = attributeOf(x); !ok {
		return b, false
	}
	switch v := literalOf(y); op {
	case expr.Equal:
		b.Operator = design.Equal
	case expr.Less, expr.LessOrEqual:
		b.Operator, b.High = design.Range, v
	case expr.Greater, expr.GreaterOrEqual:
		b.Operator, b.Low = design.Range, v
	default:
		return b, false
	}
	return b, true
}

func attributeOf(o expr.Operand) (name string, ok bool) {
	path, ok := o.(*expr.Path)
	if !ok || !path.IsTopLevel() {
		return "", false
	}
	return path.Name, true
}

func literalOf(o expr.Operand) design.Value {
	l, ok := o.(*expr.Literal)
	if !ok {
		return design.Value{}
	}
	return valueOf(l.Value)
}

// valueOf is a value as the advisor looks at it.
func valueOf(v value.Value) design.Value {
	switch kind := v.Kind(); {
	case v.IsMissing():
		return design.Value{}
	case kind == value.String:
		return design.Text(string(v.Bytes()))
	case kind == value.Binary:
		return design.Value{Type: "B", Text: string(v.Bytes()), Bytes: v.Size()}
	case kind == value.Bool:
		return design.Bool(v.Bool())
	case kind.IsNumeric():
		d, ok := v.Decimal()
		if !ok {
			return design.Value{Type: "N", Bytes: v.Size()}
		}
		return design.Number(string(d.AppendText(nil)))
	default:
		return design.Value{Type: kind.String(), Bytes: v.Size()}
	}
}

func rowOf(item database.Item) (row design.Row) {
	attributes := item.Row.Attributes(item.Names)
	for attributes.Next() {
		row = append(row, design.Field{Name: string(attributes.Name()), Value: valueOf(attributes.Value())})
	}
	return row
}
