// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/definition"
	"github.com/weftdb/weft/internal/dynamodb/exception"
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
	err := json.Unmarshal(body, into)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return exception.Serialization(mismatchText(mismatch))
	}
	return err
}

// mismatchText words a member of the wrong type as the strict reader would.
func mismatchText(e *json.UnmarshalTypeError) string {
	expected := map[reflect.Kind]string{reflect.String: "String", reflect.Int64: "Long", reflect.Bool: "Boolean", reflect.Slice: "List", reflect.Struct: "Structure"}
	kind, _, _ := strings.Cut(e.Value, " ")
	actual := map[string]attributejson.Token{"string": attributejson.TokenString, "number": attributejson.TokenNumber,
		"bool": attributejson.TokenTrue, "array": attributejson.TokenArray, "object": attributejson.TokenObject}
	return exception.TypeErrorText(&attributejson.TypeError{Expected: expected[e.Type.Kind()], Actual: actual[kind]})
}

// resolve makes a table's name of a member TableName, which may be an ARN, in place.
func (a *API) resolve(name *string, operation string) error {
	if name != nil {
		resolved, err := a.account().Table(*name, operation)
		if err != nil {
			return err
		}
		*name = resolved
	}
	return definition.TableNameError(name)
}

// tableError words the errors of requests about the table of that name.
func tableError(name string, err error) error {
	if detail, ok := errors.AsType[*weft.Error](err); ok {
		switch detail.Kind {
		case weft.KindNotFound:
			return definition.NotFound(name)
		case weft.KindExists:
			return exception.Modelled("ResourceInUseException", "Table already exists: "+name)
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

// settings reads the settings of the table of that name.
func (a *API) settings(name string) (s definition.Settings, err error) {
	err = a.look(name, func(table *weft.Descriptor) error {
		s, err = definition.SettingsOf(table)
		return err
	})
	return s, err
}

// change changes the settings of the table of that name in a transaction; edit may run more than once.
func (a *API) change(ctx context.Context, name string, edit func(*definition.Settings) error) error {
	table, err := a.DB.Table(name)
	if err != nil {
		return err
	}
	return table.SetDialect(ctx, definition.EditSettings(edit))
}

// appendJSON appends an answer.
func appendJSON(dst []byte, answer any) ([]byte, error) {
	text, err := json.Marshal(answer)
	return append(dst, text...), err
}
