// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math"
	"math/bits"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/order"
)

// The arithmetic of MySQL. NULL with anything is NULL, and so is division by zero. Integers stay integers, and leaving
// their range is error 1690; with a decimal the result is a decimal, with a float or a text a float.

// Add returns a + b.
func Add(a, b Datum) (Datum, error) {
	if a.kind == KindInt && b.kind == KindInt {
		x, y := a.Int(), b.Int()
		if sum := x + y; (sum > x) == (y > 0) {
			return Int(sum), nil
		}
		return addMagnitudes("+", a, b, b)
	}
	return calculate(plus, a, b)
}

// Subtract returns a - b.
func Subtract(a, b Datum) (Datum, error) {
	if a.kind == KindInt && b.kind == KindInt {
		x, y := a.Int(), b.Int()
		if difference := x - y; (difference < x) == (y > 0) {
			return Int(difference), nil
		}
	}
	return calculate(minus, a, b)
}

// Multiply returns a * b.
func Multiply(a, b Datum) (Datum, error) {
	if a.kind == KindInt && b.kind == KindInt {
		if x, y := a.Int(), b.Int(); int64(int32(x)) == x && int64(int32(y)) == y {
			return Int(x * y), nil
		}
	}
	return calculate(times, a, b)
}

// Divide returns a / b: a float if one of them is, else a decimal of 4 digits more behind the point than a has.
func Divide(a, b Datum) (Datum, error) { return calculate(over, a, b) }

// IntegerDivide returns a DIV b, cut towards zero.
func IntegerDivide(a, b Datum) (Datum, error) { return calculate(overInteger, a, b) }

// Modulo returns a % b, with the sign of a.
func Modulo(a, b Datum) (Datum, error) {
	if a.kind == KindInt && b.kind == KindInt && b.Int() > 0 {
		return Int(a.Int() % b.Int()), nil
	}
	return calculate(modulo, a, b)
}

// Unsigned returns what an operation leads to where an operand's type is unsigned, and so the result's: BIGINT UNSIGNED
// has its range, and what is below 0 is error 1690.
func Unsigned(apply func(a, b Datum) (Datum, error), sign string, a, b Datum) (Datum, error) {
	if a.kind == KindInt && a.Int() >= 0 {
		a.kind = KindUint
	}
	d, err := apply(a, b)
	if err == nil && d.kind == KindInt && d.Int() < 0 {
		a.kind = KindUint // for the name of the type in the message
		return Null, integerRange(sign, a, b)
	}
	return d, err
}

// Negate returns -a.
func Negate(a Datum) (Datum, error) {
	switch a = a.Number(); a.kind {
	case KindFloat:
		return Float64(-a.Float()), nil
	case KindDecimal:
		return DecimalShown(a.Decimal().Neg(), int(a.scale)), nil
	case KindInt, KindUint:
		if a.kind == KindInt && a.Int() == math.MinInt64 {
			return Null, fault.New(fault.DataOutOfRange, "BIGINT", "-("+string(a.AppendText(nil))+")")
		}
		m := magnitudeOf(a)
		m.negative = !m.negative
		return m.datum("-", Int(0), a)
	}
	return Null, nil
}

type operator uint8

const (
	plus operator = iota
	minus
	times
	over
	overInteger
	modulo
)

// signs are the operators as messages show them. // immutable
var signs = [...]string{"+", "-", "*", "/", "DIV", "%"}

func calculate(op operator, a, b Datum) (Datum, error) {
	if a.kind == KindNull || b.kind == KindNull {
		return Null, nil
	}
	a, b = a.Number(), b.Number()
	switch {
	case a.kind == KindNull || b.kind == KindNull:
		return Null, nil
	case a.kind == KindFloat || b.kind == KindFloat:
		return calculateFloat(op, a, b)
	case a.kind == KindDecimal || b.kind == KindDecimal || op == over:
		return calculateDecimal(op, a, b)
	}
	return calculateInteger(op, a, b)
}

func calculateFloat(op operator, a, b Datum) (Datum, error) {
	x, y := a.NumberFloat(), b.NumberFloat()
	var z float64
	switch op {
	case plus:
		z = x + y
	case minus:
		z = x - y
	case times:
		z = x * y
	case over, overInteger:
		if y == 0 {
			return Null, nil
		}
		z = x / y
	case modulo:
		if y == 0 {
			return Null, nil
		}
		z = math.Mod(x, y)
	}
	if math.IsInf(z, 0) || math.IsNaN(z) {
		return Null, fault.New(fault.DataOutOfRange, "DOUBLE", operation(signs[op], a, b))
	}
	if op == overInteger {
		return integerOfFloat(z, a, b)
	}
	return Float64(z), nil
}

func integerOfFloat(z float64, a, b Datum) (Datum, error) {
	if z = math.Trunc(z); z >= math.MaxInt64 || z <= math.MinInt64 {
		return Null, fault.New(fault.DataOutOfRange, "BIGINT", operation("DIV", a, b))
	}
	return Int(int64(z)), nil
}

func calculateDecimal(op operator, a, b Datum) (Datum, error) {
	x, _ := a.NumberDecimal()
	y, _ := b.NumberDecimal()
	if op >= over && y.IsZero() {
		return Null, nil
	}
	var z order.Decimal
	var err error
	scale := max(a.scale, b.scale)
	switch op {
	case plus:
		z, err = addDecimal(x, y)
	case minus:
		z, err = addDecimal(x, y.Neg())
	case times:
		z, err = multiplyDecimal(x, y)
		scale = a.scale + b.scale
	case over:
		scale = min(a.scale+divisionScale, scaleMax)
		z, err = divideDecimal(x, y, quotientDigits(x, y, a, b), true)
	case overInteger:
		return integerOfDecimals(x, y, a, b)
	case modulo:
		z, err = remainderDecimal(x, y)
	}
	if err != nil {
		return Null, decimalRange(signs[op], a, b)
	}
	return DecimalShown(z, int(scale)), nil
}

// quotientDigits is the number of digits behind the point a quotient goes on with: those that it shows, and what fills
// up words of 9 digits, as in MySQL, so that 1/3*3 shows 1.0000.
func quotientDigits(x, y order.Decimal, a, b Datum) int {
	const word = 9
	up := func(n int) int { return (n + word - 1) / word * word }
	behindA, behindB := max(int(a.scale), -partsOf(x).exponent), max(int(b.scale), -partsOf(y).exponent)
	more := max(divisionScale-(up(behindA)-behindA)-(up(behindB)-behindB), 0)
	return max(min(up(up(behindA)+up(behindB)+more), scaleMax), int(a.scale))
}

func integerOfDecimals(x, y order.Decimal, a, b Datum) (Datum, error) {
	rest, err := remainderDecimal(x, y)
	if err == nil {
		if x, err = x.Sub(rest); err == nil {
			x, err = divideDecimal(x, y, 0, true)
		}
	}
	if n, exact := x.Int(); err == nil && exact {
		return Int(n), nil
	}
	return Null, fault.New(fault.DataOutOfRange, "BIGINT", operation("DIV", a, b))
}

// magnitude is an integer of -2^64 .. 2^64.
type magnitude struct {
	value    uint64
	negative bool
}

func magnitudeOf(d Datum) magnitude {
	if d.kind == KindInt && d.Int() < 0 {
		return magnitude{-d.bits, true}
	}
	return magnitude{d.bits, false}
}

// datum makes an Int or a Uint, or error 1690 for the operation that led here.
func (m magnitude) datum(sign string, a, b Datum) (Datum, error) {
	if !m.negative {
		return Uint(m.value), nil
	}
	if m.value > 1<<63 {
		return Null, integerRange(sign, a, b)
	}
	return Int(-int64(m.value)), nil
}

func integerRange(sign string, a, b Datum) error {
	name := "BIGINT"
	if a.kind == KindUint || b.kind == KindUint {
		name = "BIGINT UNSIGNED"
	}
	return fault.New(fault.DataOutOfRange, name, operation(sign, a, b))
}

// signed refuses a Uint that two Ints led to: BIGINT's range is int64's.
func signed(sum Datum, sign string, a, b Datum) (Datum, error) {
	if sum.kind == KindUint && a.kind == KindInt && b.kind == KindInt {
		return Null, integerRange(sign, a, b)
	}
	return sum, nil
}

// addMagnitudes returns a + addend; the message shows b.
func addMagnitudes(sign string, a, addend, b Datum) (Datum, error) {
	return sumOf(magnitudeOf(a), magnitudeOf(addend), sign, a, b)
}

func sumOf(x, y magnitude, sign string, a, b Datum) (Datum, error) {
	var total magnitude
	if x.negative == y.negative {
		value, carry := bits.Add64(x.value, y.value, 0)
		if carry != 0 {
			return Null, integerRange(sign, a, b)
		}
		total = magnitude{value, x.negative && value != 0}
	} else if x.value >= y.value {
		total = magnitude{x.value - y.value, x.negative && x.value != y.value}
	} else {
		total = magnitude{y.value - x.value, y.negative}
	}
	sum, err := total.datum(sign, a, b)
	if err != nil {
		return Null, err
	}
	return signed(sum, sign, a, b)
}

func calculateInteger(op operator, a, b Datum) (Datum, error) {
	x, y := magnitudeOf(a), magnitudeOf(b)
	if op >= over && y.value == 0 {
		return Null, nil
	}
	negative := x.negative != y.negative
	switch op {
	case minus:
		y.negative = !y.negative
		return sumOf(x, y, "-", a, b)
	case times:
		high, low := bits.Mul64(x.value, y.value)
		if high != 0 {
			return Null, integerRange("*", a, b)
		}
		product, err := magnitude{low, negative && low != 0}.datum("*", a, b)
		if err != nil {
			return Null, err
		}
		return signed(product, "*", a, b)
	case overInteger:
		quotient, err := magnitude{x.value / y.value, negative}.datum("DIV", a, b)
		if err != nil {
			return Null, err
		}
		return signed(quotient, "DIV", a, b)
	case modulo:
		return magnitude{x.value % y.value, x.negative}.datum("%", a, b)
	}
	return sumOf(x, y, "+", a, b)
}

// Bits returns d as 64 bits, for operators on bits: integers as they are, negative ones as two's complement, of a text
// the integer that it begins with, others rounded.
func (d Datum) Bits() uint64 {
	if d = d.plain(); d.kind == KindNull {
		return 0
	}
	return castInteger(d).bits
}
