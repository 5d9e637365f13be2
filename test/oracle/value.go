// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Value is an attribute value. Values are never changed once made, so they are shared freely.
type Value struct {
	Type   string // as in requests: "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS" or "BS"
	Text   string // of S; of B the bytes themselves
	Number Decimal
	Truth  bool
	List   []*Value          // of L, and the members of sets in order
	Fields map[string]*Value // of M

	// Raw, if not empty, is the value's JSON in requests instead of the usual one. Fault is why DynamoDB refuses it, ""
	// if it does not, and OlderFault how operations say so whose validation has kept its older words, if that differs.
	Raw, Fault, OlderFault string
}

// Item is the attributes of an item, or of a key.
type Item map[string]*Value

// Text, Bytes, Number, Bool, Null, List, Map and Set make values.
func Text(s string) *Value { return &Value{Type: "S", Text: s} }

// Bytes makes a B.
func Bytes(s string) *Value { return &Value{Type: "B", Text: s} }

// Number makes an N of a text that must be a number.
func Number(text string) *Value {
	d, fault := ParseDecimal(text)
	v := &Value{Type: "N", Number: d, Raw: `{"N":` + quote(text) + `}`, Fault: fault}
	if text == "" {
		v.OlderFault = textNotNumber
	}
	return v
}

func ofDecimal(d Decimal) *Value { return &Value{Type: "N", Number: d} }

func ofInt(n int) *Value { return Number(strconv.Itoa(n)) }

// Bool makes a BOOL.
func Bool(truth bool) *Value { return &Value{Type: "BOOL", Truth: truth} }

// Null makes a NULL.
func Null() *Value { return &Value{Type: "NULL"} }

// List makes an L.
func List(elements ...*Value) *Value { return &Value{Type: "L", List: elements} }

// Map makes an M.
func Map(fields map[string]*Value) *Value { return &Value{Type: "M", Fields: fields} }

// Set makes a set of members of one type, dropping those that are there twice.
func Set(members ...*Value) *Value {
	members = slices.Clone(members)
	slices.SortFunc(members, order)
	members = slices.CompactFunc(members, equal)
	return &Value{Type: members[0].Type + "S", List: members}
}

func quote(text string) string {
	b, _ := json.Marshal(text) // a string has JSON
	return string(b)
}

func (v *Value) isSet() bool { return v != nil && len(v.Type) == 2 }

// typeOf is the type, or "" of no value.
func typeOf(v *Value) string {
	if v == nil {
		return ""
	}
	return v.Type
}

// order compares two values of one of the types S, N and B.
func order(a, b *Value) int {
	if a.Type == "N" {
		return a.Number.Compare(b.Number)
	}
	return strings.Compare(a.Text, b.Text)
}

// haveOrder reports whether two values have an order.
func haveOrder(a, b *Value) bool {
	return a != nil && b != nil && a.Type == b.Type && isScalar(a.Type)
}

// isScalar reports whether values of the type have an order and may be keys.
func isScalar(kind string) bool { return kind == "S" || kind == "N" || kind == "B" }

// equal reports whether two values are there and the same.
func equal(a, b *Value) bool {
	if a == nil || b == nil || a.Type != b.Type {
		return false
	}
	switch a.Type {
	case "S", "B":
		return a.Text == b.Text
	case "N":
		return a.Number == b.Number
	case "BOOL":
		return a.Truth == b.Truth
	case "M":
		return maps.EqualFunc(a.Fields, b.Fields, equal)
	}
	return slices.EqualFunc(a.List, b.List, equal)
}

// Size is what the value counts toward an item, in bytes.
func (v *Value) Size() int {
	switch v.Type {
	case "S", "B":
		return len(v.Text)
	case "N":
		return v.Number.Size()
	case "BOOL", "NULL":
		return 1
	}
	size := 0
	if !v.isSet() {
		size = 3 + len(v.List) + len(v.Fields)
	}
	for _, element := range v.List {
		size += element.Size()
	}
	for name, element := range v.Fields {
		size += len(name) + element.Size()
	}
	return size
}

// Size is an item's size in bytes: names and values.
func (item Item) Size() int {
	size := 0
	for name, v := range item {
		size += len(name) + v.Size()
	}
	return size
}

// depth is the number of lists and maps that stand inside one another.
func (v *Value) depth() int {
	deepest := 0
	for _, element := range v.List {
		deepest = max(deepest, element.depth())
	}
	for _, element := range v.Fields {
		deepest = max(deepest, element.depth())
	}
	if v.Type == "L" || v.Type == "M" {
		deepest++
	}
	return deepest
}

const (
	depthMax  = 31
	textDepth = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)

// faults lists why DynamoDB refuses the value, on demand in the older words.
func (v *Value) faults(older bool) (texts []string) {
	switch {
	case older && v.OlderFault != "":
		texts = append(texts, v.OlderFault)
	case v.Fault != "":
		texts = append(texts, v.Fault)
	}
	if v.depth() > depthMax {
		texts = append(texts, textDepth)
	}
	for _, element := range v.List {
		texts = append(texts, element.faults(older)...)
	}
	for _, element := range v.Fields {
		texts = append(texts, element.faults(older)...)
	}
	return texts
}

func (item Item) faults(older bool) (texts []string) {
	for _, v := range item {
		texts = append(texts, v.faults(older)...)
	}
	return texts
}

// appendJSON appends the value as answers have it: fields in order, numbers in their normal form. With raw set it is as
// in the request.
func (v *Value) appendJSON(b []byte, raw bool) []byte {
	if raw && v.Raw != "" {
		return append(b, v.Raw...)
	}
	b = append(append(append(b, `{"`...), v.Type...), `":`...)
	switch v.Type {
	case "M":
		b = Item(v.Fields).appendJSON(b, raw)
	case "L", "SS", "NS", "BS":
		b = append(b, '[')
		for i, element := range v.List {
			if i > 0 {
				b = append(b, ',')
			}
			switch {
			case v.Type == "L":
				b = element.appendJSON(b, raw)
			case raw && element.Raw != "": // {"N":"1.0"}
				b = append(b, element.Raw[len(`{"N":`):len(element.Raw)-1]...)
			default:
				b = element.appendScalar(b)
			}
		}
		b = append(b, ']')
	default:
		b = v.appendScalar(b)
	}
	return append(b, '}')
}

func (v *Value) appendScalar(b []byte) []byte {
	switch v.Type {
	case "S":
		return append(b, quote(v.Text)...)
	case "B":
		return append(b, `"`+base64.StdEncoding.EncodeToString([]byte(v.Text))+`"`...)
	case "N":
		return append(b, `"`+v.Number.String()+`"`...)
	case "BOOL":
		return strconv.AppendBool(b, v.Truth)
	}
	return append(b, "true"...)
}

func (item Item) appendJSON(b []byte, raw bool) []byte {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(item)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(name)...), ':')
		b = item[name].appendJSON(b, raw)
	}
	return append(b, '}')
}

// String is the item's JSON as answers have it.
func (item Item) String() string { return string(item.appendJSON(nil, false)) }
