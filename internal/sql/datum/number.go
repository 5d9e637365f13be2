// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// numberPrefix returns the number that a text begins with, white space around it cut: `" 12.5e3x"` begins with 12.5e3.
// whole says that nothing else follows. The prefix is empty if there is none.
func numberPrefix(text string) (prefix string, whole bool) {
	i := 0
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	start := i
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		i++
	}
	digits := i
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	count := i - digits
	if i < len(text) && text[i] == '.' {
		i++
		for i < len(text) && text[i]-'0' <= 9 {
			i++
			count++
		}
	}
	if count == 0 {
		return "", false
	}
	i = exponentEnd(text, i)
	end := i
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return text[start:end], i == len(text)
}

// exponentEnd steps over an exponent that begins at text[i], if there is one.
func exponentEnd(text string, i int) int {
	if i >= len(text) || text[i]|0x20 != 'e' {
		return i
	}
	j := i + 1
	if j < len(text) && (text[j] == '+' || text[j] == '-') {
		j++
	}
	start := j
	for j < len(text) && text[j]-'0' <= 9 {
		j++
	}
	if j == start {
		return i
	}
	return j
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// textFloat is the number that a text begins with, 0 if none.
func textFloat(text string) float64 {
	prefix, _ := numberPrefix(text)
	if len(prefix) > 0 && len(prefix) < 16 {
		if n, ok := shortInteger(prefix); ok {
			return float64(n)
		}
	}
	x, err := strconv.ParseFloat(prefix, 64)
	if err != nil && math.IsInf(x, 0) {
		return math.Copysign(math.MaxFloat64, x)
	}
	return x
}

// shortInteger reads a sign and digits, fewer than 16 bytes.
func shortInteger(text string) (n int64, ok bool) {
	i := 0
	if text[0] == '-' || text[0] == '+' {
		i++
	}
	for ; i < len(text); i++ {
		if text[i]-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(text[i]-'0')
	}
	if text[0] == '-' {
		n = -n
	}
	return n, true
}

// textDecimal is the number that a text begins with; ok is false if it has none or one that no decimal holds.
func textDecimal(text string) (x order.Decimal, whole, ok bool) {
	prefix, whole := numberPrefix(text)
	x, err := order.ParseDecimal([]byte(prefix))
	if err == order.ErrDecimalPrecision {
		return roundedDecimal(prefix, whole)
	}
	if err == order.ErrDecimalUnderflow {
		return order.Decimal{}, whole, true
	}
	return x, whole, err == nil
}

// roundedDecimal reads a number of more than 38 digits: the first 38, rounded by the next one.
func roundedDecimal(prefix string, whole bool) (order.Decimal, bool, bool) {
	mantissa, exponentText, _ := strings.Cut(strings.ToLower(prefix), "e")
	exponent, err := strconv.Atoi(exponentText)
	if err != nil && exponentText != "" || exponent > 1<<20 || exponent < -1<<20 {
		return order.Decimal{}, whole, false
	}
	kept := append(make([]byte, 0, order.DecimalDigitsMax+24), '0') // room for a carry
	behind, next := false, byte(0)
	for i := range len(mantissa) {
		c := mantissa[i]
		switch {
		case c == '.':
			behind = true
			continue
		case c-'0' > 9:
			continue // the sign
		case len(kept) <= order.DecimalDigitsMax:
			if len(kept) > 1 || c != '0' {
				kept = append(kept, c)
			}
		default:
			if next == 0 {
				next = c
			}
			exponent++
		}
		if behind {
			exponent--
		}
	}
	if next >= '5' {
		roundUp(kept)
	}
	kept = bytes.TrimRight(kept, "0")
	exponent += order.DecimalDigitsMax + 1 - len(kept)
	x, err := order.ParseDecimal(strconv.AppendInt(append(kept, 'e'), int64(exponent), 10))
	if prefix[0] == '-' {
		x = x.Neg()
	}
	return x, whole, err == nil || err == order.ErrDecimalUnderflow
}

// roundUp adds one to a number in digits, the first of which is 0.
func roundUp(digits []byte) {
	for i := len(digits) - 1; ; i-- {
		if digits[i] != '9' {
			digits[i]++
			return
		}
		digits[i] = '0'
	}
}

// floatDecimal is the shortest decimal that reads back as x; ok is false outside a Decimal's range, and for NaN.
func floatDecimal(x float64) (order.Decimal, bool) {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return order.DecimalFromInt(int64(x)), true
	}
	var buffer [32]byte
	d, err := order.ParseDecimal(strconv.AppendFloat(buffer[:0], x, 'e', -1, 64))
	return d, err == nil
}

// plain is d, but a hexadecimal literal is the number of its last eight bytes, and a value of an ENUM or SET its
// number.
func (d Datum) plain() Datum {
	if d.kind == KindText && d.place == asMember {
		return d.number()
	}
	if d.kind != KindBinary || d.bits != hexadecimal {
		return d
	}
	var x uint64
	for _, c := range []byte(d.text) {
		x = x<<8 | uint64(c)
	}
	return Uint(x)
}

// Number returns d as arithmetic sees it: an Int, Uint, Float or Decimal; NULL for NULL. Texts are floats, as in MySQL;
// see the package's doc for times.
func (d Datum) Number() Datum {
	if number, ok := d.Member(); ok {
		return Float64(float64(number))
	}
	switch d = d.plain(); d.kind {
	case KindInt, KindUint, KindFloat, KindDecimal, KindNull:
		return d
	case KindText, KindBinary:
		return Float64(textFloat(d.text))
	case KindDate:
		year, month, day := civil(d.Int())
		return Int(int64(year)*10_000 + int64(month)*100 + int64(day))
	case KindTime:
		return timeNumber(d.Int())
	case KindTimestamp:
		return instantNumber(d)
	case KindJSON:
		return jsonNumber(d.text)
	}
	return Int(int64(d.bits))
}

// exact is Number, but a text is the very number that it begins with, so that '9007199254740993' is found in a BIGINT
// column.
func (d Datum) exact() Datum {
	if d = d.plain(); d.kind != KindText && d.kind != KindBinary {
		return d.Number()
	}
	prefix, _ := numberPrefix(d.text)
	if prefix != "" && len(prefix) < 16 {
		if n, ok := shortInteger(prefix); ok {
			return Int(n)
		}
	}
	if x, err := order.ParseDecimal(value.ReadOnly(prefix)); err == nil {
		if n, exact := x.Int(); exact {
			return Int(n)
		}
		return Decimal(x)
	}
	return Float64(textFloat(d.text))
}

// instantNumber is YYYYMMDDhhmmss, or the milliseconds since 1970, with a fraction if there is one.
func instantNumber(d Datum) Datum {
	us := d.Int()
	if d.place == asEpoch {
		whole := floorDivide(us, milliUS)
		return withFraction(whole, us-whole*milliUS, 3, 0)
	}
	m := MomentOf(us)
	date := int64(m.Year)*1_0000 + int64(m.Month)*100 + int64(m.Day)
	return withFraction(date*1_000_000+int64(m.Hour)*1_0000+int64(m.Minute)*100+int64(m.Second), int64(m.Microsecond),
		fractionMax, int(d.scale))
}

// withFraction is a number with a fraction of so many digits. It shows so many of them at least.
func withFraction(whole, fraction int64, digits, shown int) Datum {
	if fraction == 0 && shown == 0 {
		return Int(whole)
	}
	x, _ := decimalOf(false, uint64(fraction), -digits)
	sum, err := Add(Int(whole), Decimal(x))
	if err != nil {
		return Int(whole)
	}
	return DecimalOfScale(sum.Decimal(), max(shown, 3))
}

// timeNumber is hhmmss, with a fraction if there is one.
func timeNumber(us int64) Datum {
	sign := int64(1)
	if us < 0 {
		sign, us = -1, -us
	}
	seconds := us / secondUS
	n := seconds/3600*10_000 + seconds/60%60*100 + seconds%60
	if us%secondUS == 0 {
		return Int(sign * n)
	}
	x, _ := decimalOf(sign < 0, uint64(n*secondUS+us%secondUS), -fractionMax)
	return DecimalOfScale(x, 3)
}

// NumberFloat returns d as a float64, NULL as 0.
func (d Datum) NumberFloat() float64 {
	switch n := d.Number(); n.kind {
	case KindInt:
		return float64(n.Int())
	case KindUint:
		return float64(n.bits)
	case KindFloat:
		return n.Float()
	case KindDecimal:
		return n.Decimal().Float()
	}
	return 0
}

// NumberDecimal returns d as an exact number; ok is false for a float outside a Decimal's range and for NULL. Texts are
// read exactly.
func (d Datum) NumberDecimal() (x order.Decimal, ok bool) {
	if d = d.plain(); d.kind == KindText || d.kind == KindBinary {
		x, _, ok = textDecimal(d.text)
		return x, ok || d.text == ""
	}
	switch n := d.Number(); n.kind {
	case KindInt:
		return order.DecimalFromInt(n.Int()), true
	case KindUint:
		return order.DecimalFromUint(n.bits), true
	case KindFloat:
		return floatDecimal(n.Float())
	case KindDecimal:
		return n.Decimal(), true
	}
	return order.Decimal{}, false
}

// IsNumber reports whether d is a number or a truth value.
func (d Datum) IsNumber() bool { return classes[d.kind] == classNumber }

// NumberInt returns d as an integer, cut to the range of int64; NULL is 0. Numbers are rounded, and what a text says is
// cut behind the point, as in MySQL. Functions take their counts and positions by it.
func (d Datum) NumberInt() int64 {
	if d = d.plain(); d.kind == KindText || d.kind == KindBinary {
		return floatInt(textFloat(d.text))
	}
	switch n := d.Number(); n.kind {
	case KindInt:
		return n.Int()
	case KindUint:
		return math.MaxInt64
	case KindFloat:
		return floatInt(math.RoundToEven(n.Float()))
	case KindDecimal:
		x, _ := RoundDecimal(n.Decimal(), 0, false).Int()
		return x
	}
	return 0
}

// floatInt cuts a float to the range of int64; NaN is 0.
func floatInt(x float64) int64 {
	switch {
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	case x != x:
		return 0
	}
	return int64(x)
}

// Truth reports whether d is true, false or, if null, neither: a number other than 0 is true.
func (d Datum) Truth() (isTrue, null bool) {
	switch d.kind {
	case KindNull:
		return false, true
	case KindBool, KindInt, KindUint:
		return d.bits != 0, false
	case KindDecimal:
		return d.bits|d.high != 0, false
	case KindDate, KindTimestamp:
		return !d.IsZeroDate(), false
	}
	return d.NumberFloat() != 0, false
}
