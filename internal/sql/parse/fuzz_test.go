// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// corpus returns every statement of testdata.
func corpus(t testing.TB) (texts [][]byte) {
	files, err := filepath.Glob("testdata/statements/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		input, whole := false, false
		var text []byte
		for _, line := range bytes.Split(content, []byte("\n")) {
			switch first, rest, _ := strings.Cut(string(line), " "); {
			case string(line) == "----":
				if whole {
					texts = append(texts, text)
				}
				input, text = false, nil
			case input && whole:
				text = append(append(text, line...), '\n')
			case input:
				texts = append(texts, line)
			case first == "parse" || first == "tree" || first == "fingerprint" || first == "split":
				input, whole = true, rest == "whole" || first == "split"
			}
		}
	}
	return texts
}

// FuzzParse reads any text: errors have a code, and what is read is printed and read again as the same tree.
func FuzzParse(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		original := bytes.Clone(text)
		s, err := parse.Parse(text)
		if !bytes.Equal(text, original) {
			t.Fatal("the parser has changed the text")
		}
		if err != nil {
			if _, ok := fault.Of(err); !ok {
				t.Fatalf("%q: %v is no fault", text, err)
			}
			return
		}
		if problem := roundTrip(s); problem != "" {
			t.Fatalf("%q\n%s", text, problem)
		}
	})
}

// TestFingerprintCorpus checks the fingerprints of all statements of testdata.
func TestFingerprintCorpus(t *testing.T) {
	checked := 0
	for _, text := range corpus(t) {
		if checkFingerprint(t, text) {
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d statements have a fingerprint", checked)
	}
}

// FuzzFingerprint checks the fingerprint of any text.
func FuzzFingerprint(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkFingerprint(t, text) })
}

// checkFingerprint reports whether a text has a fingerprint. Its tree must be the text's own once the literals stand in
// it again; with other literals of the same kinds the key must be the same; and so must be the tree.
func checkFingerprint(t *testing.T, text []byte) bool {
	key, literals, ok := parse.Dialect{}.Fingerprint(text, []byte("before"), []datum.Datum{datum.Int(7)})
	if !bytes.HasPrefix(key, []byte("before")) || len(literals) == 0 || literals[0].Int() != 7 {
		t.Fatalf("%q: what stood before the key has changed", text)
	}
	if !ok {
		if len(key) != len("before") || len(literals) != 1 {
			t.Fatalf("%q: no fingerprint, but something of it", text)
		}
		return false
	}
	literals = literals[1:]
	shared, err := parse.Dialect{}.ParseFingerprinted(text)
	if err != nil {
		return false
	}
	own, err := parse.Parse(text)
	if err != nil {
		t.Fatalf("%q: only its fingerprint is read: %v", text, err)
	}
	sharedDump := dump(shared)
	other := otherLiterals(text, literals)
	otherKey, otherLiterals, ok := parse.Dialect{}.Fingerprint(other, []byte("before"), nil)
	if !ok || !bytes.Equal(key, otherKey) || len(literals) != len(otherLiterals) {
		t.Fatalf("%q and %q differ in literals only, but have the keys\n%s and\n%s", text, other, key, otherKey)
	}
	if again, err := (parse.Dialect{}).ParseFingerprinted(other); err != nil || dump(again) != sharedDump {
		t.Fatalf("%q and %q have one key, but not one tree: %v", text, other, err)
	}
	putLiterals{literals: literals}.in(reflect.ValueOf(shared))
	if is, want := dump(shared), dump(own); is != want {
		t.Fatalf("%q with its literals is\n%s in place of\n%s", text, is, want)
	}
	return true
}

// otherLiterals writes a statement with other literals of the same kinds.
func otherLiterals(text []byte, literals []datum.Datum) []byte {
	takes, _ := token.Mode(0).Takes(text)
	var other []byte
	at := 0
	for i, take := range takes {
		other = append(other, text[at:take.Start]...)
		if text[take.Start] == '-' {
			other = append(other, '-')
		}
		if text[take.Start] == '.' { // behind a word a digit would be a part of it
			other = append(other, '.')
		}
		at = take.End
		switch literals[i].Kind() {
		case datum.KindInt:
			other = append(other, "12345"...)
		case datum.KindUint:
			other = append(other, "18446744073709551614"...)
		case datum.KindDecimal:
			switch {
			case text[take.Start] == '.':
				other = append(other, "75"...)
			case bytes.IndexByte(text[take.Start:take.End], '.') >= 0:
				other = append(other, "9.75"...)
			default:
				other = append(other, "99999999999999999999"...)
			}
		case datum.KindFloat:
			other = append(other, "9e3"...)
		case datum.KindBinary:
			other = append(other, "x'414243'"...)
		default:
			other = append(other, "'other'"...)
		}
	}
	return append(other, text[at:]...)
}

// putLiterals puts literals in the place of their parameters.
type putLiterals struct{ literals []datum.Datum }

func (p putLiterals) in(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		p.in(v.Elem())
		if x, ok := v.Interface().(*tree.Parameter); ok {
			v.Set(reflect.ValueOf(&tree.Literal{Value: p.literals[x.Index]}))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			p.in(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			p.in(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[datum.Datum]() || v.Type() == reflect.TypeFor[datum.Type]() {
			return
		}
		for i := range v.NumField() {
			p.in(v.Field(i))
		}
	}
}

// FuzzSplit cuts any text: the parts are in it, in their order, and one that was cut off is one statement.
func FuzzSplit(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(append(append(bytes.Clone(text), ';'), text...))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for rest := text; len(rest) > 0; {
			one, more, err := parse.Dialect{}.Split(rest)
			if err != nil {
				return
			}
			if len(one)+len(more) > len(rest) || len(more) >= len(rest) {
				t.Fatalf("%q is cut into %q and %q", rest, one, more)
			}
			if bytes.HasSuffix(one, []byte("--")) {
				return // a comment now, for want of what stood behind it
			}
			again, none, err := parse.Dialect{}.Split(one)
			if len(none) > 0 || err == nil && !bytes.Equal(again, one) {
				t.Fatalf("%q is cut into %q, which is cut into %q and %q: %v", rest, one, again, none, err)
			}
			rest = more
		}
	})
}

// TestDeep reads statements that are nested without an end: they are refused, and take no more memory than others of
// their length.
func TestDeep(t *testing.T) {
	const times = 100_000
	for _, nested := range []struct{ before, repeated, after string }{
		{"SELECT ", "(", ""}, {"SELECT ", "NOT ", "a"}, {"SELECT ", "- ", "a"}, {"SELECT ", "-", "a"},
		{"SELECT ", "!~+", "a"}, {"SELECT ", "f(", ""},
		{"SELECT ", "CASE WHEN ", ""}, {"SELECT ", "CAST(", ""}, {"SELECT ", "BINARY ", "a"}, {"SELECT ", "a IN (", ""},
		{"SELECT ", "INTERVAL ", ""},
		{"SELECT ", "a BETWEEN ", ""}, {"SELECT ", "a LIKE ", ""}, {"SELECT ", "{fn ", ""}, {"SELECT ", "TRIM(", ""},
		{"SELECT ", "a = ", "b"},
		{"SELECT ", "a AND ", "b"}, {"SELECT ", "a OR b AND ", "c"}, {"SELECT ", "a.", "b"}, {"SELECT ", "a,", "b"},
		{"SELECT /*+ ", "a(", "*/ 1"},
		{"EXPLAIN ", "EXPLAIN ", ""}, {"SELECT * FROM a JOIN ", "(", ""}, {"SELECT ", "/*! ", "1"},
		{"SELECT ", "/*! */", "1"}, {"SELECT ", "'a' ", ""},
		{"", "(", ""}, {"SET ", "@a=", "1"}, {"SET a", ".a", "=1"}, {"CREATE TABLE t (a INT) WITH (a=", "(", ""},
		{"CREATE TABLE t (", "a INT,", ""},
		{"INSERT INTO t VALUES ", "(1),", ""}, {"SELECT * FROM t WHERE a IN (", "1,", "2)"}, {"", ";", ""},
		{"SELECT ", "@", ""}, {"SELECT ", "`a`", ""},
		{"ALTER TABLE t ADD ", "(", ""}, {"CREATE TABLE t (a INT) ", "b=1 ", ""}, {"SELECT 1 ", "LIMIT ", ""},
		{"SHOW ", "SHOW ", ""},
		{"SELECT 1", " COLLATE a", ""}, {"CREATE TABLE t (a INT ", "CHARSET a ", ")"}, {"SELECT a", "->'$'", ""},
		{"BEGIN", " /* */", ""}, {"SELECT ", "x'", ""},
	} {
		text := []byte(nested.before + strings.Repeat(nested.repeated, times) + nested.after)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := parse.Parse(text)
		_, _, _ = parse.Dialect{}.Fingerprint(text, nil, nil)
		_, _, _ = parse.Dialect{}.Split(text)
		runtime.ReadMemStats(&after)
		name := nested.before + nested.repeated + ".." + nested.after
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+256*uint64(len(text)) {
			t.Errorf("%s: %d bytes of text take %d bytes", name, len(text), used)
		}
		if err == nil {
			_ = statementText(s)
		} else if len(err.Error()) > 1000 {
			t.Errorf("%s: a message of %d bytes", name, len(err.Error()))
		}
	}
}

// TestSpliced reads statements that are put together from pieces of others.
func TestSpliced(t *testing.T) {
	random := rounds.Random(t)
	var pieces [][][]byte // the tokens of each statement
	for _, text := range corpus(t) {
		if _, err := parse.Parse(text); err != nil {
			continue
		}
		var tokens [][]byte
		for l := (token.Lexer{Text: text}); ; {
			next := l.Next()
			if next.Kind == token.End || next.Kind == token.Bad {
				break
			}
			tokens = append(tokens, text[next.Start:next.End])
		}
		pieces = append(pieces, tokens)
	}
	read := 0
	count := rounds.Of(t, 6000)
	for range count {
		tokens := pieces[random.IntN(len(pieces))]
		for range 1 + random.IntN(3) {
			from := pieces[random.IntN(len(pieces))]
			at, end := random.IntN(len(from)+1), random.IntN(len(from)+1)
			to, after := random.IntN(len(tokens)+1), random.IntN(len(tokens)+1)
			tokens = slices.Concat(tokens[:min(to, after)], from[min(at, end):max(at, end)], tokens[max(to, after):])
		}
		text := bytes.Join(tokens, []byte(" "))
		checkFingerprint(t, text)
		s, err := parse.Parse(text)
		if err != nil {
			continue
		}
		read++
		if problem := roundTrip(s); problem != "" {
			t.Fatalf("%q\n%s", text, problem)
		}
	}
	if read < count/30 {
		t.Errorf("only %d statements of %d were read", read, count)
	}
}
