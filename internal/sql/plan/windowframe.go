// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/order"
)

// unnamedWindow stands for a window without a name in messages.
const unnamedWindow = "<unnamed window>"

// nameWindows writes out the windows that functions of the select list and of ORDER BY name.
func (c *compiler) nameWindows() (err error) {
	c.orderBy = c.statement.OrderBy
	for i := range c.statement.Windows {
		name := c.statement.Windows[i].Name
		if slices.ContainsFunc(c.statement.Windows[:i], func(w tree.NamedWindow) bool { return w.Name == name }) {
			return fault.New(fault.WindowTwice, name)
		}
		if _, err := c.findWindow(name, 0); err != nil {
			return err
		}
	}
	if len(windowCalls(c.selectExpressions()...)) == 0 {
		return nil
	}
	for i := range c.list {
		if c.list[i].Expression, err = c.writeOut(c.list[i].Expression); err != nil {
			return err
		}
	}
	c.orderBy = slices.Clone(c.orderBy)
	for i := range c.orderBy {
		if c.orderBy[i].By, err = c.writeOut(c.orderBy[i].By); err != nil {
			return err
		}
	}
	return nil
}

// writeOut writes out the named windows of an expression.
func (c *compiler) writeOut(e tree.Expression) (written tree.Expression, err error) {
	written = tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		call, ok := e.(*tree.Call)
		if !ok || call.Over == nil || call.Over.Name == "" {
			return nil
		}
		other := *call
		var failed error
		if other.Over, failed = c.inherit(call.Over, "", 0); failed != nil {
			err = failed
			return e
		}
		return &other
	})
	return written, err
}

// findWindow is a window by its name. depth is the number of windows that have named one another.
func (c *compiler) findWindow(name string, depth int) (*tree.Window, error) {
	for i := range c.statement.Windows {
		if w := &c.statement.Windows[i]; strings.EqualFold(w.Name, name) {
			return c.inherit(&w.Window, name, depth)
		}
	}
	return nil, fault.New(fault.NoSuchWindow, name)
}

// inherit adds what the window has that w names. name is w's own.
func (c *compiler) inherit(w *tree.Window, name string, depth int) (*tree.Window, error) {
	if w.Name == "" {
		return w, nil
	}
	if depth > len(c.statement.Windows) {
		return nil, fault.New(fault.WindowCircle)
	}
	base, err := c.findWindow(w.Name, depth+1)
	if err != nil {
		return nil, err
	}
	name = cmp.Or(name, unnamedWindow)
	isName := len(w.Partition) == 0 && len(w.OrderBy) == 0 && w.Frame == nil
	switch {
	case len(w.Partition) > 0:
		return nil, fault.New(fault.WindowPartition)
	case base.Frame != nil && !isName:
		return nil, fault.New(fault.WindowHasFrame, w.Name)
	case len(base.OrderBy) > 0 && len(w.OrderBy) > 0:
		return nil, fault.New(fault.WindowOrderTwice, name, w.Name)
	}
	made := *base
	if len(w.OrderBy) > 0 {
		made.OrderBy = w.OrderBy
	}
	if w.Frame != nil {
		made.Frame = w.Frame
	}
	return &made, nil
}

// windowFrame compiles the frame of a window.
func (c *compiler) windowFrame(of *tree.Window, w *Window) (f evaluate.Frame, err error) {
	if of.Frame == nil {
		return f, nil
	}
	f.Rows = !of.Frame.Range
	if f.Start, err = c.windowBound(&of.Frame.Start, of, w); err != nil {
		return f, err
	}
	f.End, err = c.windowBound(&of.Frame.End, of, w)
	return f, err
}

// windowBound compiles one end of a frame.
func (c *compiler) windowBound(of *tree.Bound, window *tree.Window, w *Window) (b evaluate.Bound, err error) {
	b.Kind = of.Kind
	if of.Offset == nil {
		return b, nil
	}
	offset := of.Offset
	interval, isInterval := offset.(*tree.Interval)
	if isInterval {
		offset = interval.X
	}
	if !IsConstant(offset) {
		return b, fault.New(fault.WindowBoundVaries, unnamedWindow)
	}
	if b.Count, err = evaluate.Compile(offset, c.scopeOf("window frame")); err != nil {
		return b, err
	}
	if !window.Frame.Range {
		if isInterval {
			return b, fault.New(fault.WindowRowsInterval, unnamedWindow)
		}
		return b, nil
	}
	if len(w.Order) != 1 {
		return b, fault.New(fault.WindowRangeOrder, unnamedWindow)
	}
	t := w.Order[0].Program.Type()
	if t.Base == datum.Boolean { // a comparison is a number
		t.Base = datum.BigInt
	}
	switch {
	case !t.IsNumeric() && !t.IsTemporal() && t.Base != datum.Untyped:
		return b, fault.New(fault.WindowRangeOrder, unnamedWindow)
	case t.IsTemporal() && !isInterval:
		return b, fault.New(fault.WindowRangeTemporal, unnamedWindow)
	case t.IsNumeric() && isInterval:
		return b, fault.New(fault.WindowRangeNumeric, unnamedWindow)
	}
	operation := tree.Minus
	if (of.Kind == tree.Following) != window.OrderBy[0].Descending {
		operation = tree.Plus
	}
	key := window.OrderBy[0].By
	if t.IsInteger() { // a limit may lie beyond all integers
		key = &tree.Binary{Operator: tree.Plus, Left: key, Right: &tree.Literal{Value: datum.Decimal(order.Decimal{})}}
	}
	b.Limit, err = c.compile(&tree.Binary{Operator: operation, Left: key, Right: of.Offset}, "window order by", 0)
	return b, err
}
