// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"errors"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributeion"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/expression"
)

var errForeignMember = errors.New("a record with a condition has the members Item, ConditionExpression, ExpressionAttributeNames and ExpressionAttributeValues only, each once")

// conditional is a record with a condition, by the names of PutItem: the texts of its members, in the record's format.
// nil: it is not there.
type conditional struct {
	item, condition, names, values []byte
}

// take takes a member.
func (c *conditional) take(name, text []byte) error {
	var into *[]byte
	switch string(name) {
	case "Item":
		into = &c.item
	case "ConditionExpression":
		into = &c.condition
	case "ExpressionAttributeNames":
		into = &c.names
	case "ExpressionAttributeValues":
		into = &c.values
	}
	if into == nil || *into != nil {
		return errForeignMember
	}
	*into = text
	return nil
}

// isWhole reports whether there are an item and a condition.
func (c *conditional) isWhole() bool { return c.item != nil && c.condition != nil }

// readJSON reads a record in DynamoDB's JSON.
func (c *conditional) readJSON(record []byte) error {
	r := attributejson.NewReader(record)
	err := r.Members(func(name []byte) error {
		member := string(name) // Raw may use its bytes again
		text, err := r.Raw()
		if err != nil {
			return err
		}
		return c.take([]byte(member), text)
	})
	if err != nil {
		return err
	}
	return r.End()
}

// compileJSON makes the condition of a record in DynamoDB's JSON.
func (c *conditional) compileJSON() (expr.Condition, error) {
	text, err := attributejson.NewReader(c.condition).String()
	if err != nil {
		return nil, err
	}
	names := filterSpecification{ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values}
	known, err := names.placeholders()
	if err != nil {
		return nil, err
	}
	return conditionOf(string(text), known)
}

// readIon reads a record in Ion.
func (c *conditional) readIon(record []byte) error {
	return new(attributeion.Reader).Fields(record, c.take)
}

// compileIon makes the condition of a record in Ion.
func (c *conditional) compileIon(names value.Names) (expr.Condition, error) {
	known := new(expression.Substitutions)
	condition, err := ionRow(names, "{ConditionExpression:", c.condition, "}")
	if err != nil {
		return nil, err
	}
	text, _ := condition.Get(names, []byte("ConditionExpression"))
	if text.Kind() != value.String {
		return nil, errors.New("ConditionExpression is no string")
	}
	if err := c.placeholdersIon(names, known); err != nil {
		return nil, err
	}
	return conditionOf(string(text.Bytes()), known)
}

// placeholdersIon are the names and values of the condition.
func (c *conditional) placeholdersIon(names value.Names, known *expression.Substitutions) error {
	if c.names != nil {
		row, err := ionRow(names, "", c.names, "")
		if err != nil {
			return err
		}
		for a := row.Attributes(names); a.Next(); {
			if a.Value().Kind() != value.String {
				return errors.New("a name in ExpressionAttributeNames is no string")
			}
			known.AddName(string(a.Name()), string(a.Value().Bytes()))
		}
	}
	if c.values != nil {
		row, err := ionRow(names, "", c.values, "")
		if err != nil {
			return err
		}
		for a := row.Attributes(names); a.Next(); {
			known.AddValue(string(a.Name()), a.Value())
		}
	}
	if err := known.CheckNames(); err != nil {
		return err
	}
	return known.CheckValues()
}

// ionRow reads a struct in Ion.
func ionRow(names value.Names, before string, text []byte, after string) (value.Row, error) {
	var b value.RowBuilder
	b.Reset(names)
	if err := new(attributeion.Reader).Item(append(append([]byte(before), text...), after...), &b); err != nil {
		return nil, err
	}
	return b.AppendTo(nil), nil
}

// conditionOf compiles a condition that uses all placeholders.
func conditionOf(text string, known *expression.Substitutions) (expr.Condition, error) {
	condition, err := expression.ParseCondition(text, known)
	if err != nil {
		return nil, err
	}
	return condition, known.CheckUsed()
}
