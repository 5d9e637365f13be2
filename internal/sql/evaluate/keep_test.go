// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"bytes"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
)

// argumentsOf are values that functions take, in pairs: with the second of a pair a result has other letters than with
// the first.
func argumentsOf() [][2]datum.Datum {
	text := datum.TextString
	return [][2]datum.Datum{
		{datum.Int(46), datum.Int(254)},
		{datum.Int(2), datum.Int(3)},
		{datum.Float64(1.5), datum.Float64(2.25)},
		{text("abc"), text("A longer text, Ünïcode too")},
		{text("61"), text("4142434445")},
		{text("2024-05-17 12:34:56"), text("1999-12-31 23:59:59")},
		{text("%Y-%m-%d %H"), text("%d.%m.%y")},
		{text(`{"a": [1, "x"]}`), text(`{"b": {"c": 2}, "a": [3]}`)},
		{text("$.a"), text("$.b")},
		{text("$.a[0]"), text("$.a[1]")},
		{text("6ccd780c-baba-1026-9564-5b8c656024db"), text("12345678-1234-5678-9234-567812345678")},
		{datum.Binary([]byte("0123456789abcdef")), datum.Binary([]byte("fedcba9876543210"))},
		{text("127.0.0.1"), text("10.1")},
		{datum.Int(36), datum.Int(16)},
		{datum.Bool(true), datum.Bool(false)},
	}
}

// TestKeeps calls each function twice in one row, behind another text of that row: what was made first stays as it was.
func TestKeeps(t *testing.T) {
	names := slices.Sorted(functions().Names())
	made := map[string]bool{}
	for _, name := range names {
		f, ok := functions().Find(name)
		if !ok {
			t.Fatalf("%s is listed and not found", name)
		}
		for count := f.Min; count <= f.Min+1 && (f.Max < 0 || count <= f.Max); count++ {
			if name == "sleep" || count > max(3, f.Min) {
				continue
			}
			eachPair(count, func(first, second []datum.Datum) {
				if keeps(t, name, f, first, second) {
					made[name] = true
				}
			})
		}
	}
	for _, name := range []string{"hex", "unhex", "conv", "bin", "upper", "concat", "replace", "json_extract",
		"json_set", "date_format", "md5", "char", "uuid"} {
		if !made[name] {
			t.Errorf("%s made no text", name)
		}
	}
}

// eachPair calls do with lists of some arguments, and lists like them of other values: the first two arguments take all
// values, others the first few.
func eachPair(count int, do func(first, second []datum.Datum)) {
	all := argumentsOf()
	places := make([]int, count)
	for {
		first, second := make([]datum.Datum, count), make([]datum.Datum, count)
		for i, place := range places {
			first[i], second[i] = all[place][0], all[place][1]
		}
		do(first, second)
		i := 0
		for ; i < count; i++ {
			if places[i]++; places[i] < len(all) && (i < 2 || places[i] < 5) {
				break
			}
			places[i] = 0
		}
		if i == count {
			return
		}
	}
}

// keeps calls a function twice, and reports whether the first call made a text.
func keeps(t *testing.T, name string, f *function.Function, first, second []datum.Datum) bool {
	t.Helper()
	e := &function.Environment{NowUS: now, Session: session{}}
	before := e.TextOf(datum.Int(1234567890123))
	d, err := f.Apply(e, first)
	if err != nil || d.IsNull() {
		return false
	}
	wanted := d.Clone()
	if _, err := f.Apply(e, second); err != nil {
		return false
	}
	after := e.TextOf(datum.Int(9876543210987))
	switch {
	case !bytes.Equal(before, []byte("1234567890123")) || !bytes.Equal(after, []byte("9876543210987")):
		t.Errorf("%s(%v), %s(%v): texts before and behind are %q and %q", name, first, name, second, before, after)
	case !bytes.Equal(d.AppendText(nil), wanted.AppendText(nil)):
		t.Errorf("%s(%v), %s(%v): the first was %q and is %q", name, first, name, second, wanted.AppendText(nil),
			d.AppendText(nil))
	}
	return d.Kind() == datum.KindText || d.Kind() == datum.KindBinary || d.Kind() == datum.KindJSON
}
