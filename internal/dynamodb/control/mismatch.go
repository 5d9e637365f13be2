// SPDX-License-Identifier: Apache-2.0

package control

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// classes are the structures of Amazon's model in members that have another name. // immutable
var classes = map[string]string{
	"AttributeDefinitions": "AttributeDefinition", "KeySchema": "KeySchemaElement", "Tags": "Tag", "LocalSecondaryIndexes": "LocalSecondaryIndex",
	"GlobalSecondaryIndexes": "GlobalSecondaryIndex", "GlobalSecondaryIndexUpdates": "GlobalSecondaryIndexUpdate",
	"Create": "CreateGlobalSecondaryIndexAction", "Update": "UpdateGlobalSecondaryIndexAction", "Delete": "DeleteGlobalSecondaryIndexAction",
}

// scalarTypes are Amazon's names of types. // immutable
var scalarTypes = map[reflect.Kind]string{reflect.String: "String", reflect.Int64: "Long", reflect.Int32: "Integer", reflect.Bool: "Boolean", reflect.Slice: "List"}

// mismatch says what is wrong with JSON that has another type than the member it stands in, or "". element says that it stands in the member's list.
func mismatch(tree any, t reflect.Type, member string, element bool) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	token := tokenOf(tree)
	if _, own := reflect.New(t).Interface().(json.Unmarshaler); own || token == attributejson.TokenNull {
		return ""
	}
	switch t.Kind() {
	case reflect.Struct:
		switch {
		case token == attributejson.TokenObject:
		case member == "": // the body as a whole
			fault := attributejson.TypeError{Expected: "Structure", Actual: token}
			return fault.Message()
		default:
			return shapeOf(member, element).Text(token)
		}
		return mismatchWithin(tree.(map[string]any), t)
	case reflect.Slice:
		if token != attributejson.TokenArray {
			break
		}
		for _, one := range tree.([]any) {
			if text := mismatch(one, t.Elem(), member, true); text != "" {
				return text
			}
		}
		return ""
	}
	if expected := scalarTypes[t.Kind()]; expected != "" && !fits(token, expected) {
		fault := attributejson.TypeError{Expected: expected, Actual: token}
		return fault.Message()
	}
	return ""
}

// mismatchWithin is mismatch for the members of a structure, in the order of the structure.
func mismatchWithin(tree map[string]any, t reflect.Type) string {
	for _, field := range reflect.VisibleFields(t) {
		if field.Anonymous || !field.IsExported() {
			continue
		}
		name := nameOf(&field)
		if text := mismatch(tree[name], field.Type, name, false); text != "" {
			return text
		}
	}
	return ""
}

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

// fits says whether a scalar's JSON is of the expected type.
func fits(token attributejson.Token, expected string) bool {
	switch token {
	case attributejson.TokenString:
		return expected == "String"
	case attributejson.TokenTrue, attributejson.TokenFalse:
		return expected == "Boolean"
	case attributejson.TokenNumber, attributejson.TokenDecimal:
		return expected == "Long" || expected == "Integer"
	}
	return false
}

func tokenOf(tree any) attributejson.Token {
	switch node := tree.(type) {
	case string:
		return attributejson.TokenString
	case bool:
		if node {
			return attributejson.TokenTrue
		}
		return attributejson.TokenFalse
	case json.Number:
		if strings.ContainsAny(string(node), ".eE") {
			return attributejson.TokenDecimal
		}
		return attributejson.TokenNumber
	case []any:
		return attributejson.TokenArray
	case map[string]any:
		return attributejson.TokenObject
	}
	return attributejson.TokenNull
}
