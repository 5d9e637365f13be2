// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/order"
)

// Cast is CAST(d AS t): texts are cut, numbers rounded and brought into range, what makes no sense as a time is NULL. Its one error is that of a
// text that is no JSON. TINYINT .. BIGINT stand for SIGNED. The result may alias d.
func Cast(d Datum, t Type) (Datum, error) {
	if d.kind == KindNull {
		return Null, nil
	}
	switch t.Base {
	case TinyInt, SmallInt, Integer, BigInt:
		return castSigned(d, t), nil
	case BigIntUnsigned:
		return castUnsigned(d), nil
	case Float:
		return Float64(shortFloat(d.NumberFloat())), nil
	case Double:
		return Float64(d.NumberFloat()), nil
	case DecimalBase:
		return castDecimal(d, t), nil
	case Boolean:
		truth, _ := d.Truth()
		return Bool(truth), nil
	case Char, Varchar:
		return castText(d, t), nil
	case BinaryBase, Varbinary:
		return castBinary(d, t), nil
	case Timestamp, Date, Time:
		return castTime(d, t), nil
	case JSONBase:
		return castJSON(d)
	}
	return d, nil
}

func castSigned(d Datum, t Type) Datum {
	n := castInteger(d)
	if n.kind == KindUint {
		n = Datum{kind: KindInt, bits: n.bits} // the same 64 bits, as in MySQL
	}
	low, high := integerRangeOf(t.Base)
	return Int(min(max(n.Int(), low), high))
}

func castUnsigned(d Datum) Datum { return Uint(castInteger(d).bits) }

// castInteger rounds to an Int or a Uint, cutting what is too large; of a text it takes the integer that it begins with.
func castInteger(d Datum) Datum {
	if d = d.plain(); d.kind == KindText || d.kind == KindBinary {
		x, _, _ := textDecimal(d.text)
		return cutDecimal(RoundDecimal(x, 0, true))
	}
	switch n := d.Number(); n.kind {
	case KindFloat:
		if x := math.RoundToEven(n.Float()); x >= 1<<63 && x < 1<<64 {
			return Uint(uint64(x))
		}
		return Int(n.NumberInt())
	case KindDecimal:
		return cutDecimal(RoundDecimal(n.Decimal(), 0, false))
	case KindNull:
		return Int(0)
	default:
		return n
	}
}

func cutDecimal(x order.Decimal) Datum {
	if u, ok := unsignedOf(x); ok {
		return Uint(u)
	}
	n, _ := x.Int()
	if n == math.MaxInt64 {
		return Uint(math.MaxUint64)
	}
	return Int(n)
}

func castDecimal(d Datum, t Type) Datum {
	precision, scale := t.Precision, t.Scale
	if precision == 0 {
		precision, scale = 10, 0
	}
	x, ok := d.NumberDecimal()
	if !ok && d.kind == KindFloat {
		x = largestDecimal(precision, scale)
		if d.Float() < 0 {
			x = x.Neg()
		}
	}
	x = RoundDecimal(x, scale, false)
	if !fitsDecimal(x, Type{Precision: precision, Scale: scale}) {
		negative := x.IsNegative()
		if x = largestDecimal(precision, scale); negative {
			x = x.Neg()
		}
	}
	return DecimalOfScale(x, scale)
}

// largestDecimal is 99.9 of a precision and a scale.
func largestDecimal(precision, scale int) order.Decimal {
	digits := strings.Repeat("9", min(precision, order.DecimalDigitsMax))
	x, _ := order.ParseDecimal([]byte(digits[:precision-scale] + "." + digits[precision-scale:]))
	return x
}

func castText(d Datum, t Type) Datum {
	if d.kind == KindBinary || d.kind == KindJSON {
		d.kind, d.bits = KindText, 0
	} else if d.kind != KindText {
		d = Text(d.AppendText(make([]byte, 0, 32)))
	}
	d = d.Unnumbered()
	if !utf8.ValidString(d.text) {
		return Null
	}
	if t.Length > 0 {
		d.text = d.text[:runeOffset(d.text, t.Length)]
	}
	return d
}

func castBinary(d Datum, t Type) Datum {
	if d.kind == KindText || d.kind == KindJSON {
		d.kind = KindBinary
	} else if d.kind != KindBinary {
		d = Binary(d.AppendText(make([]byte, 0, 32)))
	}
	if t.Length > 0 && len(d.text) > t.Length {
		d.text = d.text[:t.Length]
	}
	if stored, err := storeBinary(d, t); err == nil {
		return stored
	}
	return Null
}

// castTime rounds to the digits that a type names, and else to none.
func castTime(d Datum, t Type) Datum {
	exact := t.Scale > 0 || t.Variety == DateTime
	if !exact {
		t.Scale = fractionMax
	}
	stored, err := Store(d, t)
	switch {
	case err != nil:
		return Null
	case exact:
		return stored
	}
	return stored.WithFraction(int(d.timeDigits()))
}

func castJSON(d Datum) (Datum, error) {
	stored, err := storeJSON(d)
	if err != nil {
		e := err.(*StoreError)
		return Null, fault.New(fault.InvalidJSONArgument, 1, "cast_as_json", e.What, e.At)
	}
	return stored, nil
}
