// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"cmp"
	"encoding/base64"
	"strings"

	"github.com/weftdb/weft/internal/value"
)

// AppendJSONText appends a value as JSON, as MySQL prints it: one space after commas and colons. Sets are arrays, binaries base64 in a string,
// times their milliseconds, a missing value null.
func AppendJSONText(dst []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Bool:
		if v.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case value.String:
		return AppendJSONString(dst, v.Bytes())
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
	return appendFloat(dst, f)
}

func appendObject(dst []byte, v value.Value) []byte {
	dst = append(dst, '{')
	first := true
	for e := v.Elements(); e.Next(); first = false {
		if !first {
			dst = append(dst, ", "...)
		}
		dst = append(AppendJSONString(dst, e.Name()), ": "...)
		dst = AppendJSONText(dst, e.Value())
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
		dst = AppendJSONText(dst, e.Value())
	}
	return append(dst, ']')
}

// AppendJSONString appends a text in double quotes, escaped as JSON wants it.
func AppendJSONString(dst, text []byte) []byte {
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

// jsonValue reads a JSON text; what is none is a missing value.
func jsonValue(dst []byte, text string) value.Value {
	v, err := AppendJSONValue(dst, text)
	if err != nil {
		return nil
	}
	return v
}

// jsonString returns the string that a JSON text is.
func jsonString(text string) (string, bool) {
	v := jsonValue(nil, text)
	return string(v.Bytes()), v.Kind() == value.String
}

// jsonNumber is a JSON text as arithmetic sees it.
func jsonNumber(text string) Datum {
	var buffer [64]byte
	switch v := jsonValue(buffer[:0], text); v.Kind() {
	case value.Null, value.Missing:
		return Null
	case value.Bool:
		return Int(int64(boolInt(v.Bool())))
	case value.String:
		return Float64(textFloat(string(v.Bytes())))
	case value.Number:
		x, _ := v.Decimal()
		if n, exact := x.Int(); exact {
			return Int(n)
		}
		return Decimal(x)
	case value.Float:
		f, _ := v.Float()
		return Float64(f)
	}
	return Int(0)
}

// AppendJSONOf appends d as a document of JSON: truth values as such, numbers, JSON parsed, NULL as null, all else as strings. The error is a *JSONError.
func AppendJSONOf(dst []byte, d Datum) ([]byte, error) {
	switch d.kind {
	case KindNull:
		return value.AppendNull(dst), nil
	case KindBool:
		return value.AppendBool(dst, d.bits != 0), nil
	case KindJSON:
		return AppendJSONValue(dst, d.text)
	case KindText:
		return value.AppendString(dst, d.Bytes()), nil
	case KindBinary:
		return value.AppendString(dst, base64.StdEncoding.AppendEncode(nil, d.Bytes())), nil
	case KindFloat:
		return appendFloatValue(dst, d.Float()), nil
	case KindInt, KindUint, KindDecimal:
		x, _ := d.NumberDecimal()
		return value.AppendNumber(dst, x), nil
	}
	var buffer [40]byte
	return value.AppendString(dst, d.AppendText(buffer[:0])), nil
}

// compareJSONWith compares two values of which one is JSON: first by what they are, then by value.
func compareJSONWith(a, b Datum) int {
	var x, y [64]byte
	v, _ := AppendJSONOf(x[:0], a)
	w, _ := AppendJSONOf(y[:0], b)
	return compareJSON(looselyJSON(v, w), looselyJSON(w, v))
}

// looselyJSON makes a truth value a number where it is compared with one.
func looselyJSON(v, with value.Value) value.Value {
	if v.Kind() == value.Bool && with.Kind().IsNumeric() {
		return value.AppendInt(nil, int64(boolInt(v.Bool())))
	}
	return v
}

// jsonRank orders the kinds of JSON: null, numbers, strings, objects, arrays, truth values.
func jsonRank(kind value.Kind) int {
	switch kind {
	case value.Number, value.Int, value.Float, value.Timestamp:
		return 1
	case value.String:
		return 2
	case value.Map:
		return 3
	case value.List:
		return 4
	case value.Bool:
		return 5
	}
	return 0
}

func compareJSON(v, w value.Value) int {
	if x, y := jsonRank(v.Kind()), jsonRank(w.Kind()); x != y {
		return cmp.Compare(x, y)
	}
	switch v.Kind() {
	case value.Bool:
		return cmp.Compare(boolInt(v.Bool()), boolInt(w.Bool()))
	case value.List:
		return compareArrays(v, w)
	case value.Map:
		return strings.Compare(alias(v), alias(w)) // any order will do; equal objects are equal bytes
	}
	order, _ := value.Compare(v, w)
	return order
}

func compareArrays(v, w value.Value) int {
	x, y := v.Elements(), w.Elements()
	for x.Next() {
		if !y.Next() {
			return 1
		}
		if order := compareJSON(x.Value(), y.Value()); order != 0 {
			return order
		}
	}
	if y.Next() {
		return -1
	}
	return 0
}
