// SPDX-License-Identifier: Apache-2.0

package govalue

import (
	"encoding"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// appendForm appends a value whose type is stored in a form.
func appendForm(dst []byte, v reflect.Value, f form, depth int) ([]byte, error) {
	switch f {
	case formAny, formPointer:
		return appendElem(dst, v, depth)
	case formBool:
		return value.AppendBool(dst, v.Bool()), nil
	case formInt:
		return value.AppendNumber(dst, order.DecimalFromInt(v.Int())), nil
	case formUint:
		return value.AppendNumber(dst, order.DecimalFromUint(v.Uint())), nil
	case formFloat:
		return appendFloat(dst, v.Float(), v.Type().Bits())
	case formString:
		return value.AppendString(dst, value.ReadOnly(v.String())), nil
	case formBytes:
		if v.IsNil() {
			return value.AppendNull(dst), nil
		}
		return value.AppendBinary(dst, v.Bytes()), nil
	case formList, formMap, formStruct:
		return appendDocument(dst, v, f, depth)
	case formSet:
		return appendReflectSet(dst, v)
	case formNumber:
		return appendDigits(dst, v.String())
	}
	return appendKnown(dst, v, f)
}

// appendKnown appends a value of a type with a meaning of its own.
func appendKnown(dst []byte, v reflect.Value, f form) ([]byte, error) {
	switch f {
	case formTime:
		return value.AppendTimestamp(dst, v.Interface().(time.Time).UnixMilli()), nil
	case formDecimal:
		return value.AppendNumber(dst, v.Interface().(order.Decimal)), nil
	case formValue:
		return append(dst, v.Bytes()...), nil
	case formText:
		return appendText(dst, v)
	}
	return nil, fmt.Errorf("a value of the Go type %s can't be stored", v.Type())
}

func appendText(dst []byte, v reflect.Value) ([]byte, error) {
	m, ok := v.Interface().(encoding.TextMarshaler)
	if !ok { // the pointer's method
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		m = p.Interface().(encoding.TextMarshaler)
	}
	text, err := m.MarshalText()
	if err != nil {
		return nil, err
	}
	return value.AppendString(dst, text), nil
}

func appendElem(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.IsNil() {
		return value.AppendNull(dst), nil
	}
	if depth > value.NestingMax {
		return nil, value.ErrNesting
	}
	if v.Kind() == reflect.Interface {
		return appendAny(dst, v.Interface(), depth)
	}
	return appendForm(dst, v.Elem(), formOf(v.Type().Elem()), depth+1)
}

// appendDocument appends a list or a map.
func appendDocument(dst []byte, v reflect.Value, f form, depth int) ([]byte, error) {
	if depth > value.NestingMax {
		return nil, value.ErrNesting
	}
	switch {
	case f == formStruct:
		return appendStruct(dst, v, depth)
	case v.Kind() != reflect.Array && v.IsNil():
		return value.AppendNull(dst), nil
	case f == formMap:
		return appendReflectMap(dst, v, depth)
	}
	start, elem, err := len(dst), formOf(v.Type().Elem()), error(nil)
	dst = value.BeginList(dst)
	for i := range v.Len() {
		if dst, err = appendForm(dst, v.Index(i), elem, depth+1); err != nil {
			return nil, err
		}
	}
	return value.EndList(dst, start)
}

func appendReflectMap(dst []byte, v reflect.Value, depth int) (out []byte, err error) {
	start, elem := len(dst), formOf(v.Type().Elem())
	dst = value.BeginMap(dst)
	for entries := v.MapRange(); entries.Next(); {
		name := entries.Key().String()
		dst = value.AppendName(dst, value.ReadOnly(name))
		if dst, err = appendForm(dst, entries.Value(), elem, depth+1); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return value.EndMap(dst, start)
}

func appendStruct(dst []byte, v reflect.Value, depth int) (out []byte, err error) {
	start, plan := len(dst), planOf(v.Type())
	dst = value.BeginMap(dst)
	for i := range plan.fields {
		f := &plan.fields[i]
		field, ok := f.of(v)
		if !ok {
			continue
		}
		dst = value.AppendName(dst, value.ReadOnly(f.name))
		if dst, err = appendForm(dst, field, f.form, depth+1); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return value.EndMap(dst, start)
}

// of returns the field's value in a struct. ok is false if it is not stored: it is empty and has omitempty, or
// belongs to a struct that is embedded by a nil pointer.
func (f *structField) of(v reflect.Value) (field reflect.Value, ok bool) {
	if len(f.index) == 1 {
		field = v.Field(f.index[0])
	} else if found, err := v.FieldByIndexErr(f.index); err == nil {
		field = found
	}
	return field, field.IsValid() && !(f.omitEmpty && isEmpty(field))
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array:
		return v.Len() == 0
	}
	return v.IsZero()
}

func appendReflectSet(dst []byte, v reflect.Value) ([]byte, error) {
	if set, ok := v.Interface().(interface{ Members() []any }); ok {
		members := set.Members()
		return appendSet(dst, len(members), func(dst []byte, i int) ([]byte, error) {
			return AppendValue(dst, members[i])
		})
	}
	elem := formOf(v.Type().Elem())
	return appendSet(dst, v.Len(), func(dst []byte, i int) ([]byte, error) {
		return appendForm(dst, v.Index(i), elem, 0)
	})
}

// builders are pooled. // lint:global a builder in the pool holds memory and nothing of an item
var builders = sync.Pool{New: func() any { return new(value.RowBuilder) }}

// AppendRow appends an item as a row with the given names: a map with string keys, a struct, or a pointer to one.
// The error says which attribute can't be stored, and why.
func AppendRow(dst []byte, names value.Names, item any) (value.Row, error) {
	return AppendSome(dst, names, item, nil)
}

// AppendSome is AppendRow for the attributes whose names keep wants; nil: all.
func AppendSome(dst []byte, names value.Names, item any, keep func(name string) bool) (value.Row, error) {
	b := builders.Get().(*value.RowBuilder)
	b.Reset(names)
	err := build(b, item, keep)
	if err == nil {
		dst = b.AppendTo(dst)
	}
	if cap(b.Buf) <= pooledMax {
		builders.Put(b) // not after a panic
	}
	return dst, err
}

// pooledMax is the number of bytes a builder in the pool may hold.
const pooledMax = 64 << 10

func build(b *value.RowBuilder, item any, keep func(name string) bool) error {
	if fields, ok := item.(map[string]any); ok {
		return buildMap(b, fields, keep)
	}
	v := reflect.ValueOf(item)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Map && v.CanConvert(mapType): // such as a Document
		return buildMap(b, v.Convert(mapType).Interface().(map[string]any), keep)
	case v.Kind() == reflect.Map && formOf(v.Type()) == formMap:
		return buildReflectMap(b, v, keep)
	case v.Kind() == reflect.Struct && formOf(v.Type()) == formStruct:
		return buildStruct(b, v, keep)
	}
	return &NoItemError{value: item}
}

// NoItemError says that a Go value is no item, or none that an item goes into.
type NoItemError struct {
	value any
	into  bool
}

// Error says what an item is.
func (e *NoItemError) Error() string {
	text := "an item is a struct or a map with string keys, "
	if e.into {
		text = "an item is decoded into a pointer to a struct or to a map, "
	}
	switch v := reflect.ValueOf(e.value); {
	case e.value == nil:
		return text + "not nil"
	case v.Kind() == reflect.Pointer && v.IsNil():
		return text + fmt.Sprintf("not a nil pointer of the type %T", e.value)
	}
	return text + fmt.Sprintf("not a value of the type %T", e.value)
}

// mapType stands for all maps of strings to anything. // immutable
var mapType = reflect.TypeFor[map[string]any]()

func buildStruct(b *value.RowBuilder, v reflect.Value, keep func(name string) bool) error {
	plan := planOf(v.Type())
	for i := range plan.fields {
		f := &plan.fields[i]
		field, ok := f.of(v)
		if !ok || keep != nil && !keep(f.name) {
			continue
		}
		b.Begin(value.ReadOnly(f.name))
		buf, err := appendForm(b.Buf, field, f.form, 0)
		if err = end(b, buf, err); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func buildMap(b *value.RowBuilder, fields map[string]any, keep func(name string) bool) error {
	for name, x := range fields {
		if keep != nil && !keep(name) {
			continue
		}
		b.Begin(value.ReadOnly(name))
		buf, err := AppendValue(b.Buf, x)
		if err = end(b, buf, err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func buildReflectMap(b *value.RowBuilder, v reflect.Value, keep func(name string) bool) error {
	elem := formOf(v.Type().Elem())
	for entries := v.MapRange(); entries.Next(); {
		name := entries.Key().String()
		if keep != nil && !keep(name) {
			continue
		}
		b.Begin(value.ReadOnly(name))
		buf, err := appendForm(b.Buf, entries.Value(), elem, 0)
		if err = end(b, buf, err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// end completes an attribute whose value was appended to the builder's buffer.
func end(b *value.RowBuilder, buf []byte, err error) error {
	if err != nil {
		return err
	}
	b.Buf = buf
	return b.End()
}
