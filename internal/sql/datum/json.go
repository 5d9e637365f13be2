// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"encoding/base64"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
)

// jsonValue reads a JSON text; what is none is a missing value.
func jsonValue(dst []byte, text string) value.Value {
	v, err := jsontext.AppendValue(dst, text)
	if err != nil {
		return nil
	}
	return v
}

// JSONScalar returns the rank by which JSON values are ordered first, and what they are ordered by within it: the
// number or the text that a scalar is, and of other values their own text.
func (d Datum) JSONScalar() (rank byte, scalar Datum) {
	var buffer [64]byte
	v := jsonValue(buffer[:0], d.text)
	switch rank = byte(jsontext.Rank(v.Kind())); v.Kind() {
	case value.String:
		return rank, TextString(string(v.Bytes()))
	case value.Number, value.Float, value.Bool:
		return rank, jsonNumber(d.text)
	}
	return rank, TextString(d.text)
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

// AppendJSONOf appends d as a document of JSON: truth values as such, numbers, JSON parsed, NULL as null, all else as
// strings. The error is a *jsontext.Error.
func AppendJSONOf(dst []byte, d Datum) ([]byte, error) {
	switch d.kind {
	case KindNull:
		return value.AppendNull(dst), nil
	case KindBool:
		return value.AppendBool(dst, d.bits != 0), nil
	case KindJSON:
		return jsontext.AppendValue(dst, d.text)
	case KindText:
		return value.AppendString(dst, d.Bytes()), nil
	case KindBinary:
		return value.AppendString(dst, base64.StdEncoding.AppendEncode(nil, d.Bytes())), nil
	case KindFloat:
		return jsontext.AppendFloatValue(dst, d.Float()), nil
	case KindInt, KindUint, KindDecimal:
		x, _ := d.Shown().NumberDecimal()
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
	return jsontext.Compare(v, w)
}
