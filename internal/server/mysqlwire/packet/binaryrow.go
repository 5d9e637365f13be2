// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
)

const (
	usPerDay    = 24 * usPerHour
	usPerHour   = 60 * usPerMinute
	usPerMinute = 60 * usPerSecond
	usPerSecond = 1_000_000
)

// AppendBinaryRow appends a row in the binary protocol's form. The row is as long as wires.
func AppendBinaryRow(dst []byte, wires []Wire, row []datum.Datum) []byte {
	dst = append(dst, 0)
	nulls := len(dst)
	for range (len(row) + 9) / 8 {
		dst = append(dst, 0)
	}
	for i := range row {
		if row[i].IsNull() {
			dst[nulls+(i+2)/8] |= 1 << ((i + 2) % 8)
			continue
		}
		dst = appendBinaryValue(dst, &wires[i], &row[i])
	}
	return dst
}

// appendBinaryValue appends a value that is not NULL in the form that its column was declared with, whatever the
// value's kind.
func appendBinaryValue(dst []byte, w *Wire, d *datum.Datum) []byte {
	switch w.kind {
	case typeTiny:
		return append(dst, byte(w.integerOf(d, math.MinInt8, math.MaxInt8, math.MaxUint8)))
	case typeBit:
		return appendBits(dst, w, d)
	case typeShort, typeYear:
		return binary.LittleEndian.AppendUint16(dst,
			uint16(w.integerOf(d, math.MinInt16, math.MaxInt16, math.MaxUint16)))
	case typeLong, typeInt24:
		return binary.LittleEndian.AppendUint32(dst,
			uint32(w.integerOf(d, math.MinInt32, math.MaxInt32, math.MaxUint32)))
	case typeLongLong:
		if w.flags&flagUnsigned != 0 {
			return binary.LittleEndian.AppendUint64(dst, unsignedOf(d))
		}
		return binary.LittleEndian.AppendUint64(dst, uint64(integerOf(d, math.MinInt64, math.MaxInt64)))
	case typeFloat:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(d.NumberFloat())))
	case typeDouble:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(d.NumberFloat()))
	case typeDate, typeTimestamp, typeDatetime:
		return appendDate(dst, w.kind, d)
	case typeTime:
		return appendTime(dst, d)
	}
	return appendTextValue(dst, w, d)
}

// integerOf converts a value to one of a column's integers, whose bounds are low and high, or 0 and unsignedMax.
func (w *Wire) integerOf(d *datum.Datum, low, high, unsignedMax int64) int64 {
	if w.flags&flagUnsigned != 0 {
		low, high = 0, unsignedMax
	}
	return integerOf(d, low, high)
}

// integerOf converts a value to an integer between low and high, the nearest if it lies outside.
func integerOf(d *datum.Datum, low, high int64) int64 {
	switch d.Kind() {
	case datum.KindInt:
		return max(low, min(d.Int(), high))
	case datum.KindText: // NumberInt would go by way of a float
		if x, err := strconv.ParseInt(string(d.Bytes()), 10, 64); err == nil {
			return max(low, min(x, high))
		}
	}
	return max(low, min(d.NumberInt(), high))
}

// unsignedOf converts a value to an unsigned integer, the nearest if it lies outside.
func unsignedOf(d *datum.Datum) uint64 {
	switch d.Kind() {
	case datum.KindUint:
		return d.Uint()
	case datum.KindFloat, datum.KindDecimal, datum.KindText, datum.KindBinary, datum.KindJSON:
		return unsignedOfText(d)
	}
	return uint64(integerOf(d, 0, math.MaxInt64))
}

// unsignedOfText converts a value that is not an integer's kind: exactly if its text is one, else by way of the nearest
// float.
func unsignedOfText(d *datum.Datum) uint64 {
	var scratch [64]byte
	if x, err := strconv.ParseUint(string(d.AppendText(scratch[:0])), 10, 64); err == nil {
		return x
	}
	switch x := math.RoundToEven(d.NumberFloat()); {
	case x >= math.MaxUint64:
		return math.MaxUint64
	case x >= math.MaxInt64:
		return uint64(x)
	}
	return uint64(integerOf(d, 0, math.MaxInt64))
}

// appendDate appends a DATE or TIMESTAMP, as short as its value allows. 0000-00-00 is no bytes.
func appendDate(dst []byte, kind byte, d *datum.Datum) []byte {
	us, ok := d.Instant()
	if !ok || us == datum.ZeroUS {
		return append(dst, 0)
	}
	m := datum.MomentOf(us)
	isMidnight := m.Hour == 0 && m.Minute == 0 && m.Second == 0 && m.Microsecond == 0
	length := byte(11)
	switch {
	case kind == typeDate || isMidnight:
		length = 4
	case m.Microsecond == 0:
		length = 7
	}
	dst = binary.LittleEndian.AppendUint16(append(dst, length), uint16(m.Year))
	dst = append(dst, byte(m.Month), byte(m.Day))
	if length >= 7 {
		dst = append(dst, byte(m.Hour), byte(m.Minute), byte(m.Second))
	}
	if length == 11 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(m.Microsecond))
	}
	return dst
}

// appendTime appends a TIME, as short as its value allows.
func appendTime(dst []byte, d *datum.Datum) []byte {
	us := timeOf(d)
	if us == 0 {
		return append(dst, 0)
	}
	var negative byte
	if us < 0 {
		negative, us = 1, -us
	}
	length := byte(12)
	if us%usPerSecond == 0 {
		length = 8
	}
	dst = binary.LittleEndian.AppendUint32(append(dst, length, negative), uint32(us/usPerDay))
	dst = append(dst, byte(us/usPerHour%24), byte(us/usPerMinute%60), byte(us/usPerSecond%60))
	if length == 12 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(us%usPerSecond))
	}
	return dst
}

// timeOf converts a value to microseconds of a TIME; what is none is 0.
func timeOf(d *datum.Datum) int64 {
	switch d.Kind() {
	case datum.KindTime:
		return d.Int()
	case datum.KindTimestamp:
		return (d.Int()%usPerDay + usPerDay) % usPerDay
	case datum.KindText, datum.KindBinary:
		us, _ := datum.ParseTime(string(d.Bytes()))
		return us
	}
	return 0
}
