// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// Document is an item as Go values. It takes nil, bool, string, []byte, numbers with json.Number and order.Decimal,
// time.Time (kept in whole milliseconds), time.Duration (a number of nanoseconds), encoding.TextMarshalers as their
// texts, slices as lists, maps and structs, and Set; and gives back nil, bool, string, []byte, json.Number,
// time.Time in UTC, []any, map[string]any and Set.
type Document map[string]any

// Set is a set of strings, of numbers or of []bytes. It can't be empty: leave the attribute out.
type Set []any

// Members returns the set's members.
func (s Set) Members() []any { return s }

func goValue(v value.Value) any {
	return govalue.GoValueWith(v, func(members []any) any { return Set(members) })
}

// Item is one item in its stored bytes. An attribute is decoded when it is asked for. The zero Item has no
// attributes. An Item never changes; that of a Cursor or of Table.Scan is valid only until they go on.
type Item struct{ item database.Item }

// Exists reports whether there is an item: it is false of the zero Item.
func (i Item) Exists() bool { return i.item.Row != nil }

// Clone returns a copy that stays valid.
func (i Item) Clone() Item {
	return Item{database.Item{Row: slices.Clone(i.item.Row), Names: i.item.Names}}
}

// Decode stores the item in the struct or map that into points to. A field of a struct is the attribute of its
// name, or of the name in its tag:
//
//	Country string    `weft:"country"`
//	Seen    time.Time `weft:"seen,omitempty"` // not stored if it is the zero value or empty
//	Tags    []string  `weft:"tags,set"`       // a set; without that option a list
//	Hidden  int       `weft:"-"`
//
// Types are Document's; embedded structs count as their fields. Fields without an attribute stay as they
// are, and an attribute without a field is left out. Errors: KindInvalid, naming the attribute, if a value does not
// go into its field.
func (i Item) Decode(into any) error {
	if !i.Exists() {
		return nil
	}
	if err := govalue.DecodeRow(i.item.Row, i.item.Names, into); err != nil {
		return public(database.ItemFault(err))
	}
	return nil
}

// Document returns all attributes as Go values.
func (i Item) Document() Document {
	all := Document{}
	attributes := i.item.Row.Attributes(i.item.Names)
	for attributes.Next() {
		all[string(attributes.Name())] = goValue(attributes.Value())
	}
	return all
}

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

// Bytes returns a binary attribute, nil if there is none.
func (i Item) Bytes(name string) []byte {
	if v := i.item.Attribute(name); v.Kind() == value.Binary {
		return slices.Clone(v.Bytes())
	}
	return nil
}

// Int returns a numeric attribute as an integer; ok is false if it is missing, no number, or no integer of 64 bits.
func (i Item) Int(name string) (n int64, ok bool) { return i.item.Int(name) }

// Float returns a numeric attribute; ok is false if it is missing or no number.
func (i Item) Float(name string) (x float64, ok bool) { return i.item.Float(name) }

// Time returns an attribute that is a time, in UTC; ok is false if it is missing or something else.
func (i Item) Time(name string) (at time.Time, ok bool) {
	v := i.item.Attribute(name)
	if v.Kind() != value.Timestamp {
		return time.Time{}, false
	}
	ms, ok := v.Int()
	return time.UnixMilli(ms).UTC(), ok
}
