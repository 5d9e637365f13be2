// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
)

// AppendItem appends row as a JSON object of attribute values, in the row's order. A nil row gives {}. names is the
// dictionary that row was built with, or a later one. The row is taken to be well-formed, as the store returns it: one
// that is not ends where its fault is, in valid JSON nevertheless.
func AppendItem(dst []byte, row value.Row, names value.Names) []byte {
	dst = append(dst, '{')
	first := true
	for a := row.Attributes(names); a.Next(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, a.Name()), ':')
		dst = AppendValue(dst, a.Value())
	}
	return append(dst, '}')
}

// AppendValue appends v as an attribute value, such as {"S":"x"}. Int, Float and Timestamp are written as N, a Float
// outside of N's range as S. A missing value gives {"NULL":true}.
func AppendValue(dst []byte, v value.Value) []byte {
	return appendValue(dst, v, 0)
}

func appendValue(dst []byte, v value.Value, outer int) []byte {
	switch v.Kind() {
	case value.String:
		dst = AppendString(append(dst, `{"S":`...), v.Bytes())
	case value.Binary:
		dst = appendBase64(append(dst, `{"B":`...), v.Bytes())
	case value.Number, value.Int, value.Timestamp, value.Float:
		return appendNumber(dst, v)
	case value.Bool:
		dst = strconv.AppendBool(append(dst, `{"BOOL":`...), v.Bool())
	case value.StringSet, value.NumberSet, value.BinarySet:
		dst = appendSet(dst, v)
	case value.List, value.Map:
		if outer == value.NestingMax {
			return append(dst, `{"NULL":true}`...) // no value is that deep
		}
		dst = appendDocument(dst, v, outer+1)
	default:
		return append(dst, `{"NULL":true}`...)
	}
	return append(dst, '}')
}

func appendNumber(dst []byte, v value.Value) []byte {
	if v.Kind() == value.Float {
		if _, ok := v.Decimal(); !ok {
			x, _ := v.Float()
			dst = value.AppendFloatText(append(dst, `{"S":"`...), x)
			return append(dst, `"}`...)
		}
	}
	return append(appendDigits(append(dst, `{"N":`...), v), '}')
}

// appendDigits appends a number in quotes.
func appendDigits(dst []byte, v value.Value) []byte {
	dst = append(dst, '"')
	d, _ := v.Decimal()
	return append(d.AppendText(dst), '"')
}

func appendSet(dst []byte, v value.Value) []byte {
	dst = append(dst, `{"`...)
	dst = append(dst, v.Kind().String()...)
	dst = append(dst, `":[`...)
	first := true
	for e := v.Elements(); e.Next(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		switch member := e.Value(); member.Kind() {
		case value.String:
			dst = AppendString(dst, member.Bytes())
		case value.Binary:
			dst = appendBase64(dst, member.Bytes())
		default:
			dst = appendDigits(dst, member)
		}
	}
	return append(dst, ']')
}

// appendDocument appends a list or map, all but the last bracket.
func appendDocument(dst []byte, v value.Value, level int) []byte {
	first := true
	if v.Kind() == value.List {
		dst = append(dst, `{"L":[`...)
		for e := v.Elements(); e.Next(); first = false {
			if !first {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, e.Value(), level)
		}
		return append(dst, ']')
	}
	dst = append(dst, `{"M":{`...)
	for e := v.Elements(); e.Next(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, e.Name()), ':')
		dst = appendValue(dst, e.Value(), level)
	}
	return append(dst, '}')
}

func appendBase64(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
}

// AppendString appends s as a JSON string. Bytes that are not UTF-8 are replaced by U+FFFD.
func AppendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		end, high := scanPlain(s, 0)
		if high != 0 && !utf8.Valid(s[:end]) {
			dst = appendRepaired(dst, s[:end])
		} else {
			dst = append(dst, s[:end]...)
		}
		if end == len(s) {
			break
		}
		dst = appendEscape(dst, s[end])
		s = s[end+1:]
	}
	return append(dst, '"')
}

// appendEscape appends the escape sequence of a byte that can't stand in a string as it is.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
}

// appendRepaired appends s, with U+FFFD for each byte that is not UTF-8.
func appendRepaired(dst, s []byte) []byte {
	for len(s) > 0 {
		char, n := utf8.DecodeRune(s)
		dst = utf8.AppendRune(dst, char)
		s = s[n:]
	}
	return dst
}
