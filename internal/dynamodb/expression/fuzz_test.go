// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// someDefinitions are placeholders of all types, for texts that were made up by chance.
func someDefinitions(t testing.TB) *Substitutions {
	s := &Substitutions{}
	s.AddName("#a", "a")
	s.AddName("#b", "select")
	s.AddName("#c", "odd name.[0]")
	texts := []string{`"a"`, `"ab"`, "1", "2.5", `x"00"`, "true", "null", "[1]", "{a: 1}", `<"a">`, "<1>", `<x"01">`,
		`"SS"`, "12i", "1.5f"}
	for i, text := range texts {
		v, err := valuetest.ParseText(text)
		if err != nil {
			t.Fatal(err)
		}
		s.AddValue(fmt.Sprintf(":%c", 'a'+i), v)
	}
	return s
}

// placeholders is a Notation that writes every name and value as a placeholder, and their definitions.
func placeholders() (expr.Notation, *Substitutions) {
	known := &Substitutions{}
	count := 0
	return expr.Notation{
		Name: func(dst []byte, name string) []byte {
			count++
			key := fmt.Sprintf("#%d", count)
			known.AddName(key, name)
			return append(dst, key...)
		},
		Literal: func(dst []byte, v value.Value) []byte {
			count++
			key := fmt.Sprintf(":%d", count)
			known.AddValue(key, v)
			return append(dst, key...)
		},
	}, known
}

// language is one grammar, seen from its tests: parse returns a function that prints the tree.
type language struct {
	kind  Kind
	parse func(text string, known *Substitutions) (func(expr.Notation) []byte, error)
}

// immutable
var languages = []language{
	{Condition, func(text string, known *Substitutions) (func(expr.Notation) []byte, error) {
		c, err := ParseCondition(text, known)
		return func(n expr.Notation) []byte { return n.AppendCondition(nil, c) }, err
	}},
	{UpdateActions, func(text string, known *Substitutions) (func(expr.Notation) []byte, error) {
		u, err := ParseUpdate(text, known)
		return func(n expr.Notation) []byte { return n.AppendUpdate(nil, u) }, err
	}},
	{Projection, func(text string, known *Substitutions) (func(expr.Notation) []byte, error) {
		paths, err := ParseProjection(text, known)
		return func(n expr.Notation) []byte { return n.AppendPaths(nil, paths) }, err
	}},
	{KeyConditions, func(text string, known *Substitutions) (func(expr.Notation) []byte, error) {
		list, err := ParseKeyCondition(text, known)
		return func(n expr.Notation) []byte { return appendKeyConditions(n, list) }, err
	}},
}

func appendKeyConditions(n expr.Notation, list []KeyCondition) []byte {
	var conditions []expr.Condition
	for _, key := range list {
		path, a, b := &expr.Path{Name: key.Attribute}, &expr.Literal{Value: key.A}, &expr.Literal{Value: key.B}
		switch key.Op {
		case KeyBetween:
			conditions = append(conditions, &expr.Between{X: path, Low: a, High: b})
		case KeyBeginsWith:
			conditions = append(conditions, &expr.BeginsWith{X: path, Prefix: a})
		default:
			op := []expr.Comparison{expr.Equal, expr.Less, expr.LessOrEqual, expr.Greater, expr.GreaterOrEqual}[key.Op]
			conditions = append(conditions, &expr.Compare{Op: op, A: path, B: a})
		}
	}
	return n.AppendCondition(nil, expr.Conjunction(conditions...))
}

// check parses a text. If that works, it prints the tree, parses the print, and compares the two trees by their prints.
func (l language) check(t *testing.T, text string) (ok bool) {
	printed, err := l.parse(text, someDefinitions(t))
	if err != nil {
		var typed *Error
		if !errors.As(err, &typed) || typed.Message == "" {
			t.Fatalf("%q: not an *Error with a text: %v", text, err)
		}
		return false
	}
	n, known := placeholders()
	again := string(printed(n))
	if len(again) > textBytesMax {
		return true
	}
	reprinted, err := l.parse(again, known)
	if err != nil {
		t.Fatalf("%v %q printed as %q: %v", l.kind, text, again, err)
	}
	if err := known.CheckUsed(); err != nil {
		t.Fatalf("%v %q printed as %q: %v", l.kind, text, again, err)
	}
	if a, b := printed(expr.Notation{}), reprinted(expr.Notation{}); string(a) != string(b) {
		t.Fatalf("%v %q\nis      %s\nagain   %s", l.kind, text, a, b)
	}
	return true
}

func fuzz(f *testing.F, l language, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { l.check(t, text) })
}

func FuzzCondition(f *testing.F) {
	fuzz(f, languages[0], "a = :a AND (#b.c[1] <> :b OR NOT x IN (:c, d))", "a BETWEEN :a AND :b", "size(a) > :c",
		"attribute_exists(a) and contains(b, :c) or begins_with(#c, :a)", "attribute_type(a, :m)", "((a = :a))",
		"size(:a) = b", "NOT NOT a < :n")
}

func FuzzUpdate(f *testing.F) {
	fuzz(f, languages[1], "SET a = :a, b[1].c = if_not_exists(d, :c) + :d REMOVE #b, e[0] ADD f :c DELETE g :j",
		"set x = list_append(:h, if_not_exists(y, :h))", "SET a = (b - :c)", "DELETE a :l ADD b :k")
}

func FuzzProjection(f *testing.F) {
	fuzz(f, languages[2], "a, b.c, b.d[1], #c[0].x", "a[1], a[0]", "a, a.b")
}

func FuzzKeyCondition(f *testing.F) {
	fuzz(f, languages[3], "a = :a AND b BETWEEN :a AND :b", ":a > #b", "a = :c and begins_with(b, :a)",
		"(a = :a) AND (b < :n)")
}

// writer makes up texts that mostly are expressions, with spaces, parentheses and cases of letters as they come.
type writer struct {
	*rand.Rand
	strings.Builder
}

func (w *writer) oneOf(words ...string) string { return words[w.IntN(len(words))] }

// put writes words, now and then with another case of letters if they are keywords.
func (w *writer) put(words ...string) {
	for _, word := range words {
		if w.IntN(2) == 0 && strings.ToUpper(word) == word {
			word = strings.ToLower(word)
		}
		w.WriteString(w.oneOf("", " ", " ", "\n\t") + word + " ")
	}
}

func (w *writer) path() {
	w.put(w.oneOf("a", "b", "c2", "d_", "#a", "#b", "#c"))
	for w.IntN(3) == 0 {
		w.put(w.oneOf(".x", ". y", ".#b", "[0]", "[ 12 ]"))
	}
}

func (w *writer) value() { w.put(w.oneOf(":a", ":b", ":c", ":d", ":e", ":n", ":o")) }

func (w *writer) operand() {
	switch w.IntN(6) {
	case 0:
		w.put("size", "(")
		w.path()
		w.put(")")
	case 1:
		w.put("(")
		w.path()
		w.put(")")
	case 2, 3:
		w.value()
	default:
		w.path()
	}
}

func (w *writer) condition(depth int) {
	n := w.IntN(9)
	if depth == 0 {
		n = w.IntN(6)
	}
	switch n {
	case 0, 1:
		w.operand()
		w.put(w.oneOf("=", "<>", "<", "<=", ">", ">="))
		w.operand()
	case 2:
		w.path()
		w.put("BETWEEN")
		w.operand()
		w.put("AND")
		w.operand()
	case 3:
		w.operand()
		w.put("IN", "(")
		w.operand()
		w.put(",")
		w.value()
		w.put(")")
	case 4:
		w.put(w.oneOf("attribute_exists", "attribute_not_exists"), "(")
		w.path()
		w.put(")")
	case 5:
		w.put(w.oneOf("begins_with", "contains"), "(")
		w.path()
		w.put(",")
		w.value()
		w.put(")")
	case 6:
		w.put("NOT")
		w.condition(depth - 1)
	case 7:
		w.put("(")
		w.condition(depth - 1)
		w.put(")")
	default:
		w.condition(depth - 1)
		w.put(w.oneOf("AND", "OR"))
		w.condition(depth - 1)
	}
}

// TestRandomConditions makes sure that texts which follow the grammar are never called a syntax error, and that those
// without any other fault survive printing and parsing.
func TestRandomConditions(t *testing.T) {
	seed := rounds.Seed(t)
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
	legal := 0
	for range rounds.Of(t, 4000) {
		w.Reset()
		w.condition(4)
		text := w.String()
		if len(text) > textBytesMax {
			continue
		}
		if languages[0].check(t, text) {
			legal++
			continue
		}
		if _, err := ParseCondition(text, someDefinitions(t)); strings.Contains(err.Error(), "Syntax error") {
			t.Fatalf("%q: %v", text, err)
		}
	}
	if legal < 400 {
		t.Fatalf("only %d texts were legal", legal)
	}
}
