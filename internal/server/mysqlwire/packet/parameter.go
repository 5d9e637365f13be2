// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

// ParameterType is a type as clients bind it.
type ParameterType struct {
	kind     byte
	unsigned bool
}

// CutTypes cuts the types of parameters into types, whose length is their number.
func CutTypes(c *Cutter, types []ParameterType) bool {
	for i := range types {
		kind, flags := c.Uint8(), c.Uint8()
		if c.Failed || !isKnownType(kind) {
			return false
		}
		types[i] = ParameterType{kind: kind, unsigned: flags&0x80 != 0}
	}
	return true
}

func isKnownType(kind byte) bool {
	return kind <= typeYear || kind == typeVarchar || kind == typeBit || kind >= typeJSON
}

// CutParameter cuts the value of a parameter that is not NULL. Texts alias the packet.
func CutParameter(c *Cutter, t ParameterType) datum.Datum {
	switch t.kind {
	case typeTiny, typeShort, typeYear, typeLong, typeInt24, typeLongLong:
		return cutInteger(c, t)
	case typeFloat:
		return datum.Float64(float64(math.Float32frombits(c.Uint32())))
	case typeDouble:
		return datum.Float64(math.Float64frombits(c.Uint64()))
	case typeDate, typeDatetime, typeTimestamp:
		return cutDate(c, t.kind)
	case typeTime:
		return cutTime(c)
	case typeNull:
		return datum.Null
	}
	return BytesParameter(t, c.Text())
}

// BytesParameter is a parameter that came as bytes. Clients send both texts and binaries as strings: what is not UTF-8
// is no text.
func BytesParameter(t ParameterType, value []byte) datum.Datum {
	switch t.kind {
	case typeDecimal, typeNewDecimal:
		if x, scale, err := cutDecimal(value); err == nil {
			return datum.DecimalOfScale(x, scale)
		}
	case typeTinyBlob, typeMediumBlob, typeLongBlob, typeBlob, typeBit, typeGeometry:
		return datum.Binary(value)
	}
	if !utf8.Valid(value) {
		return datum.Binary(value)
	}
	return datum.Text(value)
}

// cutDecimal reads a DECIMAL and the digits that it has behind the point.
func cutDecimal(text []byte) (x order.Decimal, scale int, err error) {
	if _, fraction, found := bytes.Cut(text, []byte{'.'}); found {
		scale = len(fraction)
	}
	x, err = order.ParseDecimal(text)
	return x, scale, err
}

func cutInteger(c *Cutter, t ParameterType) datum.Datum {
	var bits uint64
	var size uint
	switch t.kind {
	case typeTiny:
		bits, size = uint64(c.Uint8()), 8
	case typeShort, typeYear:
		bits, size = uint64(c.Uint16()), 16
	case typeLong, typeInt24:
		bits, size = uint64(c.Uint32()), 32
	default:
		bits, size = c.Uint64(), 64
	}
	if t.unsigned {
		return datum.Uint(bits)
	}
	return datum.Int(int64(bits<<(64-size)) >> (64 - size))
}

// zeroDate is a date that is no day. It stays a text, and whoever takes it says so. // immutable
var zeroDate = datum.TextString("0000-00-00")

// cutDate cuts a DATE, DATETIME or TIMESTAMP, which leave out their last parts when these are 0.
func cutDate(c *Cutter, kind byte) datum.Datum {
	f := Cutter{Rest: c.Take(uint64(c.Uint8())), Failed: c.Failed}
	length := len(f.Rest)
	if length == 0 {
		return zeroDate
	}
	m := datum.Moment{Year: int(f.Uint16()), Month: int(f.Uint8()), Day: int(f.Uint8())}
	if length > 4 {
		m.Hour, m.Minute, m.Second = int(f.Uint8()), int(f.Uint8()), int(f.Uint8())
	}
	if length > 7 {
		m.Microsecond = int(f.Uint32())
	}
	switch {
	case f.Failed || len(f.Rest) > 0:
	case m == datum.Moment{}:
		return zeroDate
	case m.Year < 1 || m.Year > 9999 || m.Month < 1 || m.Month > 12 || m.Day < 1 || m.Day > m.MonthDays():
	case m.Hour > 23 || m.Minute > 59 || m.Second > 59 || m.Microsecond > 999_999:
	case kind == typeDate:
		return datum.DateDays(m.Days())
	default:
		return datum.TimestampUS(m.US())
	}
	c.Failed = true
	return datum.Null
}

// cutTime cuts a TIME, which leaves out its last parts when these are 0.
func cutTime(c *Cutter) datum.Datum {
	f := Cutter{Rest: c.Take(uint64(c.Uint8())), Failed: c.Failed}
	length := len(f.Rest)
	if length == 0 {
		return datum.TimeUS(0)
	}
	negative := f.Uint8() != 0
	days, hours, minutes, seconds := int64(f.Uint32()), int64(f.Uint8()), int64(f.Uint8()), int64(f.Uint8())
	us := days*usPerDay + hours*usPerHour + minutes*usPerMinute + seconds*usPerSecond
	if length > 8 {
		us += int64(f.Uint32())
	}
	if f.Failed || len(f.Rest) > 0 || minutes > 59 || seconds > 59 || us > datum.TimeMax {
		c.Failed = true
		return datum.Null
	}
	if negative {
		us = -us
	}
	return datum.TimeUS(us)
}
