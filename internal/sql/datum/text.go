// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"bytes"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum/jsontext"
)

// AppendText appends d as MySQL prints it in a result: truth values as 1 and 0, floats in the shortest form that reads back, decimals with their
// scale, times as YYYY-MM-DD hh:mm:ss with .fff only if there are milliseconds, binaries as they are. NULL appends nothing.
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
		return appendTimestamp(dst, d.Int())
	case KindDate:
		year, month, day := civil(d.Int())
		return appendDate(dst, year, month, day)
	case KindTime:
		return appendTime(dst, d.Int())
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

func appendTimestamp(dst []byte, ms int64) []byte {
	m := MomentOf(ms)
	dst = append(appendDate(dst, m.Year, m.Month, m.Day), ' ')
	dst = append(appendTwo(dst, m.Hour), ':')
	dst = append(appendTwo(dst, m.Minute), ':')
	return appendMilliseconds(appendTwo(dst, m.Second), m.Millisecond)
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

func appendTime(dst []byte, ms int64) []byte {
	if ms < 0 {
		dst = append(dst, '-')
		ms = -ms
	}
	hours := ms / hourMS
	if hours > 99 {
		dst = strconv.AppendInt(dst, hours, 10)
	} else {
		dst = appendTwo(dst, int(hours))
	}
	dst = append(appendTwo(append(dst, ':'), int(ms/minuteMS%60)), ':')
	return appendMilliseconds(appendTwo(dst, int(ms/1000%60)), int(ms%1000))
}

func appendMilliseconds(dst []byte, ms int) []byte {
	if ms == 0 {
		return dst
	}
	return append(dst, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
}

func appendTwo(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
