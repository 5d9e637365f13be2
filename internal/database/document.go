// SPDX-License-Identifier: Apache-2.0

package database

import (
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

// AppendRow appends an item, or a key, that is a map or a struct as a row with the given names: see govalue.AppendRow.
// Errors: KindInvalid.
func AppendRow(dst []byte, names value.Names, item any) (value.Row, error) {
	row, err := govalue.AppendRow(dst, names, item)
	if err != nil {
		return nil, ItemFault(err)
	}
	return row, nil
}

// KeyRow appends the encoded attributes of the primary key, or of what it is computed of, that a map or a struct has;
// others are not looked at. Errors: KindInvalid.
func (p Pinned) KeyRow(dst []byte, key any) (value.Row, error) {
	row, err := govalue.AppendSome(dst, p.Names(), key, p.isOfKey)
	if err != nil {
		return nil, ItemFault(err)
	}
	return row, nil
}

// isOfKey reports whether a name names a part of the primary key, or a column that one is computed of.
func (p Pinned) isOfKey(name string) bool {
	return p.table.IsKeyColumn(value.ReadOnly(name)) ||
		slices.ContainsFunc(p.Descriptor().Primary.Key, func(part schema.KeyPart) bool { return part.Name == name })
}

// Item is one item in its stored bytes. A field is decoded when it is asked for.
type Item struct {
	Row   value.Row
	Names value.Names
}

// Attribute returns the value of a top-level attribute; a missing one has the kind Missing. It aliases the item's
// bytes.
func (i Item) Attribute(name string) value.Value {
	if i.Row == nil {
		return nil
	}
	v, _ := i.Row.Get(i.Names, []byte(name))
	return v
}

// Text returns a string attribute, "" if there is none.
func (i Item) Text(name string) string {
	v := i.Attribute(name)
	if v.Kind() != value.String {
		return ""
	}
	return string(v.Bytes())
}

// Int returns a numeric attribute as an integer; ok is false if it is missing, no number, or no integer of 64 bits.
func (i Item) Int(name string) (n int64, ok bool) { return i.Attribute(name).Int() }

// Float returns a numeric attribute; ok is false if it is missing or no number.
func (i Item) Float(name string) (x float64, ok bool) { return i.Attribute(name).Float() }

// ItemFault is the error of KindInvalid which says that a Go value is no item, or which attribute of it can't be
// stored.
func ItemFault(err error) error {
	text := "attribute " + err.Error()
	if no, ok := errors.AsType[*govalue.NoItemError](err); ok {
		text = no.Error()
	}
	return &Error{Kind: KindInvalid, Detail: text, Err: err}
}
