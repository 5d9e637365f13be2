// SPDX-License-Identifier: Apache-2.0

package govalue

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/data/value"
)

// DecodeRow stores the attributes of a row in the struct or the map that into points to. Fields without an attribute
// stay as they are, and so do attributes without a field. Null makes a field its zero value; an interface gets what
// GoValue returns. It allocates nothing but what the fields hold. The error says which type does not take which value.
func DecodeRow(row value.Row, names value.Names, into any) error {
	p := reflect.ValueOf(into)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return &NoItemError{into, true}
	}
	v := p.Elem()
	attributes := row.Attributes(names)
	switch {
	case v.Kind() == reflect.Struct:
		plan := planOf(v.Type())
		for attributes.Next() {
			if err := plan.decode(attributes.Name(), attributes.Value(), v); err != nil {
				return err
			}
		}
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		m := newMap(v)
		for attributes.Next() {
			if err := m.put(attributes.Name(), attributes.Value()); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("an item is decoded into a struct or a map with string keys, not a %s", v.Type())
	}
	return attributes.Err()
}

// decode stores a value in the field of its name, if there is one.
func (p *structPlan) decode(name []byte, x value.Value, into reflect.Value) error {
	at, ok := p.byName[string(name)]
	if !ok {
		return nil
	}
	f := &p.fields[at]
	field := into
	for i, index := range f.index {
		if i > 0 && field.Kind() == reflect.Pointer {
			if field.IsNil() {
				field.Set(reflect.New(field.Type().Elem()))
			}
			field = field.Elem()
		}
		field = field.Field(index)
	}
	if err := decode(x, field, f.form); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// mapping puts decoded values into a map.
type mapping struct {
	into, element reflect.Value
	form          form
}

func newMap(v reflect.Value) mapping {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	elem := v.Type().Elem()
	return mapping{v, reflect.New(elem).Elem(), formOf(elem)}
}

func (m *mapping) put(name []byte, x value.Value) error {
	m.element.SetZero()
	if err := decode(x, m.element, m.form); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m.into.SetMapIndex(reflect.ValueOf(string(name)).Convert(m.into.Type().Key()), m.element)
	return nil
}

// decode stores a value in one whose type has a form.
func decode(x value.Value, into reflect.Value, f form) error {
	kind := x.Kind()
	switch {
	case f == formAny && into.NumMethod() == 0:
		if decoded := GoValue(x); decoded != nil {
			into.Set(reflect.ValueOf(decoded))
			return nil
		}
		into.SetZero()
		return nil
	case kind == value.Null || kind == value.Missing:
		into.SetZero()
		return nil
	case f == formPointer:
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		return decode(x, into.Elem(), formOf(into.Type().Elem()))
	case f == formText:
		return decodeText(x, into)
	case kind == value.Bool && f == formBool:
		into.SetBool(x.Bool())
		return nil
	case kind == value.String && f == formString:
		into.SetString(string(x.Bytes()))
		return nil
	case kind == value.Binary && f == formBytes:
		into.SetBytes(append(make([]byte, 0, len(x.Bytes())), x.Bytes()...))
		return nil
	case kind == value.Map && (f == formMap || f == formStruct):
		return decodeMap(x, into, f)
	case kind == value.List && (f == formList || f == formSet) || kind.IsSet() && (f == formList || f == formSet):
		return decodeList(x, into)
	case f == formTime:
		return decodeTime(x, into)
	case f == formValue:
		into.SetBytes(append(make([]byte, 0, len(x)), x...))
		return nil
	case kind.IsNumeric() || kind == value.Timestamp:
		return decodeNumber(x, into, f)
	}
	return misfit(x, into)
}

func misfit(x value.Value, into reflect.Value) error {
	return fmt.Errorf("a %s does not go into a %s", kindNames[x.Kind()], into.Type())
}

// kindNames are the kinds in words. // immutable
var kindNames = map[value.Kind]string{
	value.Bool: "bool", value.String: "string", value.Binary: "binary", value.Timestamp: "time", value.Null: "null",
	value.Number: "number", value.Int: "number", value.Float: "number", value.List: "list", value.Map: "map",
	value.StringSet: "set", value.NumberSet: "set", value.BinarySet: "set",
}

// errRange is of numbers that are too large for their field, or no integers.
var errRange = errors.New("the number does not fit")

func decodeNumber(x value.Value, into reflect.Value, f form) error {
	switch f {
	case formInt:
		n, ok := x.Int()
		if !ok || into.OverflowInt(n) {
			return fmt.Errorf("%s into a %s: %w", appendNumberText(nil, x), into.Type(), errRange)
		}
		into.SetInt(n)
	case formUint:
		return decodeUint(x, into)
	case formFloat:
		n, ok := x.Float()
		if !ok || into.OverflowFloat(n) {
			return fmt.Errorf("%s into a %s: %w", appendNumberText(nil, x), into.Type(), errRange)
		}
		into.SetFloat(n)
	case formNumber:
		var text [64]byte
		into.SetString(string(appendNumberText(text[:0], x)))
	case formDecimal:
		d, ok := x.Decimal()
		if !ok {
			return misfit(x, into)
		}
		into.Set(reflect.ValueOf(d))
	default:
		return misfit(x, into)
	}
	return nil
}

func decodeUint(x value.Value, into reflect.Value) error {
	if n, ok := x.Int(); ok && n >= 0 && !into.OverflowUint(uint64(n)) {
		into.SetUint(uint64(n))
		return nil
	}
	n, err := strconv.ParseUint(string(appendNumberText(nil, x)), 10, 64)
	if err != nil || into.OverflowUint(n) {
		return fmt.Errorf("%s into a %s: %w", appendNumberText(nil, x), into.Type(), errRange)
	}
	into.SetUint(n)
	return nil
}

// decodeTime takes timestamps, and texts as time.Time writes them.
func decodeTime(x value.Value, into reflect.Value) error {
	p := into.Addr().Interface().(*time.Time)
	switch x.Kind() {
	case value.Timestamp:
		ms, _ := x.Int()
		*p = time.UnixMilli(ms).UTC()
		return nil
	case value.String:
		return p.UnmarshalText(x.Bytes())
	}
	return misfit(x, into)
}

func decodeText(x value.Value, into reflect.Value) error {
	if x.Kind() != value.String || !into.CanAddr() || !into.Addr().Type().Implements(unmarshalType) {
		return misfit(x, into)
	}
	return into.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(x.Bytes())
}

func decodeMap(x value.Value, into reflect.Value, f form) error {
	if f == formMap {
		m := newMap(into)
		for e := x.Elements(); e.Next(); {
			if err := m.put(e.Name(), e.Value()); err != nil {
				return err
			}
		}
		return nil
	}
	plan := planOf(into.Type())
	for e := x.Elements(); e.Next(); {
		if err := plan.decode(e.Name(), e.Value(), into); err != nil {
			return err
		}
	}
	return nil
}

// decodeList stores a list or a set in a slice or an array.
func decodeList(x value.Value, into reflect.Value) error {
	count, elem := x.Len(), formOf(into.Type().Elem())
	if into.Kind() == reflect.Slice {
		into.Set(reflect.MakeSlice(into.Type(), count, count))
	} else if count > into.Len() {
		return fmt.Errorf("a list of %d does not go into a %s", count, into.Type())
	}
	i := 0
	for e := x.Elements(); e.Next(); i++ {
		if err := decode(e.Value(), into.Index(i), elem); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}
