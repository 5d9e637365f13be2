// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/order"
)

// reach is where a column's values lie that equal a SQL value: from low to high, both the same for a single one. No other value of the column
// equals it, but where it is not exact, not all of them need do so.
type reach struct {
	low, high weft.Value
	exact     bool
}

func single(v weft.Value) (reach, bool) { return reach{low: v, high: v, exact: true}, true }

// inexact is r, to be looked at again.
func (r reach) inexact() reach { r.exact = false; return r }

const (
	// floatExact is up to where every integer is a float64 of its own.
	floatExact = 1 << 53
	dayMS      = 86_400_000
)

// reach translates a SQL value into the stored values of the column. ok is false where the comparison is of another kind, such as that of a text
// with a number, which no order of the column's serves. d is not NULL.
func (c *column) reach(d datum.Datum) (r reach, ok bool) {
	switch c.key {
	case schema.String:
		return c.textReach(d, value.AppendString)
	case schema.Binary:
		return c.textReach(d, value.AppendBinary)
	case schema.Timestamp:
		return c.timestampReach(d)
	case schema.Int, schema.Number, schema.Float:
		switch c.sql.Base {
		case datum.Date:
			return dateReach(d)
		case datum.Time:
			return timeReach(d)
		}
		return c.numberReach(d)
	}
	return r, false
}

func (c *column) textReach(d datum.Datum, encode func(dst, s []byte) []byte) (reach, bool) {
	if d.Kind() != datum.KindText && d.Kind() != datum.KindBinary {
		return reach{}, false
	}
	return single(encode(nil, d.Bytes()))
}

// numberReach is for columns of numbers, which compare by value, a float as the shortest decimal that reads back as it; only a text makes a comparison
// one of floats, which can't tell all numbers apart.
func (c *column) numberReach(d datum.Datum) (r reach, ok bool) {
	switch d.Kind() {
	case datum.KindText, datum.KindBinary:
		return c.roughReach(d.NumberFloat()), true
	case datum.KindBool, datum.KindInt, datum.KindUint, datum.KindDecimal, datum.KindFloat:
	default:
		return reach{}, false
	}
	if c.key == schema.Float {
		return c.floatReach(d)
	}
	if d.Kind() == datum.KindInt || d.Kind() == datum.KindBool {
		return c.exactReach(order.DecimalFromInt(d.Int()))
	}
	x, ok := d.NumberDecimal()
	if !ok {
		return c.roughReach(d.NumberFloat()), !math.IsNaN(d.NumberFloat())
	}
	return c.exactReach(x)
}

// exactReach is one number in the form that the column stores, where it is one that the column can have.
func (c *column) exactReach(x order.Decimal) (reach, bool) {
	n, whole := x.Int()
	if whole && c.key == schema.Int {
		r, ok := single(value.AppendInt(nil, n))
		r.exact = c.fits(n)
		return r, ok
	}
	r, ok := single(value.AppendNumber(nil, x))
	r.exact = c.key == schema.Number && (c.sql.Base != datum.BigIntUnsigned || whole && n >= 0)
	return r, ok
}

// bounds are the least and the greatest value of a column of integers, days or milliseconds. What lies beyond may have been stored by another door, and
// reads as NULL.
func (c *column) bounds() (least, most int64) {
	switch c.sql.Base {
	case datum.TinyInt:
		return math.MinInt8, math.MaxInt8
	case datum.SmallInt:
		return math.MinInt16, math.MaxInt16
	case datum.Integer:
		return math.MinInt32, math.MaxInt32
	case datum.Date:
		return datum.DateMin, datum.DateMax
	case datum.Time:
		return -datum.TimeMax, datum.TimeMax
	case datum.Timestamp:
		return datum.TimestampMin, datum.TimestampMax
	}
	return math.MinInt64, math.MaxInt64
}

// fits says whether a column of integers, days or milliseconds can have one.
func (c *column) fits(n int64) bool {
	least, most := c.bounds()
	return n >= least && n <= most
}

// narrow says whether values may be stored that the column reads as NULL: they are out of its range, or were there before it was declared.
func (c *column) narrow() bool {
	least, _ := c.bounds()
	return least != math.MinInt64 || c.sql.Base == datum.BigIntUnsigned || !c.sure && c.key == schema.Int
}

// dense says whether the column can have every value between two that it can have.
func (c *column) dense() bool { return c.sure && (c.key == schema.Int || c.key == schema.Timestamp) }

// floatReach is for columns of floats. Numbers of another door may have more digits than the float that they read as.
func (c *column) floatReach(d datum.Datum) (reach, bool) {
	f := d.NumberFloat()
	if math.IsNaN(f) {
		return reach{}, false
	}
	if !c.sure {
		return wide(f), true
	}
	if order, null := datum.Compare(d, datum.Float64(f)); order == 0 && !null {
		return single(value.AppendFloat(nil, f))
	}
	return wide(f), true // d lies between two floats
}

// roughReach is all numbers that are f as floats.
func (c *column) roughReach(f float64) reach {
	exact, isDecimal := datum.Float64(f).NumberDecimal()
	switch {
	case c.key == schema.Float && c.sure:
		return reach{low: value.AppendFloat(nil, f), high: value.AppendFloat(nil, f)}
	case isDecimal && (c.key == schema.Int && math.Abs(f) < floatExact || c.key == schema.Number && c.sql.Precision > 0 && c.sql.Precision <= 15):
		// So short a number is the only one of its length that becomes its float.
		r, _ := c.exactReach(exact)
		return r.inexact()
	}
	return wide(f)
}

func wide(f float64) reach {
	return reach{low: value.AppendFloat(nil, math.Nextafter(f, math.Inf(-1))), high: value.AppendFloat(nil, math.Nextafter(f, math.Inf(1)))}
}

// timestampReach is for TIMESTAMP columns. Numbers are milliseconds since 1970.
func (c *column) timestampReach(d datum.Datum) (reach, bool) {
	switch d.Kind() {
	case datum.KindTimestamp, datum.KindInt, datum.KindBool:
		r, ok := single(value.AppendTimestamp(nil, d.Int()))
		r.exact = c.fits(d.Int())
		return r, ok
	case datum.KindDate:
		return single(value.AppendTimestamp(nil, d.Int()*dayMS))
	case datum.KindFloat, datum.KindDecimal, datum.KindUint:
		x, ok := d.NumberDecimal()
		if ms, whole := x.Int(); ok && whole {
			return c.timestampReach(datum.Int(ms))
		}
		r, _ := single(value.AppendNumber(nil, x))
		return r.inexact(), ok
	case datum.KindText, datum.KindBinary:
		if ms, ok := d.Instant(); ok {
			return single(value.AppendTimestamp(nil, ms))
		}
	}
	return reach{}, false
}

// dateReach is for DATE columns, which hold days. A time of day is a part of one.
func dateReach(d datum.Datum) (reach, bool) {
	ms := int64(0)
	switch d.Kind() {
	case datum.KindDate:
		return single(value.AppendInt(nil, d.Int()))
	case datum.KindTimestamp:
		ms = d.Int()
	case datum.KindText, datum.KindBinary:
		var ok bool
		if ms, ok = d.Instant(); !ok {
			return reach{}, false
		}
	default:
		return reach{}, false
	}
	if ms%dayMS == 0 {
		r, ok := single(value.AppendInt(nil, ms/dayMS))
		return r.inexact(), ok
	}
	r, ok := single(value.AppendFloat(nil, float64(ms)/dayMS))
	return r.inexact(), ok
}

func timeReach(d datum.Datum) (reach, bool) {
	switch d.Kind() {
	case datum.KindTime:
		return single(value.AppendInt(nil, d.Int()))
	case datum.KindText, datum.KindBinary:
		if ms, ok := datum.ParseTime(string(d.Bytes())); ok {
			return single(value.AppendInt(nil, ms))
		}
	}
	return reach{}, false
}

// kindOf is the kind of the values that a type of keys has in rows.
func kindOf(t schema.Type) (kind value.Kind, ok bool) {
	switch t {
	case schema.String:
		return value.String, true
	case schema.Number:
		return value.Number, true
	case schema.Binary:
		return value.Binary, true
	case schema.Bool:
		return value.Bool, true
	case schema.Int:
		return value.Int, true
	case schema.Float:
		return value.Float, true
	case schema.Timestamp:
		return value.Timestamp, true
	}
	return value.Missing, false
}
