// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/document"
	"github.com/weftdb/weft/internal/sql/evaluate/encode"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// call is a function of values.
type call struct {
	function  *function.Function
	arguments []node
	skips     func(before []datum.Datum, number int) bool // nil: all arguments are computed
}

func (n *call) value(x *Context) (datum.Datum, error) {
	start := len(x.arguments)
	for i, argument := range n.arguments {
		if n.skips != nil && i > 0 && n.skips(x.arguments[start:], i) {
			x.arguments = append(x.arguments, datum.Null)
			continue
		}
		d, err := argument.value(x)
		if err != nil || d.IsNull() && !n.function.Nulls {
			x.arguments = x.arguments[:start]
			return datum.Null, err
		}
		x.arguments = append(x.arguments, d)
	}
	d, err := n.function.Apply(&x.Environment, x.arguments[start:])
	x.arguments = x.arguments[:start]
	return d, err
}

func (c *compiler) call(e *tree.Call) (typedNode, error) {
	if e.Over != nil {
		return typedNode{}, fault.New(fault.WindowFunction, e.Name)
	}
	if IsAggregate(e.Name) || e.Name == "grouping" {
		return typedNode{}, fault.New(fault.GroupWithoutBy)
	}
	switch e.Name {
	case "match":
		return c.match(e)
	case "highlight":
		return c.highlight(e)
	case "date_add", "adddate", "date_sub", "subdate":
		return c.dateAdd(e)
	case "mod":
		if len(e.Arguments) == 2 {
			return c.binary(&tree.Binary{Operator: tree.Modulo, Left: e.Arguments[0], Right: e.Arguments[1]})
		}
	case "timestampadd":
		if len(e.Arguments) != 3 {
			break
		}
		if unit, ok := literalText(e.Arguments[0]); ok {
			return c.interval(e.Arguments[2], &tree.Interval{X: e.Arguments[1], Unit: unit}, false)
		}
	}
	if result, ok, err := c.control(e); ok {
		return result, err
	}
	if result, ok, err := c.odd(e); ok {
		return result, err
	}
	found, ok := functions().Find(e.Name)
	if !ok {
		return typedNode{}, unknownFunction(e.Name)
	}
	if len(e.Arguments) < found.Min || found.Max >= 0 && len(e.Arguments) > found.Max {
		return typedNode{}, fault.New(fault.ParameterCount, e.Name)
	}
	operands, err := c.all(e.Arguments...)
	if err != nil {
		return typedNode{}, err
	}
	constant := settle(operands) && !found.Volatile
	n := &call{function: found, arguments: nodes(operands), skips: found.Skips}
	if found.Alike && !areAlike(operands) {
		n.skips = nil
	}
	return typedNode{n, timeType(found, operands, e.Arguments), constant}, nil
}

// areAlike reports whether operands are all numbers, or all texts.
func areAlike(operands []typedNode) bool {
	texts, numbers := 0, 0
	for i := range operands {
		if operands[i].t.IsText() {
			texts++
		} else if operands[i].t.IsNumeric() {
			numbers++
		}
	}
	return texts == len(operands) || numbers == len(operands)
}

// timeType is the type of a function's time with the digits of a second that its arguments have, or that an argument
// says, as that of NOW(6); and that of STR_TO_DATE by its format.
func timeType(f *function.Function, operands []typedNode, arguments []tree.Expression) datum.Type {
	if f.Format != nil {
		if text, ok := literalText(arguments[len(arguments)-1]); ok {
			return f.Format(text)
		}
	}
	t := f.Result(types(operands))
	if t.Base != datum.Timestamp && t.Base != datum.Time {
		return t
	}
	for i := range operands {
		if l, ok := arguments[i].(*tree.Literal); ok && f.Min == 0 && f.Max == 1 && l.Value.Kind() == datum.KindInt {
			t.Scale = int(min(max(l.Value.Int(), 0), 6))
		} else if more := operands[i].t.Scale; more > 3 {
			t.Scale = max(t.Scale, min(more, 6))
		}
	}
	return t
}

// functions returns the functions of all packages that hold them.
func functions() function.Families {
	return slices.Concat(function.All(), encode.All(), document.All())
}

// controls are the functions that decide which of their arguments are computed; see compiler.control.
const controls = "highlight match if nvl2 ifnull nvl nullif isnull coalesce rand benchmark coercibility default"

// unknownFunction is the error for a function that there is not.
func unknownFunction(name string) error {
	return fault.New(fault.UnknownFunction, name).Meant(name, func(yield func(string) bool) {
		for _, names := range []iter.Seq[string]{functions().Names(), maps.Keys(aggregates),
			strings.FieldsSeq(controls)} {
			for one := range names {
				if !yield(one) {
					return
				}
			}
		}
	})
}

// interval adds an interval to a time, or subtracts it.
type interval struct {
	of, amount node
	unit       string
	negative   bool
}

func (n *interval) value(x *Context) (datum.Datum, error) {
	d, amount, err := operandsOf(n.of, n.amount, tree.Equal, x)
	if err != nil || d.IsNull() || amount.IsNull() {
		return datum.Null, err
	}
	moved, err := function.AddInterval(&x.Environment, d, amount, n.unit, n.negative)
	if err != nil || d.Kind() != datum.KindText || moved.IsNull() {
		return moved, err
	}
	return datum.Text(x.TextOf(moved)), nil
}

func (c *compiler) interval(of tree.Expression, by *tree.Interval, negative bool) (typedNode, error) {
	operands, err := c.all(of, by.X)
	if err != nil {
		return typedNode{}, err
	}
	constant := settle(operands)
	n := &interval{of: operands[0].node, amount: operands[1].node, unit: by.Unit, negative: negative}
	t := operands[0].t
	if t.IsTemporal() && (strings.HasSuffix(by.Unit, "microsecond") ||
		by.Unit == "second" && !operands[1].t.IsInteger()) {
		t.Scale = 6
	}
	switch {
	case t.IsText(): // and so is the result
	case t.Base == datum.Date && !function.IsDayUnit(by.Unit):
		t = datum.Type{Base: datum.Timestamp, Scale: t.Scale}
	case t.IsNumeric():
		t = datum.Type{Base: datum.Timestamp}
	}
	return typedNode{n, t, constant}, nil
}

// literalText is the text of an argument that is spelled out.
func literalText(argument tree.Expression) (text string, ok bool) {
	l, ok := argument.(*tree.Literal)
	if !ok || l.Value.Kind() != datum.KindText {
		return "", false
	}
	return string(l.Value.Bytes()), true
}

// dateAdd is DATE_ADD(x, INTERVAL n unit), and ADDDATE(x, n) of days.
func (c *compiler) dateAdd(e *tree.Call) (typedNode, error) {
	if len(e.Arguments) != 2 {
		return typedNode{}, fault.New(fault.ParameterCount, e.Name)
	}
	by, ok := e.Arguments[1].(*tree.Interval)
	if !ok {
		by = &tree.Interval{X: e.Arguments[1], Unit: "day"}
	}
	return c.interval(e.Arguments[0], by, e.Name == "date_sub" || e.Name == "subdate")
}
