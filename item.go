// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/order"
)

// Document is an item as Go values. It takes nil, bool, string, []byte, numbers with json.Number and Decimal, time.Time (kept in whole milliseconds), time.Duration (a
// number of nanoseconds), encoding.TextMarshalers as their texts, slices as lists, maps and structs, and Set; and gives back nil, bool, string, []byte, json.Number,
// time.Time in UTC, []any, map[string]any and Set.
type Document map[string]any

// Set is a set of strings, of numbers or of []bytes. It can't be empty: leave the attribute out.
type Set []any

// Members returns the set's members.
func (s Set) Members() []any { return s }

func goValue(v value.Value) any {
	return govalue.GoValueWith(v, func(members []any) any { return Set(members) })
}

// Decimal is a number of up to 38 significant digits.
type Decimal = order.Decimal

// Item is one item in its stored bytes. An attribute is decoded when it is asked for.
type Item struct{ item database.Item }

// Value returns an attribute as a Go value, of the types that Document gives back; ok is false if it is missing.
func (i Item) Value(name string) (x any, ok bool) {
	v := i.item.Attribute(name)
	if v.Kind() == value.Missing {
		return nil, false
	}
	return goValue(v), true
}

// Text returns a string attribute, "" if there is none.
func (i Item) Text(name string) string { return i.item.Text(name) }

// Int returns a numeric attribute as an integer; ok is false if it is missing, no number, or no integer of 64 bits.
func (i Item) Int(name string) (n int64, ok bool) { return i.item.Int(name) }

// Float returns a numeric attribute; ok is false if it is missing or no number.
func (i Item) Float(name string) (x float64, ok bool) { return i.item.Float(name) }

// Document returns all attributes as Go values.
func (i Item) Document() Document {
	all := Document{}
	attributes := i.item.Row.Attributes(i.item.Names)
	for attributes.Next() {
		all[string(attributes.Name())] = goValue(attributes.Value())
	}
	return all
}
