// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"github.com/weftdb/weft/internal/data/value"
)

// check judges what the parameter means, clause by clause, in the order of the request.
func (c *Conditions) check() error {
	for i := range c.clauses {
		if err := c.checkClause(&c.clauses[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conditions) checkClause(one *clause) error {
	if err := checkName(one.attribute); err != nil {
		return err
	}
	if c.expected {
		if err := one.checkMembers(); err != nil {
			return err
		}
	}
	if one.fault != "" {
		return refuse(one.fault)
	}
	if c.expected && one.has&hasOperator == 0 {
		return nil
	}
	if one.operator == operatorNone { // AppendFaults tells it better
		return invalid("Unknown ComparisonOperator for Attribute: " + one.attribute)
	}
	return rules[one.operator].check(c.arguments(one))
}

// checkMembers judges which members a clause of Expected has: an operator with its arguments, or the older form of
// Value and Exists.
func (one *clause) checkMembers() error {
	attribute := " for Attribute: " + one.attribute
	operator, list, single := one.has&hasOperator != 0, one.has&hasList != 0, one.has&hasValue != 0
	exists := one.has&hasExists != 0
	switch {
	case list && single:
		return invalid("Value and AttributeValueList cannot be used together" + attribute)
	case operator && exists:
		return invalid("Exists and ComparisonOperator cannot be used together" + attribute)
	case operator:
		if !list && !single && one.operator != operatorNull && one.operator != operatorNotNull {
			return invalid("Value or AttributeValueList must be used with ComparisonOperator: " + one.text + attribute)
		}
	case list:
		return invalid("AttributeValueList can only be used with a ComparisonOperator" + attribute)
	case !single && !exists:
		return invalid("Value must be provided when Exists is null" + attribute)
	case !single && one.exists:
		return invalid("Value must be provided when Exists is true" + attribute)
	case single && exists && !one.exists:
		return invalid("Value cannot be used when Exists is false" + attribute)
	}
	return nil
}

// check judges an operator's arguments: their number, their types, and the order of bounds.
func (r *rule) check(arguments []value.Value) error {
	if n := len(arguments); n < r.arguments || n > r.arguments && !r.more {
		return invalid("Invalid number of argument(s) for the " + r.name + " ComparisonOperator")
	}
	for _, v := range arguments {
		if v.Kind() != arguments[0].Kind() {
			return invalid("AttributeValues inside AttributeValueList must be of same type")
		}
	}
	for _, v := range arguments {
		if !r.types.has(v.Kind()) {
			return invalid("ComparisonOperator " + r.name + " is not valid for " + v.Kind().String() +
				" AttributeValue type")
		}
	}
	if r.name == rules[operatorBetween].name {
		if order, comparable := value.Compare(arguments[0], arguments[1]); comparable && order > 0 {
			return refuse("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound")
		}
	}
	return nil
}
