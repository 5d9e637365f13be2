// SPDX-License-Identifier: Apache-2.0

package order

import "strconv"

// Limits of a Decimal: DynamoDB's.
const (
	// DecimalDigitsMax is the largest number of significant digits, zeros at both ends not counted.
	DecimalDigitsMax = 38
	// DecimalExponentMax is the exponent of the first digit of the largest magnitude, 9.99..E+125.
	DecimalExponentMax = 125
	// DecimalExponentMin is the exponent of the smallest magnitude above zero, 1E-130.
	DecimalExponentMin = -130
)

// Decimal is an exact decimal number of up to 38 significant digits whose magnitude is 0 or 1E-130 .. 9.99..E+125. It
// holds no pointers. Equal numbers are equal values, so == compares and a Decimal may be a map key. The zero value is
// 0.
type Decimal struct {
	// The number is coefficient * 10^exponent. The coefficient ends in a digit other than 0; for zero all fields are
	// zero.
	coefficient wide
	exponent    int16
	negative    bool
}

// DecimalFromInt returns v as a Decimal.
func DecimalFromInt(v int64) Decimal {
	if v < 0 {
		return DecimalFromUint(-uint64(v)).Neg()
	}
	return DecimalFromUint(uint64(v))
}

// DecimalFromUint returns v as a Decimal.
func DecimalFromUint(v uint64) Decimal {
	if v == 0 {
		return Decimal{}
	}
	coefficient, zeros := wide{0, v}.trim()
	return Decimal{coefficient: coefficient, exponent: int16(zeros)}
}

// newDecimal normalises coefficient * 10^exponent and checks its limits.
func newDecimal(negative bool, coefficient wide, exponent int) (Decimal, error) {
	if coefficient.isZero() {
		return Decimal{}, nil
	}
	coefficient, zeros := coefficient.trim()
	exponent += zeros
	digits := coefficient.digits()
	if err := checkMagnitude(exponent + digits - 1); err != nil {
		return Decimal{}, err
	}
	if digits > DecimalDigitsMax {
		return Decimal{}, ErrDecimalPrecision
	}
	return Decimal{coefficient: coefficient, exponent: int16(exponent), negative: negative}, nil
}

// checkMagnitude takes the exponent of a number's first significant digit.
func checkMagnitude(exponent int) error {
	switch {
	case exponent > DecimalExponentMax:
		return ErrDecimalOverflow
	case exponent < DecimalExponentMin:
		return ErrDecimalUnderflow
	}
	return nil
}

// IsZero reports whether d is 0.
func (d Decimal) IsZero() bool { return d.coefficient.isZero() }

// IsNegative reports whether d is below 0.
func (d Decimal) IsNegative() bool { return d.negative }

// Neg returns -d. The limits are symmetric, so it never fails.
func (d Decimal) Neg() Decimal {
	d.negative = !d.negative && !d.IsZero()
	return d
}

// point returns the position of the decimal point: d is 0.ddd * 10^point with a first digit other than 0. d must not be
// zero.
func (d Decimal) point() int { return d.coefficient.digits() + int(d.exponent) }

// Compare returns -1, 0 or 1 as d is below, equal to or above e.
func (d Decimal) Compare(e Decimal) int {
	switch {
	case d == e:
		return 0
	case d.negative != e.negative:
		if d.negative {
			return -1
		}
		return 1
	case d.negative:
		return e.compareMagnitude(d)
	}
	return d.compareMagnitude(e)
}

func (d Decimal) compareMagnitude(e Decimal) int {
	if d.IsZero() || e.IsZero() {
		return d.coefficient.compare(e.coefficient)
	}
	switch dp, ep := d.point(), e.point(); {
	case dp < ep:
		return -1
	case dp > ep:
		return 1
	}
	// Both start at the same place, so scaling the shorter one to the other's exponent stays within 38 digits.
	dc, ec := d.coefficient, e.coefficient
	if shift := int(d.exponent) - int(e.exponent); shift > 0 {
		dc, _ = dc.mul(powerOfTen(shift))
	} else {
		ec, _ = ec.mul(powerOfTen(-shift))
	}
	return dc.compare(ec)
}

// Add returns d+e, exactly. A sum outside the range is ErrDecimalOverflow or ErrDecimalUnderflow, another that needs
// more than 38 digits ErrDecimalPrecision.
func (d Decimal) Add(e Decimal) (Decimal, error) {
	if d.IsZero() {
		return e, nil
	}
	if e.IsZero() {
		return d, nil
	}
	if d.exponent < e.exponent {
		d, e = e, d
	}
	// e now ends in the lower decimal place, and its last digit is not 0, so neither is the sum's unless the exponents
	// are equal. Hence a scaled d beyond 128 bits, 3.4E38 at least, leaves a sum of more than 38 digits: e is below
	// 1E38.
	shift := int(d.exponent) - int(e.exponent)
	if shift > DecimalDigitsMax {
		return Decimal{}, ErrDecimalPrecision
	}
	scaled, ok := d.coefficient.mul(powerOfTen(shift))
	if !ok {
		return Decimal{}, ErrDecimalPrecision
	}
	exponent := int(e.exponent)
	switch {
	case d.negative == e.negative:
		sum, ok := scaled.add(e.coefficient)
		if !ok {
			return Decimal{}, ErrDecimalPrecision
		}
		return newDecimal(d.negative, sum, exponent)
	case scaled.compare(e.coefficient) >= 0:
		return newDecimal(d.negative, scaled.sub(e.coefficient), exponent)
	}
	return newDecimal(e.negative, e.coefficient.sub(scaled), exponent)
}

// Sub returns d-e, exactly, with the errors of Add.
func (d Decimal) Sub(e Decimal) (Decimal, error) { return d.Add(e.Neg()) }

// Digits counts the significant digits left and right of the decimal point. Zeros before the first and after the last
// digit other than 0 do not count, on whichever side of the point they stand; zeros between them do. So 1E125 and 100
// have 1 and 0, 100.5 has 3 and 1, 0.00101 has 0 and 3, and 0 has none.
func (d Decimal) Digits() (integer, fraction int) {
	digits := d.coefficient.digits()
	integer = min(max(digits+int(d.exponent), 0), digits)
	return integer, digits - integer
}

// Int returns d as an integer. exact is false if d has a fraction or does not fit; v is then d rounded towards zero and
// clamped to the range of int64.
func (d Decimal) Int() (v int64, exact bool) {
	magnitude, exact := d.truncate()
	if d.negative {
		if magnitude > 1<<63 {
			return -1 << 63, false
		}
		return -int64(magnitude), exact
	}
	if magnitude > 1<<63-1 {
		return 1<<63 - 1, false
	}
	return int64(magnitude), exact
}

// truncate returns the integer part of d's magnitude, clamped to 64 bits.
func (d Decimal) truncate() (magnitude uint64, exact bool) {
	const clamped = 1<<64 - 1
	switch exponent := int(d.exponent); {
	case d.IsZero():
		return 0, true
	case exponent < 0:
		if -exponent > DecimalDigitsMax {
			return 0, false
		}
		quotient := d.coefficient.quoTen(-exponent)
		if quotient.hi != 0 {
			return clamped, false
		}
		return quotient.lo, false
	case exponent >= len(powersOfTen):
		return clamped, false
	default:
		product, ok := d.coefficient.mul(wide{0, powersOfTen[exponent]})
		if !ok || product.hi != 0 {
			return clamped, false
		}
		return product.lo, true
	}
}

// Float returns the float64 nearest to d. Every Decimal is within float64's range.
func (d Decimal) Float() float64 {
	const exactMax = 1 << 53
	exponent := int(d.exponent)
	if d.coefficient.hi == 0 && d.coefficient.lo <= exactMax && exponent >= -19 && exponent <= 19 {
		// Both operands are exact here, so the one division or multiplication rounds correctly.
		f := float64(d.coefficient.lo)
		if exponent < 0 {
			f /= float64(powersOfTen[-exponent])
		} else {
			f *= float64(powersOfTen[exponent])
		}
		if d.negative {
			f = -f
		}
		return f
	}
	var buffer [48]byte
	text := buffer[:0]
	if d.negative {
		text = append(text, '-')
	}
	text = appendDigits(text, d.coefficient)
	text = strconv.AppendInt(append(text, 'e'), int64(exponent), 10)
	f, _ := strconv.ParseFloat(string(text), 64) // cannot fail: the syntax is ours and the range fits
	return f
}
