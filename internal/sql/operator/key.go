// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Key is one equality of a join: Left over the left rows, Right over the right ones.
type Key struct {
	Left, Right *evaluate.Program
	// As is what KeyType says of the two types.
	As datum.Type
	// NullSafe is <=>: NULLs are equal.
	NullSafe bool
}

// KeyType says how values of two types are made alike where they are found by equality, as the operator = compares them. ok is false where that can't be
// done by single values: then rows have to be compared one by one.
func KeyType(left, right datum.Type) (as datum.Type, ok bool) {
	a, b := keyClass(left), keyClass(right)
	switch {
	case a == 0 || b == 0:
		return datum.Type{}, false
	case a == b:
		return datum.Type{}, true
	case a == classNumber:
		return datum.Type{Base: datum.BigInt}, b == classText
	case b == classNumber:
		return datum.Type{Base: datum.BigInt}, a == classText
	case a == classText:
		return right, true
	case b == classText:
		return left, true
	}
	return datum.Type{}, false
}

// Classes of types whose values compare by one rule; 0 is any other.
const (
	classNumber = iota + 1
	classText
	classInstant
	classTime
)

func keyClass(t datum.Type) int {
	switch {
	case t.IsNumeric() || t.Base == datum.Boolean:
		return classNumber
	case t.IsText() || t.IsBinary():
		return classText
	case t.Base == datum.Date || t.Base == datum.Timestamp:
		return classInstant
	case t.Base == datum.Time:
		return classTime
	}
	return 0
}

// normal is a value of one side as it is found by equality; NULL if it equals nothing.
func (k *Key) normal(d datum.Datum) datum.Datum {
	if k.As.Base == datum.Untyped || d.IsNull() {
		return d
	}
	d, ok := datum.Comparable(d, k.As)
	if !ok {
		return datum.Null
	}
	return d
}

// appendKeys appends the key of the row at hand on one side. null: a part is NULL, and equals nothing.
func appendKeys(dst []byte, x *evaluate.Context, keys []Key, right bool) (key []byte, null bool, err error) {
	for i := range keys {
		k := &keys[i]
		program := k.Left
		if right {
			program = k.Right
		}
		d, err := program.Value(x)
		if err != nil {
			return dst, false, err
		}
		d = k.normal(d)
		null = null || d.IsNull() && !k.NullSafe
		dst = d.AppendKey(dst)
	}
	return dst, null, nil
}
