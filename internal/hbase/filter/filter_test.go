// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestFilters reads filters and runs them. A file's commands: "parse", with a filter on each line, prints each as it is
// understood, with the keys that it can match; "rows" sets the rows, one on each line with its cells as
// family:qualifier@time=value; "run", with reversed or versions=N, prints what is left.
func TestFilters(t *testing.T) {
	datadriven.Walk(t, "testdata/filters", func(t *testing.T, path string) {
		var rows []row
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				return parsed(d.Input)
			case "rows":
				rows = rowsOf(t, d.Input)
				return ""
			}
			f, err := Parse([]byte(d.Input))
			if err != nil {
				return err.Error()
			}
			read := Read{Reversed: d.HasArg("reversed"), Versions: 1}
			if d.HasArg("versions") {
				d.ScanArgs(t, "versions", &read.Versions)
			}
			return shown(readWith(f, read, rows))
		})
	})
}

func parsed(input string) string {
	var out strings.Builder
	for line := range strings.Lines(input) {
		f, err := Parse([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil {
			fmt.Fprintf(&out, "error: %s\n", err)
			continue
		}
		fmt.Fprintf(&out, "%s", f)
		spans := f.Spans(false)
		if len(spans) == 0 {
			out.WriteString(" of no key")
		}
		for _, s := range spans {
			if len(s.Start) > 0 || len(s.Stop) > 0 {
				fmt.Fprintf(&out, " from %q to %q", s.Start, s.Stop)
			}
			if s.StopIncluded {
				out.WriteString(" included")
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}

type row struct {
	key   []byte
	cells []Cell
}

func rowsOf(t *testing.T, input string) (rows []row) {
	for line := range strings.Lines(input) {
		words := strings.Fields(line)
		r := row{key: []byte(words[0])}
		for _, word := range words[1:] {
			name, rest, _ := strings.Cut(word, "@")
			at, value, _ := strings.Cut(rest, "=")
			family, qualifier, _ := strings.Cut(name, ":")
			ms, err := strconv.ParseInt(at, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			r.cells = append(r.cells, Cell{Family: []byte(family), Qualifier: []byte(qualifier), Value: []byte(value),
				AtMS: ms})
		}
		rows = append(rows, r)
	}
	return rows
}

// readWith is a read of the rows with a filter, without its span.
func readWith(f Filter, read Read, rows []row) (kept []row) {
	if read.Reversed {
		rows = slices.Clone(rows)
		slices.Reverse(rows)
	}
	x := f.Begin(read)
	for _, r := range rows {
		if x.IsDone() {
			break
		}
		if x.Skips(r.key) {
			continue
		}
		if cells := x.Cells(r.key, slices.Clone(r.cells)); len(cells) > 0 {
			kept = append(kept, row{r.key, cells})
		}
	}
	return kept
}

func shown(rows []row) string {
	var out strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&out, "%s", r.key)
		for _, c := range r.cells {
			fmt.Fprintf(&out, " %s:%s@%d=%s", c.Family, c.Qualifier, c.AtMS, c.Value)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// anyRows are random rows in the order of their keys, cells in theirs.
func anyRows(random *rand.Rand) (rows []row) {
	for _, key := range []string{"a", "a1", "a2", "b", "b\xff", "b1", "c", "cc"} {
		r := row{key: []byte(key)}
		for _, name := range []string{"f:", "f:a", "f:ab", "f:b", "g:a"} {
			family, qualifier, _ := strings.Cut(name, ":")
			for at := int64(3); at > 0; at-- {
				if random.IntN(3) == 0 {
					r.cells = append(r.cells,
						Cell{Family: []byte(family), Qualifier: []byte(qualifier),
							Value: fmt.Appendf(nil, "v%d", random.IntN(4)), AtMS: at})
				}
			}
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare(a.key, b.key) })
	return rows
}

func pick(random *rand.Rand, list ...string) string { return list[random.IntN(len(list))] }

// anyFilter is a random filter; stateless ones remember nothing and can be judged cell by cell.
func anyFilter(random *rand.Rand, depth int, stateless bool) string {
	if depth > 0 && random.IntN(2) == 0 {
		word := pick(random, " AND ", " OR ")
		text := "(" + anyFilter(random, depth-1, stateless) + word + anyFilter(random, depth-1, stateless) + ")"
		if !stateless && random.IntN(4) == 0 {
			text = pick(random, "SKIP ", "WHILE ") + text
		}
		return text
	}
	key, value := pick(random, "a", "a1", "b", "b\xff", "c"), pick(random, "v0", "v1", "v2")
	operator := pick(random, "<", "<=", "=", "!=", ">=", ">")
	list := []string{
		"PrefixFilter('" + key + "')", "RowFilter(" + operator + ", 'binary:" + key + "')",
		"RowFilter(" + operator + ", 'binaryprefix:" + key + "')", "FamilyFilter(" + operator + ", 'binary:f')",
		"QualifierFilter(" + operator + ", 'binary:a')", "ValueFilter(" + operator + ", 'binary:" + value + "')",
		"ValueFilter(=, 'substring:1')", "ValueFilter(!=, 'regexstring:[12]')", "TimestampsFilter(1, 3)",
	}
	if !stateless {
		list = append(list, "InclusiveStopFilter('"+key+"')",
			"FuzzyRowFilter('"+key+"', '"+strings.Repeat("0", len(key)-1)+pick(random, "0", "1")+"')", "PageFilter(2)",
			"FirstKeyOnlyFilter()",
			"ColumnPrefixFilter('a')", "ColumnPaginationFilter(2, 1)",
			"SingleColumnValueFilter('f', 'a', "+operator+", 'binary:"+value+"')", "DependentColumnFilter('f', 'a')",
			"ColumnRangeFilter('a', true, 'b', false)",
			"MultiRowRangeFilter('a1', true, '"+pick(random, "a2", "b")+
				"', false, 'b1', false, 'c', true)", "ColumnValueFilter('f', 'a', "+operator+", 'binary:"+value+
				"')", "ColumnPaginationFilter(2, 'ab')", "FirstKeyValueMatchingQualifiersFilter('ab')")
	}
	return list[random.IntN(len(list))]
}

// TestSpans reads with and without the spans of random filters, in both directions: they must leave out nothing, and be
// apart and in order.
func TestSpans(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds.Of(t, 5000) {
		text, rows := anyFilter(random, 3, false), anyRows(random)
		f, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		read := Read{Reversed: random.IntN(2) == 0, Versions: 1 + random.IntN(3)}
		spans := f.Spans(read.Reversed)
		bounded := slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
			return !slices.ContainsFunc(spans, func(s Span) bool { return !Span{r.key, r.key, true}.and(s).isEmpty() })
		})
		for i := range max(0, len(spans)-1) {
			if a, b := spans[i], spans[i+1]; len(a.Stop) == 0 || bytes.Compare(a.Stop, b.Start) >= 0 {
				t.Fatalf("%s (reversed %v): %s stands before %s", text, read.Reversed, a, b)
			}
		}
		if want, got := shown(readWith(f, read, rows)), shown(readWith(f, read, bounded)); got != want {
			t.Fatalf("%s (reversed %v): rows in %v give\n%s\nnot\n%s", text, read.Reversed, spans, got, want)
		}
	}
}

// TestSpansOf wants the spans of some filters.
func TestSpansOf(t *testing.T) {
	for text, want := range map[string]string{
		"PrefixFilter('a') OR PrefixFilter('c')":                                        `["a", "b") ["c", "d")`,
		"(PrefixFilter('a') OR PrefixFilter('c')) AND RowFilter(<, 'binary:cc')":        `["a", "b") ["c", "cc")`,
		"RowFilter(=, 'binary:a') OR PrefixFilter('a') OR PageFilter(1)":                `["", "")`,
		"PrefixFilter('a') AND PrefixFilter('b')":                                       "",
		"FuzzyRowFilter('a1', '01', 'c1', '00')":                                        `["a", "b") ["c1", "c2")`,
		"WHILE (PrefixFilter('b') OR PrefixFilter('d'))":                                `["", "e")`,
		"SKIP PrefixFilter('b')":                                                        `["", "")`,
		"PrefixFilter('d') OR (DependentColumnFilter('f', 'a') AND PrefixFilter('a1'))": `["", "e")`,
		"PrefixFilter('d') OR (InclusiveStopFilter('b') AND PrefixFilter('a1'))":        `["", "e")`,
		"InclusiveStopFilter('b') AND PrefixFilter('a1')":                               `["a1", "a2")`,
	} {
		f, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range f.Spans(false) {
			got = append(got, s.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, not %s", text, got, want)
		}
	}
}

// TestNarrowing wants the table of filters in the documentation to say which of them become spans of keys. An example
// of each filter decides.
func TestNarrowing(t *testing.T) {
	page, err := os.ReadFile("../../../docs/hbase.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]string{
		"PrefixFilter": "'a'", "RowFilter": "<, 'binary:a'", "InclusiveStopFilter": "'a'",
		"FuzzyRowFilter": "'a1', '01'",
		"FamilyFilter":   "=, 'binary:f'", "QualifierFilter": "=, 'binary:q'", "ValueFilter": "=, 'binary:v'",
		"KeyOnlyFilter": "", "FirstKeyOnlyFilter": "",
		"ColumnPrefixFilter": "'a'", "MultipleColumnPrefixFilter": "'a', 'b'",
		"ColumnRangeFilter": "'a', true, 'b', false", "ColumnCountGetFilter": "1",
		"ColumnPaginationFilter": "1, 1", "PageFilter": "1", "TimestampsFilter": "1",
		"DependentColumnFilter": "'f', 'q'",
		"ColumnValueFilter":     "'f', 'q', =, 'binary:v'", "MultiRowRangeFilter": "'a', true, 'b', false",
		"RandomRowFilter":                       "0.5",
		"FirstKeyValueMatchingQualifiersFilter": "'q'", "SingleColumnValueFilter": "'f', 'q', =, 'binary:v'",
		"SingleColumnValueExcludeFilter": "'f', 'q', =, 'binary:v'",
	}
	_, table, _ := strings.Cut(string(page), "| filter | arguments | narrows the keys |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " |")
		for _, name := range strings.Split(strings.Trim(cells[0], "| `"), "`, `") {
			f, err := Parse([]byte(name + " (" + examples[name] + ")"))
			if err != nil {
				t.Fatal(err)
			}
			spans := f.Spans(false)
			if narrows := len(spans) != 1 ||
				spans[0].String() != allKeys()[0].String(); narrows != strings.HasPrefix(cells[2], " yes") {
				t.Errorf("%s: the table says %q of spans, and they are %v", name, cells[2], spans)
			}
			delete(examples, name)
		}
	}
	for name := range examples {
		t.Errorf("the table has no %s", name)
	}
}

// TestStateless judges random filters that remember nothing cell by cell.
func TestStateless(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds.Of(t, 5000) {
		text, rows := anyFilter(random, 3, true), anyRows(random)
		f, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var want []row
		for _, r := range rows {
			kept := row{key: r.key}
			for _, c := range r.cells {
				if holds(text, r.key, &c) {
					kept.cells = append(kept.cells, c)
				}
			}
			if len(kept.cells) > 0 {
				want = append(want, kept)
			}
		}
		if got, want := shown(readWith(f, Read{Reversed: false}, rows)), shown(want); got != want {
			t.Fatalf("%s gives\n%s\nnot\n%s", text, got, want)
		}
	}
}

// holds judges one cell by the text of a filter that anyFilter made, without the package's parser.
func holds(text string, key []byte, c *Cell) bool {
	if inner, ok := strings.CutPrefix(text, "("); ok {
		depth, inner := 0, strings.TrimSuffix(inner, ")")
		for i := range inner {
			switch {
			case inner[i] == '(':
				depth++
			case inner[i] == ')':
				depth--
			case depth == 0 && strings.HasPrefix(inner[i:], " AND "):
				return holds(inner[:i], key, c) && holds(inner[i+5:], key, c)
			case depth == 0 && strings.HasPrefix(inner[i:], " OR "):
				return holds(inner[:i], key, c) || holds(inner[i+4:], key, c)
			}
		}
	}
	name, rest, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if name == "PrefixFilter" {
		return bytes.HasPrefix(key, []byte(strings.Trim(rest, "'")))
	}
	if name == "TimestampsFilter" {
		return c.AtMS == 1 || c.AtMS == 3
	}
	operator, quoted, _ := strings.Cut(rest, ", ")
	kind, wanted, _ := strings.Cut(strings.Trim(quoted, "'"), ":")
	subject := string(map[string][]byte{"RowFilter": key, "FamilyFilter": c.Family, "QualifierFilter": c.Qualifier,
		"ValueFilter": c.Value}[name])
	compared := strings.Compare(subject, wanted)
	switch kind {
	case "binaryprefix":
		compared = strings.Compare(subject[:min(len(subject), len(wanted))], wanted)
	case "substring":
		compared = map[bool]int{true: 0, false: -1}[strings.Contains(subject, wanted)]
	case "regexstring":
		compared = map[bool]int{true: 0, false: -1}[strings.ContainsAny(subject, "12")]
	}
	return map[string]bool{"<": compared < 0, "<=": compared <= 0, "=": compared == 0, "!=": compared != 0,
		">=": compared >= 0, ">": compared > 0}[operator]
}

// TestNames wants each name to be known to the parser.
func TestNames(t *testing.T) {
	for _, name := range Names() {
		if _, err := Parse([]byte(name + "()")); err != nil && strings.Contains(err.Error(), "not supported") {
			t.Error(err)
		}
	}
}

// FuzzParse reads any bytes: what is a filter prints as one that is equal.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"PrefixFilter('a')",
		"(RowFilter(>=, 'binary:a') AND ValueFilter(=, 'regexstring:^v')) OR SKIP WHILE PageFilter(3)",
		"FuzzyRowFilter('a', '1')", "KeyOnlyFilter()", "((((", "PrefixFilter('it''s')"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse([]byte(parsed.String()))
		if err != nil || again.String() != parsed.String() {
			t.Fatalf("%q prints as %q, which is read as %v, %v", text, parsed, again, err)
		}
		readWith(parsed, Read{Versions: 1},
			[]row{{key: []byte("a"), cells: []Cell{{Family: []byte("f"), Qualifier: []byte("a"), Value: []byte("v"),
				AtMS: 1}}}})
		parsed.Spans(true)
	})
}

// FuzzUnmarshal reads any bytes as a serialized filter.
func FuzzUnmarshal(f *testing.F) {
	prefix := "\n\x2corg.apache.hadoop.hbase.filter.PrefixFilter\x12\x03\n\x01a"
	f.Add([]byte(prefix))
	f.Add([]byte("\n\x33org.apache.hadoop.hbase.filter.MultiRowRangeFilter\x12\x0c\n\n\n\x01a\x10\x01\x1a\x01b\x20\x00"))
	f.Add([]byte("\n\x2forg.apache.hadoop.hbase.filter.RandomRowFilter\x12\x05\r\x00\x00\x00\x3f"))
	f.Add([]byte("\n\x2aorg.apache.hadoop.hbase.filter.FilterList\x12\x37\x08\x01\x12\x33" + prefix))
	f.Fuzz(func(t *testing.T, message []byte) {
		filter, err := Unmarshal(message)
		if err != nil {
			return
		}
		if _, err := Parse([]byte(filter.String())); err != nil {
			t.Fatalf("%q: %v", filter, err)
		}
	})
}
