// SPDX-License-Identifier: Apache-2.0

package hbase_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestStatements: calls on rows are added up by their tables, families and filters; nothing of rows, qualifiers, values
// and arguments is in their texts.
func TestStatements(t *testing.T) {
	api, ctx, digests := &hbase.API{DB: testdb.Open(t)}, t.Context(), digest.New()
	name := hbase.TableName{Namespace: "default", Name: "t"}
	if err := api.CreateTable(ctx, &hbase.Table{TableName: name,
		Families: []hbase.Family{{Name: "f", Versions: 1}, {Name: "g", Versions: 1}}}, nil); err != nil {
		t.Fatal(err)
	}
	api.Statements = digests
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	column := func(family, qualifier string) hbase.Column {
		return hbase.Column{Family: []byte(family), Qualifier: []byte(qualifier)}
	}
	put := func(row string) *hbase.Put {
		return &hbase.Put{Row: []byte(row),
			Cells: []hbase.CellWrite{{Column: column("f", "secret"), Value: []byte("12345678")}}}
	}
	must(api.Put(ctx, name, []*hbase.Put{put("a"), put("b")}))
	must(api.Put(ctx, name, []*hbase.Put{put("c")}))
	must(api.Delete(ctx, name, []*hbase.Delete{{Row: []byte("c")}}))
	_, err := api.Increment(ctx, name, &hbase.Increment{Row: []byte("a"),
		Amounts: []hbase.Amount{{Column: column("f", "secret"), By: 1}}})
	must(err)
	for range 2 { // the first one changes what it compares
		_, err = api.CheckAndMutate(ctx, name, []byte("b"),
			&hbase.Condition{Column: column("f", "secret"), Operator: hbase.Equal, Value: []byte("12345678")},
			[]hbase.Mutation{{Put: &hbase.Put{Row: []byte("b"),
				Cells: []hbase.CellWrite{{Column: column("f", "secret"), Value: []byte("x")}}}}})
		must(err)
	}
	of := hbase.Selection{Columns: []hbase.Column{column("f", "secret"), column("f", "other"), column("g", "secret")}}
	_, err = api.Get(ctx, name, &hbase.Get{Row: []byte("a"), Selection: of})
	must(err)
	_, err = api.GetMultiple(ctx, name, []*hbase.Get{{Row: []byte("a")}, {Row: []byte("none")}})
	must(err)
	if _, err := api.Get(ctx, name, &hbase.Get{Row: []byte("a"),
		Selection: hbase.Selection{Columns: []hbase.Column{column("no family", "")}}}); err == nil {
		t.Error("there is a family that there is not")
	}
	f, err := filter.Parse([]byte("PrefixFilter('secret') OR (PageFilter(7) AND SKIP ValueFilter(=, 'binary:secret'))"))
	must(err)
	for _, scan := range []*hbase.Scan{{}, {Selection: hbase.Selection{Filter: f}}} {
		scanner, err := api.OpenScanner(ctx, name, scan)
		must(err)
		_, err = scanner.Next(ctx, 10)
		must(err)
	}
	// What was deleted is read until its mark has expired.
	want := `CheckAndMutate t: 2 times, 0 failed, 2 read, 0 returned, 1 written
Delete t: 1 times, 0 failed, 1 read, 0 returned, 1 written
Get t f g: 1 times, 0 failed, 1 read, 1 returned, 0 written
Get t: 2 times, 1 failed, 2 read, 1 returned, 0 written
Increment t: 1 times, 0 failed, 1 read, 0 returned, 1 written
Put t: 2 times, 0 failed, 3 read, 0 returned, 3 written
Scan t FILTER PrefixFilter(?) OR (PageFilter(?) AND SKIP ValueFilter(?)): 1 times, 0 failed, 3 read, 0 returned, 0 written
Scan t: 1 times, 0 failed, 3 read, 2 returned, 0 written`
	var lines []string
	for _, d := range digests.Digests() {
		if d.API != digest.HBase || d.Database != "default" {
			t.Errorf("%s is counted for %s of %s", d.Text, d.API, d.Database)
		}
		lines = append(lines, fmt.Sprintf("%s: %d times, %d failed, %d read, %d returned, %d written", d.Text, d.Count,
			d.Failed, d.Examined, d.Returned, d.Written))
	}
	if slices.Sort(lines); strings.Join(lines, "\n") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(lines, "\n"), want)
	}
}

// TestSlowCalls: a call that took too long is kept with its rows, bytes that can't be printed as HBase's shell writes
// them, and its filter can be read again.
func TestSlowCalls(t *testing.T) {
	slowFrom := time.Hour
	api, digests := &hbase.API{DB: testdb.Open(t), Slow: func() time.Duration { return slowFrom }}, digest.New()
	ctx := permission.NewContext(t.Context(),
		&permission.Principal{User: "ada", Address: netip.MustParseAddr("192.0.2.1")})
	name := hbase.TableName{Namespace: "default", Name: "t"}
	if err := api.CreateTable(ctx, &hbase.Table{TableName: name, Families: []hbase.Family{{Name: "f", Versions: 1}}},
		nil); err != nil {
		t.Fatal(err)
	}
	api.Statements = digests
	get := func(row string) {
		t.Helper()
		if _, err := api.Get(ctx, name, &hbase.Get{Row: []byte(row)}); err != nil {
			t.Fatal(err)
		}
	}
	get("quick")
	slowFrom = 0
	get("a\x00\\é")
	cells := []hbase.CellWrite{{Column: hbase.Column{Family: []byte("f"), Qualifier: []byte("q")},
		Value: []byte("hidden")}}
	if err := api.Put(ctx, name, []*hbase.Put{{Row: []byte("b"), Cells: cells},
		{Row: []byte("c"), Cells: cells}}); err != nil {
		t.Fatal(err)
	}
	f, err := filter.Parse([]byte("PrefixFilter('it''s')"))
	if err != nil {
		t.Fatal(err)
	}
	scanner, err := api.OpenScanner(ctx, name,
		&hbase.Scan{Start: []byte{0xff}, Stop: []byte("z"), Reversed: true, Selection: hbase.Selection{
			Columns: []hbase.Column{{Family: []byte("f"), Whole: true},
				{Family: []byte("f"), Qualifier: []byte("q:r")}},
			Filter: f, Versions: 2}})
	if err == nil {
		_, err = scanner.Next(ctx, 10)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`Scan {"table":"t","start":"\\xFF","stop":"z","reversed":true,"columns":["f","f:q:r"],"filter":"PrefixFilter('it''s')","versions":2}`,
		`Put {"table":"t","row":"b","rowsMore":1}`,
		`Get {"table":"t","row":"a\\x00\\x5C\\xC3\\xA9"}`,
	}
	var found []string
	for _, s := range digests.Slow() {
		if s.API != digest.HBase || s.User != "ada" || s.Host != "192.0.2.1" || s.Took <= 0 {
			t.Errorf("%+v", s)
		}
		found = append(found, s.Text)
	}
	if !slices.Equal(found, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}
