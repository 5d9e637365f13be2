// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/document"
	"github.com/weftdb/weft/internal/value"
)

// Item is one item in its stored bytes. A field is decoded when it is asked for.
type Item struct {
	Row   Row
	Names Names
}

// Attribute returns the value of a top-level attribute; a missing one has the kind Missing. It aliases the item's bytes.
func (i Item) Attribute(name string) Value {
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
		all[string(attributes.Name())] = document.GoValue(attributes.Value())
	}
	return all
}
