// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"bytes"
	"math"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

// NullText is NULL in a row of the text protocol.
const NullText = 0xfb

// AppendTextRow appends a row in the text protocol's form. The row is as long as wires.
func AppendTextRow(dst []byte, wires []Wire, row []datum.Datum) []byte {
	for i := range row {
		dst = appendTextValue(dst, &wires[i], &row[i])
	}
	return dst
}

// appendTextValue appends a value in the text protocol's form: its text after the text's length.
func appendTextValue(dst []byte, w *Wire, d *datum.Datum) []byte {
	switch d.Kind() {
	case datum.KindNull:
		return append(dst, NullText)
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		return AppendText(dst, d.Bytes())
	}
	// Everything else is shorter than the shortest length that needs more than a byte.
	start := len(dst)
	dst = appendScalar(append(dst, 0), w, d)
	dst[start] = byte(len(dst) - start - 1)
	return dst
}

// appendScalar appends the text of a value other than NULL.
func appendScalar(dst []byte, w *Wire, d *datum.Datum) []byte {
	switch d.Kind() {
	case datum.KindBool, datum.KindInt:
		return strconv.AppendInt(dst, d.Int(), 10)
	case datum.KindUint:
		return strconv.AppendUint(dst, d.Uint(), 10)
	case datum.KindFloat:
		size := 64
		if w.base == datum.Float {
			size = 32
		}
		return appendFloat(dst, d.Float(), size)
	case datum.KindDecimal:
		return appendDecimal(dst, d.Decimal(), w.scale)
	case datum.KindTimestamp:
		return appendTimestamp(dst, d.Int(), w.scale)
	case datum.KindDate:
		return appendDate(dst, d.Int())
	case datum.KindTime:
		return appendTime(dst, d.Int(), w.scale)
	}
	return append(dst, d.Bytes()...)
}

// appendFloat appends the shortest text that reads back as x. As in MySQL it has an exponent below 1e-15 and from 1e15 on.
func appendFloat(dst []byte, x float64, size int) []byte {
	if magnitude := math.Abs(x); magnitude == 0 || (magnitude >= 1e-15 && magnitude < 1e15) {
		return strconv.AppendFloat(dst, x, 'f', -1, size)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, x, 'e', -1, size)
	if i := bytes.IndexByte(dst[start:], '+'); i > 0 {
		dst = append(dst[:start+i], dst[start+i+1:]...)
	}
	return dst
}

// appendDecimal appends a number with scale digits after the point at least. Decimals drop zeros at their end; a column's declaration brings
// them back.
func appendDecimal(dst []byte, x order.Decimal, scale int) []byte {
	start := len(dst)
	dst = x.AppendText(dst)
	if scale <= 0 || bytes.IndexByte(dst[start:], 'E') >= 0 {
		return dst
	}
	digits := 0
	if i := bytes.IndexByte(dst[start:], '.'); i >= 0 {
		digits = len(dst) - start - i - 1
	} else {
		dst = append(dst, '.')
	}
	for ; digits < min(scale, order.DecimalDigitsMax); digits++ {
		dst = append(dst, '0')
	}
	return dst
}

const (
	msPerDay    = 24 * 60 * 60 * 1000
	msPerHour   = 60 * 60 * 1000
	msPerMinute = 60 * 1000
	msPerSecond = 1000
)

// civil is a day of the Gregorian calendar.
type civil struct{ year, month, day int64 }

// civilOf returns the day that lies days after 1970-01-01. The calendar repeats after 146,097 days; years are counted from March, so that the
// leap day is their last.
func civilOf(days int64) civil {
	const perEra, toMarch0000 = 146_097, 719_468
	days += toMarch0000
	era := days / perEra
	if days%perEra < 0 {
		era--
	}
	ofEra := days - era*perEra
	year := (ofEra - ofEra/1460 + ofEra/36_524 - ofEra/(perEra-1)) / 365
	ofYear := ofEra - (365*year + year/4 - year/100)
	month := (5*ofYear + 2) / 153
	day := ofYear - (153*month+2)/5 + 1
	year += era * 400
	if month += 3; month > 12 {
		month -= 12
		year++
	}
	return civil{year, month, day}
}

// daysOf is the inverse of civilOf.
func daysOf(c civil) int64 {
	year, month := c.year, c.month-3
	if month < 0 {
		month += 12
		year--
	}
	era := year / 400
	if year%400 < 0 {
		era--
	}
	ofEra := year - era*400
	ofYear := (153*month+2)/5 + c.day - 1
	return era*146_097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719_468
}

// splitDay splits milliseconds into days and the milliseconds of the last.
func splitDay(ms int64) (days, rest int64) {
	days, rest = ms/msPerDay, ms%msPerDay
	if rest < 0 {
		days, rest = days-1, rest+msPerDay
	}
	return days, rest
}

func appendDate(dst []byte, days int64) []byte {
	c := civilOf(days)
	dst = appendPadded(dst, c.year, 4)
	dst = appendPadded(append(dst, '-'), c.month, 2)
	return appendPadded(append(dst, '-'), c.day, 2)
}

func appendTimestamp(dst []byte, ms int64, scale int) []byte {
	days, rest := splitDay(ms)
	dst = append(appendDate(dst, days), ' ')
	return appendClock(dst, rest, scale)
}

func appendTime(dst []byte, ms int64, scale int) []byte {
	if ms < 0 {
		dst = append(dst, '-')
		ms = -ms
	}
	return appendClock(dst, ms, scale)
}

// appendClock appends hh:mm:ss and a fraction: scale digits of it, or three if scale is 0 and it is not.
func appendClock(dst []byte, ms int64, scale int) []byte {
	dst = appendPadded(dst, ms/msPerHour, 2)
	dst = appendPadded(append(dst, ':'), ms/msPerMinute%60, 2)
	dst = appendPadded(append(dst, ':'), ms/msPerSecond%60, 2)
	fraction := ms % msPerSecond
	if scale <= 0 && fraction == 0 {
		return dst
	}
	start := len(dst)
	dst = append(appendPadded(append(dst, '.'), fraction, 3), "000"...)
	if scale <= 0 {
		scale = 3
	}
	return dst[:start+1+min(scale, 6)]
}

// appendPadded appends a number with zeros in front, up to width digits.
func appendPadded(dst []byte, x int64, width int) []byte {
	if x < 0 {
		dst = append(dst, '-')
		x = -x
	}
	for bound := int64(10); width > 1; width-- {
		if x < bound {
			dst = appendZeros(dst, width-1)
			break
		}
		bound *= 10
	}
	return strconv.AppendInt(dst, x, 10)
}

func appendZeros(dst []byte, count int) []byte {
	for range count {
		dst = append(dst, '0')
	}
	return dst
}
