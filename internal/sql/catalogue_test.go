// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestCatalogue: `*` has each dynamic column from the statement on that follows its first row, whichever protocol wrote
// it; a table that has seen more names than are kept says so.
func TestCatalogue(t *testing.T) {
	db := testdb.Open(t)
	h := newHarness(t, db)
	ask := func(text string) string {
		out := &printer{}
		out.failed(h.session("main").Query(t.Context(), []byte(text), out))
		return out.String()
	}
	if answer := ask("CREATE TABLE t (k INT PRIMARY KEY, v INT) WITH (DYNAMIC_COLUMNS='true')"); strings.Contains(
		answer, "error") {
		t.Fatal(answer)
	}
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"k | v", "k | v | c0", "k | v | c0 | c1"} {
		if answer := ask("SELECT * FROM t"); !strings.HasPrefix(answer, want+"\n") {
			t.Errorf("after %d rows: %s", i, answer)
		}
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": i, fmt.Sprintf("c%d", i): "x"}); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < database.AttributeNamesMax+10; i += 500 {
		item := testdoc.Document{"k": 1000 + i}
		for j := range 500 {
			item[fmt.Sprintf("many%05d", i+j)] = true
		}
		if err := testdoc.Put(t.Context(), table, item); err != nil {
			t.Fatal(err)
		}
	}
	ask("SELECT * FROM t")
	if answer := ask("SHOW WARNINGS"); !strings.Contains(answer,
		fmt.Sprintf("first %d column names", database.AttributeNamesMax)) {
		t.Errorf("no warning: %s", answer)
	}
	last := fmt.Sprintf("many%05d", (database.AttributeNamesMax+10)/500*500+499)
	if answer := ask("SELECT COUNT(*) FROM t WHERE k >= 0 AND " + last + " IS NOT NULL"); !strings.Contains(answer,
		"\n1\n") {
		t.Errorf("a column beyond: %s", answer)
	}
}

// TestAttributeCount: the number of names is that of the list, with and without names of the database's own.
func TestAttributeCount(t *testing.T) {
	db := testdb.Open(t)
	for name, rules := range map[string]*cell.Rules{"plain": nil, "timed": {LifeMS: 1000}} {
		table, err := db.CreateTable(t.Context(),
			database.TableSpec{Name: name, Key: database.Columns("k", schema.String), Cells: rules})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": "x", fmt.Sprintf("a%d", i): 1}); err != nil {
				t.Fatal(err)
			}
			p, err := table.Pin()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := p.AttributeCount(), len(p.AttributeNames()); got != want || want != i+2 && want != i+1 {
				t.Errorf("%s: %d names are counted as %d", name, want, got)
			}
			if allocated := testing.AllocsPerRun(10, func() { p.AttributeCount() }); allocated > 0 {
				t.Errorf("%s: counting allocates %v times", name, allocated)
			}
			p.Release()
		}
	}
}
