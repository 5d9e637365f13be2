// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math"
	"strings"
)

// asMember is the place of a text that is a value of an ENUM or SET: its bits are its number.
const asMember = 1

// IsList reports whether values are those of ENUM or SET: texts with numbers, by which they are ordered and computed
// with.
func (t Type) IsList() bool { return t.Variety == Enum || t.Variety == Set }

// named gives a text of an ENUM or SET its number: 0 if it is no member.
func (d Datum) named(t *Type) Datum {
	d.place = asMember
	if t.Variety == Set {
		d.bits = t.bitsOf(d.text)
		return d
	}
	t.members(func(number int, member string) bool {
		if member == d.text {
			d.bits = uint64(number)
		}
		return d.bits == 0
	})
	return d
}

// bitsOf has a bit for each member that a text lists.
func (t *Type) bitsOf(list string) (bits uint64) {
	t.members(func(number int, member string) bool {
		for rest, more := list, list != ""; more; {
			var one string
			if one, rest, more = strings.Cut(rest, ","); one == member {
				bits |= 1 << (number - 1)
			}
		}
		return true
	})
	return bits
}

// Member returns the number of a value of an ENUM or SET; ok is false for other values.
func (d Datum) Member() (number uint64, ok bool) {
	return d.bits, d.kind == KindText && d.place == asMember
}

// WithMember gives a text the number that Member has returned.
func (d Datum) WithMember(number uint64) Datum {
	d.place, d.bits = asMember, number
	return d
}

// Unnumbered is d, but a value of an ENUM or SET is a text like others.
func (d Datum) Unnumbered() Datum {
	if d.kind == KindText {
		d.place, d.bits = 0, 0
	}
	return d
}

// number is the number of a value of an ENUM or SET.
func (d Datum) number() Datum {
	if d.bits > math.MaxInt64 {
		return Uint(d.bits)
	}
	return Int(int64(d.bits))
}
