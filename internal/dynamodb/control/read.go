// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
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

// resolve makes a table's name of a member TableName, which may be an ARN, in place, and judges it.
func (a *API) resolve(name *string, operation string) error {
	if err := a.unpack(name, operation); err != nil {
		return err
	}
	return tablemodel.TableNameError(name)
}

// unpack is resolve for a name that is judged elsewhere.
func (a *API) unpack(name *string, operation string) error {
	if name == nil {
		return nil
	}
	resolved, err := a.account().Table(*name, operation)
	if err == nil {
		*name = resolved
	}
	return err
}

// tableError words the errors of requests about the table of that name.
func tableError(name string, err error) error {
	if detail, ok := errors.AsType[*database.Error](err); ok {
		switch detail.Kind {
		case database.KindNotFound:
			return tablemodel.NotFound(name)
		case database.KindExists:
			return exception.New(exception.KindResourceInUse, "Table already exists: "+name)
		case database.KindInvalid:
			if detail.Err != nil {
				return exception.InvalidValue("%s", strings.TrimPrefix(detail.Err.Error(), "schema: "))
			}
			return exception.InvalidValue("%s", detail.Detail)
		}
	}
	return err
}

// look shows the schema of the table of that name. The schema must not be kept: changes wait for its release.
func (a *API) look(name string, at func(*schema.Table) error) error {
	pin, err := a.Pin(name)
	if err != nil {
		return err
	}
	defer pin.Release()
	return at(pin.Descriptor())
}

// find wants the table of that name to be there.
func (a *API) find(name string) error {
	return a.look(name, func(*schema.Table) error { return nil })
}

// change changes the settings of the table of that name in a transaction; edit may run more than once.
func (a *API) change(ctx context.Context, name string, edit func(*tablemodel.Settings) error) error {
	table, err := a.Open(name)
	if err != nil {
		return err
	}
	return table.Edit(ctx, tablemodel.EditSettings(edit))
}
