// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
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

// appendBinaryValue appends a value that is not NULL in the form that its column was declared with, whatever the value's kind.
func appendBinaryValue(dst []byte, w *Wire, d *datum.Datum) []byte {
	switch w.kind {
	case typeTiny:
		return append(dst, byte(integerOf(d, math.MinInt8, math.MaxInt8)))
	case typeShort:
		return binary.LittleEndian.AppendUint16(dst, uint16(integerOf(d, math.MinInt16, math.MaxInt16)))
	case typeLong:
		return binary.LittleEndian.AppendUint32(dst, uint32(integerOf(d, math.MinInt32, math.MaxInt32)))
	case typeLongLong:
		if w.flags&flagUnsigned != 0 {
			return binary.LittleEndian.AppendUint64(dst, unsignedOf(d))
		}
		return binary.LittleEndian.AppendUint64(dst, uint64(integerOf(d, math.MinInt64, math.MaxInt64)))
	case typeFloat:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(floatOf(d))))
	case typeDouble:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(floatOf(d)))
	case typeDate, typeTimestamp:
		return appendBinaryDate(dst, w.kind, d)
	case typeTime:
		return appendBinaryTime(dst, d)
	}
	return appendTextValue(dst, w, d)
}

// integerOf converts a value to an integer between low and high, the nearest if it lies outside.
func integerOf(d *datum.Datum, low, high int64) int64 {
	switch d.Kind() {
	case datum.KindUint:
		return high
	case datum.KindFloat, datum.KindDecimal, datum.KindText, datum.KindBinary, datum.KindJSON:
		return integerOfText(d, low, high)
	}
	return max(low, min(d.Int(), high))
}

// integerOfText converts a number that is not an integer's kind; a text that is no number is 0.
func integerOfText(d *datum.Datum, low, high int64) int64 {
	var scratch [64]byte
	if x, err := strconv.ParseInt(string(appendScalar(scratch[:0], &Wire{}, d)), 10, 64); err == nil {
		return max(low, min(x, high))
	}
	switch x := math.RoundToEven(floatOf(d)); {
	case x >= float64(high): // float64(MaxInt64) is one above it
		return high
	case x <= float64(low):
		return low
	case x != x:
		return 0
	default:
		return int64(x)
	}
}

// unsignedOf converts a value to an unsigned integer, the nearest if it lies outside.
func unsignedOf(d *datum.Datum) uint64 {
	switch d.Kind() {
	case datum.KindUint:
		return d.Uint()
	case datum.KindFloat, datum.KindDecimal, datum.KindText, datum.KindBinary, datum.KindJSON:
		var scratch [64]byte
		if x, err := strconv.ParseUint(string(appendScalar(scratch[:0], &Wire{}, d)), 10, 64); err == nil {
			return x
		}
		if x := math.RoundToEven(floatOf(d)); x >= math.MaxInt64 {
			if x >= math.MaxUint64 {
				return math.MaxUint64
			}
			return uint64(x)
		}
	}
	return uint64(integerOf(d, 0, math.MaxInt64))
}

// floatOf converts a value to a float64; a text that is no number is 0.
func floatOf(d *datum.Datum) float64 {
	switch d.Kind() {
	case datum.KindFloat:
		return d.Float()
	case datum.KindBool, datum.KindInt:
		return float64(d.Int())
	case datum.KindUint:
		return float64(d.Uint())
	}
	var scratch [64]byte
	x, _ := strconv.ParseFloat(string(appendScalar(scratch[:0], &Wire{}, d)), 64)
	return x
}

// appendBinaryDate appends a DATE or TIMESTAMP, as short as its value allows.
func appendBinaryDate(dst []byte, kind byte, d *datum.Datum) []byte {
	days, ms, ok := dayOf(d)
	if !ok {
		return append(dst, 0) // 0000-00-00, MySQL's way to say that it is no date
	}
	if kind == typeDate {
		ms = 0
	}
	length := byte(11)
	switch {
	case ms == 0:
		length = 4
	case ms%msPerSecond == 0:
		length = 7
	}
	c := civilOf(days)
	dst = binary.LittleEndian.AppendUint16(append(dst, length), uint16(c.year))
	dst = append(dst, byte(c.month), byte(c.day))
	if length >= 7 {
		dst = append(dst, byte(ms/msPerHour), byte(ms/msPerMinute%60), byte(ms/msPerSecond%60))
	}
	if length == 11 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(ms%msPerSecond*1000))
	}
	return dst
}

// dayOf splits a value into days and milliseconds of the day.
func dayOf(d *datum.Datum) (days, ms int64, ok bool) {
	switch d.Kind() {
	case datum.KindTimestamp:
		days, ms = splitDay(d.Int())
		return days, ms, true
	case datum.KindDate:
		return d.Int(), 0, true
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		return parseTimestamp(d.Bytes())
	}
	return 0, 0, false
}

// parseTimestamp reads YYYY-MM-DD[ hh:mm:ss[.f]], for columns of times whose values are texts.
func parseTimestamp(text []byte) (days, ms int64, ok bool) {
	year, rest, ok1 := cutNumber(text, '-')
	month, rest, ok2 := cutNumber(rest, '-')
	day, rest, ok3 := cutNumber(rest, ' ')
	if !ok1 || !ok2 || !ok3 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, 0, false
	}
	if len(rest) > 0 {
		if ms, ok = parseClock(rest); !ok || ms >= msPerDay {
			return 0, 0, false
		}
	}
	return daysOf(civil{year, month, day}), ms, true
}

// parseClock reads hh:mm:ss[.f].
func parseClock(text []byte) (ms int64, ok bool) {
	hours, rest, ok1 := cutNumber(text, ':')
	minutes, rest, ok2 := cutNumber(rest, ':')
	seconds, fraction, ok3 := cutNumber(rest, '.')
	if !ok1 || !ok2 || !ok3 || hours > 838 || minutes > 59 || seconds > 59 {
		return 0, false
	}
	ms = hours*msPerHour + minutes*msPerMinute + seconds*msPerSecond
	for i, unit := 0, int64(100); i < len(fraction); i, unit = i+1, unit/10 {
		if fraction[i] < '0' || fraction[i] > '9' {
			return 0, false
		}
		ms += int64(fraction[i]-'0') * unit
	}
	return ms, true
}

// cutNumber cuts up to nine digits and the separator after them, if any text follows.
func cutNumber(text []byte, separator byte) (x int64, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && i < 9 && text[i] >= '0' && text[i] <= '9'; i++ {
		x = x*10 + int64(text[i]-'0')
	}
	switch {
	case i == 0:
		return 0, nil, false
	case i == len(text):
		return x, nil, true
	case text[i] != separator:
		return 0, nil, false
	}
	return x, text[i+1:], true
}

// appendBinaryTime appends a TIME, as short as its value allows.
func appendBinaryTime(dst []byte, d *datum.Datum) []byte {
	ms := timeOf(d)
	if ms == 0 {
		return append(dst, 0)
	}
	var negative byte
	if ms < 0 {
		negative, ms = 1, -ms
	}
	length := byte(12)
	if ms%msPerSecond == 0 {
		length = 8
	}
	dst = binary.LittleEndian.AppendUint32(append(dst, length, negative), uint32(ms/msPerDay))
	dst = append(dst, byte(ms/msPerHour%24), byte(ms/msPerMinute%60), byte(ms/msPerSecond%60))
	if length == 12 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(ms%msPerSecond*1000))
	}
	return dst
}

// timeOf converts a value to milliseconds of a TIME; what is none is 0.
func timeOf(d *datum.Datum) int64 {
	switch d.Kind() {
	case datum.KindTime:
		return d.Int()
	case datum.KindTimestamp:
		_, ms := splitDay(d.Int())
		return ms
	case datum.KindText, datum.KindBinary:
		text := d.Bytes()
		if len(text) > 0 && text[0] == '-' {
			ms, _ := parseClock(text[1:])
			return -ms
		}
		ms, _ := parseClock(text)
		return ms
	}
	return 0
}

// decimalOf reads a DECIMAL; ok is false for what does not fit.
func decimalOf(text []byte) (datum.Datum, bool) {
	x, err := order.ParseDecimal(text)
	return datum.Decimal(x), err == nil
}
