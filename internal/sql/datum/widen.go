// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math"
	"slices"
)

// Holds reports whether a column of type t can take over the stored values of one of another type: each is one of its
// own, and stored alike.
func (t Type) Holds(other Type) bool {
	switch {
	case t == other:
		return true
	case t.IsList() || other.IsList() && !t.IsText():
		return t.Variety == other.Variety && t.hasMembers(other)
	case t.isRange() && other.isRange():
		low, high := t.integerRange()
		otherLow, otherHigh := other.integerRange()
		return low <= otherLow && otherHigh <= high
	case t.isPositive() && !other.isPositive() && !other.IsUnsigned():
		return false
	case t.Base == DecimalBase:
		return t.holdsDigits(other)
	case t.IsFloat() && other.IsFloat():
		return t.Base >= other.Base
	case t.IsText() && other.IsText() && t.Base >= other.Base, t.Base == Varbinary && other.Base == Varbinary:
		return t.holdsLength(other)
	case (t.Base == Timestamp || t.Base == Time) && t.Base == other.Base:
		return t.FractionDigits() >= other.FractionDigits() && t.TimeUnit() == other.TimeUnit() &&
			(t.Variety == Zoned) == (other.Variety == Zoned)
	}
	return false
}

// Shortens reports whether t differs from another type of texts or bytes in its length alone, so that it holds those
// values that are not too long.
func (t Type) Shortens(other Type) bool {
	return t.Length > 0 && t.Variety == Plain && !other.IsList() &&
		(t.Base == Varchar && other.Base == Varchar || t.Base == Varbinary && other.Base == Varbinary)
}

// Retimes reports whether t differs from another type of times in its digits of a second, or in its zone, so that it
// holds those columns that have no times yet.
func (t Type) Retimes(other Type) bool {
	return (t.Base == Timestamp || t.Base == Time) && t.Base == other.Base
}

// Range is the range of integers that t holds; ok is false if it differs from another type of integers in more than
// that.
func (t Type) Range(other Type) (low int64, high uint64, ok bool) {
	if !t.isRange() || !other.isRange() {
		return 0, 0, false
	}
	low, high = t.integerRange()
	return low, high, true
}

func (t Type) isRange() bool { return t.IsInteger() && t.Variety != Bit && t.Variety != Year }

func (t Type) integerRange() (low int64, high uint64) {
	if t.Variety != Plain {
		return varieties[t.Variety].low, uint64(varieties[t.Variety].high)
	}
	if t.Base == BigIntUnsigned {
		return 0, math.MaxUint64
	}
	low, most := integerRangeOf(t.Base)
	return low, uint64(most)
}

func (t Type) hasMembers(other Type) bool {
	var own []string
	t.members(func(_ int, member string) bool { own = append(own, member); return true })
	all := true
	other.members(func(_ int, member string) bool { all = slices.Contains(own, member); return all })
	return all
}

// holdsDigits is Holds of a DECIMAL. Without a precision it takes any number.
func (t Type) holdsDigits(other Type) bool {
	switch {
	case other.isRange():
		_, high := other.integerRange()
		return t.Precision == 0 || math.Pow10(t.Precision-t.Scale) > float64(high)
	case other.Base != DecimalBase:
		return false
	}
	return t.Precision == 0 || other.Precision > 0 && t.Scale >= other.Scale &&
		t.Precision-t.Scale >= other.Precision-other.Scale
}

// bytesOfRune is the number of bytes a character takes at most.
const bytesOfRune = 4

// holdsLength is Holds of texts and bytes: lengths are characters, the sizes of varieties bytes.
func (t Type) holdsLength(other Type) bool {
	most, size := varieties[t.Variety].sizeMax, varieties[other.Variety].sizeMax
	switch {
	case t.Length == 0 && most == 0:
		return true
	case t.Length > 0 && other.Length > 0:
		return other.Length <= t.Length
	case t.Length > 0:
		return size > 0 && size <= t.Length
	case other.Length > 0 && t.IsText():
		return other.Length*bytesOfRune <= most
	}
	return other.Length > 0 && other.Length <= most || size > 0 && size <= most
}
