// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is a number: 0.DIGITS times ten to the power of Point. Digits neither begin nor end with a zero; zero has
// none.
type Decimal struct {
	Negative bool
	Digits   string
	Point    int
}

// The texts of numbers that can't be stored.
const (
	textOverflow  = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	textUnderflow = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	textPrecision = "Attempting to store more than 38 significant digits in a Number"
	textNotNumber = "The parameter cannot be converted to a numeric value"
)

const (
	digitsMax = 38
	pointMax  = 126  // 9.99E125 is 0.999E126
	pointMin  = -129 // 1E-130 is 0.1E-129
)

// ParseDecimal reads a number as DynamoDB does. fault is DynamoDB's text if it refuses, else "".
func ParseDecimal(text string) (d Decimal, fault string) {
	mantissa, exponent := text, 0
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		e, err := strconv.Atoi(text[at+1:])
		if err != nil {
			return d, notNumber(text)
		}
		mantissa, exponent = text[:at], e
	}
	if mantissa != "" && (mantissa[0] == '+' || mantissa[0] == '-') {
		d.Negative = mantissa[0] == '-'
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return d, notNumber(text)
	}
	d.Digits, d.Point = whole+fraction, len(whole)+exponent
	// a zero, too, has a place
	if last := exponent - len(fraction); strings.Trim(d.Digits, "0") == "" && last >= pointMax {
		return d, textOverflow
	} else if strings.Trim(d.Digits, "0") == "" && last < pointMin-1 {
		return d, textUnderflow
	}
	return d.normal()
}

func notNumber(text string) string { return textNotNumber + ": " + text }

// normal takes zeros off both ends and checks the range.
func (d Decimal) normal() (Decimal, string) {
	trimmed := strings.TrimLeft(d.Digits, "0")
	d.Point -= len(d.Digits) - len(trimmed)
	d.Digits = strings.TrimRight(trimmed, "0")
	switch {
	case d.Digits == "":
		return Decimal{}, ""
	case d.Point > pointMax:
		return d, textOverflow
	case d.Point < pointMin:
		return d, textUnderflow
	case len(d.Digits) > digitsMax:
		return d, textPrecision
	}
	return d, ""
}

// String is the number as answers show it: without an exponent and without needless zeros.
func (d Decimal) String() string {
	text := ""
	switch n := len(d.Digits); {
	case n == 0:
		return "0"
	case d.Point <= 0:
		text = "0." + strings.Repeat("0", -d.Point) + d.Digits
	case d.Point >= n:
		text = d.Digits + strings.Repeat("0", d.Point-n)
	default:
		text = d.Digits[:d.Point] + "." + d.Digits[d.Point:]
	}
	if d.Negative {
		return "-" + text
	}
	return text
}

// Compare orders numbers.
func (d Decimal) Compare(other Decimal) int {
	sign := cmp.Compare(d.sign(), other.sign())
	if sign != 0 || d.Digits == "" {
		return sign
	}
	magnitude := cmp.Or(cmp.Compare(d.Point, other.Point), strings.Compare(d.Digits, other.Digits))
	return magnitude * d.sign()
}

func (d Decimal) sign() int {
	switch {
	case d.Digits == "":
		return 0
	case d.Negative:
		return -1
	}
	return 1
}

// Negate is the number with the other sign.
func (d Decimal) Negate() Decimal {
	if d.Digits != "" {
		d.Negative = !d.Negative
	}
	return d
}

// Add is the exact sum. fault is a text if it can't be stored.
func (d Decimal) Add(other Decimal) (sum Decimal, fault string) {
	low := min(d.Point-len(d.Digits), other.Point-len(other.Digits))
	total := new(big.Int).Add(d.scaled(low), other.scaled(low))
	sum.Negative = total.Sign() < 0
	sum.Digits = new(big.Int).Abs(total).String()
	sum.Point = low + len(sum.Digits)
	return sum.normal()
}

// scaled is the number in units of ten to the power of low.
func (d Decimal) scaled(low int) *big.Int {
	n := new(big.Int)
	if d.Digits == "" {
		return n
	}
	n.SetString(d.Digits+strings.Repeat("0", d.Point-len(d.Digits)-low), 10)
	if d.Negative {
		n.Neg(n)
	}
	return n
}

// Size is what the number counts toward an item, in bytes: one, one for each two digits left and right of the point,
// and one for a minus sign. Zeros count between other digits only.
func (d Decimal) Size() int {
	left := min(max(d.Point, 0), len(d.Digits))
	size := 1 + (left+1)/2 + (len(d.Digits)-left+1)/2
	if d.Negative {
		size++
	}
	return size
}
