// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
	"github.com/weftdb/weft/internal/sql/fault"
)

// changes are the functions that make and change JSON. // immutable
var changes = map[string]function.Function{
	"json_array":          {Max: -1, Result: isJSON, Apply: jsonArray, Nulls: true},
	"json_object":         {Max: -1, Result: isJSON, Apply: jsonObject, Nulls: true},
	"json_set":            changeFunction("json_set", jsontext.Upsert),
	"json_insert":         changeFunction("json_insert", jsontext.Insert),
	"json_replace":        changeFunction("json_replace", jsontext.Replace),
	"json_array_append":   changeFunction("json_array_append", jsontext.Extend),
	"json_array_insert":   changeFunction("json_array_insert", jsontext.Before),
	"json_remove":         {Min: 2, Max: -1, Result: isJSON, Apply: jsonRemove},
	"json_merge_patch":    {Min: 2, Max: -1, Result: isJSON, Apply: jsonMergePatch, Nulls: true},
	"json_merge_preserve": mergeFunction("json_merge_preserve", jsontext.AppendMerged),
	"json_merge":          mergeFunction("json_merge", jsontext.AppendMerged),
	"json_pretty":         {Min: 1, Max: 1, Result: isText, Apply: jsonPretty},
}

func jsonArray(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	list := make([]value.Value, len(a))
	for i, d := range a {
		var err error
		if list[i], err = partFrom(e, d); err != nil {
			return datum.Null, err
		}
	}
	return printArray(e, list)
}

func jsonObject(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if len(a)%2 != 0 {
		return datum.Null, fault.New(fault.ParameterCount, "json_object")
	}
	dst := []byte{'{'}
	for i := 0; i < len(a); i += 2 {
		if a[i].IsNull() {
			return datum.Null, fault.New(fault.JSONNullName)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		part, err := partFrom(e, a[i+1])
		if err != nil {
			return datum.Null, err
		}
		dst = append(jsontext.AppendString(dst, e.TextOf(a[i])), ':')
		dst = jsontext.Append(dst, part)
	}
	return reread(e, append(dst, '}'), "json_object")
}

// reread prints a JSON text as MySQL does, each name once.
func reread(e *function.Environment, text []byte, function string) (datum.Datum, error) {
	v, err := documentOf(e, function, []datum.Datum{datum.JSON(text)}, 0)
	if err != nil {
		return datum.Null, err
	}
	return printDocument(e, v)
}

// changeFunction applies pairs of a path and a value, one after the other. A NULL document or path makes it NULL; a
// NULL value is null.
func changeFunction(name string, mode jsontext.Mode) function.Function {
	apply := func(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
		if len(a)%2 != 1 {
			return datum.Null, fault.New(fault.ParameterCount, name)
		}
		if a[0].IsNull() {
			return datum.Null, nil
		}
		v, err := documentOf(e, name, a, 0)
		for i := 1; i < len(a) && err == nil; i += 2 {
			if a[i].IsNull() {
				return datum.Null, nil
			}
			v, err = changeOne(e, v, a[i], a[i+1], mode)
		}
		if err != nil {
			return datum.Null, err
		}
		return printDocument(e, v)
	}
	return function.Function{Min: 3, Max: -1, Result: isJSON, Apply: apply, Nulls: true}
}

func changeOne(e *function.Environment, v value.Value, at, with datum.Datum, mode jsontext.Mode) (value.Value, error) {
	p, err := singlePath(e, at)
	if err != nil {
		return nil, err
	}
	if mode == jsontext.Before && !p.EndsInElement() {
		return nil, fault.New(fault.JSONPathNotElement)
	}
	part, err := partFrom(e, with)
	if err != nil {
		return nil, err
	}
	return change(e, v, p, mode, part)
}

// change keeps the changed document in the arena.
func change(e *function.Environment, v value.Value, p jsontext.Path, mode jsontext.Mode, with value.Value) (value.Value,
	error) {
	grown, err := jsontext.Change(e.Arena(), v, p, mode, with)
	if err != nil {
		return nil, fault.Because(err, fault.NotSupported, "The JSON document is too deep or too large.")
	}
	return e.Keep(grown), nil
}

func jsonRemove(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, err := documentOf(e, "json_remove", a, 0)
	for _, argument := range a[1:] {
		if err != nil {
			break
		}
		var p jsontext.Path
		if p, err = singlePath(e, argument); err != nil {
			break
		}
		if p.IsRoot() {
			err = fault.New(fault.JSONPathRoot)
			break
		}
		v, err = change(e, v, p, jsontext.Remove, nil)
	}
	if err != nil {
		return datum.Null, err
	}
	return printDocument(e, v)
}

func mergeFunction(name string, merge func(dst []byte, v, w value.Value) ([]byte, error)) function.Function {
	apply := func(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
		v, err := documentOf(e, name, a, 0)
		if err != nil {
			return datum.Null, err
		}
		for i := 1; i < len(a); i++ {
			w, err := documentOf(e, name, a, i)
			if err != nil {
				return datum.Null, err
			}
			grown, err := merge(e.Arena(), v, w)
			if err != nil {
				return datum.Null, fault.Because(err, fault.NotSupported, "The JSON document is too deep or too large.")
			}
			v = e.Keep(grown)
		}
		return printDocument(e, v)
	}
	return function.Function{Min: 2, Max: -1, Result: isJSON, Apply: apply}
}

// jsonMergePatch merges from the last argument that is no object on, since such a one takes the place of all before it:
// a NULL before it doesn't count. Source: MySQL's JSON_MERGE_PATCH.
func jsonMergePatch(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	first := 0
	for i, d := range a {
		if d.IsNull() {
			continue
		}
		v, err := documentOf(e, "json_merge_patch", a, i)
		if err != nil {
			return datum.Null, err
		}
		if v.Kind() != value.Map {
			first = i
		}
	}
	if slices.ContainsFunc(a[first:], datum.Datum.IsNull) {
		return datum.Null, nil
	}
	return mergePatch.Apply(e, a[first:])
}

// mergePatch is jsonMergePatch of arguments without NULLs. // immutable
var mergePatch = mergeFunction("json_merge_patch", jsontext.AppendPatched)

// jsonPretty puts each element and each member on a line of its own.
func jsonPretty(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, err := documentOf(e, "json_pretty", a, 0)
	if err != nil {
		return datum.Null, err
	}
	return datum.Text(e.Keep(appendPretty(e.Arena(), v, 0))), nil
}

func appendPretty(dst []byte, v value.Value, depth int) []byte {
	if isScalar(v) || v.Len() == 0 {
		return jsontext.Append(dst, v)
	}
	opening, closing := byte('['), byte(']')
	if v.Kind() == value.Map {
		opening, closing = '{', '}'
	}
	dst = append(dst, opening)
	first := true
	for entry := v.Elements(); entry.Next(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = appendIndent(dst, depth+1)
		if v.Kind() == value.Map {
			dst = append(jsontext.AppendString(dst, entry.Name()), ": "...)
		}
		dst = appendPretty(dst, entry.Value(), depth+1)
	}
	return append(appendIndent(dst, depth), closing)
}

func appendIndent(dst []byte, depth int) []byte {
	return append(append(dst, '\n'), bytes.Repeat([]byte("  "), depth)...)
}
