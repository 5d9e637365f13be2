// SPDX-License-Identifier: Apache-2.0

package ddbcommand

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
)

// readValue reads a value and appends it to dst, writeValue appends one as text.
type (
	readValue  = func(r *attributejson.Reader, dst []byte) ([]byte, error)
	writeValue = func(dst []byte, v value.Value) []byte
)

// typedItem is an item, a key or values for an expression as requests have them. The text is plain JSON, or
// DynamoDB's if asTyped says so or all its members look like attribute values.
func typedItem(text string, asTyped bool) (json.RawMessage, error) {
	typed := asTyped || attributejson.LooksTyped([]byte(text))
	return rewrite([]byte(text), "{}", reading(typed), attributejson.AppendValue)
}

// typedList is typedItem for a list of values.
func typedList(text string, asTyped bool) (json.RawMessage, error) {
	var values []json.RawMessage
	typed := json.Unmarshal([]byte(text), &values) == nil && len(values) > 0
	for _, v := range values {
		typed = typed && attributejson.LooksTypedValue(v)
	}
	return rewrite([]byte(text), "[]", reading(asTyped || typed), attributejson.AppendValue)
}

func reading(typed bool) readValue {
	if typed {
		return (*attributejson.Reader).Value
	}
	return (*attributejson.Reader).Plain
}

// plainItem is an item of an answer as plain JSON: sets are arrays, binaries base64 in a string.
func plainItem(item json.RawMessage) (json.RawMessage, error) {
	return rewrite(item, "{}", (*attributejson.Reader).Value, jsontext.Append)
}

// rewrite reads the members of an object or the elements of an array in one way and writes them in another, in their
// order. Errors say where the text is no such JSON.
func rewrite(text []byte, brackets string, read readValue, write writeValue) (json.RawMessage, error) {
	r, out, v := attributejson.NewReader(text), []byte{brackets[0]}, []byte(nil)
	begin, next := r.BeginObject, r.NextKey
	if brackets == "[]" {
		begin, next = r.BeginArray, func() ([]byte, bool, error) { ok, err := r.NextElement(); return nil, ok, err }
	}
	if begin() != nil {
		return nil, fmt.Errorf("it should be JSON in %s", brackets)
	}
	var err error
	for err == nil {
		name, ok, failed := next()
		if err = failed; err != nil || !ok {
			break
		}
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		if name != nil {
			out = append(attributejson.AppendString(out, name), ": "...)
		}
		if v, err = read(r, v[:0]); err == nil {
			out = write(out, v)
		}
	}
	if err == nil {
		err = r.End()
	}
	return append(out, brackets[1]), textFault(err)
}

// textFault words what is wrong with a text.
func textFault(err error) error {
	if fault, ok := errors.AsType[*attributejson.SyntaxError](err); ok {
		return fmt.Errorf("it is no JSON: %s, at byte %d", fault.Text, fault.Offset)
	}
	if fault, ok := errors.AsType[*attributejson.TypeError](err); ok {
		return fmt.Errorf("%s, at byte %d", fault.Message(), fault.Offset)
	}
	return err
}
