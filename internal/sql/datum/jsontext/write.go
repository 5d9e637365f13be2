// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
)

// Append appends a value as JSON, as MySQL prints it: one space after commas and colons. Sets are arrays, binaries
// base64 in a string, times their milliseconds, a missing value null.
func Append(dst []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Bool:
		if v.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case value.String:
		return AppendString(dst, v.Bytes())
	case value.Binary:
		dst = append(dst, '"')
		return append(base64.StdEncoding.AppendEncode(dst, v.Bytes()), '"')
	case value.Number, value.Int, value.Timestamp:
		x, _ := v.Decimal()
		return x.AppendText(dst)
	case value.Float:
		return appendFloatJSON(dst, v)
	case value.Map:
		return appendObject(dst, v)
	case value.List, value.StringSet, value.NumberSet, value.BinarySet:
		return appendArray(dst, v)
	}
	return append(dst, "null"...)
}

func appendFloatJSON(dst []byte, v value.Value) []byte {
	f, _ := v.Float()
	if f != f || f-f != 0 {
		return append(dst, "null"...) // JSON has neither NaN nor infinities
	}
	return AppendFloat(dst, f)
}

func appendObject(dst []byte, v value.Value) []byte {
	dst = append(dst, '{')
	first := true
	for e := v.Elements(); e.Next(); first = false {
		if !first {
			dst = append(dst, ", "...)
		}
		dst = append(AppendString(dst, e.Name()), ": "...)
		dst = Append(dst, e.Value())
	}
	return append(dst, '}')
}

func appendArray(dst []byte, v value.Value) []byte {
	dst = append(dst, '[')
	first := true
	for e := v.Elements(); e.Next(); first = false {
		if !first {
			dst = append(dst, ", "...)
		}
		dst = Append(dst, e.Value())
	}
	return append(dst, ']')
}

// AppendString appends a text in double quotes, escaped as JSON wants it.
func AppendString(dst, text []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= 0x20:
			dst = append(dst, c)
		default:
			if at := strings.IndexByte("\b\f\n\r\t", c); at >= 0 {
				dst = append(dst, '\\', "bfnrt"[at])
			} else {
				dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			}
		}
	}
	return append(dst, '"')
}

// AppendFloat appends a float in the shortest form that reads back, as MySQL prints DOUBLE: it prints exponents only
// where the point would stand more than 15 places from the first digit.
func AppendFloat(dst []byte, x float64) []byte {
	if x == 0 {
		if math.Signbit(x) {
			return append(dst, "-0"...)
		}
		return append(dst, '0')
	}
	if magnitude := math.Abs(x); magnitude >= 1e-15 && magnitude < 1e15 {
		return strconv.AppendFloat(dst, x, 'f', -1, 64)
	}
	var buffer [32]byte
	text := strconv.AppendFloat(buffer[:0], x, 'e', -1, 64)
	mantissa, exponent, found := bytes.Cut(text, []byte{'e'})
	if !found {
		return append(dst, text...) // NaN and infinities, which no statement makes
	}
	dst = append(append(dst, mantissa...), 'e')
	if exponent[0] == '-' {
		dst = append(dst, '-')
	}
	return append(dst, bytes.TrimLeft(exponent[1:], "0")...)
}
