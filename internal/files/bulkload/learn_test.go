// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestLearns: the codes of a Z-order index are learned from all of the sources before the rows are sorted by them, so
// that a server has nothing to rebuild.
func TestLearns(t *testing.T) {
	var table strings.Builder
	table.WriteString("id,a,b,c\n")
	const rows = 6000
	for i := range rows { // sorted by a: its first lines tell nothing of the rest
		fmt.Fprintf(&table, "%d,%g,%d,%d\n", i, math.Pow(10, float64(i)/1000), i*7919%rows, i)
	}
	dir := t.TempDir()
	for _, name := range []string{"rows.csv", "rows.csv.gz"} {
		db := testdb.OpenPebble(t)
		create(t, db, database.TableSpec{Name: "t", Key: database.Columns("id", schema.String),
			Indexes: []database.IndexSpec{
				{Name: "z", Key: []schema.KeyPart{part(t, "zorder(a f64, b f64)", schema.Binary)}},
				{Name: "raw", Key: []schema.KeyPart{part(t, "zorder(a f64 codec=raw, b f64 codec=raw)",
					schema.Binary)}},
			}})
		path := write(t, filepath.Join(dir, name), strings.HasSuffix(name, ".gz"), table.String())
		o := Options{DB: db, Table: "t", Dir: t.TempDir() + "/load", Sources: []string{path},
			Types: map[string]Type{"a": mustType(t, "number"), "b": mustType(t, "number")}}
		if result := mustRun(t, o); result.Rows != rows || result.Entries != 2*rows {
			t.Errorf("%+v", result)
		}
		sound(t, db, "t")
		table, err := db.Table("t")
		if err != nil {
			t.Fatal(err)
		}
		pin, err := table.Pin()
		if err != nil {
			t.Fatal(err)
		}
		attributes, err := pin.CurveOf(t.Context(), "z")
		if err != nil || len(attributes) != 2 {
			t.Fatal(attributes, err)
		}
		for _, a := range attributes {
			if a.Codec != "quantile" || a.Skew.Ratio > 2 {
				t.Errorf("%s: %+v", name, a)
			}
		}
		pin.Release()
		if begun, err := db.Rebuild(t.Context()); begun != 0 || err != nil {
			t.Errorf("%d rebuilds begun, %v", begun, err)
		}
	}
}

func mustType(t *testing.T, word string) Type {
	t.Helper()
	typ, err := TypeOf(word)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}
