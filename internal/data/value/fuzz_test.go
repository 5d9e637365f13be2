// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// rebuild encodes v anew from what its accessors return.
func rebuild(t *testing.T, dst []byte, v value.Value) []byte {
	start := len(dst)
	var err error
	switch kind := v.Kind(); kind {
	case value.Null:
		return value.AppendNull(dst)
	case value.Bool:
		return value.AppendBool(dst, v.Bool())
	case value.String:
		return value.AppendString(dst, v.Bytes())
	case value.Binary:
		return value.AppendBinary(dst, v.Bytes())
	case value.Number:
		d, ok := v.Decimal()
		if !ok {
			t.Fatalf("no decimal in %x", []byte(v))
		}
		return value.AppendNumber(dst, d)
	case value.Int, value.Timestamp:
		x, _ := v.Int()
		if kind == value.Int {
			return value.AppendInt(dst, x)
		}
		return value.AppendTimestamp(dst, x)
	case value.Float:
		x, _ := v.Float()
		return value.AppendFloat(dst, x)
	case value.List:
		dst = value.BeginList(dst)
		for e := v.Elements(); e.Next(); {
			dst = rebuild(t, dst, e.Value())
		}
		dst, err = value.EndList(dst, start)
	case value.Map:
		dst = value.BeginMap(dst)
		for e := v.Elements(); e.Next(); {
			dst = rebuild(t, value.AppendName(dst, e.Name()), e.Value())
		}
		dst, err = value.EndMap(dst, start)
	default:
		dst = value.BeginSet(dst, kind)
		for e := v.Elements(); e.Next(); {
			dst = rebuild(t, dst, e.Value())
		}
		dst, err = value.EndSet(dst, start)
	}
	if err != nil {
		t.Fatalf("rebuilding %x: %v", []byte(v), err)
	}
	return dst
}

// readAll calls whatever reads a value: none of it may panic.
func readAll(v value.Value) {
	_, _ = v.Decimal()
	_, _ = v.Int()
	_, _ = v.Float()
	_, _ = v.Index(1)
	_, _ = v.Field([]byte("a"))
	_ = v.Size() + v.Len() + v.Depth() + len(v.Bytes())
	_ = v.Contains(value.AppendNull(nil))
	_ = value.Union(nil, v, v)
	_ = value.Difference(nil, v, v)
	_ = value.AppendText(nil, v)
	for e, n := v.Elements(), 0; e.Next() && n < 100; n++ {
		_ = append(e.Name(), e.Value()...)
	}
}

var valueSeeds = []string{
	"null", "true", `"text"`, `x"00ff"`, "-12.5", "7i", "1.5f", "1700000000000t", `[1, [true, {}], "a"]`,
	`{a: 1, b: {c: <1, 2>}}`,
	`<"a", "b">`, `<1, 2>`, `<x"00">`,
}

// FuzzValue reads any bytes: nothing panics, and what Validate accepts is canonical, for it comes out the same when
// encoded anew.
func FuzzValue(f *testing.F) {
	for _, text := range valueSeeds {
		f.Add([]byte(mustParse(f, text)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := value.Value(b)
		readAll(v)
		if first, rest, err := value.Cut(b); err == nil {
			readAll(first)
			if !bytes.Equal(append(bytes.Clone(first), rest...), b) {
				t.Fatalf("Cut %x: %x and %x", b, []byte(first), rest)
			}
		}
		if v.Validate() != nil {
			return
		}
		if again := rebuild(t, nil, v); !bytes.Equal(again, b) {
			t.Fatalf("%x becomes %x", b, again)
		}
		if parsed, err := valuetest.ParseText(v.String()); err != nil || !bytes.Equal(parsed, b) {
			t.Fatalf("%v parsed: %v, %v", v, parsed, err)
		}
	})
}

// FuzzPair compares two values in every way: Equal and Compare are symmetric and agree.
func FuzzPair(f *testing.F) {
	for i, text := range valueSeeds {
		f.Add([]byte(mustParse(f, text)), []byte(mustParse(f, valueSeeds[(i+1)%len(valueSeeds)])))
	}
	f.Fuzz(func(t *testing.T, x, y []byte) {
		a, b := value.Value(x), value.Value(y)
		equal := value.Equal(a, b)
		order, comparable := value.Compare(a, b)
		_ = a.Contains(b)
		if a.Validate() != nil || b.Validate() != nil {
			return
		}
		if back, ok := value.Compare(b, a); ok != comparable || back != -order {
			t.Fatalf("%v and %v: %d, the other way %d", a, b, order, back)
		}
		if equal != value.Equal(b, a) || comparable && equal != (order == 0) {
			t.Fatalf("%v and %v: equal %v, the other way %v, order %d", a, b, equal, value.Equal(b, a), order)
		}
		checkSets(t, a, b)
	})
}

// checkSets holds Union and Difference against what Contains says of each member.
func checkSets(t *testing.T, a, b value.Value) {
	if !a.Kind().IsSet() || a.Kind() != b.Kind() {
		return
	}
	union, difference := value.Value(value.Union(nil, a, b)), value.Value(value.Difference(nil, a, b))
	if union.Validate() != nil || !difference.IsMissing() && difference.Validate() != nil {
		t.Fatalf("%v and %v: union %x, difference %x", a, b, []byte(union), []byte(difference))
	}
	if union.Len() != b.Len()+difference.Len() {
		t.Fatalf("%v and %v: union %v, difference %v", a, b, union, difference)
	}
	for e := a.Elements(); e.Next(); {
		if !union.Contains(e.Value()) || difference.Contains(e.Value()) == b.Contains(e.Value()) {
			t.Fatalf("%v and %v: union %v, difference %v", a, b, union, difference)
		}
	}
}

// FuzzRow reads any bytes as a row: nothing panics, and a row that Validate accepts comes out the same when built anew.
func FuzzRow(f *testing.F) {
	names := dictionary{"id", "name", "tags"}
	for _, text := range []string{`{}`, `{id: 1}`, `{name: "Ann", id: 7, z: true, extra: [1]}`, `{a: 1, b: {c: 2}}`} {
		row, err := valuetest.ParseRowText(text, names)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(row))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		row := value.Row(b)
		_, _ = row.Get(names, []byte("name"))
		_, _ = row.GetID(2)
		_ = value.Project(nil, row, names, func([]byte) bool { return true })
		_ = valuetest.AppendRowText(nil, row, names)
		if _, err := value.Rename(nil, row, names, names); err != nil && row.Validate(names) == nil &&
			!hasName(row, names) {
			t.Fatalf("Rename %x: %v", b, err)
		}
		if row.Validate(names) != nil || hasName(row, names) {
			return
		}
		m := model{}
		var again value.RowBuilder
		again.Reset(names)
		for a := row.Attributes(names); a.Next(); {
			m[string(a.Name())] = string(a.Value())
			if err := again.Set(a.Name(), a.Value()); err != nil {
				t.Fatal(err)
			}
		}
		checkRow(t, row, names, m)
		if got := again.AppendTo(nil); !bytes.Equal(got, b) {
			t.Fatalf("%x becomes %x", b, []byte(got))
		}
	})
}

// hasName reports whether row holds a name in full that the dictionary has an id for, as rows older than the id do.
func hasName(row value.Row, names value.Names) bool {
	for a := row.Attributes(names); a.Next(); {
		if _, ok := names.ID(a.Name()); ok && a.ID() == 0 {
			return true
		}
	}
	return false
}

// FuzzParseText parses any text: nothing panics, and what is accepted is a valid value.
func FuzzParseText(f *testing.F) {
	for _, text := range valueSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := valuetest.ParseText(text)
		if err == nil && v != nil && v.Validate() != nil {
			t.Fatalf("%s: %x", text, []byte(v))
		}
	})
}

func BenchmarkRowGet(b *testing.B) {
	var names dictionary
	var builder value.RowBuilder
	for i := range 20 {
		names = append(names, fmt.Sprint("attribute", i))
	}
	builder.Reset(names)
	for i, name := range names {
		if err := builder.Set([]byte(name),
			value.AppendString(nil, fmt.Appendf(nil, "value of attribute %d", i))); err != nil {
			b.Fatal(err)
		}
	}
	row := builder.AppendTo(nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := row.GetID(11); !ok {
			b.Fatal("not found")
		}
	}
}
