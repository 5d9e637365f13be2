// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"bytes"
	"encoding/json"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
)

// filterSpecification says which items an export has, and what of them.
type filterSpecification struct {
	ExpressionAttributeNames  json.RawMessage `json:",omitempty"`
	ExpressionAttributeValues json.RawMessage `json:",omitempty"`
	FilterExpression          *string         `json:",omitempty"`
	KeyConditionExpression    *string         `json:",omitempty"`
	ProjectionExpression      *string         `json:",omitempty"`
}

// filter is a filterSpecification, ready. The zero value takes all of all items.
type filter struct {
	condition  expr.Condition
	projection []expr.Path
	builder    value.RowBuilder
	row        value.Row
}

// compile judges a specification, which may be nil, by the table. Its raw members become the specification's own.
func (s *filterSpecification) compile(pin database.Pinned) (*filter, error) {
	f := new(filter)
	if s == nil {
		return f, nil
	}
	s.ExpressionAttributeNames, s.ExpressionAttributeValues = bytes.Clone(s.ExpressionAttributeNames),
		bytes.Clone(s.ExpressionAttributeValues)
	known, err := s.placeholders()
	if err != nil {
		return nil, err
	}
	var conditions []expr.Condition
	if s.KeyConditionExpression != nil {
		keys, err := expression.ParseKeyCondition(*s.KeyConditionExpression, known)
		if err == nil {
			conditions, err = itemkey.Bind(&pin.Descriptor().Primary, keys)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.FilterExpression != nil {
		condition, err := expression.ParseFilter(*s.FilterExpression, known)
		if err == nil && s.KeyConditionExpression != nil {
			err = noKeys(pin, condition)
		}
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, condition)
	}
	if s.ProjectionExpression != nil {
		if f.projection, err = expression.ParseProjection(*s.ProjectionExpression, known); err != nil {
			return nil, err
		}
		expr.SortPaths(f.projection)
	}
	f.condition = expr.Conjunction(conditions...)
	return f, known.CheckUsed()
}

// noKeys refuses a filter of key attributes beside a condition on the key.
func noKeys(pin database.Pinned, condition expr.Condition) error {
	for path := range expr.Paths(condition) {
		if itemkey.Has(pin.Descriptor().Primary.Key, path.Name) {
			return exception.Validation(
				"Filter Expression can only contain non-primary key attributes: Primary key attribute: " + path.Name)
		}
	}
	return nil
}

// placeholders are the names and values of the expressions.
func (s *filterSpecification) placeholders() (*expression.Substitutions, error) {
	known := new(expression.Substitutions)
	if s.ExpressionAttributeNames != nil {
		r := attributejson.NewReader(s.ExpressionAttributeNames)
		err := r.Members(func(name []byte) error {
			placeholder := string(name)
			text, err := r.String()
			known.AddName(placeholder, string(text))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if s.ExpressionAttributeValues != nil {
		r := attributejson.NewReader(s.ExpressionAttributeValues)
		err := r.Members(func(name []byte) error {
			placeholder := string(name)
			v, err := r.Value(nil)
			known.AddValue(placeholder, v)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if err := known.CheckNames(); err != nil {
		return nil, err
	}
	return known, known.CheckValues()
}

// matches reports whether the export has an item; one that is not there has none.
func (f *filter) matches(names value.Names, row value.Row) (bool, error) {
	if row == nil || f.condition == nil {
		return row != nil, nil
	}
	return expr.Match(f.condition, expr.Source{Row: row, Names: names})
}

// project returns the part of an item that the export shows, good until the next call.
func (f *filter) project(names value.Names, row value.Row) (value.Row, error) {
	if f.projection == nil || row == nil {
		return row, nil
	}
	f.builder.Reset(names)
	if err := expr.Project(f.projection, expr.Source{Row: row, Names: names}, &f.builder); err != nil {
		return nil, err
	}
	f.row = f.builder.AppendTo(f.row[:0])
	return f.row, nil
}
