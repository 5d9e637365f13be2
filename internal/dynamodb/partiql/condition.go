// SPDX-License-Identifier: Apache-2.0

package partiql

import (
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// condition reads conditions joined by OR.
func (p *parser) condition() expr.Condition {
	defer p.leave()
	if !p.enter() {
		return &expr.And{}
	}
	return p.disjunction(p.conjunction(p.negation()))
}

// disjunction reads what follows the first of conditions joined by OR.
func (p *parser) disjunction(first expr.Condition) expr.Condition {
	if !p.is("OR") {
		return first
	}
	or := &expr.Or{List: alternatives(nil, first)}
	for p.acceptKeyword("OR") {
		or.List = alternatives(or.List, p.conjunction(p.negation()))
	}
	return or
}

func alternatives(list []expr.Condition, c expr.Condition) []expr.Condition {
	if or, ok := c.(*expr.Or); ok {
		return append(list, or.List...)
	}
	return append(list, c)
}

// conjunction reads what follows the first of conditions joined by AND.
func (p *parser) conjunction(first expr.Condition) expr.Condition {
	if !p.is("AND") {
		return first
	}
	and := &expr.And{List: joined(make([]expr.Condition, 0, 4), first)}
	for p.acceptKeyword("AND") {
		and.List = joined(and.List, p.negation())
	}
	return and
}

// joined appends a condition that must hold, or those that it joins.
func joined(list []expr.Condition, c expr.Condition) []expr.Condition {
	if and, ok := c.(*expr.And); ok {
		return append(list, and.List...)
	}
	return append(list, c)
}

func (p *parser) negation() expr.Condition {
	negative := false
	for p.acceptKeyword("NOT") {
		negative = !negative
	}
	c := p.predicate()
	if negative {
		return &expr.Not{Of: c}
	}
	return c
}

// predicate reads a comparison, a call that is a condition, or a condition in parentheses.
func (p *parser) predicate() expr.Condition { return p.predicateOf(p.term()) }

// predicateOf reads what follows a predicate's first part: an operand, or else a condition.
func (p *parser) predicateOf(x expr.Operand, c expr.Condition) expr.Condition {
	if c != nil {
		return p.truth(c)
	}
	return p.relation(x)
}

// term reads an operand or a condition; one of both is nil.
func (p *parser) term() (expr.Operand, expr.Condition) {
	switch {
	case p.current().kind == '(':
		return p.parenthesized()
	case p.startsLiteral():
		return p.literal(), nil
	case p.current().kind == tokenWord && p.follows() == '(':
		return p.call()
	}
	path := p.path()
	return &path, nil
}

// parenthesized reads an operand or a condition in parentheses. It reads on from its first operand, since nothing is
// read twice.
func (p *parser) parenthesized() (expr.Operand, expr.Condition) {
	defer p.leave()
	p.advance()
	if !p.enter() {
		return &expr.Literal{}, nil
	}
	var first expr.Condition
	if p.is("NOT") {
		first = p.negation()
	} else {
		x, c := p.term()
		if c == nil && p.accept(')') {
			return x, nil
		}
		first = p.predicateOf(x, c)
	}
	whole := p.disjunction(p.conjunction(first))
	p.expect(')')
	return nil, whole
}

// truth reads what may follow a condition: that it is true, or is not.
func (p *parser) truth(c expr.Condition) expr.Condition {
	op := p.current().kind
	if op != '=' && op != tokenNotEqual {
		return c
	}
	p.advance()
	on := p.is("TRUE")
	if !on && !p.is("FALSE") {
		p.fail(unexpectedTerm)
	}
	p.advance()
	if on == (op == '=') {
		return c
	}
	return &expr.Not{Of: c}
}

// relation reads what follows the first operand of a comparison.
func (p *parser) relation(x expr.Operand) expr.Condition {
	negative := (p.follows() == tokenWord) && p.acceptKeyword("NOT")
	c := p.positiveRelation(x)
	if negative {
		return &expr.Not{Of: c}
	}
	return c
}

func (p *parser) positiveRelation(x expr.Operand) (c expr.Condition) {
	var err error
	switch {
	case p.acceptKeyword("BETWEEN"):
		low := p.operand()
		p.expectKeyword("AND", leftover)
		c, err = p.builder.Between(x, low, p.operand())
	case p.acceptKeyword("IN"):
		c, err = p.builder.In(x, p.candidates())
	case p.acceptKeyword("IS"):
		return p.typeOf(x)
	default:
		op, ok := comparisonOf(p.current().kind)
		if !ok {
			if p.fault == nil { // a faulty call may have been a condition
				p.fail(leftover)
			}
			return &expr.And{}
		}
		p.advance()
		c, err = p.builder.Compare(op, x, p.operand())
	}
	if err != nil {
		p.noteError(err)
	}
	return c
}

func comparisonOf(kind tokenKind) (expr.Comparison, bool) {
	switch kind {
	case '=':
		return expr.Equal, true
	case tokenNotEqual:
		return expr.NotEqual, true
	case '<':
		return expr.Less, true
	case tokenLessOrEqual:
		return expr.LessOrEqual, true
	case '>':
		return expr.Greater, true
	case tokenGreaterOrEqual:
		return expr.GreaterOrEqual, true
	}
	return 0, false
}

// operand reads an operand of a comparison or a call.
func (p *parser) operand() expr.Operand {
	x, c := p.term()
	if c != nil {
		p.fail(unexpectedTerm)
		return &expr.Literal{}
	}
	return x
}

// candidates reads the list behind IN. A parameter that is a list or a set stands for its elements.
func (p *parser) candidates() (list []expr.Operand) {
	switch {
	case p.current().kind == '?':
		for e := p.parameter().Elements(); e.Next(); {
			list = append(list, &expr.Literal{Value: e.Value()})
		}
		return list
	case p.accept('['):
		p.members(']', func() { list = append(list, p.operand()) })
	case p.accept(tokenOpenBag):
		p.members(tokenCloseBag, func() { list = append(list, p.operand()) })
	default:
		p.expect('(')
		p.members(')', func() { list = append(list, p.operand()) })
	}
	return list
}

// types are the types that IS knows, by their names. // immutable
var types = [...]struct {
	name string
	kind value.Kind
}{{"NULL", value.Null}, {"STRING", value.String}, {"BOOL", value.Bool}, {"BOOLEAN", value.Bool},
	{"NUMERIC", value.Number}, {"NUMBER", value.Number},
	{"DECIMAL", value.Number}, {"INT", value.Number}, {"INTEGER", value.Number}, {"FLOAT", value.Number},
	{"BLOB", value.Binary}, {"BINARY", value.Binary},
	{"LIST", value.List}, {"STRUCT", value.Map}, {"MAP", value.Map}, {"TUPLE", value.Map}}

// typeOf reads what stands behind IS. A missing attribute is of no type, and not of another one either.
func (p *parser) typeOf(x expr.Operand) expr.Condition {
	negative := p.acceptKeyword("NOT")
	path, ok := x.(*expr.Path)
	if !ok {
		p.fail(unexpectedTerm)
		return &expr.And{}
	}
	if p.acceptKeyword("MISSING") {
		if negative {
			return &expr.Exists{Path: *path}
		}
		return &expr.NotExists{Path: *path}
	}
	c := p.typeNamed(path)
	if negative {
		return &expr.And{List: []expr.Condition{&expr.Exists{Path: *path}, &expr.Not{Of: c}}}
	}
	return c
}

func (p *parser) typeNamed(path *expr.Path) expr.Condition {
	name := strings.ToUpper(p.word())
	for _, t := range types {
		if t.name == name {
			p.advance()
			return &expr.HasType{X: path, Type: t.kind}
		}
	}
	if name == "BAG" {
		p.advance()
		or := &expr.Or{}
		for _, kind := range [...]value.Kind{value.StringSet, value.NumberSet, value.BinarySet} {
			or.List = append(or.List, &expr.HasType{X: path, Type: kind})
		}
		return or
	}
	p.fail(unexpectedTerm)
	return &expr.And{}
}

// call reads a function's call.
func (p *parser) call() (expr.Operand, expr.Condition) {
	t, name := p.current(), strings.ToLower(p.word())
	p.advance()
	p.advance()
	if name == "exists" || name == "set_add" || name == "set_delete" || !isFunction(name) {
		p.note("Unrecognized function: " + name + " at " + position(p.text, t))
	}
	var operands []expr.Operand
	p.members(')', func() { operands = append(operands, p.operand()) })
	c, x, err := p.builder.Call(name, operands...)
	if err != nil {
		p.noteError(err)
	}
	if c != nil {
		return nil, c
	}
	return x, nil
}

// functions are the functions of conditions, and those of updates. // immutable
var functions = [...]string{"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains",
	"size", "if_not_exists", "list_append"}

func isFunction(name string) bool {
	for _, f := range functions {
		if f == name {
			return true
		}
	}
	return false
}
