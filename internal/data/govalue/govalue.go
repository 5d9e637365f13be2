// SPDX-License-Identifier: Apache-2.0

// Package govalue turns Go values into encoded ones and back, and names fields of items in conditions and updates, for programs to which convenience
// matters more than speed.
//
// Knows: Go's types, the data types of package value.
// Never: tables, rows.
package govalue

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// mapType stands for all maps with string keys. // immutable
var mapType = reflect.TypeFor[map[string]any]()

// AppendValue appends a Go value as an encoded value: time.Time in milliseconds, time.Duration as a number of nanoseconds, nil, bool, string, []byte, integers, float64, json.Number, Decimal, Value, []any, maps of strings to any, and
// as sets []string, [][]byte and []int64. The error says which type or number can't be stored.
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
	case time.Time:
		return value.AppendTimestamp(dst, x.UnixMilli()), nil
	case value.Value:
		return append(dst, x...), nil
	case []any:
		return appendList(dst, x)
	case map[string]any:
		return appendMap(dst, x)
	}
	if fields := reflect.ValueOf(x); fields.Kind() == reflect.Map && fields.CanConvert(mapType) { // a named type, such as weft.Document
		return appendMap(dst, fields.Convert(mapType).Interface().(map[string]any))
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
	case time.Duration:
		return value.AppendNumber(dst, order.DecimalFromInt(int64(x))), true, nil
	case uint64:
		return value.AppendNumber(dst, order.DecimalFromUint(x)), true, nil
	case order.Decimal:
		return value.AppendNumber(dst, x), true, nil
	case int8, int16, uint, uint8, uint16, uint32:
		return appendDecimalText(dst, fmt.Sprint(x))
	case float32:
		return appendDecimalText(dst, strconv.FormatFloat(float64(x), 'g', -1, 32))
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

// Storable returns the error of the first of some Go values that can't be stored; nil: all can be.
func Storable(list ...any) error {
	for _, x := range list {
		if _, err := AppendValue(nil, x); err != nil {
			return err
		}
	}
	return nil
}

// GoValue decodes a value: nil, bool, string, []byte, json.Number, time.Time in UTC, []any, map[string]any, []string, []json.Number or [][]byte. It aliases nothing.
func GoValue(v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		return v.Bool()
	case value.String:
		return string(v.Bytes())
	case value.Timestamp:
		ms, _ := v.Int()
		return time.UnixMilli(ms).UTC()
	case value.Binary:
		return slices.Clone(v.Bytes())
	case value.List:
		return goList(v)
	case value.Map:
		fields := map[string]any{}
		for e := v.Elements(); e.Next(); {
			fields[string(e.Name())] = GoValue(e.Value())
		}
		return fields
	case value.StringSet, value.NumberSet, value.BinarySet:
		return goSet(v)
	case value.Null, value.Missing:
		return nil
	}
	return goNumber(v)
}

func goNumber(v value.Value) any {
	if d, ok := v.Decimal(); ok {
		return json.Number(d.AppendText(nil))
	}
	x, _ := v.Float()
	return json.Number(strconv.FormatFloat(x, 'g', -1, 64))
}

func goList(v value.Value) []any {
	list := []any{}
	for e := v.Elements(); e.Next(); {
		list = append(list, GoValue(e.Value()))
	}
	return list
}

func goSet(v value.Value) any {
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
