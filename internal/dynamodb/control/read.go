// SPDX-License-Identifier: Apache-2.0

package control

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// Read reads the body of a request into a struct. Malformed JSON is reported first.
func Read(body []byte, into any) error {
	r := attributejson.NewReader(body)
	if err := r.Skip(); err != nil {
		return err
	}
	if err := r.End(); err != nil {
		return err
	}
	return readValue(attributejson.NewReader(body), reflect.ValueOf(into), "", false)
}

// readValue reads what comes next into a member of that name, or into an element of its list. Null is no value.
func readValue(r *attributejson.Reader, v reflect.Value, member string, element bool) error {
	if null, err := r.Null(); null || err != nil {
		return err
	}
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	if raw, ok := v.Addr().Interface().(*json.RawMessage); ok {
		text, err := r.Raw()
		*raw = text
		return err
	}
	switch v.Kind() {
	case reflect.Struct:
		return readStruct(r, v, member, element)
	case reflect.Slice:
		return readList(r, v, member)
	case reflect.String:
		text, err := r.String()
		v.SetString(string(text))
		return err
	case reflect.Bool:
		return readBool(r, v)
	case reflect.Float64:
		return readFloat(r, v)
	}
	return readInt(r, v)
}

func readStruct(r *attributejson.Reader, v reflect.Value, member string, element bool) error {
	if member != "" {
		if err := r.Expect(shapeOf(member, element)); err != nil {
			return err
		}
	}
	return r.Members(func(name []byte) error {
		field, ok := fieldOf(v, string(name))
		if !ok {
			return r.Skip()
		}
		return readValue(r, field, string(name), false)
	})
}

func readList(r *attributejson.Reader, v reflect.Value, member string) error {
	if err := r.BeginArray(); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for {
		ok, err := r.NextElement()
		if err != nil || !ok {
			return err
		}
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		if err := readValue(r, v.Index(v.Len()-1), member, true); err != nil {
			return err
		}
	}
}

// readBool reads a truth value, which requests about tables may not write as a string.
func readBool(r *attributejson.Reader, v reflect.Value) error {
	if actual := r.Peek(); actual == attributejson.TokenString {
		return &attributejson.TypeError{Offset: r.Offset(), Expected: "Boolean", Actual: actual}
	}
	truth, err := r.Bool()
	v.SetBool(truth)
	return err
}

func readInt(r *attributejson.Reader, v reflect.Value) error {
	n, err := r.Int()
	if err == nil && v.OverflowInt(n) {
		err = &attributejson.TypeError{Offset: r.Offset(), Actual: attributejson.TokenNumber}
	}
	if fault, ok := err.(*attributejson.TypeError); ok {
		fault.Expected = map[reflect.Kind]string{reflect.Int64: "Long", reflect.Int32: "Integer"}[v.Kind()]
		return err
	}
	v.SetInt(n)
	return err
}

// readFloat reads a time in seconds.
func readFloat(r *attributejson.Reader, v reflect.Value) error {
	if actual := r.Peek(); actual != attributejson.TokenNumber {
		return &attributejson.TypeError{Offset: r.Offset(), Expected: "Timestamp", Actual: actual}
	}
	text, err := r.Number()
	if err != nil {
		return err
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return &attributejson.TypeError{Offset: r.Offset(), Expected: "Timestamp", Actual: attributejson.TokenNumber}
	}
	v.SetFloat(x)
	return nil
}

// fieldOf returns the member of a struct that is called exactly so.
func fieldOf(v reflect.Value, name string) (reflect.Value, bool) {
	for _, field := range reflect.VisibleFields(v.Type()) {
		own := field.Name
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag != "" {
			own = tag
		}
		if own == name && field.IsExported() && !field.Anonymous {
			return v.FieldByIndex(field.Index), true
		}
	}
	return reflect.Value{}, false
}

// classes are the structures of Amazon's model in members that have another name. // immutable
var classes = map[string]string{
	"AttributeDefinitions": "AttributeDefinition", "KeySchema": "KeySchemaElement", "Tags": "Tag",
	"LocalSecondaryIndexes":  "LocalSecondaryIndex",
	"GlobalSecondaryIndexes": "GlobalSecondaryIndex", "GlobalSecondaryIndexUpdates": "GlobalSecondaryIndexUpdate",
	"GlobalSecondaryIndexOverride": "GlobalSecondaryIndex", "LocalSecondaryIndexOverride": "LocalSecondaryIndex",
	"Create": "CreateGlobalSecondaryIndexAction", "Update": "UpdateGlobalSecondaryIndexAction",
	"Delete": "DeleteGlobalSecondaryIndexAction",
}

// shapeOf is the place of a structure: in a member, or in the list that a member is.
func shapeOf(member string, element bool) attributejson.Shape {
	class := member
	if other := classes[member]; other != "" {
		class = other
	}
	if element {
		return attributejson.Element(class)
	}
	return attributejson.Field(class)
}
