// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

const (
	dayMS          = 24 * 60 * 60 * 1000
	microsecondsMS = 1000
)

// ToEngine is the engine's value of a column's type for a datum, whose bytes it copies. A datum that the type cannot hold becomes what
// MySQL makes of it, as far as the engine knows.
func ToEngine(ctx *sql.Context, d datum.Datum, to datum.Base, t sql.Type) (any, error) {
	if d.IsNull() {
		return nil, nil
	}
	switch d.Kind() {
	case datum.KindInt, datum.KindBool:
		if v, ok := engineInteger(d.Int(), to); ok {
			return v, nil
		}
	case datum.KindFloat:
		switch to {
		case datum.Double:
			return d.Float(), nil
		case datum.Float:
			return float32(d.Float()), nil
		}
	case datum.KindText:
		if to == datum.Varchar || to == datum.Char || to == datum.Untyped {
			return string(d.Bytes()), nil
		}
	case datum.KindBinary:
		if to == datum.Varbinary || to == datum.BinaryBase {
			return bytes.Clone(d.Bytes()), nil
		}
	case datum.KindTimestamp:
		if to == datum.Timestamp {
			return time.UnixMilli(d.Int()).UTC(), nil
		}
	}
	if to == datum.Untyped && IsUntyped(t) {
		return untypedValue(d), nil
	}
	if to == datum.Untyped {
		return UntypedText(d), nil
	}
	v := Loose(d)
	if t == nil || to == datum.JSONBase && d.Kind() == datum.KindJSON {
		return v, nil
	}
	converted, _, err := t.Convert(ctx, v)
	return converted, err
}

func engineInteger(v int64, to datum.Base) (any, bool) {
	switch to {
	case datum.BigInt:
		return v, true
	case datum.Integer:
		return int32(v), v == int64(int32(v))
	case datum.SmallInt:
		return int16(v), v == int64(int16(v))
	case datum.TinyInt, datum.Boolean:
		return int8(v), v == int64(int8(v))
	case datum.BigIntUnsigned:
		return uint64(v), v >= 0
	case datum.Timestamp:
		return time.UnixMilli(v).UTC(), true
	case datum.Date:
		return time.UnixMilli(v * dayMS).UTC(), true
	}
	return nil, false
}

// Loose is the engine's value for a datum by the datum's own kind.
func Loose(d datum.Datum) any {
	switch d.Kind() {
	case datum.KindNull:
		return nil
	case datum.KindBool:
		return int8(d.Int())
	case datum.KindInt:
		return d.Int()
	case datum.KindUint:
		return d.Uint()
	case datum.KindFloat:
		return d.Float()
	case datum.KindDecimal:
		return engineDecimal(d.Decimal())
	case datum.KindBinary:
		return bytes.Clone(d.Bytes())
	case datum.KindTimestamp:
		return time.UnixMilli(d.Int()).UTC()
	case datum.KindDate:
		return time.UnixMilli(d.Int() * dayMS).UTC()
	case datum.KindTime:
		return types.Timespan(d.Int() * microsecondsMS)
	case datum.KindJSON:
		return types.NewLazyJSONDocument(bytes.Clone(d.Bytes()))
	}
	return string(d.Bytes())
}

// LooseType is the engine's type of Loose.
func LooseType(d datum.Datum) sql.Type {
	switch d.Kind() {
	case datum.KindNull:
		return types.Null
	case datum.KindBool:
		return types.Boolean
	case datum.KindInt:
		return types.Int64
	case datum.KindUint:
		return types.Uint64
	case datum.KindFloat:
		return types.Float64
	case datum.KindDecimal:
		return types.InternalDecimalType
	case datum.KindBinary:
		return types.LongBlob
	case datum.KindTimestamp:
		return types.DatetimeMaxPrecision
	case datum.KindDate:
		return types.Date
	case datum.KindTime:
		return types.Time
	case datum.KindJSON:
		return types.JSON
	}
	return types.CreateLongText(TextCollation)
}

func engineDecimal(d order.Decimal) decimal.Decimal {
	v, err := decimal.NewFromString(d.String())
	if err != nil { // cannot be: both read the same notation
		return decimal.Zero
	}
	return v
}

// UntypedText is how a value of a column without a type reads: texts as they are, all else as JSON or SQL would write it.
func UntypedText(d datum.Datum) string {
	switch d.Kind() {
	case datum.KindBool, datum.KindInt:
		return strconv.FormatInt(d.Int(), 10)
	case datum.KindUint:
		return strconv.FormatUint(d.Uint(), 10)
	case datum.KindFloat:
		return strconv.FormatFloat(d.Float(), 'g', -1, 64)
	case datum.KindDecimal:
		return d.Decimal().String()
	case datum.KindTimestamp:
		return time.UnixMilli(d.Int()).UTC().Format("2006-01-02 15:04:05.000")
	case datum.KindDate:
		return time.UnixMilli(d.Int() * dayMS).UTC().Format("2006-01-02")
	case datum.KindTime:
		return types.Timespan(d.Int() * microsecondsMS).String()
	}
	return string(d.Bytes())
}

// FromEngine is the datum of an engine's value. base is the type of the column it belongs to, Untyped where that is not known.
func FromEngine(ctx *sql.Context, v any, base datum.Base, t sql.Type) (datum.Datum, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return datum.Null, err
	}
	if d, is := numberOf(v); is && IsUntyped(t) {
		return d, nil
	}
	switch v := v.(type) {
	case nil:
		return datum.Null, nil
	case string:
		if base == datum.Varbinary || base == datum.BinaryBase {
			return datum.Binary([]byte(v)), nil
		}
		return datum.Text([]byte(v)), nil
	case []byte:
		if base == datum.Varchar || base == datum.Char {
			return datum.Text(v), nil
		}
		return datum.Binary(v), nil
	case bool:
		return datum.Bool(v), nil
	case float32:
		return datum.Float64(float64(v)), nil
	case float64:
		return datum.Float64(v), nil
	case decimal.Decimal:
		if base == datum.Double {
			return datum.Float64(v.InexactFloat64()), nil
		}
		return fromDecimal(v, t)
	case time.Time:
		return fromTime(v, base), nil
	case types.Timespan:
		return datum.TimeMS(int64(v) / microsecondsMS), nil
	case sql.JSONWrapper:
		return fromJSON(v)
	}
	return fromInteger(ctx, v, base, t)
}

func fromInteger(ctx *sql.Context, v any, base datum.Base, t sql.Type) (datum.Datum, error) {
	if base == datum.Varchar || base == datum.Char || base == datum.Varbinary { // an ENUM, a SET, a point
		return fromText(ctx, v, t)
	}
	signed, ok := integerOf(v)
	if !ok {
		if u, is := v.(uint64); is {
			return datum.Uint(u), nil
		}
		return fromText(ctx, v, t)
	}
	if base == datum.Boolean && (signed == 0 || signed == 1) {
		return datum.Bool(signed != 0), nil
	}
	return datum.Int(signed), nil
}

// integerOf is the int64 of any integer of Go that fits one.
func integerOf(v any) (int64, bool) {
	switch v := v.(type) {
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case int:
		return int64(v), true
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint:
		return int64(v), uint64(v) <= math.MaxInt64
	case uint64:
		return int64(v), v <= math.MaxInt64
	}
	return 0, false
}

func fromText(ctx *sql.Context, v any, t sql.Type) (datum.Datum, error) {
	if t == nil {
		return datum.Text(fmt.Append(nil, v)), nil
	}
	converted, err := t.SQL(ctx, nil, v)
	if err != nil {
		return datum.Null, err
	}
	return datum.Text(bytes.Clone(converted.ToBytes())), nil
}

func fromDecimal(v decimal.Decimal, t sql.Type) (datum.Datum, error) {
	text, scale := v.String(), max(0, -int(v.Exponent()))
	if d, ok := t.(sql.DecimalType); ok && t != types.InternalDecimalType {
		scale = int(d.Scale())
		text = v.StringFixed(int32(scale))
	}
	parsed, err := order.ParseDecimal([]byte(text))
	if err != nil {
		rounded := v.Round(int32(max(0, 37-len(v.Truncate(0).String())))) // more digits than we keep
		if parsed, err = order.ParseDecimal([]byte(rounded.String())); err != nil {
			return datum.Null, err
		}
	}
	return datum.DecimalOfScale(parsed, scale), nil
}

func fromTime(v time.Time, base datum.Base) datum.Datum {
	if v.Year() <= 0 {
		return datum.Null // MySQL's zero date
	}
	ms := v.UnixMilli()
	if base == datum.Date {
		days := ms / dayMS
		if ms%dayMS < 0 {
			days--
		}
		return datum.DateDays(days)
	}
	return datum.TimestampMS(ms)
}

func fromJSON(v sql.JSONWrapper) (datum.Datum, error) {
	text, err := types.MarshallJson(v)
	if err != nil {
		return datum.Null, err
	}
	return datum.JSON(text), nil
}

// Same compares two datums of one kind for being the same bits.
func Same(a, b datum.Datum) (bool, error) {
	if a.Kind() != b.Kind() {
		return false, nil
	}
	switch a.Kind() {
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		return bytes.Equal(a.Bytes(), b.Bytes()), nil
	case datum.KindDecimal:
		return a.Decimal().Compare(b.Decimal()) == 0, nil
	case datum.KindFloat:
		return a.Float() == b.Float(), nil
	}
	return a.Int() == b.Int(), nil
}
