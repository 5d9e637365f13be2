// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"reflect"

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
