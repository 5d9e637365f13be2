// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"fmt"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// AppendParts appends the key parts that key holds: a computed part under its own name, or as the columns that it is
// computed from, a plain one under its column's name or its own. Errors: ErrNoKey and those of package indexkey.
func (t *Table) AppendParts(dst []byte, x *Index, key value.Row) (_ []byte, err error) {
	var ok bool
	if t.hasNamedPart(x, key) {
		dst, ok, err = t.appendNamedParts(dst, x, key)
	} else {
		dst, ok, err = indexkey.Append(dst, x.Index, key, t.Names)
	}
	if err == nil && !ok {
		err = ErrNoKey
	}
	return dst, err
}

// hasNamedPart reports whether key holds a part under a name that is no column's.
func (t *Table) hasNamedPart(x *Index, key value.Row) bool {
	for _, name := range x.Named {
		if _, ok := key.Get(t.Names, name); ok {
			return true
		}
	}
	return false
}

// appendNamedParts looks each part up under both of its names, and computes what it does not find.
func (t *Table) appendNamedParts(dst []byte, x *Index, key value.Row) ([]byte, bool, error) {
	names := t.Names
	return indexkey.AppendValues(dst, x.Index, func(part *schema.KeyPart) value.Value {
		if column := part.Column(); column != "" {
			if v, ok := key.Get(names, []byte(column)); ok {
				return v
			}
		}
		v, ok := key.Get(names, []byte(part.Name))
		if !ok && part.Computed() {
			v, _, _ = indexkey.Compute(part, func(column string) value.Value { // a column of a wrong type is missing
				v, _ := key.Get(names, []byte(column))
				return v
			}, nil)
		}
		return v
	})
}

// DecodeKey turns the relative key of an entry into a row of the visible parts of the index and of the primary key:
// DynamoDB's LastEvaluatedKey.
func (t *Table) DecodeKey(dst []byte, x *Index, key []byte) (value.Row, error) {
	var builder value.RowBuilder
	builder.Reset(t.Names)
	implied := x.IsPrimary() && x.IsIdentified() // computed parts follow from the columns behind them
	add := func(part *schema.KeyPart, v value.Value) error {
		if v.IsMissing() || implied && part.Computed() {
			return nil // a null of an index that keeps nulls
		}
		name := part.Name
		if column := part.Column(); column != "" {
			name = column
		}
		err := builder.Set([]byte(name), v)
		if err == value.ErrDuplicateName {
			return nil // a column of both keys
		}
		return err
	}
	rest, err := indexkey.Values(x.Index, key, nil, add)
	if err == nil && !x.IsPrimary() {
		implied = t.Primary.IsIdentified()
		_, err = indexkey.Values(t.Primary.Index, rest, nil, add)
	}
	if err != nil {
		return nil, err
	}
	return builder.AppendTo(dst), nil
}

// ColumnTypeError is an attribute whose value is not of the type that its column is declared with.
type ColumnTypeError struct {
	Column string
	Want   schema.Type
	Got    value.Kind
}

func (e *ColumnTypeError) Error() string {
	return fmt.Sprintf("record: column %q is declared as %s and can't hold this value of type %s", e.Column, e.Want,
		e.Got)
}

// columnTypes are the declared types by column, nil if none is.
func columnTypes(table *schema.Table) map[string]schema.Type {
	if len(table.Columns) == 0 {
		return nil
	}
	types := make(map[string]schema.Type, len(table.Columns))
	for i := range table.Columns {
		if c := &table.Columns[i]; c.Type != schema.AnyType {
			types[c.Name] = c.Type
		}
	}
	return types
}

// CheckColumns checks that the attributes of a row about to be written have the declared types of their columns. An
// attribute that is the same in the row before, which may be nil, is not checked: it may have been written before its
// column was declared. The error is a *ColumnTypeError.
func (t *Table) CheckColumns(row, before value.Row) error {
	if t.columns == nil {
		return nil
	}
	attributes := row.Attributes(t.Names)
	for attributes.Next() {
		v := attributes.Value()
		want, declared := t.columns[string(attributes.Name())]
		if !declared || isOf(want, v) {
			continue
		}
		if was, ok := before.Get(t.Names, attributes.Name()); ok && bytes.Equal(was, v) {
			continue
		}
		return &ColumnTypeError{Column: string(attributes.Name()), Want: want, Got: v.Kind()}
	}
	return attributes.Err()
}

// isOf reports whether a column of a type takes a value. Numbers of all kinds are taken by what they are: an integral
// Number fits Int.
func isOf(t schema.Type, v value.Value) bool {
	kind := v.Kind()
	if kind == value.Null {
		return true // no value
	}
	switch t {
	case schema.String:
		return kind == value.String
	case schema.Binary:
		return kind == value.Binary
	case schema.Bool:
		return kind == value.Bool
	case schema.Int, schema.Timestamp:
		if _, ok := v.Int(); ok {
			return true
		}
		d, ok := v.Decimal()
		if ok {
			_, ok = d.Int()
		}
		return ok
	case schema.Number:
		_, ok := v.Decimal()
		return ok
	case schema.Float:
		return kind.IsNumeric()
	}
	return true
}
