// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"database/sql/driver"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
)

// check makes an argument one of the values that parameters takes. Errors: a type that there is no value for, a name.
func check(named *driver.NamedValue) error {
	if named.Name != "" {
		return fmt.Errorf("weftsql: the argument %q has a name, which this dialect has none for: pass arguments in the order of their question marks", named.Name)
	}
	if x, ok := unsigned(named.Value); ok {
		named.Value = x
		return nil
	}
	value, err := driver.DefaultParameterConverter.ConvertValue(named.Value)
	if err != nil {
		return err
	}
	named.Value = value
	return nil
}

// unsigned returns unsigned integers that an int64 can't hold, which database/sql refuses by default.
func unsigned(value any) (x uint64, ok bool) {
	if _, is := value.(driver.Valuer); is {
		return 0, false
	}
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		if v = v.Elem(); v.CanInterface() {
			if _, is := v.Interface().(driver.Valuer); is {
				return 0, false
			}
		}
	}
	if !v.IsValid() || !v.CanUint() || v.Uint() <= math.MaxInt64 {
		return 0, false
	}
	return v.Uint(), true
}

// parameters are the arguments of a statement as SQL's values. They alias the arguments.
func (c *connector) parameters(arguments []driver.NamedValue) ([]datum.Datum, error) {
	list := make([]datum.Datum, len(arguments))
	for i := range arguments {
		d, err := c.parameter(arguments[i].Value)
		if err != nil {
			return nil, fmt.Errorf("weftsql: argument %d: %w", i+1, err)
		}
		list[i] = d
	}
	return list, nil
}

func (c *connector) parameter(value driver.Value) (datum.Datum, error) {
	switch x := value.(type) {
	case nil:
		return datum.Null, nil
	case int64:
		return datum.Int(x), nil
	case uint64:
		return datum.Uint(x), nil
	case float64:
		return datum.Float64(x), nil
	case bool:
		return datum.Bool(x), nil
	case string:
		if !utf8.ValidString(x) {
			return datum.Binary([]byte(x)), nil
		}
		return datum.TextString(x), nil
	case []byte:
		return bytesParameter(x), nil
	case time.Time:
		return c.timeParameter(x)
	}
	return datum.Null, fmt.Errorf("there is no value of SQL for a %T", value)
}

// bytesParameter is a text where it can be one, as it is for clients of MySQL, which have one type for both.
func bytesParameter(x []byte) datum.Datum {
	switch {
	case x == nil:
		return datum.Null
	case utf8.Valid(x):
		return datum.Text(x)
	}
	return datum.Binary(x)
}

// timeParameter returns the time as a clock in the connector's location shows it.
func (c *connector) timeParameter(t time.Time) (datum.Datum, error) {
	if t.IsZero() {
		return datum.TextString("0000-00-00"), nil
	}
	t = t.In(c.location).Round(time.Microsecond)
	if t.Year() < 1 || t.Year() > 9999 {
		return datum.Null, fmt.Errorf("the year of %v is not from 1 to 9999", t)
	}
	_, ahead := t.Zone()
	return datum.TimestampUS(t.UnixMicro() + int64(ahead)*1_000_000), nil
}

// appendValue returns a value of a column as programs see it. Bytes are appended to dst, which the value aliases.
func (c *connector) appendValue(dst []byte, t *datum.Type, d *datum.Datum) (driver.Value, []byte) {
	if v, ok := c.plainValue(t, d); ok {
		return v, dst
	}
	begin := len(dst)
	switch kind := d.Kind(); {
	case t.Variety == datum.Bit:
		dst = appendBits(dst, t, d)
	case kind == datum.KindText, kind == datum.KindBinary, kind == datum.KindJSON:
		dst = append(dst, d.Bytes()...)
	default:
		dst = d.AppendText(dst)
	}
	return dst[begin:len(dst):len(dst)], dst
}

// plainValue returns a value that is not of bytes; ok is false for one that is.
func (c *connector) plainValue(t *datum.Type, d *datum.Datum) (v driver.Value, ok bool) {
	switch kind := d.Kind(); {
	case kind == datum.KindNull:
		return nil, true
	case t.Variety == datum.Bit:
		return nil, false
	case t.IsInteger(), t.Base == datum.Boolean, t.Base == datum.Untyped && kind <= datum.KindUint:
		return integerOf(d), true
	case t.Base == datum.Float && kind == datum.KindFloat:
		return floatOf(d.Float()), true
	case t.IsFloat(), t.Base == datum.Untyped && kind == datum.KindFloat:
		return d.NumberFloat(), true
	case t.Base == datum.Date, t.Base == datum.Timestamp, t.Base == datum.Untyped &&
		(kind == datum.KindTimestamp || kind == datum.KindDate):
		return c.timeOf(d)
	}
	return nil, false
}

// integerOf is an int64, or a uint64 above its range.
func integerOf(d *datum.Datum) driver.Value {
	switch d.Kind() {
	case datum.KindUint:
		if x := d.Uint(); x > math.MaxInt64 {
			return x
		}
	case datum.KindDecimal, datum.KindText:
		if x, err := strconv.ParseUint(string(d.AppendText(nil)), 10, 64); err == nil && x > math.MaxInt64 {
			return x
		}
		return d.NumberInt()
	case datum.KindFloat, datum.KindBinary, datum.KindJSON:
		return d.NumberInt()
	}
	return d.Int()
}

// floatOf returns the double with the same shortest text as the FLOAT: 1.1, not 1.10000002384.
func floatOf(x float64) driver.Value {
	var scratch [32]byte
	near, err := strconv.ParseFloat(string(strconv.AppendFloat(scratch[:0], x, 'g', -1, 32)), 64)
	if err != nil {
		return x // beyond FLOAT's range, which no stored one is
	}
	return near
}

// appendBits appends the bytes of a BIT, the highest first.
func appendBits(dst []byte, t *datum.Type, d *datum.Datum) []byte {
	for shift := (max(t.Length, 1)+7)/8*8 - 8; shift >= 0; shift -= 8 {
		dst = append(dst, byte(d.Uint()>>shift))
	}
	return dst
}

// timeOf is the time at which a clock in the connector's location shows d; ok is false if d is none.
func (c *connector) timeOf(d *datum.Datum) (t driver.Value, ok bool) {
	us, ok := d.Instant()
	switch {
	case !ok:
		return nil, false
	case us == datum.ZeroUS:
		return time.Time{}, true
	case c.location == time.UTC:
		return time.UnixMicro(us).UTC(), true
	}
	m := datum.MomentOf(us)
	return time.Date(m.Year, time.Month(m.Month), m.Day, m.Hour, m.Minute, m.Second, m.Microsecond*1000, c.location),
		true
}
