// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

// reach is the range of a column's values that equal a SQL value: from low to high, both the same for a single one. No
// other value of the column equals it, but where it is not exact, not all of them need do so.
type reach struct {
	low, high value.Value
	exact     bool
}

func single(v value.Value) (reach, bool) { return reach{low: v, high: v, exact: true}, true }

// inexact is r, to be looked at again.
func (r reach) inexact() reach { r.exact = false; return r }

const (
	// floatExact is up to where every integer is a float64 of its own.
	floatExact = 1 << 53
	dayUS      = 86_400_000_000
	milliUS    = 1000
)

// reach translates a SQL value into the stored values of the column. ok is false where the comparison is of another
// kind, such as that of a text with a number, which no order of the column's serves. d is not NULL.
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
			return c.timeReach(d)
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

// numberReach is for columns of numbers, which compare by value, a float as the shortest decimal that reads back as it;
// only a text makes a comparison one of floats, which can't tell all numbers apart.
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

// bounds are the least and the greatest value of a column of integers, days or times. Another protocol may have stored
// values beyond them, and reads as NULL.
func (c *column) bounds() (least, most int64) {
	switch c.sql.Base {
	case datum.TinyInt:
		return math.MinInt8, math.MaxInt8
	case datum.SmallInt:
		return math.MinInt16, math.MaxInt16
	case datum.Integer:
		return math.MinInt32, math.MaxInt32
	case datum.Date:
		return datum.DateMin - 1, datum.DateMax
	case datum.Time:
		return -datum.TimeMax / c.sql.TimeUnit(), datum.TimeMax / c.sql.TimeUnit()
	case datum.Timestamp:
		return datum.ZeroUS / c.sql.TimeUnit(), datum.TimestampMax / c.sql.TimeUnit()
	}
	return math.MinInt64, math.MaxInt64
}

// fits reports whether a column of integers, days or times can have one.
func (c *column) fits(n int64) bool {
	least, most := c.bounds()
	return n >= least && n <= most
}

// narrow reports whether values may be stored that the column reads as NULL: they are out of its range, or were there
// before it was declared.
func (c *column) narrow() bool {
	least, _ := c.bounds()
	return least != math.MinInt64 || c.sql.Base == datum.BigIntUnsigned || !c.sure && c.key == schema.Int
}

// dense reports whether the column can have every value between two that it can have.
func (c *column) dense() bool { return c.sure && (c.key == schema.Int || c.key == schema.Timestamp) }

// floatReach is for columns of floats. Numbers of another protocol may have more digits than the float that they read
// as.
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
	case isDecimal && (c.key == schema.Int && math.Abs(f) < floatExact ||
		c.key == schema.Number && c.sql.Precision > 0 && c.sql.Precision <= 15):
		// So short a number is the only one of its length that becomes its float.
		r, _ := c.exactReach(exact)
		return r.inexact()
	}
	return wide(f)
}

func wide(f float64) reach {
	return reach{low: value.AppendFloat(nil, math.Nextafter(f, math.Inf(-1))),
		high: value.AppendFloat(nil, math.Nextafter(f, math.Inf(1)))}
}

// timestampReach is for TIMESTAMP columns. Numbers are dates, or milliseconds since 1970 in a table of LindormTable's
// kind.
func (c *column) timestampReach(d datum.Datum) (reach, bool) {
	if d.IsNumber() && c.sql.Variety != datum.Plain {
		us, ok := d.InstantAs(c.sql)
		if !ok {
			return reach{}, false
		}
		return c.unitReach(us, value.AppendTimestamp)
	}
	switch d.Kind() {
	case datum.KindTimestamp:
		return c.unitReach(d.Int(), value.AppendTimestamp)
	case datum.KindInt, datum.KindBool:
		if most := int64(datum.TimestampMax / milliUS); d.Int() > most || d.Int() < -most { // no time is so far away
			r, ok := single(value.AppendNumber(nil, order.DecimalFromInt(d.Int())))
			return r.inexact(), ok
		}
		return c.unitReach(d.Int()*milliUS, value.AppendTimestamp)
	case datum.KindDate:
		return c.unitReach(d.Int()*dayUS, value.AppendTimestamp)
	case datum.KindFloat, datum.KindDecimal, datum.KindUint:
		x, ok := d.NumberDecimal()
		if ms, whole := x.Int(); ok && whole {
			return c.timestampReach(datum.Int(ms))
		}
		if c.sql.TimeUnit() == 1 {
			if us, err := datum.Multiply(datum.Decimal(x), datum.Int(milliUS)); err == nil {
				x, ok = us.NumberDecimal()
			}
		}
		r, _ := single(value.AppendNumber(nil, x))
		return r.inexact(), ok
	case datum.KindText, datum.KindBinary:
		if us, ok := d.Instant(); ok {
			return c.unitReach(us, value.AppendTimestamp)
		}
	}
	return reach{}, false
}

// unitReach is the place of a time in a column that stores times in units of its own: at one of them, or between two.
func (c *column) unitReach(us int64, encode func(dst []byte, units int64) []byte) (reach, bool) {
	unit := c.sql.TimeUnit()
	if us%unit != 0 {
		r, ok := single(value.AppendFloat(nil, float64(us)/float64(unit)))
		return r.inexact(), ok
	}
	r, ok := single(encode(nil, us/unit))
	r.exact = c.fits(us / unit)
	return r, ok
}

// dateReach is for DATE columns, which hold days. A time of day is a part of one.
func dateReach(d datum.Datum) (reach, bool) {
	us := int64(0)
	switch d.Kind() {
	case datum.KindDate:
		return single(value.AppendInt(nil, d.Int()))
	case datum.KindTimestamp:
		us = d.Int()
	case datum.KindText, datum.KindBinary:
		var ok bool
		if us, ok = d.Instant(); !ok {
			return reach{}, false
		}
	default:
		return reach{}, false
	}
	if us%dayUS == 0 {
		r, ok := single(value.AppendInt(nil, us/dayUS))
		return r.inexact(), ok
	}
	r, ok := single(value.AppendFloat(nil, float64(us)/dayUS))
	return r.inexact(), ok
}

func (c *column) timeReach(d datum.Datum) (reach, bool) {
	switch d.Kind() {
	case datum.KindTime:
		return c.unitReach(d.Int(), value.AppendInt)
	case datum.KindText, datum.KindBinary:
		if us, ok := datum.ParseTime(string(d.Bytes())); ok {
			return c.unitReach(us, value.AppendInt)
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
