// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestUntypedColumns: a column of CSV whose first values are numbers is one of numbers in all files; codes with zeros
// in front, quoted fields and what is mixed are texts.
func TestUntypedColumns(t *testing.T) {
	db := testdb.Open(t)
	create(t, db, database.TableSpec{Name: "items", Key: database.Columns("id", schema.String)})
	dir := t.TempDir()
	first := "id,n,price,zip,quoted,mixed,product,empty,null\n1,5,2.50,01234,\"7\",8,1e5,,7\n2,,-0.5,99999,\"8\",x,200,,NA\n"
	second := "id,n,zip,new\n3,6,5,1\n4,7,6,2\n"
	var said []string
	o := Options{DB: db, Table: "items", Dir: dir + "/load", Null: "NA", Log: func(s string) { said = append(said, s) },
		Sources: []string{write(t, dir+"/a.csv", false, first), write(t, dir+"/b.csv.gz", true, second)}}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := `{"id":{"S":"1"},"mixed":{"S":"8"},"n":{"N":"5"},"null":{"N":"7"},"price":{"N":"2.5"},"product":{"S":"1e5"},"quoted":{"S":"7"},"zip":{"S":"01234"}}
{"id":{"S":"2"},"mixed":{"S":"x"},"price":{"N":"-0.5"},"product":{"S":"200"},"quoted":{"S":"8"},"zip":{"S":"99999"}}
{"id":{"S":"3"},"n":{"N":"6"},"new":{"N":"1"},"zip":{"S":"5"}}
{"id":{"S":"4"},"n":{"N":"7"},"new":{"N":"2"},"zip":{"S":"6"}}
`
	if got := dump(t, db, "items", ""); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "n, null, price;") ||
		!strings.Contains(all, "are: new;") {
		t.Errorf("said\n%s", all)
	}
}

// TestLaterText: a text in a column that began with numbers is refused with a word on what to do; with the type given
// it is taken.
func TestLaterText(t *testing.T) {
	db := testdb.Open(t)
	create(t, db, database.TableSpec{Name: "items", Key: database.Columns("id", schema.String)})
	var text strings.Builder
	text.WriteString("id,a\n")
	for i := range 60_000 {
		fmt.Fprintf(&text, "%d,%d\n", i, i)
	}
	text.WriteString("last,none\n")
	o := Options{DB: db, Table: "items", Dir: t.TempDir() + "/load",
		Sources: []string{write(t, t.TempDir()+"/a.csv", false, text.String())}}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "a.csv:60002: column a: ") ||
		!strings.Contains(err.Error(), "--types a:string") {
		t.Fatalf("%v", err)
	}
	o.Types = map[string]Type{"a": asText}
	if result, err := Run(t.Context(), o); err != nil || result.Rows != 60_001 {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestWrongFormatFirst: a command with a wrong format, after which nothing is kept, does not keep the right one from
// being given.
func TestWrongFormatFirst(t *testing.T) {
	db := testdb.Open(t)
	create(t, db, database.TableSpec{Name: "items", Key: database.Columns("id", schema.String)})
	o := Options{DB: db, Table: "items", Dir: t.TempDir() + "/load",
		Sources: []string{write(t, t.TempDir()+"/a.txt", false, "id,a\n1,2\n")}, Format: JSONL}
	if _, err := Run(t.Context(), o); err == nil {
		t.Fatal("CSV was read as JSON")
	}
	o.Format = CSV
	if result, err := Run(t.Context(), o); err != nil || result.Rows != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestTypedLines: lines of DynamoDB's JSON are known by their first one, wrapped or not.
func TestTypedLines(t *testing.T) {
	for text, want := range map[string]value.Kind{
		`{"id":{"S":"x"},"a":{"SS":["p"]}}`: value.StringSet, `{"Item":{"id":{"S":"x"},"a":{"SS":["p"]}}}`: value.StringSet,
		`{"id":"x","a":{"SS":["p"]}}`: value.Map,
	} {
		db := testdb.Open(t)
		create(t, db, database.TableSpec{Name: "items", Key: database.Columns("id", schema.String)})
		if _, err := Run(t.Context(), Options{DB: db, Table: "items", Dir: t.TempDir() + "/load",
			Sources: []string{write(t, t.TempDir()+"/a.jsonl", false, text+"\n")}}); err != nil {
			t.Fatal(err)
		}
		table, err := db.Table("items")
		if err != nil {
			t.Fatal(err)
		}
		item, ok, err := testdoc.Get(t.Context(), table, map[string]any{"id": "x"})
		if got := item.Attribute("a").Kind(); !ok || err != nil || got != want {
			t.Errorf("%s: %v, %v, %v", text, got, ok, err)
		}
	}
}
