// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/order"
)

// FromValue reads a stored value as a column of type t has it. ok is false, and the datum NULL, if the value does not
// fit the type: somebody wrote it through another protocol. A missing value is NULL, and so is DynamoDB's null, but in
// a JSON column that is JSON's null. Texts and binaries alias v; only JSON allocates. Under Untyped the value's own
// kind tells: documents and sets read as JSON, a Number that is an integer of 64 bits as an Int.
func FromValue(v value.Value, t Type) (d Datum, ok bool) {
	kind := v.Kind()
	if kind == value.Missing || kind == value.Null && t.Base != JSONBase {
		return Null, true
	}
	if kind == value.Binary && t.Variety >= HLong {
		return mappedOf(v, t)
	}
	switch t.Base {
	case Untyped:
		return untypedOf(v, kind), true
	case Varchar, Char:
		if kind == value.String && t.IsList() {
			return Text(v.Bytes()).named(&t), true
		} else if kind == value.String {
			return Text(v.Bytes()), true
		}
	case Varbinary, BinaryBase:
		if kind == value.Binary {
			return Binary(v.Bytes()), true
		}
	case TinyInt, SmallInt, Integer, BigInt:
		return integerOf(v, kind, t)
	case Timestamp, Date, Time:
		return temporalOf(v, kind, t)
	case Boolean:
		if kind == value.Bool {
			return Bool(v.Bool()), true
		}
	case Float, Double:
		if x, ok := v.Float(); ok {
			return Float64(x), true
		}
	case DecimalBase, BigIntUnsigned:
		return exactOf(v, t)
	case JSONBase:
		return JSON(jsontext.Append(nil, v)), true
	}
	return Null, false
}

// mappedOf reads the bytes of a column of an HBase table.
func mappedOf(v value.Value, t Type) (Datum, bool) {
	if t.Variety == HString {
		if b := v.Bytes(); utf8.Valid(b) {
			return Text(b), true
		}
		return Null, false
	}
	read, ok := t.Codec().Decode(nil, v)
	if !ok {
		return Null, false
	}
	return FromValue(read, t)
}

// SetStored makes d what FromValue returns. It writes in place, which for the columns of many rows is cheaper than to
// hand data on.
func (d *Datum) SetStored(v value.Value, t *Type) {
	kind := v.Kind()
	switch {
	case kind == value.Int && t.Base >= TinyInt && t.Base <= BigInt:
		x, _ := v.Int()
		if low, high := integerRangeOf(t.Base); x < low || x > high {
			break
		}
		d.kind, d.scale, d.place, d.bits, d.high, d.text = KindInt, 0, 0, uint64(x), 0, ""
		return
	case kind == value.String && (t.Base == Varchar || t.Base == Char) && !t.IsList():
		d.kind, d.scale, d.place, d.bits, d.high, d.text = KindText, 0, 0, 0, 0, alias(v.Bytes())
		return
	}
	*d, _ = FromValue(v, *t)
}

func untypedOf(v value.Value, kind value.Kind) Datum {
	switch kind {
	case value.String:
		return Text(v.Bytes())
	case value.Binary:
		return Binary(v.Bytes())
	case value.Bool:
		return Bool(v.Bool())
	case value.Int:
		x, _ := v.Int()
		return Int(x)
	case value.Timestamp:
		x, _ := v.Int()
		return TimestampUS(x * milliUS).Meeting(Type{Base: Timestamp})
	case value.Float:
		x, _ := v.Float()
		return Float64(x)
	case value.Number:
		x, _ := v.Decimal()
		if n, exact := x.Int(); exact {
			return Int(n)
		}
		return Decimal(x)
	}
	return JSON(jsontext.Append(nil, v))
}

func integerOf(v value.Value, kind value.Kind, t Type) (Datum, bool) {
	x, ok := v.Int()
	if !ok && kind == value.Float {
		f, _ := v.Float()
		x, ok = int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<53
	}
	low, high := integerRangeOf(t.Base)
	if !ok || kind == value.Timestamp || x < low || x > high {
		return Null, false
	}
	return Int(x), true
}

// integerRangeOf is the range of a signed type.
func integerRangeOf(base Base) (low, high int64) {
	switch base {
	case TinyInt:
		return math.MinInt8, math.MaxInt8
	case SmallInt:
		return math.MinInt16, math.MaxInt16
	case Integer:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

func temporalOf(v value.Value, kind value.Kind, t Type) (Datum, bool) {
	x, ok := v.Int()
	if !ok {
		return Null, false
	}
	unit := t.TimeUnit()
	switch {
	case t.Base == Timestamp && x >= ZeroUS/unit && x <= TimestampMax/unit:
		return TimestampUS(x * unit).WithFraction(t.Scale).Meeting(t), true
	case t.Base == Date && kind != value.Timestamp && x >= zeroDay && x <= DateMax:
		return DateDays(x), true
	case t.Base == Time && kind != value.Timestamp && x >= -TimeMax/unit && x <= TimeMax/unit:
		return TimeUS(x * unit).WithFraction(t.Scale), true
	}
	return Null, false
}

func exactOf(v value.Value, t Type) (Datum, bool) {
	x, ok := v.Decimal()
	if !ok || v.Kind() == value.Timestamp {
		return Null, false
	}
	if t.Base == BigIntUnsigned {
		if n, ok := unsignedOf(x); ok {
			return Uint(n), true
		}
		return Null, false
	}
	return DecimalOfScale(x, t.Scale), true
}

// AppendValue appends d as a column of type t stores it: Store has made it of that type. NULL is not stored;
// AppendValue makes it DynamoDB's null. The error is a *StoreError: d was not of the type after all, or a JSON text is
// none.
func AppendValue(dst []byte, d Datum, t Type) ([]byte, error) {
	if t.Variety >= HLong && d.kind != KindNull {
		return appendMapped(dst, d, t)
	}
	switch d.kind {
	case KindNull:
		return value.AppendNull(dst), nil
	case KindBool:
		return value.AppendBool(dst, d.bits != 0), nil
	case KindInt:
		return appendInteger(dst, d, t)
	case KindUint:
		return value.AppendNumber(dst, order.DecimalFromUint(d.bits)), nil
	case KindFloat:
		return value.AppendFloat(dst, d.Float()), nil
	case KindDecimal:
		return value.AppendNumber(dst, d.Decimal()), nil
	case KindText:
		return value.AppendString(dst, d.Bytes()), nil
	case KindBinary:
		return value.AppendBinary(dst, d.Bytes()), nil
	case KindTimestamp:
		return value.AppendTimestamp(dst, floorDivide(d.Int(), t.TimeUnit())), nil
	case KindDate, KindTime:
		if t.Base == Untyped {
			var buffer [40]byte
			return value.AppendString(dst, d.AppendText(buffer[:0])), nil
		}
		if d.kind == KindDate {
			return value.AppendInt(dst, d.Int()), nil
		}
		return value.AppendInt(dst, floorDivide(d.Int(), t.TimeUnit())), nil
	}
	out, err := jsontext.AppendValue(dst, d.text)
	if err != nil {
		return dst, invalidJSON(err)
	}
	return out, nil
}

// appendMapped appends the bytes of a column of an HBase table.
func appendMapped(dst []byte, d Datum, t Type) ([]byte, error) {
	codec := t.Codec()
	t.Variety = Plain
	v, err := AppendValue(nil, d, t)
	if err != nil {
		return dst, err
	}
	dst, ok := codec.Append(dst, v)
	if !ok {
		return dst, outOfRange()
	}
	return dst, nil
}

// appendInteger appends an Int: as a Number where the type is exact, so that equal values of one column are equal
// bytes.
func appendInteger(dst []byte, d Datum, t Type) ([]byte, error) {
	switch t.Base {
	case BigIntUnsigned, DecimalBase, JSONBase:
		return value.AppendNumber(dst, order.DecimalFromInt(d.Int())), nil
	case Float, Double:
		return value.AppendFloat(dst, float64(d.Int())), nil
	}
	return value.AppendInt(dst, d.Int()), nil
}
