// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"github.com/weftdb/weft/internal/data/value"
)

// operator is a ComparisonOperator. The order is that in which DynamoDB's messages list them.
type operator uint8

const (
	operatorNone operator = iota // not given, or none that there is
	operatorIn
	operatorNull
	operatorBetween
	operatorLess
	operatorNotContains
	operatorEqual
	operatorGreater
	operatorNotNull
	operatorNotEqual
	operatorLessOrEqual
	operatorBeginsWith
	operatorGreaterOrEqual
	operatorContains
)

// kinds is a set of value kinds.
type kinds uint16

func (k kinds) has(kind value.Kind) bool { return k>>kind&1 != 0 }

const (
	anyKind = ^kinds(0)
	texts   = kinds(1)<<value.String | 1<<value.Binary
	scalars = texts | 1<<value.Number
	sets    = kinds(1)<<value.StringSet | 1<<value.NumberSet | 1<<value.BinarySet
	addable = sets | 1<<value.Number | 1<<value.List
)

// rule is an operator's rule for its arguments.
type rule struct {
	name      string
	arguments int
	more      bool // arguments is the least number
	types     kinds
}

// immutable
var rules = [...]rule{
	operatorNone:           {},
	operatorIn:             {name: "IN", arguments: 1, more: true, types: scalars},
	operatorNull:           {name: "NULL"},
	operatorBetween:        {name: "BETWEEN", arguments: 2, types: scalars},
	operatorLess:           {name: "LT", arguments: 1, types: scalars},
	operatorNotContains:    {name: "NOT_CONTAINS", arguments: 1, types: scalars},
	operatorEqual:          {name: "EQ", arguments: 1, types: anyKind},
	operatorGreater:        {name: "GT", arguments: 1, types: scalars},
	operatorNotNull:        {name: "NOT_NULL"},
	operatorNotEqual:       {name: "NE", arguments: 1, types: anyKind},
	operatorLessOrEqual:    {name: "LE", arguments: 1, types: scalars},
	operatorBeginsWith:     {name: "BEGINS_WITH", arguments: 1, types: texts},
	operatorGreaterOrEqual: {name: "GE", arguments: 1, types: scalars},
	operatorContains:       {name: "CONTAINS", arguments: 1, types: scalars},
}

// operatorOf is the operator of that name, or operatorNone.
func operatorOf(name string) operator {
	for i := range rules {
		if rules[i].name == name && name != "" {
			return operator(i)
		}
	}
	return operatorNone
}

// operatorNames are all operators' names.
func operatorNames() []string {
	names := make([]string, 0, len(rules)-1)
	for i := range rules[1:] {
		names = append(names, rules[i+1].name)
	}
	return names
}

// actions are the actions of AttributeUpdates, in the order of DynamoDB's messages. // immutable
var actions = []string{"ADD", "PUT", "DELETE"}
