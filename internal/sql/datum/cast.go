// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/order"
)

// Cast is CAST(d AS t): texts are cut, numbers rounded and brought into range, what makes no sense as a time is NULL.
// Its one error tells of a text that is no JSON. TINYINT .. BIGINT stand for SIGNED. The result may alias d.
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
	switch {
	case n.kind == KindUint && (d.kind == KindFloat || d.kind == KindDecimal):
		n = Int(math.MaxInt64)
	case n.kind == KindUint:
		n = Datum{kind: KindInt, bits: n.bits} // the same 64 bits, as in MySQL
	}
	low, high := integerRangeOf(t.Base)
	return Int(min(max(n.Int(), low), high))
}

// castUnsigned keeps the 64 bits of a negative integer, as MySQL does; a negative decimal is 0.
func castUnsigned(d Datum) Datum {
	n := castInteger(d)
	if d.kind == KindDecimal && n.kind == KindInt && n.Int() < 0 {
		return Uint(0)
	}
	return Uint(n.bits)
}

// castInteger rounds to an Int or a Uint, cutting what is too large; of a text it takes the integer that it begins
// with.
func castInteger(d Datum) Datum {
	if d = d.plain(); d.kind == KindText || d.kind == KindBinary {
		x, _, _ := textDecimal(wholePrefix(d.text))
		return cutDecimal(x)
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

// wholePrefix is the integer that a text begins with, spaces before it among it.
func wholePrefix(text string) string {
	i := 0
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		i++
	}
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	return text[:i]
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
	exact := t.Scale > 0 || t.Variety == DateTime || t.Base == Time
	if !exact {
		t.Scale = fractionMax
	}
	if t.Base == Time && t.Scale == 0 {
		t.Length = 1
	}
	stored, err := Store(d, t)
	if err != nil && (d.kind == KindText || d.kind == KindBinary) {
		stored, err = Store(TextString(TimePrefix(d.text)), t)
	}
	switch {
	case err != nil:
		return Null
	case exact:
		return stored
	}
	return stored.WithFraction(int(d.timeDigits()))
}

// TimePrefix is the part of a text that may be a time: what stands behind it is passed over, as in MySQL.
func TimePrefix(text string) string {
	text = strings.TrimLeft(text, " ")
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789-:. T", r) })
	if end < 0 {
		end = len(text)
	}
	return strings.TrimRight(text[:end], "-:. T")
}

func castJSON(d Datum) (Datum, error) {
	stored, err := storeJSON(d)
	if err != nil {
		e := err.(*StoreError)
		return Null, fault.New(fault.InvalidJSONArgument, 1, "cast_as_json", e.What, e.At)
	}
	return stored, nil
}
