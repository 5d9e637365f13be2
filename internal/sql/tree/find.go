// SPDX-License-Identifier: Apache-2.0

package tree

import "reflect"

// Placeholders is the number of placeholders a statement has that was just parsed: they are numbered from 0.
func Placeholders(s Statement) int {
	count := 0
	Find(s, func(p *Parameter) { count = max(count, p.Index+1) })
	return count
}

// Find calls visit for each node of a type in a statement or a part of one, its queries included. Anything inside of a
// node follows it, as visit leaves it.
func Find[T any](in any, visit func(*T)) {
	find(reflect.ValueOf(in), reflect.TypeFor[T](), func(node any) { visit(node.(*T)) })
}

// find looks for values of a type in one of this package. Trees are as deep as the parser lets them be.
func find(v reflect.Value, wanted reflect.Type, visit func(node any)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			find(v.Elem(), wanted, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			find(v.Index(i), wanted, visit)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != wanted.PkgPath() {
			return // data, which have no nodes inside
		}
		if v.Type() == wanted {
			visit(v.Addr().Interface())
		}
		for i := range v.NumField() {
			find(v.Field(i), wanted, visit)
		}
	}
}
