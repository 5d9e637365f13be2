// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// KeyOperator is the comparison of a KeyCondition.
type KeyOperator uint8

// The operators of key conditions.
const (
	KeyEqual KeyOperator = iota
	KeyLess
	KeyLessOrEqual
	KeyGreater
	KeyGreaterOrEqual
	KeyBetween
	KeyBeginsWith
)

// String is the operator as expressions write it.
func (o KeyOperator) String() string {
	switch o {
	case KeyEqual:
		return "="
	case KeyLess:
		return "<"
	case KeyLessOrEqual:
		return "<="
	case KeyGreater:
		return ">"
	case KeyGreaterOrEqual:
		return ">="
	case KeyBetween:
		return "BETWEEN"
	}
	return "begins_with"
}

// KeyCondition is a condition on one attribute of a key. A is the operand; of KeyBetween A and B are the bounds, both
// included.
type KeyCondition struct {
	Attribute string
	Op        KeyOperator
	A, B      value.Value
}

// ParseKeyCondition reads a KeyConditionExpression: the conditions that must all hold, in the text's order, one for an
// attribute. Which attributes are keys, and which operators each of them allows, is for the caller to check. The error
// is an *Error.
func ParseKeyCondition(text string, known *Substitutions) ([]KeyCondition, error) {
	p := parser{kind: KeyConditions, lexer: lexer{text: text}, known: known}
	condition := p.wholeCondition()
	if err := p.end(); err != nil {
		return nil, err
	}
	var list []KeyCondition
	if and, ok := condition.(*expr.And); ok {
		list = make([]KeyCondition, 0, len(and.List))
		for _, c := range and.List {
			list = p.keyCondition(list, c)
		}
	} else {
		list = p.keyCondition(list, condition)
	}
	if err := p.failure(); err != nil {
		return nil, err
	}
	return list, nil
}

// keyCondition appends one condition to the list, or notes why it is not one on a key.
func (p *parser) keyCondition(list []KeyCondition, c expr.Condition) []KeyCondition {
	var key KeyCondition
	ok := false
	switch c := c.(type) {
	case *expr.Compare:
		if c.Op == expr.NotEqual {
			break
		}
		key.Op = keyOperator(c.Op)
		if _, literal := c.A.(*expr.Literal); literal {
			key.Op = keyOperator(c.Op.Swap())
		}
		ok = p.keyOperands(&key, c.A, c.B)
	case *expr.Between:
		key.Op = KeyBetween
		ok = p.keyFirst("BETWEEN", c.X) && p.keyOperands(&key, c.X, c.Low, c.High)
	case *expr.BeginsWith:
		key.Op = KeyBeginsWith
		ok = p.keyFirst("begins_with", c.X) && p.keyOperands(&key, c.X, c.Prefix)
	}
	if name := refusedInKeys(c); name != "" {
		p.note(faultKeys, "Invalid operator used in KeyConditionExpression: ", name)
	}
	if !ok {
		return list
	}
	for i := range list {
		if list[i].Attribute == key.Attribute {
			p.note(faultKeys, "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key")
		}
	}
	return append(list, key)
}

// refusedInKeys is the name of the operator or function that a condition is made of, if key conditions don't have it.
func refusedInKeys(c expr.Condition) string {
	switch c := c.(type) {
	case *expr.Compare:
		if c.Op == expr.NotEqual {
			return "<>"
		}
	case *expr.In:
		return "IN"
	case *expr.Or:
		return "OR"
	case *expr.Not:
		return "NOT"
	case *expr.Exists:
		return "attribute_exists"
	case *expr.NotExists:
		return "attribute_not_exists"
	case *expr.HasType:
		return "attribute_type"
	case *expr.Contains:
		return "contains"
	}
	return ""
}

func keyOperator(c expr.Comparison) KeyOperator {
	switch c {
	case expr.Less:
		return KeyLess
	case expr.LessOrEqual:
		return KeyLessOrEqual
	case expr.Greater:
		return KeyGreater
	case expr.GreaterOrEqual:
		return KeyGreaterOrEqual
	}
	return KeyEqual
}

// keyFirst notes a first operand that is no attribute.
func (p *parser) keyFirst(name string, x expr.Operand) bool {
	if _, ok := x.(*expr.Path); ok {
		return true
	}
	p.note(faultKeys, "Invalid condition in KeyConditionExpression: ", name,
		" operator must have the key attribute as its first operand")
	return false
}

// keyOperands sorts a condition's operands into one attribute and its values.
func (p *parser) keyOperands(key *KeyCondition, operands ...expr.Operand) bool {
	found, values := false, 0
	for _, o := range operands {
		switch o := o.(type) {
		case *expr.Literal:
			if values++; values == 1 {
				key.A = o.Value
			} else {
				key.B = o.Value
			}
		case *expr.Path:
			if found {
				p.note(faultKeys, "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
			} else if len(o.Steps) > 0 {
				p.note(faultKeys, "KeyConditionExpressions cannot have conditions on nested attributes")
			}
			key.Attribute, found = o.Name, true
		default:
			p.note(faultKeys, "KeyConditionExpressions cannot contain nested operations")
		}
	}
	if !found {
		p.note(faultKeys, "Invalid condition in KeyConditionExpression: No key attribute specified")
	}
	return p.rank == 0
}
