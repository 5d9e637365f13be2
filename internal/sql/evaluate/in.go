// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// in is x IN (..) over any list: the terms are compared one after the other.
type in struct {
	of   node
	list []node
	not  bool
}

func (n *in) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *in) truth(x *Context) (truth, error) {
	d, err := n.of.value(x)
	if err != nil || d.IsNull() {
		return unknown, err
	}
	found, err := among(x, d, n.list)
	return found.negateIf(n.not), err
}

// among compares d with the terms of a list, up to the first that is equal: what fails behind it is not computed.
func among(x *Context, d datum.Datum, list []node) (truth, error) {
	found := no
	for _, element := range list {
		other, err := element.value(x)
		if err != nil {
			return unknown, err
		}
		switch compare(tree.Equal, d, other) {
		case yes:
			return yes, nil
		case unknown:
			found = unknown
		}
	}
	return found, nil
}

// inSet is x IN (..) over constants, which are sorted once for each execution.
type inSet struct {
	key
	of   node
	list []node
	t    datum.Type // of x
	not  bool
}

// members are the constants of a list, by how they are searched.
type members struct {
	integers []int64 // sorted
	texts    map[string]struct{}
	others   []datum.Datum
	null     bool // NULL is among them
}

func (n *inSet) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *inSet) truth(x *Context) (truth, error) {
	d, err := n.of.value(x)
	if err != nil || d.IsNull() {
		return unknown, err
	}
	var m *members
	if c := x.findCell(&n.key); c != nil {
		m = c.state.(*members)
	} else if m, err = n.gather(x); err != nil { // one of them fails: it counts if nothing before it is equal
		found, err := among(x, d, n.list)
		return found.negateIf(n.not), err
	}
	return m.contains(d).negateIf(n.not), nil
}

// gather computes the list.
func (n *inSet) gather(x *Context) (*members, error) {
	m := &members{}
	for _, element := range n.list {
		d, err := element.value(x)
		if err != nil {
			return nil, err
		}
		if d, ok := x.Comparable(d, n.t); ok {
			m.add(d, n.t)
		} else {
			m.null = true
		}
	}
	slices.Sort(m.integers)
	x.keep(cell{of: &n.key, state: m})
	return m, nil
}

// add sorts a member in. Integers and texts are searched for only where x is of their kind; contains sees to others.
func (m *members) add(d datum.Datum, t datum.Type) {
	switch {
	case d.Kind() == datum.KindInt && t.IsInteger():
		m.integers = append(m.integers, d.Int())
	case d.Kind() == datum.KindText && t.IsText():
		if m.texts == nil {
			m.texts = make(map[string]struct{})
		}
		m.texts[string(d.Bytes())] = struct{}{}
	default:
		m.others = append(m.others, d.Clone())
	}
}

func (m *members) contains(d datum.Datum) truth {
	switch d.Kind() {
	case datum.KindInt:
		if _, found := slices.BinarySearch(m.integers, d.Int()); found {
			return yes
		}
	case datum.KindText:
		if _, found := m.texts[string(d.Bytes())]; found {
			return yes
		}
	default:
		for _, n := range m.integers {
			if datum.Equal(d, datum.Int(n)) {
				return yes
			}
		}
	}
	found := no
	if m.null {
		found = unknown
	}
	for _, other := range m.others {
		switch compare(tree.Equal, d, other) {
		case yes:
			return yes
		case unknown:
			found = unknown
		}
	}
	return found
}

// tupleIn is (a, b) IN ((..), (..)).
type tupleIn struct {
	list []predicate
	not  bool
}

func (n *tupleIn) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *tupleIn) truth(x *Context) (truth, error) {
	t, err := (&or{n.list}).truth(x)
	return t.negateIf(n.not), err
}

func (c *compiler) in(e *tree.In) (typedNode, error) {
	if left, ok := e.X.(*tree.Tuple); ok {
		return c.tupleIn(left, e)
	}
	for _, element := range e.List {
		if _, ok := element.(*tree.Tuple); ok {
			return typedNode{}, fault.New(fault.WrongOperands, 1)
		}
	}
	of, err := c.compile(e.X)
	if err != nil {
		return typedNode{}, err
	}
	list, err := c.all(e.List...)
	if err != nil {
		return typedNode{}, err
	}
	if allConstant(list) && !of.constant {
		return typedNode{&inSet{of: of.node, list: nodes(list), t: of.t, not: e.Not}, isTruth, false}, nil
	}
	operands := append([]typedNode{of}, list...)
	constant := settle(operands)
	return typedNode{&in{operands[0].node, nodes(operands[1:]), e.Not}, isTruth, constant}, nil
}

func (c *compiler) tupleIn(left *tree.Tuple, e *tree.In) (typedNode, error) {
	n := &tupleIn{not: e.Not}
	constant := true
	for _, element := range e.List {
		right, ok := element.(*tree.Tuple)
		if !ok {
			return typedNode{}, fault.New(fault.WrongOperands, len(left.Elements))
		}
		equal, err := c.tuples(tree.Equal, left, right)
		if err != nil {
			return typedNode{}, err
		}
		constant = constant && equal.constant
		n.list = append(n.list, equal.node.(predicate))
	}
	return typedNode{n, isTruth, constant}, nil
}
