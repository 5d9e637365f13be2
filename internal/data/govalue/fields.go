// SPDX-License-Identifier: Apache-2.0

package govalue

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// form is how values of a Go type are stored.
type form uint8

const (
	formNone    form = iota // not at all
	formAny                 // an interface: as what is in it
	formBool                // and so on: by the kind of the type
	formInt                 //
	formUint                //
	formFloat               //
	formString              //
	formBytes               //
	formList                // a slice or an array
	formMap                 //
	formStruct              //
	formPointer             //
	formSet                 // a slice with a method Members, or with the option set
	formText                // an encoding.TextMarshaler
	formTime                // time.Time
	formNumber              // json.Number
	formDecimal             // order.Decimal
	formValue               // value.Value
)

// The types that formOf asks for. // immutable
var (
	timeType      = reflect.TypeFor[time.Time]()
	numberType    = reflect.TypeFor[json.Number]()
	decimalType   = reflect.TypeFor[order.Decimal]()
	valueType     = reflect.TypeFor[value.Value]()
	textType      = reflect.TypeFor[encoding.TextMarshaler]()
	membersType   = reflect.TypeFor[interface{ Members() []any }]()
	unmarshalType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// formOf returns how values of a type are stored.
func formOf(t reflect.Type) form {
	switch t {
	case timeType:
		return formTime
	case numberType:
		return formNumber
	case decimalType:
		return formDecimal
	case valueType:
		return formValue
	}
	switch kind := t.Kind(); {
	case kind == reflect.Interface:
		return formAny
	case kind == reflect.Pointer:
		return formPointer
	case t.Implements(textType) || reflect.PointerTo(t).Implements(textType):
		return formText
	case kind == reflect.Slice && t.Implements(membersType):
		return formSet
	}
	return formOfKind(t)
}

func formOfKind(t reflect.Type) form {
	switch t.Kind() {
	case reflect.Bool:
		return formBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return formInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return formUint
	case reflect.Float32, reflect.Float64:
		return formFloat
	case reflect.String:
		return formString
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return formBytes
		}
		return formList
	case reflect.Array:
		return formList
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return formMap
		}
	case reflect.Struct:
		return formStruct
	}
	return formNone
}

// Field of a struct: an attribute of an item, or a field of a map in one.
type structField struct {
	name      string
	index     []int // as of reflect.Value.FieldByIndex
	form      form
	omitEmpty bool
	key       bool
	typ       reflect.Type
}

// structPlan is the fields of a struct type.
type structPlan struct {
	fields []structField
	byName map[string]int
}

// plans holds the plan of each struct type in use, by reflect.Type. // lint:global a type's plan never changes
var plans sync.Map

// planOf returns the fields of a struct type.
func planOf(t reflect.Type) *structPlan {
	if p, ok := plans.Load(t); ok {
		return p.(*structPlan)
	}
	p := &structPlan{byName: map[string]int{}}
	p.add(t, nil, map[reflect.Type]bool{})
	made, _ := plans.LoadOrStore(t, p)
	return made.(*structPlan)
}

// add adds the fields of a struct, and behind them those of the structs that it embeds: a name that was met counts
// as the outer one's.
func (p *structPlan) add(t reflect.Type, index []int, outer map[reflect.Type]bool) {
	if outer[t] {
		return
	}
	outer[t] = true
	defer delete(outer, t)
	var embedded []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("weft")
		name, options, _ := strings.Cut(tag, ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case tag == "-":
		case f.Anonymous && name == "" && formOf(inner) == formStruct && (f.IsExported() || f.Type == inner):
			embedded = append(embedded, f)
		case f.IsExported():
			if !tagged || name == "" {
				name = f.Name
			}
			p.addField(name, options, f, append(index[:len(index):len(index)], f.Index...))
		}
	}
	for _, f := range embedded {
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		p.add(inner, append(index[:len(index):len(index)], f.Index...), outer)
	}
}

func (p *structPlan) addField(name, options string, f reflect.StructField, index []int) {
	if _, ok := p.byName[name]; ok {
		return
	}
	field := structField{name: name, index: index, form: formOf(f.Type), typ: f.Type}
	for option := range strings.SplitSeq(options, ",") {
		switch {
		case option == "omitempty":
			field.omitEmpty = true
		case option == "key":
			field.key = true
		case option == "set" && (field.form == formList || field.form == formBytes):
			field.form, field.omitEmpty = formSet, true // an empty set can't be stored
		}
	}
	p.byName[name] = len(p.fields)
	p.fields = append(p.fields, field)
}

// KeyField is a field of a struct that is part of a table's key.
type KeyField struct {
	Name string
	Kind value.Kind // String, Number, Binary, Bool or Timestamp
}

// KeyFields returns the fields of a struct type with the option key, in their order. Fields whose values no key can
// hold have the Kind Missing.
func KeyFields(t reflect.Type) (list []KeyField) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range planOf(t).fields {
		if f.key {
			list = append(list, KeyField{f.name, keyKinds[f.form]})
		}
	}
	return list
}

// keyKinds are the types of keys. // immutable
var keyKinds = map[form]value.Kind{
	formString: value.String, formText: value.String, formInt: value.Number, formUint: value.Number,
	formFloat: value.Number, formNumber: value.Number, formDecimal: value.Number, formBytes: value.Binary,
	formBool: value.Bool, formTime: value.Timestamp,
}
