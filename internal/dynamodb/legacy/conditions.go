// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"cmp"
	"iter"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Conditions is one of the parameters Expected, QueryFilter, ScanFilter and KeyConditions: conditions on attributes,
// each by its own clause. The zero value is a parameter that is not given. It serves one goroutine at a time.
type Conditions struct {
	given    bool
	expected bool // the parameter is Expected, whose clauses have two forms
	clauses  []clause
	values   []value.Value // the arguments of all clauses
	arena    arena
}

// clause is the condition on one attribute.
type clause struct {
	attribute string
	text      string // the operator as given
	operator  operator
	has       member
	exists    bool
	from, to  int    // its arguments: AttributeValueList in Conditions.values
	single    int    // its argument: Value in Conditions.values
	fault     string // what is wrong with the first faulty value of AttributeValueList, or else with Value
}

// member is a set of members of a clause.
type member uint8

const (
	hasOperator member = 1 << iota
	hasList
	hasValue
	hasExists
)

// Reset forgets the parameter and keeps its memory, unless that is large. Trees that were made of it are of no more
// use.
func (c *Conditions) Reset() {
	c.given, c.expected = false, false
	c.clauses = reuse(c.clauses, entriesMax)
	c.values = reuse(c.values, entriesMax)
	c.arena.reset()
}

// ReadExpected reads the parameter Expected: a map from attributes' names to their clauses,
// {"a":{"Value":{"N":"1"}},"b":{"Exists":false},"c":{"ComparisonOperator":"NOT_NULL"}}. The errors are
// *attributejson.SyntaxError and *attributejson.TypeError.
func (c *Conditions) ReadExpected(r *attributejson.Reader) error { return c.read(r, true) }

// Read reads QueryFilter, ScanFilter or KeyConditions: a map from attributes' names to their clauses,
// {"a":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"1"}]}}. The errors are those of ReadExpected.
func (c *Conditions) Read(r *attributejson.Reader) error { return c.read(r, false) }

func (c *Conditions) read(r *attributejson.Reader, expected bool) error {
	c.Reset()
	c.given, c.expected = true, expected
	class := "Condition"
	if expected {
		class = "ExpectedAttributeValue"
	}
	err := object(r, attributejson.MapOf(class), func(name []byte) error {
		c.clauses = append(c.clauses, clause{attribute: string(name)})
		return c.readClause(r, attributejson.Element(class), &c.clauses[len(c.clauses)-1])
	})
	if err != nil || len(c.clauses) < 2 {
		return err
	}
	names := make([]string, 0, len(c.clauses))
	for name := range c.Attributes() {
		names = append(names, name)
	}
	return distinct(names, r)
}

func (c *Conditions) readClause(r *attributejson.Reader, shape attributejson.Shape, one *clause) error {
	return object(r, shape, func(name []byte) error {
		switch string(name) {
		case "ComparisonOperator":
			text, err := r.String()
			one.has |= hasOperator
			one.text = string(text)
			one.operator = operatorOf(one.text)
			return err
		case "AttributeValueList":
			one.has |= hasList
			return c.readList(r, one)
		case "Value":
			if c.expected {
				one.has |= hasValue
				return c.readValue(r, one)
			}
		case "Exists":
			if c.expected {
				one.has |= hasExists
				exists, err := r.Bool()
				one.exists = exists
				return err
			}
		}
		return r.Skip()
	})
}

func (c *Conditions) readList(r *attributejson.Reader, one *clause) error {
	one.from = len(c.values)
	err := array(r, func() error {
		v, fault, err := c.arena.value(r, attributejson.Element("AttributeValue"))
		one.fault = cmp.Or(one.fault, fault)
		c.values = append(c.values, v)
		return err
	})
	one.to = len(c.values)
	return err
}

func (c *Conditions) readValue(r *attributejson.Reader, one *clause) error {
	v, fault, err := c.arena.value(r, attributejson.Field("AttributeValue"))
	one.fault = cmp.Or(one.fault, fault)
	one.single = len(c.values)
	c.values = append(c.values, v)
	return err
}

// arguments are a clause's values, of AttributeValueList or Value. They alias c.
func (c *Conditions) arguments(one *clause) []value.Value {
	if one.has&hasValue != 0 {
		return c.values[one.single : one.single+1]
	}
	return c.values[one.from:one.to]
}

// IsGiven reports whether the parameter was read since the last Reset, be it empty.
func (c *Conditions) IsGiven() bool { return c.given }

// Attributes yields the names of the attributes that something is asked of, each once, in the order of the request.
func (c *Conditions) Attributes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range c.clauses {
			if !yield(c.clauses[i].attribute) {
				return
			}
		}
	}
}

// Constrain adds what single members of the parameter get wrong, such as "Value 'X' at
// 'expected.a.member.comparisonOperator' failed to satisfy constraint: ...".
func (c *Conditions) Constrain(faults *exception.Constraints, parameter string) {
	for i := range c.clauses {
		one := &c.clauses[i]
		path := parameter + "." + one.attribute + ".member.comparisonOperator"
		switch {
		case one.operator != operatorNone:
		case one.has&hasOperator != 0:
			faults.Enum(one.text, path, operatorNames())
		case !c.expected:
			faults.Null(path)
		}
	}
}
