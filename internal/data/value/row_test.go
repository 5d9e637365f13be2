// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// model is an item as a map, to hold rows against.
type model map[string]string

func (m model) size() int {
	size := 0
	for name, v := range m {
		size += len(name) + value.Value(v).Size()
	}
	return size
}

// checkRow compares row with m by every way of reading it.
func checkRow(t testing.TB, row value.Row, names value.Names, m model) {
	t.Helper()
	if err := row.Validate(names); err != nil {
		t.Fatalf("%x: %v", []byte(row), err)
	}
	if row.Len() != len(m) || row.Size() != m.size() {
		t.Fatalf("%d attributes of %d bytes, want %d of %d", row.Len(), row.Size(), len(m), m.size())
	}
	got := model{}
	a := row.Attributes(names)
	for a.Next() {
		got[string(a.Name())] = string(a.Value())
		if id := a.ID(); id != 0 {
			if v, ok := row.GetID(id); !ok || !bytes.Equal(v, a.Value()) {
				t.Fatalf("GetID(%d) of %q: %v %v", id, a.Name(), v, ok)
			}
		}
	}
	if a.Err() != nil || !maps.Equal(got, m) {
		t.Fatalf("attributes %q, %v, want %q", got, a.Err(), m)
	}
	for name, want := range m {
		if v, ok := row.Get(names, []byte(name)); !ok || string(v) != want {
			t.Fatalf("Get(%q) = %v %v, want %v", name, v, ok, value.Value(want))
		}
	}
	if v, ok := row.Get(names, []byte("not there")); ok || v != nil {
		t.Fatalf("Get of a name that is not there: %v", v)
	}
}

// TestResize reads a row under a dictionary in which a name has another length.
func TestResize(t *testing.T) {
	before, after := dictionary{"ab", "other"}, dictionary{"much longer", "other"}
	var b value.RowBuilder
	b.Reset(before)
	for _, name := range []string{"ab", "other", "inline"} {
		if err := b.Set([]byte(name), value.AppendString(nil, []byte(name))); err != nil {
			t.Fatal(err)
		}
	}
	row := b.AppendTo(nil)
	if got := value.Resize(row, before); &got[0] != &row[0] {
		t.Error("a row whose size is right was copied")
	}
	checkRow(t, value.Resize(row, after), after, model{
		"much longer": string(value.AppendString(nil, []byte("ab"))),
		"other":       string(value.AppendString(nil, []byte("other"))),
		"inline":      string(value.AppendString(nil, []byte("inline"))),
	})
	if got := value.Resize(row[:len(row)-1], after); !bytes.Equal(got, row[:len(row)-1]) {
		t.Error("a row that can't be read was changed")
	}
}

// A builder used again and again, with names with and without ids, in any order, with duplicates: rows are what was
// set.
func TestRowBuilder(t *testing.T) {
	r := newRandom(t)
	var b value.RowBuilder
	for range 400 {
		var names dictionary
		for i := range r.IntN(60) {
			names = append(names, fmt.Sprintf("name%d", i*2))
		}
		b.Reset(names)
		m := model{}
		for range r.IntN(150) {
			name := fmt.Sprintf("name%d", r.IntN(100))
			v := value.Value(appendRandom(t, nil, r, 2))
			if r.IntN(20) == 0 {
				if err := b.Set([]byte("bad"), v[:len(v)-1]); !errors.Is(err, value.ErrMalformed) {
					t.Fatalf("Set of a damaged value: %v", err)
				}
			}
			_, twice := m[name]
			if err := b.Set([]byte(name), v); (err != nil) != twice ||
				err != nil && !errors.Is(err, value.ErrDuplicateName) {
				t.Fatalf("Set(%s), there before: %v, returned %v", name, twice, err)
			}
			if !twice {
				m[name] = string(v)
			}
			if r.IntN(50) == 0 {
				checkRow(t, b.AppendTo(nil), names, m)
			}
		}
		row := b.AppendTo(nil)
		checkRow(t, row, names, m)
		if again := b.AppendTo([]byte("prefix")); !bytes.Equal(again, append([]byte("prefix"), row...)) {
			t.Fatalf("second AppendTo: %x, first %x", []byte(again), []byte(row))
		}
		checkRewritten(t, row, names, m)
		for name := range b.Unknown() {
			if _, known := names.ID(name); known || m[string(name)] == "" {
				t.Fatalf("Unknown yields %q", name)
			}
		}
	}
}

// checkRewritten checks Project and Rename on a row.
func checkRewritten(t *testing.T, row value.Row, names dictionary, m model) {
	t.Helper()
	half := model{}
	for name, v := range m {
		if strings.HasSuffix(name, "5") || strings.HasSuffix(name, "2") {
			half[name] = v
		}
	}
	projected := value.Project([]byte("prefix"), row, names, func(name []byte) bool { return half[string(name)] != "" })
	checkRow(t, projected[len("prefix"):], names, half)
	checkKept(t, row, names, m)
	other := slices.Clone(names)
	slices.Reverse(other)
	renamed, err := value.Rename([]byte("prefix"), row, names, other)
	if err != nil {
		t.Fatal(err)
	}
	checkRow(t, renamed[len("prefix"):], other, m)
	back, err := value.Rename(nil, renamed[len("prefix"):], other, names)
	if err != nil || !bytes.Equal(back, row) {
		t.Fatalf("renamed and back: %x, %v, want %x", []byte(back), err, []byte(row))
	}
}

// checkKept builds a row anew of its attributes as they are encoded, with a dictionary that knows more names.
func checkKept(t *testing.T, row value.Row, names dictionary, m model) {
	t.Helper()
	later := slices.Clone(names)
	for name := range m {
		if _, known := names.ID([]byte(name)); !known && strings.HasSuffix(name, "5") {
			later = append(later, name)
		}
	}
	var b value.RowBuilder
	b.Reset(later)
	for a := row.Attributes(later); a.Next(); {
		if err := b.Keep(&a); err != nil {
			t.Fatal(err)
		}
		if err := b.Keep(&a); !errors.Is(err, value.ErrDuplicateName) {
			t.Fatalf("%q twice: %v", a.Name(), err)
		}
	}
	checkRow(t, b.AppendTo(nil), later, m)
}

// A row built before a name got its id is found by that name under the later dictionary, too.
func TestRowOfAnEarlierDictionary(t *testing.T) {
	row, err := valuetest.ParseRowText(`{a: 1, b: 2, c: 3}`, dictionary{"b"})
	if err != nil {
		t.Fatal(err)
	}
	checkRow(t, row, dictionary{"b", "a", "c"},
		model{"a": string(mustParse(t, "1")), "b": string(mustParse(t, "2")), "c": string(mustParse(t, "3"))})
	a := row.Attributes(dictionary{})
	if a.Next() || !errors.Is(a.Err(), value.ErrUnknownName) {
		t.Errorf("with a dictionary that lacks b: %v", a.Err())
	}
	if err := row.Validate(value.NoNames); !errors.Is(err, value.ErrUnknownName) {
		t.Errorf("Validate with a dictionary that lacks b: %v", err)
	}
	if _, err := value.Rename(nil, row, value.NoNames, value.NoNames); !errors.Is(err, value.ErrUnknownName) {
		t.Errorf("Rename with a dictionary that lacks b: %v", err)
	}
}

func TestRowBuilderMisuse(t *testing.T) {
	var b value.RowBuilder
	b.Reset(nil)
	if err := b.End(); !errors.Is(err, value.ErrMalformed) {
		t.Errorf("End without Begin: %v", err)
	}
	b.Begin([]byte("a"))
	b.Buf = value.AppendNull(value.AppendNull(b.Buf))
	if err := b.End(); !errors.Is(err, value.ErrMalformed) {
		t.Errorf("two values: %v", err)
	}
	b.Begin([]byte("b"))
	b.Buf = value.AppendNull(b.Buf)
	b.Begin([]byte("c")) // drops b
	b.Buf = value.AppendBool(b.Buf, true)
	if err := b.End(); err != nil {
		t.Errorf("End: %v", err)
	}
	deep := strings.Repeat("[", 32) + strings.Repeat("]", 32)
	v := value.Value(value.BeginList(nil))
	inner := mustParse(t, deep[1:len(deep)-1])
	v, err := value.EndList(append(v, inner...), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Set([]byte("deep"), v); !errors.Is(err, value.ErrNesting) {
		t.Errorf("32 levels: %v", err)
	}
	checkRow(t, b.AppendTo(nil), value.NoNames, model{"c": string(value.AppendBool(nil, true))})
}

// An item of exactly DynamoDB's 409,600 bytes: the size counts names and values, in the row's header as in the builder.
func TestLargestItem(t *testing.T) {
	var b value.RowBuilder
	b.Reset(dictionary{"payload"})
	rest := 409_600 - len("id") - 2 - len("payload") - len(
		"list") - value.DocumentOverhead - 2*value.ElementOverhead - 1 - 2
	for name, text := range map[string]string{"id": "7", "list": `[true, "ab"]`} {
		if err := b.Set([]byte(name), mustParse(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Set([]byte("payload"), value.AppendString(nil, bytes.Repeat([]byte("x"), rest))); err != nil {
		t.Fatal(err)
	}
	if row := b.AppendTo(nil); b.Size() != 409_600 || row.Size() != 409_600 {
		t.Errorf("builder says %d, row says %d", b.Size(), row.Size())
	}
}

func TestNothingAllocates(t *testing.T) {
	var names value.Names = dictionary{"id", "tags", "name"} // as an interface already: converting allocates
	text := `{id: 12.5, name: "Ann", tags: <"a", "b">, extra: {a: [1, 2], b: "x"}}`
	row, err := valuetest.ParseRowText(text, names)
	if err != nil {
		t.Fatal(err)
	}
	var b value.RowBuilder
	dst := make([]byte, 0, 1024)
	other := mustParse(t, `<"b", "c">`)
	name, extra := []byte("name"), []byte("extra")
	allocations := testing.AllocsPerRun(100, func() {
		b.Reset(names)
		for a := row.Attributes(names); a.Next(); {
			if err := b.Set(a.Name(), a.Value()); err != nil {
				t.Fatal(err)
			}
		}
		again := b.AppendTo(dst[:0])
		v, _ := again.Get(names, extra)
		field, _ := v.Field([]byte("a"))
		element, _ := field.Index(1)
		tags, _ := again.GetID(2)
		dst = value.Union(dst[:0], tags, other)
		dst = value.Project(dst, row, names, func(n []byte) bool { return bytes.Equal(n, name) })
		if d, ok := element.Decimal(); !ok || d.IsZero() || row.Validate(names) != nil {
			t.Fatal(element)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// TestUseNames wants a row that was begun without a dictionary to be the one that was begun with it, whatever the order
// of its attributes.
func TestUseNames(t *testing.T) {
	var names value.Names = dictionary{"id", "tags", "name"}
	for _, order := range [][]string{{"id", "tags", "name"}, {"name", "other", "id"}, {"zulu", "tags", "alpha"},
		{"other"}, {}} {
		var with, late value.RowBuilder
		with.Reset(names)
		late.Reset(nil)
		for i, name := range order {
			if err := errors.Join(with.Set([]byte(name), value.AppendString(nil, []byte(order[i]))),
				late.Set([]byte(name), value.AppendString(nil, []byte(order[i])))); err != nil {
				t.Fatal(err)
			}
		}
		late.UseNames(names)
		if want, got := with.AppendTo(nil), late.AppendTo(nil); !bytes.Equal(want, got) {
			t.Errorf("%q:\n got %x\nwant %x", order, got, want)
		}
	}
}
