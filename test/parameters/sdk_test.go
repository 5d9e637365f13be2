// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"reflect"
	"slices"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/weftdb/weft/internal/dynamodb"
)

// depthMax bounds how deeply parameters hold each other.
const depthMax = 32

// inputs are the input structs of all operations of the SDK, by the operations' names.
func inputs() map[string]reflect.Type {
	found := map[string]reflect.Type{}
	for _, client := range []reflect.Type{reflect.TypeFor[*sdk.Client](), reflect.TypeFor[*streams.Client]()} {
		for i := range client.NumMethod() {
			method := client.Method(i)
			if in := method.Type; in.NumIn() > 2 && in.In(2).Kind() == reflect.Pointer &&
				in.In(2).Elem().Name() == method.Name+"Input" {
				found[method.Name] = in.In(2).Elem()
			}
		}
	}
	return found
}

// parameter is a member of a request, or of what a member holds.
type parameter struct {
	name  string
	holds bool // it is an object of parameters, or a list or map of such
}

// parametersOf lists the parameters of an input struct, those that hold others before these.
func parametersOf(input reflect.Type) []parameter {
	return appendParameters(nil, "", input, 0)
}

func appendParameters(list []parameter, at string, t reflect.Type, depth int) []parameter {
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() || depth == depthMax {
			continue
		}
		inner := field.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice || inner.Kind() == reflect.Map {
			inner = inner.Elem()
		}
		one := parameter{name: at + field.Name, holds: inner.Kind() == reflect.Struct}
		if inner == reflect.TypeFor[time.Time]() {
			one.holds = false
		}
		list = append(list, one)
		if one.holds {
			list = appendParameters(list, one.name+".", inner, depth+1)
		}
	}
	return list
}

// unknown lists the operations of the SDK that the server does not know, in order.
func unknown() (names []string) {
	for name := range inputs() {
		if dynamodb.FindOperation(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isWithin reports whether a parameter is another one or held by it.
func isWithin(name, container string) bool {
	return name == container || strings.HasPrefix(name, container+".")
}
