// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"bytes"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum/jsontext"
)

// AppendText appends d as MySQL prints it in a result: truth values as 1 and 0, floats in the shortest form that reads
// back, decimals with their scale, times as YYYY-MM-DD hh:mm:ss with as many digits of a fraction as WithFraction said,
// else .fff or .ffffff if there is one, binaries as they are. NULL appends nothing.
func (d Datum) AppendText(dst []byte) []byte {
	switch d.kind {
	case KindBool, KindInt:
		return strconv.AppendInt(dst, int64(d.bits), 10)
	case KindUint:
		return strconv.AppendUint(dst, d.bits, 10)
	case KindFloat:
		return jsontext.AppendFloat(dst, d.Float())
	case KindDecimal:
		return appendDecimal(dst, d)
	case KindText, KindBinary, KindJSON:
		return append(dst, d.text...)
	case KindTimestamp:
		return appendTimestamp(dst, d.Int(), int(d.scale))
	case KindDate:
		year, month, day := civil(d.Int())
		return appendDate(dst, year, month, day)
	case KindTime:
		return appendTime(dst, d.Int(), int(d.scale))
	}
	return dst
}

func appendDecimal(dst []byte, d Datum) []byte {
	start := len(dst)
	x := d.Decimal()
	if p := partsOf(x); -p.exponent > int(d.scale) {
		x = RoundDecimal(x, int(d.scale), false)
	}
	dst = x.AppendText(dst)
	if d.scale == 0 {
		return dst
	}
	point := bytes.IndexByte(dst[start:], '.')
	shown := 0
	if point < 0 {
		dst = append(dst, '.')
	} else {
		shown = len(dst) - start - point - 1
	}
	for ; shown < int(d.scale); shown++ {
		dst = append(dst, '0')
	}
	return dst
}

func appendTimestamp(dst []byte, us int64, digits int) []byte {
	m := MomentOf(us)
	dst = append(appendDate(dst, m.Year, m.Month, m.Day), ' ')
	dst = append(appendTwo(dst, m.Hour), ':')
	dst = append(appendTwo(dst, m.Minute), ':')
	return appendFraction(appendTwo(dst, m.Second), m.Microsecond, digits)
}

func appendDate(dst []byte, year, month, day int) []byte {
	if year < 0 || year > 9999 {
		dst = strconv.AppendInt(dst, int64(year), 10)
	} else {
		dst = appendTwo(appendTwo(dst, year/100), year%100)
	}
	dst = append(dst, '-')
	dst = append(appendTwo(dst, month), '-')
	return appendTwo(dst, day)
}

func appendTime(dst []byte, us int64, digits int) []byte {
	if us < 0 {
		dst = append(dst, '-')
		us = -us
	}
	hours := us / hourUS
	if hours > 99 {
		dst = strconv.AppendInt(dst, hours, 10)
	} else {
		dst = appendTwo(dst, int(hours))
	}
	dst = append(appendTwo(append(dst, ':'), int(us/minuteUS%60)), ':')
	return appendFraction(appendTwo(dst, int(us/secondUS%60)), int(us%secondUS), digits)
}

// appendFraction appends so many digits of a fraction if these are all that it has.
func appendFraction(dst []byte, us, digits int) []byte {
	switch {
	case digits > 0 && us%int(digitUnits[digits]) == 0:
	case us == 0:
		return dst
	case us%milliUS == 0:
		digits = 3
	default:
		digits = fractionMax
	}
	dst = append(dst, '.')
	for _, unit := range digitUnits[1 : digits+1] {
		dst = append(dst, byte('0'+us/int(unit)%10))
	}
	return dst
}

func appendTwo(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
