// SPDX-License-Identifier: Apache-2.0

package attributeion_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributeion"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// TestRecords runs testdata/records: `read` cuts records out of a text and shows each as DynamoDB's JSON, or what is
// wrong with it; `write` shows an item in DynamoDB's JSON as Ion.
func TestRecords(t *testing.T) {
	datadriven.RunTest(t, "testdata/records", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "read":
			return readAll(strings.ReplaceAll(d.Input, "<NL>", "\n"))
		case "write":
			var b value.RowBuilder
			b.Reset(nil)
			if err := attributejson.NewReader([]byte(d.Input)).Item(&b); err != nil {
				return err.Error()
			}
			return string(attributeion.AppendItem(nil, b.AppendTo(nil), nil))
		}
		return "?"
	})
}

// TestFields: the values of fields are texts as they stand in the record, whatever they hold.
func TestFields(t *testing.T) {
	for text, want := range map[string]string{
		"{}": "", " $x::{a:1.}": "a=1.|",
		`{Item:{a:"}",b:[1.,{c:'}'}]}, 'b c' : "" , d:{{ AA== }} /* } */ ,}`: `Item={a:"}",b:[1.,{c:'}'}]}|b c= "" |d={{ AA== }} /* } */ |`,
		"{a:1.": "byte 6: a struct does not end", "{a:'": "byte 4: a struct does not end",
		"{a:1.}2": "byte 7: unexpected text after the struct",
	} {
		got := ""
		err := new(attributeion.Reader).Fields([]byte(text), func(name, value []byte) error {
			got += string(name) + "=" + string(value) + "|"
			return nil
		})
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}

func readAll(text string) (shown string) {
	var reader attributeion.Reader
	for rest := []byte(text); ; {
		record, after, ok := attributeion.CutRecord(rest)
		if !ok {
			if len(bytes.TrimSpace(after)) > 0 {
				shown += fmt.Sprintf("unfinished: %s\n", after)
			}
			return shown
		}
		row, err := read(&reader, record)
		if err != nil {
			shown += "error: " + err.Error() + "\n"
		} else {
			shown += string(attributejson.AppendItem(nil, row, nil)) + "\n"
		}
		rest = after
	}
}

func read(r *attributeion.Reader, record []byte) (value.Row, error) {
	var b value.RowBuilder
	b.Reset(nil)
	if err := r.Item(record, &b); err != nil {
		return nil, err
	}
	return b.AppendTo(nil), nil
}

// FuzzItem: no text makes the reader panic, and what it takes is written and read back as the same item.
func FuzzItem(f *testing.F) {
	for _, seed := range []string{
		`$ion_1_0 {Item:{Authors:$dynamodb_SS::["a","b"],Id:103.,Price:2d3,x:null,y:{{AP8=}},z:[1,{a:'''b'''}],'a b':"\u00e9\n"}}`,
		`{a:$dynamodb_NS::[1.,2.],b:$dynamodb_BS::[{{AA==}}],/*c*/d:true,}`, `{a:x::y::1e-5}`, `{'''a''' '''b''':1}`,
		"{\"a\":\"\\ud83d\\ude00\"}//", `{a:{{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if record, rest, ok := attributeion.CutRecord(text); ok && len(record)+len(rest) > len(text) {
			t.Fatalf("%q: cut to %q and %q", text, record, rest)
		}
		row, err := read(new(attributeion.Reader), text)
		if err != nil {
			return
		}
		if err := new(attributeion.Reader).Fields(text, func(_, _ []byte) error { return nil }); err != nil {
			t.Fatalf("%q is read, but has no fields: %v", text, err)
		}
		if err := row.Validate(nil); err != nil {
			t.Fatalf("%q: a row that is none: %v", text, err)
		}
		written := append(attributeion.AppendItem([]byte(attributeion.Version+" {Item:"), row, nil), "}\n"...)
		record, rest, ok := attributeion.CutRecord(written)
		if !ok || len(rest) != 1 {
			t.Fatalf("%q: cut to %q and %q", written, record, rest)
		}
		again, err := read(new(attributeion.Reader), record)
		if err != nil || !bytes.Equal(again, row) {
			t.Fatalf("%q is written as %q and read as %v, %v", text, written, again, err)
		}
	})
}
