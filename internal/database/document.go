// SPDX-License-Identifier: Apache-2.0

package database

import (
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/value"
)

// Document is an item as Go values, for programs to which convenience matters more than speed. It takes nil, bool, string, []byte, integers, float64,
// json.Number, Decimal, Value, []any, map[string]any, Document, []string, [][]byte and []int64 (the last three as sets); and gives back nil,
// bool, string, []byte, json.Number, []any, map[string]any, []string, []json.Number and [][]byte.
type Document map[string]any

// AppendRow appends the document as a row with the given names. Errors: KindInvalid for a value of another type.
func (d Document) AppendRow(dst []byte, names value.Names) (value.Row, error) {
	var b value.RowBuilder
	b.Reset(names)
	for name, x := range d {
		b.Begin([]byte(name))
		buf, err := govalue.AppendValue(b.Buf, x)
		if err != nil {
			return nil, &Error{Kind: KindInvalid, Detail: "attribute " + name, Err: err}
		}
		b.Buf = buf
		if err := b.End(); err != nil {
			return nil, &Error{Kind: KindInvalid, Detail: "attribute " + name, Err: err}
		}
	}
	return b.AppendTo(dst), nil
}

// Item is one item in its stored bytes. A field is decoded when it is asked for.
type Item struct {
	Row   value.Row
	Names value.Names
}

// Attribute returns the value of a top-level attribute; a missing one has the kind Missing. It aliases the item's bytes.
func (i Item) Attribute(name string) value.Value {
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

// Document returns all attributes as Go values: see Document for the types.
func (i Item) Document() Document {
	all := Document{}
	attributes := i.Row.Attributes(i.Names)
	for attributes.Next() {
		all[string(attributes.Name())] = govalue.GoValue(attributes.Value())
	}
	return all
}
