// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// column reads a slot of the row.
type column struct{ slot int }

func (n *column) value(x *Context) (datum.Datum, error) { return x.Row[n.slot], nil }

// literal is a value that the statement spells out.
type literal struct{ d datum.Datum }

func (n *literal) value(*Context) (datum.Datum, error) { return n.d, nil }

// parameter is a value that comes with the execution.
type parameter struct{ index int }

func (n *parameter) value(x *Context) (datum.Datum, error) {
	if n.index >= len(x.Parameters) {
		return datum.Null, fault.New(fault.WrongArguments, "EXECUTE")
	}
	return x.Parameters[n.index], nil
}

// variable asks the session.
type variable struct{ of *tree.Variable }

func (n *variable) value(x *Context) (datum.Datum, error) {
	if x.Session == nil {
		return datum.Null, nil
	}
	return x.Session.Variable(n.of)
}

// key names what a node keeps for one execution, by its address; it is not of size zero, so that no two share one.
type key struct{ _ byte }

// cell is a node's state of one execution.
type cell struct {
	of    *key
	d     datum.Datum
	state any
}

// findCell finds what the node of k keeps; nil if nothing yet. Nodes come in the same order for each row, so the next
// cell is mostly the right one.
func (x *Context) findCell(k *key) *cell {
	for range x.cells {
		if x.cellNext >= len(x.cells) {
			x.cellNext = 0
		}
		c := &x.cells[x.cellNext]
		x.cellNext++
		if c.of == k {
			return c
		}
	}
	return nil
}

func (x *Context) keep(c cell) *cell {
	x.cells = append(x.cells, c)
	x.cellNext = len(x.cells)
	return &x.cells[len(x.cells)-1]
}

// once computes a constant expression for the first row of an execution. If to is set, its value is converted for
// comparison with that type.
type once struct {
	key
	of node
	to datum.Type
}

func (n *once) value(x *Context) (datum.Datum, error) {
	if c := x.findCell(&n.key); c != nil {
		return c.d, nil
	}
	d, err := n.of.value(x)
	if err != nil {
		return datum.Null, err
	}
	if x.StrictNumbers && n.to.IsNumeric() && d.Kind() == datum.KindText {
		if err := checkNumber(d); err != nil {
			return datum.Null, err
		}
	}
	if n.to.Base != datum.Untyped && !d.IsNull() {
		if converted, ok := x.Comparable(d, n.to); ok {
			d = converted
		} else {
			d = datum.Null
		}
	}
	return x.keep(cell{of: &n.key, d: d.Clone()}).d, nil
}

// isLeaf says that computing n again costs nothing.
func isLeaf(n node) bool {
	switch n.(type) {
	case *literal, *parameter, *column, *once:
		return true
	}
	return false
}
