// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
	"slices"
)

// depthMax bounds how deep an expression nests.
const depthMax = 1000

// compiler turns a tree into nodes.
type compiler struct {
	scope    Scope
	grouping *groupScope // nil: aggregates may not stand here
	slots    []int
	depth    int
}

// typedNode is a node with what is known of its values.
type typedNode struct {
	node     node
	t        datum.Type
	constant bool
}

func (c *compiler) compile(e tree.Expression) (typedNode, error) {
	if c.depth++; c.depth > depthMax {
		return typedNode{}, fault.New(fault.NotSupported, "The expression is nested too deep: split it.")
	}
	defer func() { c.depth-- }()
	if c.grouping != nil {
		if found, ok := c.findGrouped(e); ok {
			return found, nil
		}
	}
	switch e := e.(type) {
	case *tree.Column:
		return c.column(e)
	case *tree.Literal:
		return typedNode{&literal{e.Value}, datum.TypeOf(e.Value), true}, nil
	case *tree.Parameter:
		return typedNode{&parameter{e.Index}, c.parameterType(e.Index), true}, nil
	case *tree.Variable:
		return typedNode{&variable{e}, e.Type, !e.Changing}, nil
	case *tree.Unary:
		return c.unary(e)
	case *tree.Binary:
		return c.binary(e)
	case *tree.In:
		return c.in(e)
	case *tree.Between:
		return c.compileBetween(e)
	case *tree.Like:
		return c.like(e)
	case *tree.Is:
		return c.is(e)
	case *tree.Case:
		return c.caseOf(e)
	case *tree.Call:
		return c.call(e)
	case *tree.Cast:
		return c.cast(e)
	case *tree.ValuesOf:
		return c.valuesOf(e)
	case *tree.Subquery:
		return c.subquery(e)
	case *tree.Exists:
		return c.exists(e)
	case *tree.InQuery:
		return c.inQuery(e)
	case *tree.Quantified:
		return c.compileQuantified(e)
	case *tree.Computed:
		c.slots = append(c.slots, e.Slot)
		return typedNode{&column{e.Slot}, e.Type, false}, nil
	case *tree.Tuple:
		return typedNode{}, fault.New(fault.WrongOperands, 1)
	case *tree.Default:
		return typedNode{}, fault.New(fault.NotSupported, "DEFAULT is only allowed as a whole value.")
	case *tree.Interval:
		return typedNode{}, fault.New(fault.NotSupported, "INTERVAL can only be added to or subtracted from a date.")
	}
	return typedNode{}, fault.New(fault.NotSupported, "An expression was expected.")
}

func (c *compiler) column(e *tree.Column) (typedNode, error) {
	if c.grouping != nil {
		return typedNode{}, &UngroupedError{Column: e}
	}
	if c.scope == nil {
		return typedNode{}, fault.New(fault.UnknownColumn, e.Name, "field list")
	}
	slot, t, err := c.scope.Resolve(e)
	if err != nil {
		return typedNode{}, err
	}
	c.slots = append(c.slots, slot)
	return typedNode{&column{slot}, t, false}, nil
}

func (c *compiler) valuesOf(e *tree.ValuesOf) (typedNode, error) {
	scope, ok := c.scope.(ValuesScope)
	if !ok {
		return typedNode{}, fault.New(fault.NotSupported, "VALUES(column) is only allowed in ON DUPLICATE KEY UPDATE.")
	}
	slot, t, err := scope.ResolveValues(e.Column)
	if err != nil {
		return typedNode{}, err
	}
	c.slots = append(c.slots, slot)
	return typedNode{&column{slot}, t, false}, nil
}

func (c *compiler) parameterType(index int) datum.Type {
	if scope, ok := c.scope.(ParameterScope); ok {
		return scope.ParameterType(index)
	}
	return datum.Type{}
}

// all compiles expressions.
func (c *compiler) all(expressions ...tree.Expression) ([]typedNode, error) {
	operands := make([]typedNode, len(expressions))
	for i, e := range expressions {
		var err error
		if operands[i], err = c.compile(e); err != nil {
			return nil, err
		}
	}
	return operands, nil
}

func allConstant(operands []typedNode) bool {
	return !slices.ContainsFunc(operands, func(o typedNode) bool { return !o.constant })
}

// settle reports whether all operands are constant. If only some are, these are computed once for each execution.
func settle(operands []typedNode) (constant bool) {
	if allConstant(operands) {
		return true
	}
	for i := range operands {
		if o := &operands[i]; o.constant && !isLeaf(o.node) {
			o.node = &once{of: o.node}
		}
	}
	return false
}

func nodes(operands []typedNode) []node {
	list := make([]node, len(operands))
	for i := range operands {
		list[i] = operands[i].node
	}
	return list
}

func types(operands []typedNode) []datum.Type {
	list := make([]datum.Type, len(operands))
	for i := range operands {
		list[i] = operands[i].t
	}
	return list
}

// isTruth is the type of conditions. // immutable
var isTruth = datum.Type{Base: datum.Boolean}

func (c *compiler) unary(e *tree.Unary) (typedNode, error) {
	x, err := c.compile(e.X)
	if err != nil {
		return typedNode{}, err
	}
	switch e.Operator {
	case tree.Not:
		return typedNode{&not{asPredicate(x.node)}, isTruth, x.constant}, nil
	case tree.BitNot:
		return typedNode{&bitNot{x.node}, datum.Type{Base: datum.BigIntUnsigned}, x.constant}, nil
	case tree.Minus:
		x = numberOf(x)
		return typedNode{&negate{x.node}, numberType(x.t), x.constant}, nil
	}
	return x, nil
}

func (c *compiler) binary(e *tree.Binary) (typedNode, error) {
	switch e.Operator {
	case tree.And, tree.Or:
		return c.junction(e)
	case tree.Equal, tree.NullSafeEqual, tree.NotEqual, tree.Less, tree.LessOrEqual, tree.Greater, tree.GreaterOrEqual:
		return c.comparison(e)
	case tree.Plus, tree.Minus:
		if i, ok := e.Right.(*tree.Interval); ok {
			return c.interval(e.Left, i, e.Operator == tree.Minus)
		}
		if i, ok := e.Left.(*tree.Interval); ok && e.Operator == tree.Plus {
			return c.interval(e.Right, i, false)
		}
	}
	operands, err := c.all(e.Left, e.Right)
	if err != nil {
		return typedNode{}, err
	}
	constant := settle(operands)
	left, right := operands[0], operands[1]
	if e.Operator == tree.Xor {
		return typedNode{&xor{asPredicate(left.node), asPredicate(right.node)}, isTruth, constant}, nil
	}
	if e.Operator >= tree.BitAnd {
		return typedNode{&bitwise{e.Operator, left.node, right.node}, datum.Type{Base: datum.BigIntUnsigned}, constant},
			nil
	}
	left, right = numberOf(left), numberOf(right)
	n := unsignedOf(e.Operator, arithmetic(e.Operator, left.node, right.node), left.t, right.t)
	return typedNode{n, arithmeticType(e.Operator, left.t, right.t), constant}, nil
}

// numberOf is an operand of arithmetic: a hexadecimal literal is a number there.
func numberOf(operand typedNode) typedNode {
	if l, ok := operand.node.(*literal); ok && l.d.Kind() == datum.KindBinary {
		operand.node = &literal{l.d.Number()}
		operand.t = datum.TypeOf(l.d.Number())
	}
	return operand
}

// junction compiles a chain of ANDs or of ORs into one node.
func (c *compiler) junction(e *tree.Binary) (typedNode, error) {
	var chain []tree.Expression
	var flatten func(x tree.Expression)
	flatten = func(x tree.Expression) {
		if b, ok := x.(*tree.Binary); ok && b.Operator == e.Operator {
			flatten(b.Left)
			flatten(b.Right)
			return
		}
		chain = append(chain, x)
	}
	flatten(e)
	operands, err := c.all(chain...)
	if err != nil {
		return typedNode{}, err
	}
	constant := settle(operands)
	terms := make([]predicate, len(operands))
	for i := range operands {
		terms[i] = asPredicate(operands[i].node)
	}
	if e.Operator == tree.And {
		return typedNode{&and{terms}, isTruth, constant}, nil
	}
	return typedNode{&or{terms}, isTruth, constant}, nil
}

func (c *compiler) is(e *tree.Is) (typedNode, error) {
	x, err := c.compile(e.X)
	if err != nil {
		return typedNode{}, err
	}
	if e.Kind == tree.IsNull {
		return typedNode{&isNull{x.node, e.Not}, isTruth, x.constant}, nil
	}
	return typedNode{&isTrue{asPredicate(x.node), when(e.Kind == tree.IsTrue), e.Not}, isTruth, x.constant}, nil
}
