// SPDX-License-Identifier: Apache-2.0

package evaluate

import "github.com/weftdb/weft/internal/sql/datum"

// integerNode is a node that computes integers of integers without making data of them. ok false says nothing about the
// value: ask for that.
type integerNode interface {
	integer(x *Context) (n int64, ok bool)
}

// integerOf is the node as one that computes integers; nil if it is none.
func integerOf(n node) integerNode {
	i, _ := n.(integerNode)
	return i
}

// Integer computes the expression where it is an INTEGER that follows from integers alone, which costs less than Value.
// ok false says nothing about the value.
func (p *Program) Integer(x *Context) (n int64, ok bool) {
	if p.integer == nil {
		return 0, false
	}
	return p.integer.integer(x)
}

func (n *column) integer(x *Context) (int64, bool) {
	d := &x.Row[n.slot]
	return d.Integer()
}

func (n *literal) integer(*Context) (int64, bool) { return n.d.Integer() }

func (n *parameter) integer(x *Context) (int64, bool) {
	if n.index >= len(x.Parameters) {
		return 0, false
	}
	return x.Parameters[n.index].Integer()
}

func (n *modulo) integer(x *Context) (int64, bool) {
	a, ok := n.a.integer(x)
	if !ok {
		return 0, false
	}
	b, ok := n.b.integer(x)
	if !ok || b <= 0 {
		return 0, false
	}
	return a % b, true
}

// modulo is the calculation % of values that may be integers.
type modulo struct {
	calculation
	a, b integerNode
}

// integerGatherer is a gatherer that takes integers without having data made of them. false: it has not taken this one.
type integerGatherer interface {
	gatherInteger(n int64) bool
}

func (s *valueCount) gatherInteger(int64) bool { s.count++; return true }

func (s *sum) gatherInteger(n int64) bool {
	next := s.integer + n
	if (next > s.integer) != (n > 0) {
		return false
	}
	s.integer = next
	s.count++
	return true
}

func (s *extreme) gatherInteger(n int64) bool {
	best, ok := s.best.Integer()
	if !ok {
		return false
	}
	if s.direction > 0 && n > best || s.direction < 0 && n < best {
		s.best = datum.Int(n)
	}
	return true
}
