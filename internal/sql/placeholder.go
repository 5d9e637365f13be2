// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"bytes"
	"reflect"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// placeholders counts the placeholders of a statement that was just parsed: they are numbered from 0.
func placeholders(read tree.Statement) int {
	count := 0
	countIn(reflect.ValueOf(read), &count)
	return count
}

// parameterType is immutable
var parameterType = reflect.TypeFor[tree.Parameter]()

// typeVariables tells the variables of a statement that was just parsed what types they have. Those of @variables change: they go only to a
// statement that is run once.
func (s *Session) typeVariables(text []byte, read tree.Statement, once bool) {
	if bytes.IndexByte(text, '@') >= 0 {
		s.typeIn(reflect.ValueOf(read), once)
	}
}

// variableType is immutable
var variableType = reflect.TypeFor[*tree.Variable]()

func (s *Session) typeIn(v reflect.Value, once bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Type() == variableType {
			s.typeVariable(v.Interface().(*tree.Variable), once)
			return
		}
		s.typeIn(v.Elem(), once)
	case reflect.Slice:
		for i := range v.Len() {
			s.typeIn(v.Index(i), once)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != parameterType.PkgPath() {
			return
		}
		for i := range v.NumField() {
			s.typeIn(v.Field(i), once)
		}
	}
}

func (s *Session) typeVariable(v *tree.Variable, once bool) {
	switch {
	case v.System:
		v.Type, _ = s.engine.variables.TypeOf(v.Name)
	case once:
		v.Type = datum.TypeOf(s.user[strings.ToLower(v.Name)])
	}
}

// countIn looks for placeholders in a value of package tree. Trees are as deep as the parser lets them be.
func countIn(v reflect.Value, count *int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			countIn(v.Elem(), count)
		}
	case reflect.Slice:
		for i := range v.Len() {
			countIn(v.Index(i), count)
		}
	case reflect.Struct:
		if v.Type() == parameterType {
			*count = max(*count, int(v.FieldByName("Index").Int())+1)
			return
		}
		if v.Type().PkgPath() != parameterType.PkgPath() {
			return // data, which have no placeholders inside
		}
		for i := range v.NumField() {
			countIn(v.Field(i), count)
		}
	}
}
