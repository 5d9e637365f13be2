// SPDX-License-Identifier: Apache-2.0

package record

import (
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
