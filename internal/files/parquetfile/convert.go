// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

type appender = func(dst []byte, v parquet.Value) ([]byte, error)

// converter returns what makes values of a type of a column's.
func converter(e *format.SchemaElement, typed string, o *ReadOptions) (appender, error) {
	if _, none := e.LogicalType.Value.(*format.NullType); none {
		return func(dst []byte, _ parquet.Value) ([]byte, error) { return dst, nil }, nil
	}
	if c, ok := decimalOf(e); ok {
		return c.appender(typed)
	}
	if unit, ok := unitOf(e); ok {
		return instantAppender(e.Type.V, unit, typed)
	}
	switch e.Type.V {
	case format.Boolean:
		if typed != Natural && typed != Bool {
			return nil, cannot("truth values", typed)
		}
		return func(dst []byte, v parquet.Value) ([]byte, error) { return value.AppendBool(dst, v.Boolean()), nil }, nil
	case format.Int32, format.Int64:
		return integerAppender(e, typed)
	case format.Float, format.Double:
		return floatAppender(e.Type.V, typed)
	case format.ByteArray, format.FixedLenByteArray:
		return bytesAppender(e, typed, o)
	}
	return nil, fmt.Errorf("values of the type %s can't be read", describe(e))
}

func describe(e *format.SchemaElement) string {
	if text := e.LogicalType.String(); text != "" {
		return text
	}
	if e.ConvertedType.Valid {
		return fmt.Sprintf("%s with the converted type %d", e.Type.V, e.ConvertedType.V)
	}
	return e.Type.V.String()
}

func cannot(what, typed string) error {
	return fmt.Errorf("%s can't be read as %s: import it with another one in --types, or into a column of another type",
		what, typed)
}

func integerAppender(e *format.SchemaElement, typed string) (appender, error) {
	date, unsigned := isDate(e), isUnsigned(e)
	if !date && !isInteger(e) {
		return nil, fmt.Errorf("values of the type %s can't be read", describe(e))
	}
	read := func(v parquet.Value) int64 { return v.Int64() }
	if e.Type.V == format.Int32 {
		if read = func(v parquet.Value) int64 { return int64(v.Int32()) }; unsigned {
			read = func(v parquet.Value) int64 { return int64(uint32(v.Int32())) }
		}
	}
	wide := unsigned && e.Type.V == format.Int64
	switch {
	case date && (typed == Natural || typed == Text):
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			at := time.Unix(read(v)*24*60*60, 0).UTC()
			if at.Year() < 1 || at.Year() > 9999 {
				return dst, fmt.Errorf("day %d is not in the years 1 to 9999", read(v))
			}
			return value.AppendString(dst, at.AppendFormat(nil, time.DateOnly)), nil
		}, nil
	case date && typed != Date && typed != Int:
		return nil, cannot("days", typed)
	case wide && (typed == Natural || typed == Number):
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return value.AppendNumber(dst, order.DecimalFromUint(v.Uint64())), nil
		}, nil
	case wide:
		return nil, cannot("integers without sign", typed)
	}
	switch typed {
	case Natural, Number:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return value.AppendNumber(dst, order.DecimalFromInt(read(v))), nil
		}, nil
	case Int, Date:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return value.AppendInt(dst, read(v)), nil }, nil
	case Float:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			n := read(v)
			if x := float64(n); x < math.MaxInt64 && int64(x) == n {
				return value.AppendFloat(dst, x), nil
			}
			return dst, fmt.Errorf("no float is %d", n)
		}, nil
	case Timestamp, Timestamp6:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return value.AppendTimestamp(dst, read(v)), nil },
			nil
	case Text:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return value.AppendString(dst, strconv.AppendInt(nil, read(v), 10)), nil
		}, nil
	}
	return nil, cannot("integers", typed)
}

func floatAppender(kind format.Type, typed string) (appender, error) {
	read, bits := func(v parquet.Value) float64 { return v.Double() }, 64
	if kind == format.Float {
		read, bits = func(v parquet.Value) float64 { return float64(v.Float()) }, 32
	}
	switch typed {
	case Natural, Number:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			text := strconv.AppendFloat(nil, read(v), 'g', -1, bits)
			d, err := order.ParseDecimal(text)
			if err != nil {
				return dst, fmt.Errorf("%s is no number of DynamoDB's; a column of the type float can hold it: %w",
					text, err)
			}
			return value.AppendNumber(dst, d), nil
		}, nil
	case Float:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return value.AppendFloat(dst, read(v)), nil }, nil
	case Text:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return value.AppendString(dst, strconv.AppendFloat(nil, read(v), 'g', -1, bits)), nil
		}, nil
	}
	return nil, cannot("floats", typed)
}

func bytesAppender(e *format.SchemaElement, typed string, o *ReadOptions) (appender, error) {
	text := isText(e)
	switch {
	case !text && !isPlain(e):
		return nil, fmt.Errorf("values of the type %s can't be read", describe(e))
	case typed == Stored:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			stored := value.Value(v.ByteArray())
			if err := stored.Validate(); err != nil {
				return dst, fmt.Errorf("not a value as Weft stores it: %w", err)
			}
			return append(dst, stored...), nil
		}, nil
	case typed == Binary, typed == Natural && !text:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return value.AppendBinary(dst, v.ByteArray()), nil },
			nil
	case typed == Text, typed == Natural && !isJSON(e):
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			b := v.ByteArray()
			if !utf8.Valid(b) {
				return dst, fmt.Errorf("%.40q is not UTF-8", b)
			}
			return value.AppendString(dst, b), nil
		}, nil
	case typed == Number && text:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			d, err := order.ParseDecimal(v.ByteArray())
			if err != nil {
				return dst, fmt.Errorf("%.40q is not a valid number: %w", v.ByteArray(), err)
			}
			return value.AppendNumber(dst, d), nil
		}, nil
	case !text || o.Parse == nil:
		return nil, cannot("bytes", typed)
	case typed == Natural:
		typed = "json"
	}
	return func(dst []byte, v parquet.Value) ([]byte, error) { return o.Parse(dst, typed, v.ByteArray()) }, nil
}

// What annotations say of a column: those of today, or else those of the format's first version.

func isText(e *format.SchemaElement) bool {
	switch e.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return true
	case nil:
		return e.ConvertedType.Valid && (e.ConvertedType.V == deprecated.UTF8 || e.ConvertedType.V == deprecated.Enum ||
			e.ConvertedType.V == deprecated.Json)
	}
	return false
}

func isJSON(e *format.SchemaElement) bool {
	_, is := e.LogicalType.Value.(*format.JsonType)
	return is || e.LogicalType.Value == nil && e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Json
}

func isPlain(e *format.SchemaElement) bool {
	return e.LogicalType.Value == nil && !e.ConvertedType.Valid
}

func isDate(e *format.SchemaElement) bool {
	_, is := e.LogicalType.Value.(*format.DateType)
	return e.Type.V == format.Int32 && (is ||
		e.LogicalType.Value == nil && e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Date)
}

// isInteger is not true of times of a day.
func isInteger(e *format.SchemaElement) bool {
	if _, is := e.LogicalType.Value.(*format.IntType); is || isPlain(e) {
		return true
	}
	return e.LogicalType.Value == nil && e.ConvertedType.V >= deprecated.Uint8 && e.ConvertedType.V <= deprecated.Int64
}

func isUnsigned(e *format.SchemaElement) bool {
	if t, is := e.LogicalType.Value.(*format.IntType); is {
		return !t.IsSigned
	}
	return e.LogicalType.Value == nil && e.ConvertedType.Valid && e.ConvertedType.V >= deprecated.Uint8 &&
		e.ConvertedType.V <= deprecated.Uint64
}

// unitOf is the number of nanoseconds the unit of a column of moments has.
func unitOf(e *format.SchemaElement) (unit int64, ok bool) {
	if e.Type.V == format.Int96 {
		return 1, true
	}
	if e.Type.V != format.Int64 {
		return 0, false
	}
	if t, is := e.LogicalType.Value.(*format.TimestampType); is {
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			return 1_000_000, true
		case *format.MicroSeconds:
			return 1_000, true
		case *format.NanoSeconds:
			return 1, true
		}
		return 0, false
	}
	if e.LogicalType.Value == nil && e.ConvertedType.Valid {
		switch e.ConvertedType.V {
		case deprecated.TimestampMillis:
			return 1_000_000, true
		case deprecated.TimestampMicros:
			return 1_000, true
		}
	}
	return 0, false
}

// instantAppender reads moments of a unit.
func instantAppender(kind format.Type, unit int64, typed string) (appender, error) {
	read := func(v parquet.Value) (int64, bool) { return v.Int64(), true }
	if kind == format.Int96 {
		read = int96
	}
	wanted := int64(1_000_000)
	switch typed {
	case Natural, Timestamp:
	case Timestamp6:
		wanted = 1_000
	case Text:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			n, ok := read(v)
			var at time.Time
			switch unit {
			case 1_000_000:
				at = time.UnixMilli(n).UTC()
			case 1_000:
				at = time.UnixMicro(n).UTC()
			default:
				at = time.Unix(0, n).UTC()
			}
			if !ok || at.Year() < 1 || at.Year() > 9999 {
				return dst, fmt.Errorf("the time %d is not in the years 1 to 9999", n)
			}
			return value.AppendString(dst, at.AppendFormat(nil, time.RFC3339Nano)), nil
		}, nil
	default:
		return nil, cannot("times", typed)
	}
	return func(dst []byte, v parquet.Value) ([]byte, error) {
		n, ok := read(v)
		scaled := n
		switch {
		case unit < wanted:
			if scaled = n / (wanted / unit); n%(wanted/unit) != 0 {
				return dst, fmt.Errorf("the time has more digits of a second than %s keeps: give its column the type timestamp6 or string with --types", orTimestamp(typed))
			}
		case unit > wanted:
			scaled = n * (unit / wanted)
			ok = ok && scaled/(unit/wanted) == n
		}
		if !ok {
			return dst, fmt.Errorf("the time %d is out of range", n)
		}
		return value.AppendTimestamp(dst, scaled), nil
	}, nil
}

func orTimestamp(typed string) string {
	if typed == Natural {
		return Timestamp
	}
	return typed
}

// int96 is a moment as programs of old write it: nanoseconds of a day, and the day since 4713 BC.
func int96(v parquet.Value) (ns int64, ok bool) {
	const dayNS, epoch = int64(24 * time.Hour), 2_440_588
	raw := v.Int96()
	days, rest := int64(raw[2])-epoch, int64(uint64(raw[1])<<32|uint64(raw[0]))
	if rest < 0 || rest >= dayNS || days > math.MaxInt64/dayNS-1 || days < math.MinInt64/dayNS+1 {
		return 0, false
	}
	return days*dayNS + rest, true
}

// decimalColumn is a column of integers with digits behind the point.
type decimalColumn struct {
	scale int32
	kind  format.Type
}

func decimalOf(e *format.SchemaElement) (c decimalColumn, ok bool) {
	if t, is := e.LogicalType.Value.(*format.DecimalType); is {
		return decimalColumn{t.Scale, e.Type.V}, true
	}
	return decimalColumn{e.Scale.V, e.Type.V}, e.LogicalType.Value == nil && e.ConvertedType.Valid &&
		e.ConvertedType.V == deprecated.Decimal
}

// decimalBytesMax is the longest integer of a decimal that is looked at: more than 38 digits are refused anyway.
const decimalBytesMax = 64

func (c decimalColumn) appender(typed string) (appender, error) {
	if c.scale < 0 || c.scale > 130 {
		return nil, fmt.Errorf("decimals with %d digits behind the point can't be read", c.scale)
	}
	read := func(v parquet.Value) (order.Decimal, error) {
		var text []byte
		switch c.kind {
		case format.Int32:
			text = strconv.AppendInt(nil, int64(v.Int32()), 10)
		case format.Int64:
			text = strconv.AppendInt(nil, v.Int64(), 10)
		default:
			b := v.ByteArray()
			if len(b) > decimalBytesMax {
				return order.Decimal{}, fmt.Errorf("a decimal of %d bytes", len(b))
			}
			n := new(big.Int).SetBytes(b)
			if len(b) > 0 && b[0] >= 0x80 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
			text = n.Append(nil, 10)
		}
		return order.ParseDecimal(append(append(text, 'E', '-'), strconv.Itoa(int(c.scale))...))
	}
	switch typed {
	case Natural, Number:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			d, err := read(v)
			return value.AppendNumber(dst, d), err
		}, nil
	case Text:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			d, err := read(v)
			return value.AppendString(dst, d.AppendText(nil)), err
		}, nil
	case Int:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			d, err := read(v)
			n, exact := d.Int()
			if err == nil && !exact {
				err = fmt.Errorf("%s is not a 64-bit integer", d)
			}
			return value.AppendInt(dst, n), err
		}, nil
	case Float:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			d, err := read(v)
			return value.AppendFloat(dst, d.Float()), err
		}, nil
	}
	return nil, cannot("decimals", typed)
}
