// SPDX-License-Identifier: Apache-2.0

package design

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// typed are the members by which DynamoDB's JSON tells types apart. immutable
var typed = []string{"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}

// parseRow reads an item: a JSON object with plain values or DynamoDB's.
func parseRow(text []byte) (Row, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return nil, fault("an item must be an object")
	}
	if len(members) > AttributesMax {
		return nil, fault("%d attributes, at most %d", len(members), AttributesMax)
	}
	row := make(Row, 0, len(members))
	for name, member := range members {
		v, err := parseValue(member)
		if err == nil {
			err = checkName(name)
		}
		if err != nil {
			return nil, err
		}
		row = append(row, Field{name, v})
	}
	slices.SortFunc(row, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return row, nil
}

// parseValue reads a value. An object with one member named like a type of DynamoDB is of that type if its content
// fits. A deeper value counts by its size and is not looked into.
func parseValue(text []byte) (Value, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return Value{}, fault("a value is missing")
	}
	switch text[0] {
	case '"':
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return Value{}, fault("a text is damaged")
		}
		return Text(s), nil
	case 't', 'f':
		return Bool(text[0] == 't'), nil
	case 'n':
		return Value{Type: "NULL", Bytes: 1}, nil
	case '[':
		return Value{Type: "L", Bytes: len(text)}, nil
	case '{':
		return parseTyped(text)
	}
	return Number(string(text)), nil
}

func parseTyped(text []byte) (Value, error) {
	document := Value{Type: "M", Bytes: len(text)}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return document, fault("a value is damaged")
	}
	for name, member := range members {
		if len(members) == 1 && slices.Contains(typed, name) {
			if v, ok := typedValue(name, bytes.TrimSpace(member)); ok {
				return v, nil
			}
		}
	}
	return document, nil
}

// typedValue reads the content of a value in DynamoDB's JSON. ok is false if it is no such content.
func typedValue(name string, content []byte) (v Value, ok bool) {
	var text string
	isText := content[0] == '"' && json.Unmarshal(content, &text) == nil
	switch name {
	case "S":
		return Text(text), isText
	case "N":
		return Number(text), isText
	case "B":
		raw, err := base64.StdEncoding.DecodeString(text)
		return Value{Type: "B", Text: string(raw), Bytes: len(raw)}, isText && err == nil
	case "BOOL":
		return Bool(content[0] == 't'), content[0] == 't' || content[0] == 'f'
	case "NULL":
		return Value{Type: "NULL", Bytes: 1}, content[0] == 't'
	case "M":
		return Value{Type: "M", Bytes: len(content)}, content[0] == '{'
	}
	return Value{Type: name, Bytes: len(content)}, content[0] == '['
}
