// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"cmp"
	"math"
)

// Compare orders a and b as DynamoDB does: strings and binaries by their bytes, numbers of any kinds by value. Other
// kinds, and values of two kinds, have no order: comparable is false. NaN comes after all other numbers, as in package
// order.
func Compare(a, b Value) (order int, comparable bool) {
	kindA, kindB := a.Kind(), b.Kind()
	switch {
	case kindA == String && kindB == String, kindA == Binary && kindB == Binary:
		return bytes.Compare(a.Bytes(), b.Bytes()), true
	case kindA.IsNumeric() && kindB.IsNumeric():
		return compareNumbers(a, b), true
	}
	return 0, false
}

func compareNumbers(a, b Value) int {
	kindA, kindB := a.Kind(), b.Kind()
	if kindA == kindB {
		return bytes.Compare(a[1:], b[1:])
	}
	decimalA, okA := a.Decimal()
	decimalB, okB := b.Decimal()
	if okA && okB {
		return decimalA.Compare(decimalB)
	}
	// One is a Float beyond all decimals, or closer to zero than any: as a float64 it still stands on the right side of
	// them.
	floatA, _ := a.Float()
	floatB, _ := b.Float()
	if math.IsNaN(floatA) || math.IsNaN(floatB) {
		return -cmp.Compare(floatA, floatB)
	}
	return cmp.Compare(floatA, floatB)
}

// Equal reports whether a and b are the same value: members of sets and entries of maps in any order, numbers by value,
// whatever their kind. Two missing values are equal.
func Equal(a, b Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	kindA, kindB := a.Kind(), b.Kind()
	if kindA.IsNumeric() && kindB.IsNumeric() {
		return kindA != kindB && compareNumbers(a, b) == 0
	}
	if kindA != kindB || !kindA.IsDocument() {
		return false // canonical: these have equal bytes only
	}
	return equalDocuments(a, b, 0)
}

// equalDocuments compares lists or maps that may hold one number as different kinds.
func equalDocuments(a, b Value, depth int) bool {
	if depth > NestingMax || a.Len() != b.Len() {
		return false
	}
	x, y := a.Elements(), b.Elements()
	for x.Next() {
		if !y.Next() || !bytes.Equal(x.name, y.name) {
			return false
		}
		if kind := x.value.Kind(); kind.IsDocument() && kind == y.value.Kind() {
			if !bytes.Equal(x.value, y.value) && !equalDocuments(x.value, y.value, depth+1) {
				return false
			}
		} else if !Equal(x.value, y.value) {
			return false
		}
	}
	return true
}

// Contains is DynamoDB's contains(): whether member is a part of the String or Binary v, a member of the set v, or an
// element of the List v. It is false for all else.
func (v Value) Contains(member Value) bool {
	switch kind := v.Kind(); kind {
	case String, Binary:
		return member.Kind() == kind && bytes.Contains(v.Bytes(), member.Bytes())
	case StringSet, NumberSet, BinarySet:
		return !member.IsMissing() && member.Kind().SetKind() == kind && v.containsEqual(member)
	case List:
		return !member.IsMissing() && v.containsEqual(member)
	}
	return false
}

func (v Value) containsEqual(member Value) bool {
	for e := v.Elements(); e.Next(); {
		if Equal(e.value, member) {
			return true
		}
	}
	return false
}
