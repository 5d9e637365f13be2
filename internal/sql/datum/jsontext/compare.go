// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"cmp"

	"github.com/weftdb/weft/internal/data/value"
)

// Rank orders the kinds of JSON: null, numbers, strings, objects, arrays, truth values.
func Rank(kind value.Kind) int {
	switch kind {
	case value.Number, value.Int, value.Float, value.Timestamp:
		return 1
	case value.String:
		return 2
	case value.Map:
		return 3
	case value.List:
		return 4
	case value.Bool:
		return 5
	}
	return 0
}

// Compare orders two documents: by what they are, then by value. Arrays compare element by element. Objects are equal
// if their entries are; else they have some order.
func Compare(v, w value.Value) int {
	if x, y := Rank(v.Kind()), Rank(w.Kind()); x != y {
		return cmp.Compare(x, y)
	}
	switch v.Kind() {
	case value.Bool:
		return compareBools(v.Bool(), w.Bool())
	case value.List:
		return compareArrays(v, w)
	case value.Map:
		return bytes.Compare(v, w) // any order will do; equal objects are equal bytes
	}
	order, _ := value.Compare(v, w)
	return order
}

func compareArrays(v, w value.Value) int {
	x, y := v.Elements(), w.Elements()
	for x.Next() {
		if !y.Next() {
			return 1
		}
		if order := Compare(x.Value(), y.Value()); order != 0 {
			return order
		}
	}
	if y.Next() {
		return -1
	}
	return 0
}

func compareBools(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}
