// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/expression"
)

// Condition judges the parameter and is its tree, nil if nothing is asked. join is ConditionalOperator, "" if the
// request has none; the caller has seen to AppendFaults and AppendOperatorFaults before. Call it for a parameter that
// is not given, too, if there is a ConditionalOperator: that is an error. The error is an *expression.Error.
func (c *Conditions) Condition(join string) (expr.Condition, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.CheckJoin(join); err != nil {
		return nil, err
	}
	if join != "" && len(c.clauses) < 2 {
		return nil, refuse("ConditionalOperator can only be used when Filter or Expected has two or more elements")
	}
	list := make([]expr.Condition, 0, len(c.clauses))
	for i := range c.clauses {
		list = append(list, c.tree(&c.clauses[i]))
	}
	if join == "OR" {
		return &expr.Or{List: list}, nil
	}
	return expr.Conjunction(list...), nil
}

// CheckJoin refuses a ConditionalOperator that has nothing to join. The error is an *expression.Error.
func (c *Conditions) CheckJoin(join string) error {
	if join != "" && !c.given {
		return refuse("ConditionalOperator cannot be used without Filter or Expected")
	}
	return nil
}

// tree is the condition of a clause that was checked.
func (c *Conditions) tree(one *clause) expr.Condition {
	path := &expr.Path{Name: one.attribute}
	arguments := c.arguments(one)
	if one.has&hasOperator == 0 && len(arguments) == 0 {
		return &expr.NotExists{Path: *path}
	}
	switch one.operator {
	case operatorNull:
		return &expr.NotExists{Path: *path}
	case operatorNotNull:
		return &expr.Exists{Path: *path}
	case operatorIn:
		return &expr.In{X: path, List: literals(arguments)}
	}
	first := &expr.Literal{Value: arguments[0]}
	switch one.operator {
	case operatorBetween:
		return &expr.Between{X: path, Low: first, High: &expr.Literal{Value: arguments[1]}}
	case operatorBeginsWith:
		return &expr.BeginsWith{X: path, Prefix: first}
	case operatorContains:
		return &expr.Contains{X: path, Member: first}
	case operatorNotContains: // unlike NE, it is not true of an attribute that is not there
		return &expr.And{List: []expr.Condition{&expr.Exists{Path: *path},
			&expr.Not{Of: &expr.Contains{X: path, Member: first}}}}
	}
	return &expr.Compare{Op: one.operator.comparison(), A: path, B: first}
}

// comparison is the relation that an operator stands for; no operator stands for Equal.
func (o operator) comparison() expr.Comparison {
	switch o {
	case operatorNotEqual:
		return expr.NotEqual
	case operatorLess:
		return expr.Less
	case operatorLessOrEqual:
		return expr.LessOrEqual
	case operatorGreater:
		return expr.Greater
	case operatorGreaterOrEqual:
		return expr.GreaterOrEqual
	}
	return expr.Equal
}

func literals(values []value.Value) []expr.Operand {
	nodes := make([]expr.Literal, len(values))
	list := make([]expr.Operand, len(values))
	for i, v := range values {
		nodes[i].Value = v
		list[i] = &nodes[i]
	}
	return list
}

// CheckKeys judges KeyConditions as far as that takes no table: what each clause means, and how many there are. The
// error is an *expression.Error.
func (c *Conditions) CheckKeys() error {
	if err := c.check(); err != nil {
		return err
	}
	if n := len(c.clauses); n != 1 && n != 2 {
		return refuse("Conditions can be of length 1 or 2 only")
	}
	return nil
}

// Keys is CheckKeys, and the conditions that KeyConditions asks of key attributes, in the order of the request. An
// operator that finds no range of keys is an error, which DynamoDB tells only after it found that the key's attributes
// are there (see Attributes). The error is an *expression.Error.
func (c *Conditions) Keys() ([]expression.KeyCondition, error) {
	if err := c.CheckKeys(); err != nil {
		return nil, err
	}
	list := make([]expression.KeyCondition, 0, len(c.clauses))
	for i := range c.clauses {
		one := &c.clauses[i]
		op, ok := one.operator.key()
		if !ok {
			return nil, refuse("Attempted conditional constraint is not an indexable operation")
		}
		arguments := c.arguments(one)
		key := expression.KeyCondition{Attribute: one.attribute, Op: op, A: arguments[0]}
		if op == expression.KeyBetween {
			key.B = arguments[1]
		}
		list = append(list, key)
	}
	return list, nil
}

// key is the operator on keys; ok is false if there is none.
func (o operator) key() (key expression.KeyOperator, ok bool) {
	switch o {
	case operatorEqual:
		return expression.KeyEqual, true
	case operatorLess:
		return expression.KeyLess, true
	case operatorLessOrEqual:
		return expression.KeyLessOrEqual, true
	case operatorGreater:
		return expression.KeyGreater, true
	case operatorGreaterOrEqual:
		return expression.KeyGreaterOrEqual, true
	case operatorBetween:
		return expression.KeyBetween, true
	case operatorBeginsWith:
		return expression.KeyBeginsWith, true
	}
	return 0, false
}
