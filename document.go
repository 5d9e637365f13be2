// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/order"
)

// Document is an item as Go values, for programs to which convenience matters more than speed. It takes nil, bool, string, []byte, integers, float64,
// json.Number, Decimal, Value, []any, map[string]any, Document, []string, [][]byte and []int64 (the last three as sets); and gives back nil,
// bool, string, []byte, json.Number, []any, map[string]any, []string, []json.Number and [][]byte.
type Document map[string]any

// Decimal is a number of up to 38 significant digits.
type Decimal = order.Decimal

// AppendRow appends the document as a row with the given names. Errors: KindInvalid for a value of another type.
func (d Document) AppendRow(dst []byte, names Names) (Row, error) {
	var b RowBuilder
	b.Reset(names)
	for name, x := range d {
		b.Begin([]byte(name))
		buf, err := AppendValue(b.Buf, x)
		if err != nil {
			return nil, &Error{Kind: KindInvalid, Detail: "attribute " + name, Err: err}
		}
		b.Buf = buf
		if err := b.End(); err != nil {
			return nil, &Error{Kind: KindInvalid, Detail: "attribute " + name, Err: err}
		}
	}
	return b.AppendTo(dst), nil
}

// AppendValue appends a Go value of one of Document's types as an encoded value.
func AppendValue(dst []byte, x any) ([]byte, error) {
	switch x := x.(type) {
	case nil:
		return value.AppendNull(dst), nil
	case bool:
		return value.AppendBool(dst, x), nil
	case string:
		return value.AppendString(dst, []byte(x)), nil
	case []byte:
		return value.AppendBinary(dst, x), nil
	case Value:
		return append(dst, x...), nil
	case []any:
		return appendList(dst, x)
	case Document:
		return appendMap(dst, x)
	case map[string]any:
		return appendMap(dst, x)
	}
	if out, ok, err := appendNumber(dst, x); ok {
		return out, err
	}
	return appendSet(dst, x)
}

func appendNumber(dst []byte, x any) (out []byte, ok bool, err error) {
	switch x := x.(type) {
	case int:
		return value.AppendNumber(dst, order.DecimalFromInt(int64(x))), true, nil
	case int64:
		return value.AppendNumber(dst, order.DecimalFromInt(x)), true, nil
	case int32:
		return value.AppendNumber(dst, order.DecimalFromInt(int64(x))), true, nil
	case uint64:
		return value.AppendNumber(dst, order.DecimalFromUint(x)), true, nil
	case Decimal:
		return value.AppendNumber(dst, x), true, nil
	case float64:
		return appendDecimalText(dst, strconv.FormatFloat(x, 'g', -1, 64))
	case json.Number:
		return appendDecimalText(dst, x.String())
	}
	return dst, false, nil
}

func appendDecimalText(dst []byte, text string) ([]byte, bool, error) {
	d, err := order.ParseDecimal([]byte(text))
	if err != nil {
		return dst, true, fmt.Errorf("%s is no number that can be stored: %w", text, err)
	}
	return value.AppendNumber(dst, d), true, nil
}

func appendList(dst []byte, list []any) (out []byte, err error) {
	start := len(dst)
	dst = value.BeginList(dst)
	for _, x := range list {
		if dst, err = AppendValue(dst, x); err != nil {
			return nil, err
		}
	}
	return value.EndList(dst, start)
}

func appendMap(dst []byte, fields map[string]any) (out []byte, err error) {
	start := len(dst)
	dst = value.BeginMap(dst)
	for name, x := range fields {
		dst = value.AppendName(dst, []byte(name))
		if dst, err = AppendValue(dst, x); err != nil {
			return nil, err
		}
	}
	return value.EndMap(dst, start)
}

func appendSet(dst []byte, x any) ([]byte, error) {
	start := len(dst)
	switch x := x.(type) {
	case []string:
		dst = value.BeginSet(dst, value.StringSet)
		for _, member := range x {
			dst = value.AppendString(dst, []byte(member))
		}
	case [][]byte:
		dst = value.BeginSet(dst, value.BinarySet)
		for _, member := range x {
			dst = value.AppendBinary(dst, member)
		}
	case []int64:
		dst = value.BeginSet(dst, value.NumberSet)
		for _, member := range x {
			dst = value.AppendNumber(dst, order.DecimalFromInt(member))
		}
	default:
		return nil, fmt.Errorf("a value of the Go type %T can't be stored", x)
	}
	return value.EndSet(dst, start)
}

// goValue decodes a value into the Go types of Document.
func goValue(v Value) any {
	switch v.Kind() {
	case value.Bool:
		return v.Bool()
	case value.String:
		return string(v.Bytes())
	case value.Binary:
		return slices.Clone(v.Bytes())
	case value.List:
		return goList(v)
	case value.Map:
		fields := map[string]any{}
		for e := v.Elements(); e.Next(); {
			fields[string(e.Name())] = goValue(e.Value())
		}
		return fields
	case value.StringSet, value.NumberSet, value.BinarySet:
		return goSet(v)
	case value.Null, value.Missing:
		return nil
	}
	return goNumber(v)
}

func goNumber(v Value) any {
	if d, ok := v.Decimal(); ok {
		return json.Number(d.AppendText(nil))
	}
	x, _ := v.Float()
	return json.Number(strconv.FormatFloat(x, 'g', -1, 64))
}

func goList(v Value) []any {
	list := []any{}
	for e := v.Elements(); e.Next(); {
		list = append(list, goValue(e.Value()))
	}
	return list
}

func goSet(v Value) any {
	var texts []string
	var binaries [][]byte
	var numbers []json.Number
	for e := v.Elements(); e.Next(); {
		switch member := e.Value(); member.Kind() {
		case value.String:
			texts = append(texts, string(member.Bytes()))
		case value.Binary:
			binaries = append(binaries, slices.Clone(member.Bytes()))
		default:
			d, _ := member.Decimal()
			numbers = append(numbers, json.Number(d.AppendText(nil)))
		}
	}
	switch {
	case texts != nil:
		return texts
	case binaries != nil:
		return binaries
	}
	return numbers
}
