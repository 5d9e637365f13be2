// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/hex"
	"strconv"
)

// AppendText appends v in a notation for people and tests, which package valuetest reads:
//
//	null  true  false          Null, Bool
//	12.5  12i  1.5f  1700000t  Number, Int, Float (also NaNf, +Inff), Timestamp in milliseconds
//	"text"  x"00ff"            String, quoted as in Go; Binary in hexadecimal
//	[1, "a"]                   List
//	{name: 1, "odd name": 2}   Map
//	<"a", "b">                 a set: StringSet, NumberSet or BinarySet, by its members
//	missing                    no value
//
// Bytes that are not well-formed are shown as !"hex", which package valuetest refuses.
func AppendText(dst []byte, v Value) []byte {
	return appendText(dst, v, 0)
}

func appendText(dst []byte, v Value, depth int) []byte {
	kind := v.Kind()
	if len(v) > 0 && (kind == Missing || depth > NestingMax) {
		return appendHex(append(dst, '!'), v)
	}
	switch kind {
	case Missing:
		return append(dst, "missing"...)
	case Null:
		return append(dst, "null"...)
	case Bool:
		return strconv.AppendBool(dst, v.Bool())
	case String:
		return strconv.AppendQuote(dst, string(v.Bytes()))
	case Binary:
		return appendHex(append(dst, 'x'), v.Bytes())
	case List:
		return appendElements(dst, v, depth, '[', ']')
	case Map:
		return appendElements(dst, v, depth, '{', '}')
	case StringSet, NumberSet, BinarySet:
		return appendElements(dst, v, depth, '<', '>')
	}
	return appendNumberText(dst, v)
}

func appendNumberText(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Number:
		if d, ok := v.Decimal(); ok {
			return d.AppendText(dst)
		}
	case Float:
		if x, ok := v.Float(); ok {
			return append(AppendFloatText(dst, x), 'f')
		}
	case Int, Timestamp:
		if x, ok := v.Int(); ok {
			suffix := byte('i')
			if v.Kind() == Timestamp {
				suffix = 't'
			}
			return append(strconv.AppendInt(dst, x, 10), suffix)
		}
	}
	return appendHex(append(dst, '!'), v)
}

func appendElements(dst []byte, v Value, depth int, opening, closing byte) []byte {
	dst = append(dst, opening)
	first := true
	for e := v.Elements(); e.Next(); first = false {
		if !first {
			dst = append(dst, ", "...)
		}
		if opening == '{' {
			dst = append(AppendNameText(dst, e.Name()), ": "...)
		}
		dst = appendText(dst, e.Value(), depth+1)
	}
	return append(dst, closing)
}

// AppendNameText appends the name of an attribute as AppendText does: in quotes where it needs them.
func AppendNameText(dst, name []byte) []byte {
	for i, c := range name {
		if !IsNameByte(c, i == 0) {
			return strconv.AppendQuote(dst, string(name))
		}
	}
	if len(name) == 0 {
		return append(dst, `""`...)
	}
	return append(dst, name...)
}

// IsNameByte reports whether a name with c in it, or in front, is written without quotes.
func IsNameByte(c byte, first bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || !first && c >= '0' && c <= '9'
}

func appendHex(dst, b []byte) []byte {
	return append(hex.AppendEncode(append(dst, '"'), b), '"')
}
