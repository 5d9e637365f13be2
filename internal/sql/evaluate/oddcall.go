// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// odd compiles functions that are about their arguments rather than the arguments' values; ok is false if e is none of
// them.
func (c *compiler) odd(e *tree.Call) (result typedNode, ok bool, err error) {
	switch e.Name {
	case "rand":
		if len(e.Arguments) != 1 {
			return typedNode{}, false, nil
		}
		result, err = c.seeded(e.Arguments[0])
	case "benchmark":
		result, err = c.benchmark(e)
	case "coercibility":
		result, err = c.coercibility(e)
	case "default":
		result, err = c.defaultOf(e)
	default:
		return typedNode{}, false, nil
	}
	return result, true, err
}

// seededRandom is RAND(n): a sequence of its own that begins with the execution, or, where n is not the same for all
// rows, the first number of the sequence of each.
type seededRandom struct {
	key
	seed  node
	fixed bool
}

// sequence is MySQL's.
type sequence struct{ first, second uint64 }

const sequenceMax = 0x3fffffff

func newSequence(seed uint32) *sequence {
	return &sequence{uint64(seed*0x10001+55555555) % sequenceMax, uint64(seed*0x10000001) % sequenceMax}
}

func (g *sequence) next() float64 {
	g.first = (g.first*3 + g.second) % sequenceMax
	g.second = (g.first + g.second + 33) % sequenceMax
	return float64(g.first) / sequenceMax
}

func (n *seededRandom) value(x *Context) (datum.Datum, error) {
	if n.fixed {
		if c := x.findCell(&n.key); c != nil {
			return datum.Float64(c.state.(*sequence).next()), nil
		}
	}
	d, err := n.seed.value(x)
	if err != nil {
		return datum.Null, err
	}
	g := newSequence(uint32(d.NumberInt()))
	if n.fixed {
		x.keep(cell{of: &n.key, state: g})
	}
	return datum.Float64(g.next()), nil
}

func (c *compiler) seeded(seed tree.Expression) (typedNode, error) {
	operand, err := c.compile(seed)
	if err != nil {
		return typedNode{}, err
	}
	return typedNode{&seededRandom{seed: operand.node, fixed: operand.constant}, datum.Type{Base: datum.Double}, false},
		nil
}

// benchmark computes an expression again and again.
type benchmark struct{ count, of node }

// benchmarkStep is the number of times between two looks whether the statement is to end.
const benchmarkStep = 1024

func (n *benchmark) value(x *Context) (datum.Datum, error) {
	count, err := n.count.value(x)
	if err != nil || count.IsNull() || count.NumberInt() < 0 {
		return datum.Null, err
	}
	for i := range count.NumberInt() {
		if _, err := n.of.value(x); err != nil {
			return datum.Null, err
		}
		if i%benchmarkStep == 0 && x.isDone() {
			break
		}
	}
	return datum.Int(0), nil
}

// isDone reports whether the statement is to end.
func (x *Context) isDone() bool {
	select {
	case <-x.Done:
		return true
	default:
		return false
	}
}

func (c *compiler) benchmark(e *tree.Call) (typedNode, error) {
	if len(e.Arguments) != 2 {
		return typedNode{}, fault.New(fault.ParameterCount, e.Name)
	}
	operands, err := c.all(e.Arguments...)
	if err != nil {
		return typedNode{}, err
	}
	return typedNode{&benchmark{operands[0].node, operands[1].node}, datum.Type{Base: datum.BigInt}, false}, nil
}

// The classes of COERCIBILITY, from what has a collation of its own to what has none.
const (
	coercibleColumn  = 2
	coercibleSystem  = 3
	coercibleLiteral = 4
	coercibleNumber  = 5
	coercibleNull    = 6
)

func (c *compiler) coercibility(e *tree.Call) (typedNode, error) {
	if len(e.Arguments) != 1 {
		return typedNode{}, fault.New(fault.ParameterCount, e.Name)
	}
	operand, err := c.compile(e.Arguments[0])
	if err != nil {
		return typedNode{}, err
	}
	class := coercibleNumber
	if operand.t.IsText() || operand.t.IsBinary() || operand.t.Base == datum.Untyped {
		class = classOf(e.Arguments[0])
	}
	return typedNode{&literal{datum.Int(int64(class))}, datum.Type{Base: datum.BigInt}, true}, nil
}

// classOf is the class of an expression that is a text.
func classOf(e tree.Expression) int {
	switch e := e.(type) {
	case *tree.Literal:
		if e.Value.IsNull() {
			return coercibleNull
		}
		return coercibleLiteral
	case *tree.Column:
		return coercibleColumn
	case *tree.Call:
		switch e.Name {
		case "user", "current_user", "session_user", "system_user", "database", "schema", "version":
			return coercibleSystem
		}
		class := coercibleLiteral
		for _, argument := range e.Arguments {
			class = min(class, classOf(argument))
		}
		return class
	}
	return coercibleLiteral
}

// defaultOf is DEFAULT(column). Whoever knows the column's table has put its default behind it.
func (c *compiler) defaultOf(e *tree.Call) (typedNode, error) {
	column, ok := e.PresetOf()
	if len(e.Arguments) != 2 && ok {
		if _, err := c.compile(column); err != nil {
			return typedNode{}, err
		}
		return typedNode{}, fault.New(fault.NoDefault, column.Name)
	}
	return c.compile(e.Arguments[1])
}
