// SPDX-License-Identifier: Apache-2.0

// Package attributeion reads and writes items in the text form of Amazon Ion, as DynamoDB's exports and imports have
// it: strings, decimals, blobs, booleans and nulls, lists and structs as they are, and sets as lists with an annotation
// of DynamoDB's own.
//
// Knows: Ion's text form and how it holds attribute values.
// Never: Ion's binary form, and Ion's types that attribute values don't have.
package attributeion

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
)

// Version begins a text in Ion, and each record of an export.
const Version = "$ion_1_0"

// The annotations of sets.
const (
	annotationStrings = "$dynamodb_SS"
	annotationNumbers = "$dynamodb_NS"
	annotationBinary  = "$dynamodb_BS"
)

// AppendItem appends row as a struct, in the row's order. A nil row gives {}. The row is taken to be well-formed, as
// the store returns it.
func AppendItem(dst []byte, row value.Row, names value.Names) []byte {
	dst = append(dst, '{')
	first := true
	for a := row.Attributes(names); a.Next(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = append(AppendSymbol(dst, a.Name()), ':')
		dst = AppendValue(dst, a.Value())
	}
	return append(dst, '}')
}

// AppendValue appends v. Int, Float and Timestamp are decimals, a Float outside of a decimal's range is a string. A
// missing value gives null.
func AppendValue(dst []byte, v value.Value) []byte { return appendValue(dst, v, 0) }

func appendValue(dst []byte, v value.Value, outer int) []byte {
	switch v.Kind() {
	case value.String:
		return appendString(dst, v.Bytes())
	case value.Binary:
		dst = append(dst, '{', '{')
		return append(base64.StdEncoding.AppendEncode(dst, v.Bytes()), '}', '}')
	case value.Number, value.Int, value.Timestamp, value.Float:
		return appendNumber(dst, v)
	case value.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case value.StringSet:
		return appendList(append(dst, annotationStrings+"::"...), v, outer)
	case value.NumberSet:
		return appendList(append(dst, annotationNumbers+"::"...), v, outer)
	case value.BinarySet:
		return appendList(append(dst, annotationBinary+"::"...), v, outer)
	case value.List, value.Map:
		if outer < value.NestingMax {
			return appendList(dst, v, outer)
		}
	}
	return append(dst, "null"...) // and no value is that deep
}

// appendList appends the elements of a list, a set or a map.
func appendList(dst []byte, v value.Value, outer int) []byte {
	opening, closing := byte('['), byte(']')
	if v.Kind() == value.Map {
		opening, closing = '{', '}'
	}
	dst = append(dst, opening)
	first := true
	for e := v.Elements(); e.Next(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		if v.Kind() == value.Map {
			dst = append(AppendSymbol(dst, e.Name()), ':')
		}
		dst = appendValue(dst, e.Value(), outer+1)
	}
	return append(dst, closing)
}

// appendNumber appends a decimal, which has a point so that readers take it for no integer.
func appendNumber(dst []byte, v value.Value) []byte {
	d, ok := v.Decimal()
	if !ok {
		x, _ := v.Float()
		return append(value.AppendFloatText(append(dst, '"'), x), '"')
	}
	at := len(dst)
	dst = d.AppendText(dst)
	if bytes.IndexByte(dst[at:], '.') < 0 {
		dst = append(dst, '.')
	}
	return dst
}

// AppendSymbol appends a name, quoted where it has to be.
func AppendSymbol(dst, name []byte) []byte {
	if isIdentifier(name) {
		return append(dst, name...)
	}
	return append(appendEscaped(append(dst, '\''), name, '\''), '\'')
}

// isIdentifier reports whether a symbol needs no quotes: it has letters and digits alone, is no word of Ion's own, and
// no symbol by its number.
func isIdentifier(name []byte) bool {
	if len(name) == 0 || isDigit(name[0]) {
		return false
	}
	for _, c := range name {
		if !isIdentifierByte(c) {
			return false
		}
	}
	switch string(name) {
	case "null", "true", "false", "nan":
		return false
	}
	return name[0] != '$'
}

func isIdentifierByte(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func appendString(dst, s []byte) []byte { return append(appendEscaped(append(dst, '"'), s, '"'), '"') }

// appendEscaped appends a text for between quotes. Bytes that are not UTF-8 become U+FFFD.
func appendEscaped(dst, s []byte, quote byte) []byte {
	const digits = "0123456789abcdef"
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		case c == quote || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ' || c == 0x7f:
			dst = append(dst, '\\', 'x', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}
