// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"fmt"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

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
