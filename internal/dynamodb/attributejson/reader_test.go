// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
)

// Every way that a request can be cut off or damaged in one byte is an error or a row, and never a panic.
func TestDamagedBody(t *testing.T) {
	names := ordersTable()
	var r Reader
	var b value.RowBuilder
	for i := range len(putItemBody) {
		if _, err := decodePut(&r, &b, names, []byte(putItemBody[:i]), nil); err == nil {
			t.Errorf("cut off at %d: no error", i)
		}
		for _, c := range []byte("\x00\"\\{}[]:,1n \xff") {
			body := []byte(putItemBody)
			body[i] = c
			row, err := decodePut(&r, &b, names, body, nil)
			if err == nil && row.Validate(names) != nil {
				t.Errorf("%q at %d: an invalid row", c, i)
			}
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	names := ordersTable()
	body := []byte(strings.Replace(putItemBody, "Lange Strasse", `Lange Stra\u00dfe`, 1))
	var r Reader
	var b value.RowBuilder
	row, out := make([]byte, 0, 1024), make([]byte, 0, 1024)
	allocations := testing.AllocsPerRun(100, func() {
		decoded, err := decodePut(&r, &b, names, body, row[:0])
		if err != nil {
			t.Fatal(err)
		}
		out = AppendItem(out[:0], decoded, names)
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
	if !bytes.Contains(out, []byte("Lange Straße")) {
		t.Errorf("%s", out)
	}
}

// Items with very many attributes take no quadratic time: this test would run for hours.
func TestWideItem(t *testing.T) {
	const attributes = 300_000
	body := []byte("{")
	for i := range attributes {
		body = fmt.Appendf(body, `"%x":{"NULL":true},`, (i*7919)%attributes)
	}
	body = append(body, `"0":{"NULL":true}}`...)
	var b value.RowBuilder
	b.Reset(nil)
	err := NewReader(body).Item(&b)
	if err == nil || !strings.Contains(err.Error(), "duplicate name") || b.Len() != attributes {
		t.Errorf("%d attributes, then %v", b.Len(), err)
	}
}

// A Reader's strings and its builder's rows are right for each alignment and length around the scanner's steps of 8
// bytes.
func TestStringLengths(t *testing.T) {
	for length := range 40 {
		for _, insert := range []string{"", "é", `\n`, `\u00e9`, `"`, "\x01"} {
			for at := range length + 1 {
				text := strings.Repeat("x", at) + insert + strings.Repeat("y", length-at)
				s, err := NewReader([]byte(`"` + text + `"`)).String()
				want := strings.NewReplacer(`\n`, "\n", `\u00e9`, "é").Replace(text)
				switch insert {
				case `"`:
					want = text[:at]
				case "\x01":
					if err == nil {
						t.Errorf("%q is accepted", text)
					}
					continue
				}
				if err != nil || string(s) != want {
					t.Errorf("%q: %q, %v", text, s, err)
				}
			}
		}
	}
}

// Values that nest too deep break the rule about that, until they are too deep for any JSON.
func TestDepth(t *testing.T) {
	for _, c := range []struct {
		levels int
		want   string
	}{
		{31, "<nil>"}, {32, textNesting}, {100, textNesting}, {499, textNesting}, {500, "too deep"},
	} {
		for _, open := range []string{`{"L":[`, `{"M":{"a":`} {
			closing := strings.Repeat(map[byte]string{'L': "]}", 'M': "}}"}[open[2]], c.levels)
			body := []byte(`{"a":` + strings.Repeat(open, c.levels) + `{"S":""}` + closing + `}`)
			var b value.RowBuilder
			b.Reset(nil)
			err := NewReader(body).Item(&b)
			want := c.want
			if c.levels == 500 {
				want = fmt.Sprintf("attributejson: nested too deeply at offset %d", depthOffset(body))
			}
			if fmt.Sprint(err) != want {
				t.Errorf("%d times %s: %v, want %s", c.levels, open, err, want)
			}
			if _, isValue := err.(*ValueError); isValue != (want == textNesting) {
				t.Errorf("%d times %s: a %T", c.levels, open, err)
			}
		}
	}
}

// depthOffset is where a body opens more than depthMax brackets.
func depthOffset(body []byte) int {
	open := 0
	for i, c := range body {
		if c == '{' || c == '[' {
			if open++; open > depthMax {
				return i
			}
		}
	}
	return -1
}

func TestNameBytes(t *testing.T) {
	for _, size := range []int{1, 65535, 65536} {
		name := strings.Repeat("x", size)
		for _, item := range []string{`{"` + name + `":{"S":""}}`, `{"a":{"L":[{"M":{"` + name + `":{"S":""}}}]}}`} {
			var b value.RowBuilder
			b.Reset(nil)
			err := NewReader([]byte(item)).Item(&b)
			if size <= 65535 && err != nil || size > 65535 && (err == nil || err.Error() != textLongName) {
				t.Errorf("a name of %d bytes: %v", size, err)
			}
		}
	}
}

// TestTakeItem: after a faulty value the reader goes on behind the item; a fault of the JSON or of a type comes before
// it and ends the reading.
func TestTakeItem(t *testing.T) {
	for _, one := range []struct{ body, fault, err string }{
		{`{"a":{"S":"x"}}`, "", ""},
		{`{"a":{"N":"x"},"b":{"S":"y"}}`, "The parameter cannot be converted to a numeric value: x", ""},
		{`{"a":{"S":"x"},"a":{"S":"y"},"b":{}}`, "attributejson: duplicate name at offset 28", ""},
		{`{"a":{"N":"x"},"b":{"S":5}}`, "The parameter cannot be converted to a numeric value: x",
			"attributejson: NUMBER_VALUE where a String belongs at offset 24"},
		{`{"a":{"N":"x"},"b"}`, "The parameter cannot be converted to a numeric value: x",
			"attributejson: expected a colon at offset 18"},
	} {
		var b value.RowBuilder
		r := NewReader([]byte(one.body + " 7"))
		fault, err := r.TakeItem(&b)
		if text := fmt.Sprintf("%v, %v", fault, err); text != fmt.Sprintf("%v, %v", orNil(one.fault), orNil(one.err)) {
			t.Errorf("%s: %s", one.body, text)
		}
		if err != nil {
			continue
		}
		if n, err := r.Int(); n != 7 || err != nil {
			t.Errorf("%s: then %d, %v", one.body, n, err)
		}
	}
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
