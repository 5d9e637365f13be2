// SPDX-License-Identifier: Apache-2.0

package weftsql_test

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// TestClosedInUse: the database of a data source is closed while rows are read, and while a transaction is open: both
// end with a word of it.
func TestClosedInUse(t *testing.T) {
	for _, source := range []string{"mem:", "file:" + filepath.Join(t.TempDir(), "data")} {
		db, err := sql.Open("weft", source)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, db, 1000)
		rows, err := db.Query("SELECT * FROM numbers")
		if err != nil || !rows.Next() {
			t.Fatal(err, rows.Err())
		}
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec("DELETE FROM numbers WHERE id = 3"); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("%s: %v", source, err)
		}
		for rows.Next() {
		}
		if err := tx.Commit(); number(err) != 1053 || number(rows.Err()) != 1053 {
			t.Errorf("%s: rows: %v; commit: %v", source, rows.Err(), err)
		}
		if err := rows.Close(); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}
