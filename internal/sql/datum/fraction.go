// SPDX-License-Identifier: Apache-2.0

package datum

import "strings"

// fractionMax is the most digits of a second, as in MySQL.
const fractionMax = 6

// digitUnits are the microseconds of each digit behind the point; the first is the second itself. // immutable
var digitUnits = [fractionMax + 1]int64{secondUS, 100_000, 10_000, 1000, 100, 10, 1}

// WithFraction is a time that shows so many digits of its fraction at least, 6 at most; 0: those that it has. Other
// values stay as they are.
func (d Datum) WithFraction(digits int) Datum {
	if d.kind == KindTimestamp || d.kind == KindTime {
		d.scale = uint8(min(max(digits, 0), fractionMax))
	}
	return d
}

// TimeShape is a byte with what a time has besides its value; WithTimeShape gives it back.
func (d Datum) TimeShape() byte { return d.scale | byte(d.place)<<4 }

// WithTimeShape is a time with a shape that TimeShape has returned.
func (d Datum) WithTimeShape(shape byte) Datum {
	d = d.WithFraction(int(shape & 0xf))
	if d.kind == KindTimestamp {
		d.place = int32(shape >> 4)
	}
	return d
}

// OfLiteral is the type of a literal such as TIME '10:00:00.5': a type of times with as many digits of a second as the
// text has.
func (t Type) OfLiteral(text Datum) Type {
	whole, fraction, _ := strings.Cut(text.text, ".")
	if t.Base == Date || whole == text.text {
		return Type{Base: t.Base}
	}
	digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
	return Type{Base: t.Base, Scale: min(digits, fractionMax)}
}

// CutFraction cuts microseconds to so many digits of a second, towards the past.
func CutFraction(us int64, digits int) int64 {
	unit := digitUnits[min(max(digits, 0), fractionMax)]
	return floorDivide(us, unit) * unit
}

// TimeUnit is the number of microseconds in the unit in which a column of times stores them: times with more than 3
// digits of a second are stored in microseconds, others in milliseconds.
func (t Type) TimeUnit() int64 {
	if t.Scale > 3 {
		return 1
	}
	return milliUS
}

// FractionDigits are the digits of a second that a column of times keeps. Without a length, DATETIME keeps none, as in
// MySQL; TIMESTAMP and TIME, which LindormTable has as well, keep its milliseconds.
func (t Type) FractionDigits() int {
	if t.Scale > 0 || t.Variety == DateTime || t.Length > 0 {
		return t.Scale
	}
	return 3
}

// CutTime cuts the present to the digits that CURRENT_TIMESTAMP has in a column: those of its length, none without one;
// milliseconds where TIMESTAMP is LindormTable's.
func (t Type) CutTime(us int64) int64 {
	if t.Variety != Plain {
		return CutFraction(us, t.Scale)
	}
	return CutFraction(us, t.FractionDigits())
}

// roundFraction rounds microseconds to the digits that a column of times keeps, halves away from zero.
func (t Type) roundFraction(us int64) int64 {
	half := digitUnits[t.FractionDigits()] / 2
	if us < 0 && t.Base == Time {
		half = -half
		return (us + half) / digitUnits[t.FractionDigits()] * digitUnits[t.FractionDigits()]
	}
	return CutFraction(us+half, t.FractionDigits())
}

// timeDigits are the digits that a time shows at least; 0 for other values.
func (d Datum) timeDigits() uint8 {
	if d.kind == KindTimestamp || d.kind == KindTime {
		return d.scale
	}
	return 0
}
