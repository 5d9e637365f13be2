// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math/big"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/order"
)

const (
	// scaleMax is the largest scale, MySQL's.
	scaleMax = 30
	// divisionScale is the number of digits a quotient has behind the point beyond those of the dividend:
	// div_precision_increment.
	divisionScale = 4
)

// parts is an order.Decimal: coefficient * 10^exponent, the coefficient not ending in 0 in decimal.
type parts struct {
	high, low uint64
	exponent  int
	negative  bool
}

// mirror has the layout of order.Decimal, which gives no access to its digits. TestMirror and the array below hold the
// two together.
type mirror struct {
	high, low uint64
	exponent  int16
	negative  bool
}

var _ [unsafe.Sizeof(mirror{})]byte = [unsafe.Sizeof(order.Decimal{})]byte{}

func partsOf(x order.Decimal) parts {
	m := (*mirror)(unsafe.Pointer(&x))
	return parts{m.high, m.low, int(m.exponent), m.negative}
}

func (d *Datum) setDecimal(x order.Decimal) {
	m := (*mirror)(unsafe.Pointer(&x))
	d.high, d.bits = m.high, m.low
	d.place = int32(m.exponent) << 1
	if m.negative {
		d.place |= 1
	}
}

func (d *Datum) getDecimal() order.Decimal {
	m := mirror{d.high, d.bits, int16(d.place >> 1), d.place&1 != 0}
	return *(*order.Decimal)(unsafe.Pointer(&m))
}

// decimalOf makes a decimal of low * 10^exponent. A number below its range is 0.
func decimalOf(negative bool, low uint64, exponent int) (order.Decimal, error) {
	x := order.DecimalFromUint(low)
	if x.IsZero() {
		return x, nil
	}
	m := (*mirror)(unsafe.Pointer(&x))
	exponent += int(m.exponent)
	integer, fraction := x.Digits()
	switch first := exponent + integer + fraction - 1; {
	case first > order.DecimalExponentMax:
		return x, order.ErrDecimalOverflow
	case first < order.DecimalExponentMin:
		return order.Decimal{}, nil
	}
	m.exponent, m.negative = int16(exponent), negative
	return x, nil
}

// decimalOfBig makes a decimal of n * 10^exponent, rounded to 38 digits if the fraction allows it.
func decimalOfBig(n *big.Int, exponent int) (order.Decimal, error) {
	text := n.Append(make([]byte, 0, 80), 10)
	digits := len(text)
	if n.Sign() < 0 {
		digits--
	}
	if excess := digits - order.DecimalDigitsMax; excess > 0 && exponent < 0 {
		excess = min(excess, -exponent)
		return decimalOfBig(divideRound(n, powerOfTen(excess)), exponent+excess)
	}
	text = strconv.AppendInt(append(text, 'e'), int64(exponent), 10)
	x, err := order.ParseDecimal(text)
	if err == order.ErrDecimalUnderflow {
		return order.Decimal{}, nil
	}
	return x, err
}

func (p parts) big() *big.Int {
	n := new(big.Int).SetUint64(p.high)
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(p.low))
	if p.negative {
		n.Neg(n)
	}
	return n
}

func powerOfTen(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// divideRound returns a/b, a half rounded away from zero.
func divideRound(a, b *big.Int) *big.Int {
	quotient, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if rest.Abs(rest).Lsh(rest, 1).CmpAbs(b) >= 0 {
		step := int64(1)
		if a.Sign()*b.Sign() < 0 {
			step = -1
		}
		quotient.Add(quotient, big.NewInt(step))
	}
	return quotient
}

// pow10 are the powers of ten in 64 bits. // immutable
var pow10 = [20]uint64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	1e18, 1e19}

// RoundDecimal rounds x to scale digits behind the point, a half away from zero; a negative scale rounds digits before
// it. cut drops the digits instead.
func RoundDecimal(x order.Decimal, scale int, cut bool) order.Decimal {
	p := partsOf(x)
	drop := -scale - p.exponent
	if drop <= 0 || x.IsZero() {
		return x
	}
	if drop > order.DecimalDigitsMax+1 {
		return order.Decimal{}
	}
	var rounded order.Decimal
	if p.high == 0 && drop < len(pow10) {
		quotient, rest := p.low/pow10[drop], p.low%pow10[drop]
		if !cut && rest >= pow10[drop]-rest {
			quotient++
		}
		rounded, _ = decimalOf(p.negative, quotient, -scale)
		return rounded
	}
	if cut {
		rounded, _ = decimalOfBig(new(big.Int).Quo(p.big(), powerOfTen(drop)), -scale)
	} else {
		rounded, _ = decimalOfBig(divideRound(p.big(), powerOfTen(drop)), -scale)
	}
	return rounded
}

// addDecimal adds, rounding to 38 digits where the exact sum has more.
func addDecimal(a, b order.Decimal) (order.Decimal, error) {
	sum, err := a.Add(b)
	if err != order.ErrDecimalPrecision {
		return sum, err
	}
	p, q := partsOf(a), partsOf(b)
	low := min(p.exponent, q.exponent)
	x := p.big()
	x.Mul(x, powerOfTen(p.exponent-low))
	y := q.big()
	y.Mul(y, powerOfTen(q.exponent-low))
	return decimalOfBig(x.Add(x, y), low)
}

// multiplyDecimal multiplies, rounding to 38 digits where the exact product has more.
func multiplyDecimal(a, b order.Decimal) (order.Decimal, error) {
	p, q := partsOf(a), partsOf(b)
	if p.high|q.high == 0 {
		if high, low := bits.Mul64(p.low, q.low); high == 0 {
			return decimalOf(p.negative != q.negative, low, p.exponent+q.exponent)
		}
	}
	x := p.big()
	return decimalOfBig(x.Mul(x, q.big()), p.exponent+q.exponent)
}

// divideDecimal divides to scale digits behind the point; cut drops what comes behind them. b is not zero.
func divideDecimal(a, b order.Decimal, scale int, cut bool) (order.Decimal, error) {
	p, q := partsOf(a), partsOf(b)
	shift := p.exponent - q.exponent + scale
	if p.high|q.high == 0 && shift >= 0 && shift < len(pow10) {
		if high, low := bits.Mul64(p.low, pow10[shift]); high < q.low {
			quotient, rest := bits.Div64(high, low, q.low)
			if !cut && rest >= q.low-rest && quotient != 1<<64-1 {
				quotient++
			}
			return decimalOf(p.negative != q.negative, quotient, -scale)
		}
	}
	x, y := p.big(), q.big()
	if shift >= 0 {
		x.Mul(x, powerOfTen(shift))
	} else {
		y.Mul(y, powerOfTen(-shift))
	}
	if cut {
		return decimalOfBig(x.Quo(x, y), -scale)
	}
	return decimalOfBig(divideRound(x, y), -scale)
}

// remainderDecimal returns a - b*trunc(a/b). b is not zero.
func remainderDecimal(a, b order.Decimal) (order.Decimal, error) {
	p, q := partsOf(a), partsOf(b)
	low := min(p.exponent, q.exponent)
	x, y := p.big(), q.big()
	x.Mul(x, powerOfTen(p.exponent-low))
	y.Mul(y, powerOfTen(q.exponent-low))
	return decimalOfBig(x.Rem(x, y), low)
}

// decimalRange tells which operation left the range of decimals.
func decimalRange(operator string, a, b Datum) error {
	return fault.New(fault.DataOutOfRange, "DECIMAL", operation(operator, a, b))
}

// operation is the text of an operation in an error's message.
func operation(operator string, a, b Datum) string {
	return "(" + a.String() + " " + operator + " " + b.String() + ")"
}
