// SPDX-License-Identifier: Apache-2.0

// Package govalue turns Go values into encoded ones and back: scalars, maps, structs with tags. It also names
// fields of items in conditions and updates.
//
// Knows: Go's types, the data types of package value.
// Never: tables.
package govalue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// AppendValue appends a Go value as an encoded value. nil, bool, strings, []byte, numbers (json.Number and Decimal,
// too), time.Time in milliseconds, time.Duration as a number of nanoseconds, and Value are scalars; an
// encoding.TextMarshaler is its text. Slices and arrays are lists, maps with string keys and structs are maps (see
// Fields), and Set and other slices with a method Members are sets. A nil pointer, slice, map or interface is null.
// The error says which type or number can't be stored.
func AppendValue(dst []byte, x any) ([]byte, error) { return appendAny(dst, x, 0) }

func appendAny(dst []byte, x any, depth int) ([]byte, error) {
	switch x := x.(type) {
	case nil:
		return value.AppendNull(dst), nil
	case bool:
		return value.AppendBool(dst, x), nil
	case string:
		return value.AppendString(dst, []byte(x)), nil
	case time.Time:
		return value.AppendTimestamp(dst, x.UnixMilli()), nil
	case value.Value:
		return append(dst, x...), nil
	case []any:
		return appendList(dst, x, depth)
	case map[string]any:
		return appendMap(dst, x, depth)
	}
	if out, ok, err := appendNumber(dst, x); ok {
		return out, err
	}
	v := reflect.ValueOf(x)
	return appendForm(dst, v, formOf(v.Type()), depth)
}

func appendNumber(dst []byte, x any) (out []byte, ok bool, err error) {
	switch x := x.(type) {
	case int:
		return value.AppendNumber(dst, order.DecimalFromInt(int64(x))), true, nil
	case int64:
		return value.AppendNumber(dst, order.DecimalFromInt(x)), true, nil
	case uint64:
		return value.AppendNumber(dst, order.DecimalFromUint(x)), true, nil
	case order.Decimal:
		return value.AppendNumber(dst, x), true, nil
	case float64:
		out, err := appendFloat(dst, x, 64)
		return out, true, err
	case json.Number:
		out, err := appendDigits(dst, string(x))
		return out, true, err
	}
	return dst, false, nil
}

func appendFloat(dst []byte, x float64, bits int) ([]byte, error) {
	var text [32]byte
	return appendDecimalText(dst, strconv.AppendFloat(text[:0], x, 'g', -1, bits))
}

// appendDigits appends a json.Number, whose zero value is 0.
func appendDigits(dst []byte, text string) ([]byte, error) {
	text = cmp.Or(text, "0")
	return appendDecimalText(dst, value.ReadOnly(text))
}

func appendDecimalText(dst, text []byte) ([]byte, error) {
	d, err := order.ParseDecimal(text)
	if err != nil {
		return dst, fmt.Errorf("%s is no number that can be stored: %w", text, err)
	}
	return value.AppendNumber(dst, d), nil
}

func appendList(dst []byte, list []any, depth int) (out []byte, err error) {
	if list == nil {
		return value.AppendNull(dst), nil
	}
	if depth > value.NestingMax {
		return nil, value.ErrNesting
	}
	start := len(dst)
	dst = value.BeginList(dst)
	for _, x := range list {
		if dst, err = appendAny(dst, x, depth+1); err != nil {
			return nil, err
		}
	}
	return value.EndList(dst, start)
}

func appendMap(dst []byte, fields map[string]any, depth int) (out []byte, err error) {
	if fields == nil {
		return value.AppendNull(dst), nil
	}
	if depth > value.NestingMax {
		return nil, value.ErrNesting
	}
	start := len(dst)
	dst = value.BeginMap(dst)
	for name, x := range fields {
		dst = value.AppendName(dst, []byte(name))
		if dst, err = appendAny(dst, x, depth+1); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return value.EndMap(dst, start)
}

// Set is a set of strings, of numbers or of binaries.
type Set []any

// Members returns the set's members.
func (s Set) Members() []any { return s }

// appendSet appends values of one kind as a set. The first value decides the kind.
func appendSet(dst []byte, count int, member func(dst []byte, i int) ([]byte, error)) (out []byte, err error) {
	if count == 0 {
		return nil, value.ErrEmptySet
	}
	start, body := len(dst), 0
	dst = value.BeginSet(dst, value.StringSet)
	for i := range count {
		at := len(dst)
		if dst, err = member(dst, i); err != nil {
			return nil, err
		}
		if i == 0 {
			body = at
		}
	}
	kind := value.Value(dst[body:]).Kind().SetKind()
	if kind == value.Missing {
		first := value.Value(dst[body:])
		return nil, fmt.Errorf("a set has strings, numbers or binaries, not a %s", kindNames[first.Kind()])
	}
	value.BeginSet(dst[:start], kind)
	if out, err = value.EndSet(dst, start); errors.Is(err, value.ErrMalformed) {
		err = errors.New("all members of a set are strings, or all numbers, or all binaries")
	}
	return out, err
}

// GoValue decodes a value: nil, bool, string, []byte, json.Number, time.Time in UTC, []any, map[string]any or Set.
// It aliases nothing.
func GoValue(v value.Value) any {
	return GoValueWith(v, func(members []any) any { return Set(members) })
}

// GoValueWith is GoValue with another type for sets, which set makes of their members: strings, json.Numbers or
// []bytes.
func GoValueWith(v value.Value, set func(members []any) any) any {
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
		return goList(v, set)
	case value.Map:
		fields := map[string]any{}
		for e := v.Elements(); e.Next(); {
			fields[string(e.Name())] = GoValueWith(e.Value(), set)
		}
		return fields
	case value.StringSet, value.NumberSet, value.BinarySet:
		return set(goList(v, set))
	case value.Null, value.Missing:
		return nil
	}
	return goNumber(v)
}

func goNumber(v value.Value) any { return json.Number(appendNumberText(nil, v)) }

// appendNumberText appends a number as its text.
func appendNumberText(dst []byte, v value.Value) []byte {
	if d, ok := v.Decimal(); ok {
		return d.AppendText(dst)
	}
	x, _ := v.Float()
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}

func goList(v value.Value, set func(members []any) any) []any {
	list := make([]any, 0, v.Len())
	for e := v.Elements(); e.Next(); {
		list = append(list, GoValueWith(e.Value(), set))
	}
	return list
}
