// SPDX-License-Identifier: Apache-2.0

package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// read reads the body of a request into a struct.
func read(body []byte, into any) error {
	// A body is judged by the strict reader first, so that what is no JSON is the same error for every operation.
	r := attributejson.NewReader(body)
	if err := r.Skip(); err != nil {
		return err
	}
	if err := r.End(); err != nil {
		return err
	}
	exact, err := exactly(body, into)
	if err != nil {
		return err
	}
	err = json.Unmarshal(exact, into)
	if fault, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return exception.Serialization(mismatchText(fault))
	}
	return err
}

// exactly leaves out of a body the members that are not written as the struct's: encoding/json would take them in any case, DynamoDB passes
// over what it does not know.
func exactly(body []byte, into any) ([]byte, error) {
	var tree any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	t := reflect.TypeOf(into)
	if text := mismatch(tree, t, "", false); text != "" {
		return nil, exception.Serialization(text)
	}
	tree = prune(tree, t)
	return json.Marshal(tree)
}

// prune removes the members of objects that a type does not have, and fractions where it has integers. The tree is no deeper than the type.
func prune(tree any, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch node := tree.(type) {
	case json.Number:
		if t.Kind() == reflect.Int64 || t.Kind() == reflect.Int32 {
			whole, _, _ := strings.Cut(string(node), ".")
			return json.Number(whole)
		}
	case []any:
		if t.Kind() == reflect.Slice {
			for i, element := range node {
				node[i] = prune(element, t.Elem())
			}
		}
	case map[string]any:
		if t.Kind() == reflect.Struct {
			members := membersOf(t)
			for name, member := range node {
				if of, known := members[name]; known {
					node[name] = prune(member, of)
				} else {
					delete(node, name)
				}
			}
		}
	}
	return tree
}

func membersOf(t reflect.Type) map[string]reflect.Type {
	members := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		if !field.IsExported() || field.Anonymous {
			continue
		}
		members[nameOf(&field)] = field.Type
	}
	return members
}

// nameOf is the name of a struct's field in JSON.
func nameOf(field *reflect.StructField) string {
	if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag != "" {
		return tag
	}
	return field.Name
}

// mismatchText words a number that its member can't have.
func mismatchText(e *json.UnmarshalTypeError) string {
	fault := attributejson.TypeError{Expected: scalarTypes[e.Type.Kind()], Actual: attributejson.TokenNumber}
	return fault.Message()
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
	if detail, ok := errors.AsType[*weft.Error](err); ok {
		switch detail.Kind {
		case weft.KindNotFound:
			return tablemodel.NotFound(name)
		case weft.KindExists:
			return exception.New(exception.KindResourceInUse, "Table already exists: "+name)
		case weft.KindInvalid:
			if detail.Err != nil {
				return exception.InvalidValue("%s", strings.TrimPrefix(detail.Err.Error(), "schema: "))
			}
			return exception.InvalidValue("%s", detail.Detail)
		}
	}
	return err
}

// look shows the schema of the table of that name. The schema must not be kept: changes wait for those who have it.
func (a *API) look(name string, at func(*weft.Descriptor) error) error {
	pin, err := a.DB.Pin(name)
	if err != nil {
		return err
	}
	defer pin.Release()
	return at(pin.Descriptor())
}

// find wants the table of that name to be there.
func (a *API) find(name string) error {
	return a.look(name, func(*weft.Descriptor) error { return nil })
}

// settings reads the settings of the table of that name.
func (a *API) settings(name string) (s tablemodel.Settings, err error) {
	err = a.look(name, func(table *weft.Descriptor) error {
		s, err = tablemodel.SettingsOf(table)
		return err
	})
	return s, err
}

// change changes the settings of the table of that name in a transaction; edit may run more than once.
func (a *API) change(ctx context.Context, name string, edit func(*tablemodel.Settings) error) error {
	table, err := a.DB.Table(name)
	if err != nil {
		return err
	}
	return table.SetDialect(ctx, tablemodel.EditSettings(edit))
}
