// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestStream loads into a table whose changes are kept: rows are put, and each is a change.
func TestStream(t *testing.T) {
	images := schema.NewImage
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		spec := database.TableSpec{Name: "t", Key: database.Columns("id", schema.String), Stream: &images}
		if _, err := db.CreateTable(t.Context(), spec); err != nil {
			t.Skip(err) // an engine that keeps none
		}
		file := write(t, filepath.Join(t.TempDir(), "rows.csv"), false, "id,a\nx,one\ny,two\n")
		result := mustRun(t, Options{DB: db, Table: "t", Dir: t.TempDir() + "/load", Sources: []string{file}})
		if report := sound(t, db, "t"); result.Ingested || result.Rows != 2 || report.Rows != 2 {
			t.Errorf("%+v, %+v", result, report)
		}
	})
}

// TestCells loads into a table that keeps times of its cells, and into one about whose rows a dialect has rules: with
// its check, without one, and a row that the check refuses.
func TestCells(t *testing.T) {
	db := testdb.Open(t)
	for _, name := range []string{"plain", "ruled"} {
		spec := database.TableSpec{Name: name, Key: database.Columns("id", schema.String),
			Cells: &cell.Rules{LifeMS: 1_000_000}}
		if name == "ruled" {
			spec.Rules = schema.Rules{Dialect: "test", Puts: true, Deletes: true}
		}
		create(t, db, spec)
	}
	refusal := errors.New("no value may be bad")
	judges := map[string]func(*schema.Table) (Judge, error){"test": func(*schema.Table) (Judge, error) {
		return func(names value.Names, row value.Row) error {
			if v, ok := row.Get(names, []byte("a")); ok && string(v.Bytes()) == "bad" {
				return refusal
			}
			return nil
		}, nil
	}}
	for _, c := range []struct {
		table, text string
		judges      map[string]func(*schema.Table) (Judge, error)
		rows        int64
		wrong       string
	}{
		{"plain", "id,a\nx,one\ny,two\n", nil, 2, ""},
		{"ruled", "id,a\nx,one\n", nil, 0, "test has rules"},
		{"ruled", "id,a\nx,one\ny,two\n", judges, 2, ""},
		{"ruled", "id,a\nz,bad\n", judges, 0, refusal.Error()},
	} {
		file := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		result, err := Run(t.Context(), Options{DB: db, Database: database.DefaultDatabase, Table: c.table,
			Sources: []string{file}, Dir: filepath.Join(t.TempDir(), "work"), Judges: c.judges})
		switch {
		case c.wrong == "" && (err != nil || result.Rows != c.rows):
			t.Errorf("%s: %d rows, %v", c.table, result.Rows, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s: %v, not %q", c.table, err, c.wrong)
		}
	}
	for _, name := range []string{"plain", "ruled"} {
		table, err := db.Table(name)
		if err != nil {
			t.Fatal(err)
		}
		report, err := table.Verify(t.Context())
		if err != nil || len(report.Faults) > 0 || report.Rows != 2 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
}
