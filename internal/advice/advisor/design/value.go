// SPDX-License-Identifier: Apache-2.0

package design

import (
	"cmp"
	"strconv"
	"strings"
)

// Value is the value of one attribute.
type Value struct {
	Type   string  // S, N, B, BOOL, NULL, M, L, SS, NS or BS; "" is an absent attribute
	Text   string  // the text of S, the decimal of N, the bytes of B, "true" or "false" of BOOL; empty for the others
	Number float64 // of N; what float64 can't tell apart is equal here
	Bytes  int     // size of the value in an item, in bytes
}

// Text is a value of type S.
func Text(text string) Value { return Value{Type: "S", Text: text, Bytes: len(text)} }

// Number is a value of type N. The text is a decimal number; what is none counts as 0.
func Number(text string) Value {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number != number {
		number = 0
	}
	return Value{Type: "N", Text: text, Number: number, Bytes: (len(text)+1)/2 + 1}
}

// Bool is a value of type BOOL.
func Bool(b bool) Value { return Value{Type: "BOOL", Text: strconv.FormatBool(b), Bytes: 1} }

// Compare orders values by type, then by value.
func (v Value) Compare(w Value) int {
	if v.Type != w.Type {
		return strings.Compare(v.Type, w.Type)
	}
	if v.Type == "N" {
		return cmp.Compare(v.Number, w.Number)
	}
	return strings.Compare(v.Text, w.Text)
}

// String prints the value for people, texts shortened.
func (v Value) String() string {
	const bytesMax = 24
	switch {
	case v.Type == "":
		return "absent"
	case v.Type != "S" && v.Type != "B":
		return v.Text
	case len(v.Text) > bytesMax:
		return strconv.Quote(v.Text[:bytesMax]) + "..."
	}
	return strconv.Quote(v.Text)
}

// Field is one attribute of an item.
type Field struct {
	Name  string
	Value Value
}

// Row is one item of the sample: its attributes in any order, no name twice.
type Row []Field

// Bytes is the size of the item as DynamoDB counts it, nested documents by their text.
func (r Row) Bytes() int {
	total := 0
	for _, f := range r {
		total += len(f.Name) + f.Value.Bytes
	}
	return total
}
