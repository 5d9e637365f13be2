// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"math"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
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
		if c.Failed || !knownType(kind) {
			return false
		}
		types[i] = ParameterType{kind: kind, unsigned: flags&0x80 != 0}
	}
	return true
}

func knownType(kind byte) bool {
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

// BytesParameter is a parameter that came as bytes. Clients send both texts and binaries as strings: what is not UTF-8 is no text.
func BytesParameter(t ParameterType, value []byte) datum.Datum {
	switch t.kind {
	case typeDecimal, typeNewDecimal:
		if d, ok := decimalOf(value); ok {
			return d
		}
	case typeTinyBlob, typeMediumBlob, typeLongBlob, typeBlob, typeBit, typeGeometry:
		return datum.Binary(value)
	}
	if !utf8.Valid(value) {
		return datum.Binary(value)
	}
	return datum.Text(value)
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

// cutDate cuts a DATE, DATETIME or TIMESTAMP, which leave out their last parts when these are 0. The date 0000-00-00 stays a text: it is no
// day, and whoever takes it says so.
func cutDate(c *Cutter, kind byte) datum.Datum {
	fields := Cutter{Rest: c.Take(uint64(c.Uint8())), Failed: c.Failed}
	length := len(fields.Rest)
	if length != 0 && length != 4 && length != 7 && length != 11 {
		c.Failed = true
		return datum.Null
	}
	if length == 0 {
		return datum.Text([]byte("0000-00-00"))
	}
	day := civil{int64(fields.Uint16()), int64(fields.Uint8()), int64(fields.Uint8())}
	var ms int64
	if length >= 7 {
		ms = clock(0, &fields)
	}
	if length == 11 {
		ms += int64(fields.Uint32()) / 1000
	}
	switch {
	case day == civil{}:
		return datum.Text([]byte("0000-00-00"))
	case day.year > 9999 || day.month < 1 || day.month > 12 || day.day < 1 || day.day > 31 || ms >= msPerDay || civilOf(daysOf(day)) != day:
		c.Failed = true
		return datum.Null
	case kind == typeDate:
		return datum.DateDays(daysOf(day))
	}
	return datum.TimestampMS(daysOf(day)*msPerDay + ms)
}

// clock cuts hours, minutes and seconds that follow days.
func clock(days int64, fields *Cutter) int64 {
	hours, minutes, seconds := int64(fields.Uint8()), int64(fields.Uint8()), int64(fields.Uint8())
	if minutes > 59 || seconds > 59 {
		return math.MaxInt32 * msPerDay // out of every range
	}
	return days*msPerDay + hours*msPerHour + minutes*msPerMinute + seconds*msPerSecond
}

func cutTime(c *Cutter) datum.Datum {
	fields := Cutter{Rest: c.Take(uint64(c.Uint8())), Failed: c.Failed}
	length := len(fields.Rest)
	if length != 0 && length != 8 && length != 12 {
		c.Failed = true
		return datum.Null
	}
	if length == 0 {
		return datum.TimeMS(0)
	}
	negative := fields.Uint8() != 0
	ms := clock(int64(fields.Uint32()), &fields)
	if length == 12 {
		ms += int64(fields.Uint32()) / 1000
	}
	const hoursMax = 839 // MySQL's TIME ends at 838:59:59
	if ms >= hoursMax*msPerHour {
		c.Failed = true
		return datum.Null
	}
	if negative {
		ms = -ms
	}
	return datum.TimeMS(ms)
}
