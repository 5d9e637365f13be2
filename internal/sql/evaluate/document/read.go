// SPDX-License-Identifier: Apache-2.0

// Package document holds SQL's functions of JSON: what reads documents, makes them and changes them.
//
// Knows: the JSON functions of MySQL, and LindormTable's.
// Never: trees, rows, tables; how JSON is read and printed.
package document

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
	"github.com/weftdb/weft/internal/sql/fault"
)

// All returns the functions of this package.
func All() function.Families { return function.Families{documents, changes, storages} }

// These give the same type whatever the arguments. // immutable
var (
	isJSON    = function.Always(datum.JSONBase)
	isText    = function.Always(datum.Varchar)
	isInteger = function.Always(datum.BigInt)
	isBoolean = function.Always(datum.Boolean)
)

// holdsText reports whether a value may hold a document or a string; else it is a number or a truth value.
func holdsText(d datum.Datum) bool {
	switch d.Kind() {
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		return true
	}
	return false
}

// documents are the functions that read JSON. Where a document is wanted, a text is read as one. // immutable
var documents = map[string]function.Function{
	"json_extract":        {Min: 2, Max: -1, Result: isJSON, Apply: jsonExtract},
	"json_extract_string": extractAs("json_extract_string", datum.Varchar),
	"json_extract_long":   extractAs("json_extract_long", datum.BigInt),
	"json_extract_double": extractAs("json_extract_double", datum.Double),
	"json_value":          extractAs("json_value", datum.Varchar),
	"json_unquote":        {Min: 1, Max: 1, Result: isText, Apply: jsonUnquote},
	"json_quote":          {Min: 1, Max: 1, Result: isText, Apply: jsonQuote},
	"json_valid":          {Min: 1, Max: 1, Result: isBoolean, Apply: jsonValid},
	"json_type":           {Min: 1, Max: 1, Result: isText, Apply: jsonType},
	"json_length":         {Min: 1, Max: 2, Result: isInteger, Apply: jsonLength},
	"json_depth":          {Min: 1, Max: 1, Result: isInteger, Apply: jsonDepth},
	"json_keys":           {Min: 1, Max: 2, Result: isJSON, Apply: jsonKeys},
	"json_contains":       {Min: 2, Max: 3, Result: isBoolean, Apply: jsonContains},
	"json_contains_path":  {Min: 3, Max: -1, Result: isBoolean, Apply: jsonContainsPath, Nulls: true},
	"json_overlaps":       {Min: 2, Max: 2, Result: isBoolean, Apply: jsonOverlaps},
	"json_search":         {Min: 3, Max: -1, Result: isJSON, Apply: jsonSearch, Nulls: true},
}

// documentOf reads argument i of a function as a document, in the arena.
func documentOf(e *function.Environment, function string, a []datum.Datum, i int) (value.Value, error) {
	if !holdsText(a[i]) {
		return nil, fault.New(fault.JSONTypeWanted, i+1, function)
	}
	start := len(e.Arena())
	grown, err := jsontext.AppendValue(e.Arena(), string(a[i].Bytes()))
	if err != nil {
		what, at := "Invalid value.", 0
		if found := (*jsontext.Error)(nil); errors.As(err, &found) {
			what, at = found.What, found.Position
		}
		return nil, fault.New(fault.InvalidJSONArgument, i+1, function, what, at)
	}
	e.Keep(grown)
	return value.Value(grown[start:len(grown):len(grown)]), nil
}

// partFrom is an argument as a part of a document, in the arena.
func partFrom(e *function.Environment, d datum.Datum) (value.Value, error) {
	start := len(e.Arena())
	grown, err := datum.AppendJSONOf(e.Arena(), d)
	if err != nil {
		return nil, fault.New(fault.InvalidJSONArgument, 1, "json", err.Error(), 0)
	}
	e.Keep(grown)
	return value.Value(grown[start:len(grown):len(grown)]), nil
}

// pathOf reads an argument as a path, or finds it read.
func pathOf(e *function.Environment, d datum.Datum) (jsontext.Path, error) {
	p, err := e.Path(e.TextOf(d))
	if err != nil {
		at := 0
		if found := (*jsontext.Error)(nil); errors.As(err, &found) {
			at = found.Position
		}
		return p, fault.New(fault.InvalidJSONPath, at)
	}
	return p, nil
}

// singlePath is a path that finds one part at most.
func singlePath(e *function.Environment, d datum.Datum) (jsontext.Path, error) {
	p, err := pathOf(e, d)
	if err == nil && p.Many {
		err = fault.New(fault.JSONPathWildcard)
	}
	return p, err
}

// printDocument prints a document.
func printDocument(e *function.Environment, v value.Value) (datum.Datum, error) {
	return datum.JSON(e.Keep(jsontext.Append(e.Arena(), v))), nil
}

// jsonExtract is the part that a path leads to; an array of the parts where there may be several.
func jsonExtract(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, err := documentOf(e, "json_extract", a, 0)
	if err != nil {
		return datum.Null, err
	}
	var found []value.Value
	for _, argument := range a[1:] {
		p, err := pathOf(e, argument)
		if err != nil {
			return datum.Null, err
		}
		if len(a) == 2 && !p.Many {
			if part, ok := p.First(v); ok {
				return printDocument(e, part)
			}
			return datum.Null, nil
		}
		p.Find(v, func(part value.Value) bool {
			found = append(found, part)
			return true
		})
	}
	if len(found) == 0 {
		return datum.Null, nil
	}
	return printArray(e, found)
}

// printArray prints an array.
func printArray(e *function.Environment, elements []value.Value) (datum.Datum, error) {
	dst := append(e.Arena(), '[')
	for i, element := range elements {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst = jsontext.Append(dst, element); len(dst)-len(e.Arena()) > function.PacketMax {
			return datum.Null, nil
		}
	}
	return datum.JSON(e.Keep(append(dst, ']'))), nil
}

// extractAs is the scalar that a path leads to, as a type; null, and where there is none, are NULL.
func extractAs(name string, base datum.Base) function.Function {
	t := datum.Type{Base: base}
	apply := func(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
		v, err := documentOf(e, name, a, 0)
		if err != nil {
			return datum.Null, err
		}
		p, err := singlePath(e, a[1])
		if err != nil {
			return datum.Null, err
		}
		part, ok := p.First(v)
		if !ok || part.Kind() == value.Null || name != "json_extract_string" && !isScalar(part) {
			return datum.Null, nil
		}
		if part.Kind() == value.String {
			return datum.Cast(datum.Text(part.Bytes()), t)
		}
		d, err := printDocument(e, part)
		if err != nil {
			return d, err
		}
		return datum.Cast(d, t)
	}
	return function.Function{Min: 2, Max: 2, Result: function.Always(base), Apply: apply}
}

func isScalar(v value.Value) bool {
	kind := v.Kind()
	return kind != value.Map && kind != value.List && !kind.IsSet()
}

func jsonUnquote(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if !holdsText(a[0]) {
		return datum.Null, fault.New(fault.JSONTextWanted, 1, "json_unquote")
	}
	text := e.TextOf(a[0])
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return datum.Text(text), nil
	}
	v, err := documentOf(e, "json_unquote", []datum.Datum{datum.Text(text)}, 0)
	if err != nil || v.Kind() != value.String {
		return datum.Null, err
	}
	return datum.Text(v.Bytes()), nil
}

func jsonQuote(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if !holdsText(a[0]) {
		return datum.Null, fault.New(fault.WrongArguments, "json_quote")
	}
	text := e.TextOf(a[0])
	return datum.Text(e.Keep(jsontext.AppendString(e.Arena(), text))), nil
}

func jsonValid(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if !holdsText(a[0]) {
		return datum.Bool(false), nil
	}
	_, err := documentOf(e, "json_valid", a, 0)
	return datum.Bool(err == nil), nil
}

func jsonType(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, err := documentOf(e, "json_type", a, 0)
	if err != nil {
		return datum.Null, err
	}
	return datum.TextString(typeOfPart(v)), nil
}

func typeOfPart(v value.Value) string {
	switch v.Kind() {
	case value.Map:
		return "OBJECT"
	case value.Bool:
		return "BOOLEAN"
	case value.String, value.Binary:
		return "STRING"
	case value.Null, value.Missing:
		return "NULL"
	case value.Number, value.Int, value.Timestamp:
		if x, ok := v.Decimal(); ok {
			if _, exact := x.Int(); exact {
				return "INTEGER"
			}
		}
		return "DOUBLE"
	case value.Float:
		return "DOUBLE"
	}
	return "ARRAY"
}

// partAt is the document, or the part that the path in argument i leads to, if there is one.
func partAt(e *function.Environment, function string, a []datum.Datum, i int) (v value.Value, ok bool, err error) {
	if v, err = documentOf(e, function, a, 0); err != nil || len(a) <= i {
		return v, err == nil, err
	}
	p, err := singlePath(e, a[i])
	if err != nil {
		return nil, false, err
	}
	v, ok = p.First(v)
	return v, ok, nil
}

func jsonLength(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, ok, err := partAt(e, "json_length", a, 1)
	switch {
	case err != nil || !ok:
		return datum.Null, err
	case isScalar(v):
		return datum.Int(1), nil
	}
	return datum.Int(int64(v.Len())), nil
}

func jsonDepth(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, err := documentOf(e, "json_depth", a, 0)
	return datum.Int(depthOf(v)), err
}

// depthOf is bounded by how deep documents nest.
func depthOf(v value.Value) int64 {
	deepest := int64(0)
	for e := v.Elements(); e.Next(); {
		deepest = max(deepest, depthOf(e.Value()))
	}
	return deepest + 1
}

func jsonKeys(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, ok, err := partAt(e, "json_keys", a, 1)
	if err != nil || !ok || v.Kind() != value.Map {
		return datum.Null, err
	}
	dst := append(e.Arena(), '[')
	for entry := v.Elements(); entry.Next(); {
		if len(dst) > len(e.Arena())+1 {
			dst = append(dst, ", "...)
		}
		dst = jsontext.AppendString(dst, entry.Name())
	}
	return datum.JSON(e.Keep(append(dst, ']'))), nil
}

func jsonContains(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, ok, err := partAt(e, "json_contains", a, 2)
	if err != nil || !ok {
		return datum.Null, err
	}
	candidate, err := documentOf(e, "json_contains", a, 1)
	if err != nil {
		return datum.Null, err
	}
	return datum.Bool(jsontext.Contains(v, candidate)), nil
}

// oneOrAll reads an argument that is 'one' or 'all'.
func oneOrAll(e *function.Environment, function string, d datum.Datum) (all bool, err error) {
	switch strings.ToLower(string(e.TextOf(d))) {
	case "one":
		return false, nil
	case "all":
		return true, nil
	}
	return false, fault.New(fault.OneOrAll, function)
}

func jsonContainsPath(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].IsNull() || a[1].IsNull() {
		return datum.Null, nil
	}
	v, err := documentOf(e, "json_contains_path", a, 0)
	if err != nil {
		return datum.Null, err
	}
	all, err := oneOrAll(e, "json_contains_path", a[1])
	if err != nil {
		return datum.Null, err
	}
	for _, argument := range a[2:] {
		if argument.IsNull() { // a path before it may have decided
			return datum.Null, nil
		}
		p, err := pathOf(e, argument)
		if err != nil {
			return datum.Null, err
		}
		if _, found := p.First(v); found != all {
			return datum.Bool(found), nil
		}
	}
	return datum.Bool(all), nil
}

// jsonOverlaps reports whether two documents share an element, a member, or are equal.
func jsonOverlaps(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, err := documentOf(e, "json_overlaps", a, 0)
	if err != nil {
		return datum.Null, err
	}
	w, err := documentOf(e, "json_overlaps", a, 1)
	if err != nil {
		return datum.Null, err
	}
	return datum.Bool(jsontext.Overlaps(v, w)), nil
}

// jsonSearch is JSON_SEARCH(document, one_or_all, pattern[, escape[, path ..]]): the paths of strings that are LIKE the
// pattern.
func jsonSearch(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	for i, d := range a {
		if d.IsNull() && i != 3 {
			return datum.Null, nil
		}
	}
	v, err := documentOf(e, "json_search", a, 0)
	if err != nil {
		return datum.Null, err
	}
	all, err := oneOrAll(e, "json_search", a[1])
	if err != nil {
		return datum.Null, err
	}
	escape := '\\'
	if len(a) > 3 && !a[3].IsNull() {
		escape, _ = utf8.DecodeRune(append(e.TextOf(a[3]), '\\'))
	}
	matches := function.NewPattern(e.TextOf(a[2]), escape)
	var found []string
	jsontext.Strings(v, func(path string, text []byte) bool {
		if matches.Match(text) {
			found = append(found, path)
		}
		return all || len(found) == 0
	})
	return searchResult(e, found)
}

// searchResult is one path, or an array of several.
func searchResult(e *function.Environment, found []string) (datum.Datum, error) {
	if len(found) == 0 {
		return datum.Null, nil
	}
	var list []value.Value
	for _, path := range found {
		list = append(list, value.AppendString(nil, []byte(path)))
	}
	if len(list) == 1 {
		return printDocument(e, list[0])
	}
	return printArray(e, list)
}
