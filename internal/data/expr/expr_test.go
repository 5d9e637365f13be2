// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"errors"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

func path(name string, steps ...Step) Path { return Path{Name: name, Steps: steps} }

func field(name string) Step { return Step{name, -1} }

func index(i int) Step { return Step{Index: i} }

func pathTexts(paths func(func(*Path) bool), most int) string {
	var texts []string
	for p := range paths {
		texts = append(texts, string(Notation{}.AppendPath(nil, p)))
		if len(texts) == most {
			break
		}
	}
	return strings.Join(texts, " ")
}

func TestPathsOfTrees(t *testing.T) {
	a, b, d := path("a", field("x"), index(2)), path("b"), path("d")
	c := &And{[]Condition{
		&Or{[]Condition{&Exists{a}, &NotExists{path("c")}, &HasType{&d, value.Map}}},
		&Not{&Compare{Less, &Size{path("e")}, &Arithmetic{Plus, &b, number(1)}}},
		&Between{&b, text("x"), &IfNotExists{path("f"), &a}},
		&In{&b, []Operand{&ListAppend{&a, &b}}},
		&BeginsWith{&b, text("x")},
		&Contains{&b, text("x")},
	}}
	const want = "a.x[2] c d e b b f a.x[2] b a.x[2] b b b"
	if got := pathTexts(Paths(c), -1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for most := range 13 {
		if got := pathTexts(Paths(c), most+1); !strings.HasPrefix(want, got) || len(strings.Fields(got)) != most+1 {
			t.Errorf("stopped after %d: %s", most+1, got)
		}
	}
	u := &Update{Set: []SetAction{{b, &a}, {a, number(1)}, {path("g"), &Size{path("h")}}}, Remove: []Path{path("i")}}
	if got := pathTexts(u.Reads(), -1); got != "a.x[2] h" {
		t.Errorf("the update reads %s", got)
	}
	if got := pathTexts(u.Reads(), 1); got != "a.x[2]" {
		t.Errorf("stopped after 1: %s", got)
	}
}

func TestConjuncts(t *testing.T) {
	a, b, c := &Exists{path("a")}, &Exists{path("b")}, &Not{&Exists{path("c")}}
	for _, test := range []struct {
		condition Condition
		want      string
	}{
		{nil, "true"},
		{a, "attribute_exists(a)"},
		{&And{}, "true"},
		{&Or{}, "false"},
		{&And{[]Condition{&And{[]Condition{a, b}}, c}},
			"attribute_exists(a) AND attribute_exists(b) AND NOT attribute_exists(c)"},
		{&And{[]Condition{&Or{[]Condition{a, b}}, c}},
			"(attribute_exists(a) OR attribute_exists(b)) AND NOT attribute_exists(c)"},
	} {
		again := Conjunction(Conjuncts(test.condition)...)
		if got := string(Notation{}.AppendCondition(nil, again)); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
		for _, s := range []Source{{}, benchmarkSource(t)} {
			whole, _ := Match(test.condition, s)
			if parts, _ := Match(again, s); whole != parts {
				t.Errorf("%s: %v, but its conjuncts together are %v", test.want, whole, parts)
			}
		}
	}
}

// Of an item that is not there yet the source is its key.
func TestApplyToNewItem(t *testing.T) {
	s := Source{Row: row(t, `{id: "k"}`)}
	var b value.RowBuilder
	id, copied := path("id"), path("id")
	u := &Update{Set: []SetAction{{path("a"), &IfNotExists{id, number(1)}}, {path("c"), &copied}},
		Add: []AddAction{{path("n"), number(2).Value}}}
	if err := u.Apply(s, &b); err != nil {
		t.Fatal(err)
	}
	if got, want := itemText(Source{b.AppendTo(nil), value.NoNames}), `{a: "k", c: "k", id: "k", n: 2}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSizeOfString(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "é": 1, "ééé": 3, "\u0800": 1, "\uffff": 1, "😀": 2, "\U0010ffff": 2, "a😀é": 4,
		"seven.b": 7, "eight.by": 8, "eight.byé": 9, "é.eight.bytes": 13, "e\u0301": 2, "0123456😀0123456789é": 20,
	} {
		if got, ok := SizeOf(value.AppendString(nil, []byte(text))); got != want || !ok {
			t.Errorf("%q has %d units, want %d", text, got, want)
		}
	}
	if got, _ := SizeOf(value.AppendBinary(nil, []byte("é"))); got != 2 {
		t.Errorf("a binary of 2 bytes has size %d", got)
	}
}

// No parser makes such updates, but a tree may come from elsewhere.
func TestApplyRefusesOverlaps(t *testing.T) {
	s := Source{Row: row(t, `{m: {x: {y: 1}}, l: [1]}`)}
	for _, paths := range [][]Path{
		{path("m"), path("m")},
		{path("m", field("x")), path("m")},
		{path("m", field("x"), field("y")), path("m", field("x"))},
		{path("m", field("x")), path("m", index(0))},
		{path("l", index(0)), path("l", field("x"))},
	} {
		var b value.RowBuilder
		err := (&Update{Remove: paths}).Apply(s, &b)
		var typed *Error
		if !errors.As(err, &typed) || typed.Fault != FaultInvalidPath {
			t.Errorf("%s: %v", Notation{}.AppendPaths(nil, paths), err)
		}
	}
}

// More edits than are gone through one by one, on attributes that are there and others.
func TestApplyManyEdits(t *testing.T) {
	s := Source{Row: row(t, `{a: 1, c: 1, e: 1, g: 1, i: 1, k: {x: 1}, z: 1}`)}
	u := &Update{Set: []SetAction{{path("k", field("x")), number(2)}, {path("k", field("y")), number(2)}}}
	for _, name := range []string{"l", "j", "h", "f", "d", "b", "a", "c", "e"} {
		u.Set = append(u.Set, SetAction{path(name), number(2)})
	}
	var b value.RowBuilder
	if err := u.Apply(s, &b); err != nil {
		t.Fatal(err)
	}
	want := "{a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 1, h: 2, i: 1, j: 2, k: {x: 2, y: 2}, l: 2, z: 1}"
	if got := itemText(Source{b.AppendTo(nil), value.NoNames}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestArithmeticInConditions(t *testing.T) {
	s := Source{Row: row(t, `{n: 1, s: "x"}`)}
	n, missing := path("n"), path("missing")
	for _, test := range []struct {
		o     Operand
		fault Fault
	}{
		{&Arithmetic{Minus, number(3), &n}, 0},
		{&Arithmetic{Plus, number(3), &missing}, FaultMissingAttribute},
		{&Arithmetic{Plus, number(3), text("x")}, FaultOperandType},
		{&ListAppend{&n, &n}, FaultOperandType},
	} {
		for _, c := range []Condition{
			&Compare{Equal, test.o, number(2)}, &Compare{Equal, number(2), test.o},
			&Between{&n, number(1), test.o}, &Between{test.o, &n, number(2)}, &Between{&n, test.o, &n},
			&In{test.o, []Operand{number(2)}}, &In{number(2), []Operand{test.o}},
			&Contains{test.o, number(2)}, &BeginsWith{test.o, text("x")}, &BeginsWith{text("x"), test.o},
			&Not{&And{[]Condition{&Or{[]Condition{&Contains{number(2), test.o}}}}}},
		} {
			_, err := Match(c, s)
			var typed *Error
			if test.fault == 0 && err != nil ||
				test.fault != 0 && (!errors.As(err, &typed) || typed.Fault != test.fault) {
				t.Errorf("%s: %v", Notation{}.AppendCondition(nil, c), err)
			}
		}
	}
}

func row(t *testing.T, text string) value.Row {
	t.Helper()
	row, err := valuetest.ParseRowText(text, value.NoNames)
	if err != nil {
		t.Fatal(err)
	}
	return row
}
