// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// FuzzStatements runs any text of statements about tables: none brings the program down, and what SHOW CREATE TABLE
// prints of the tables that came of them is read again. Its seeds are the statements of the other tests.
func FuzzStatements(f *testing.F) {
	files, err := filepath.Glob("testdata/statements/*")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for block := range strings.SplitSeq(string(text), "\n\n") {
			if _, statements, ok := strings.Cut(block, "sql\n"); ok {
				statements, _, _ = strings.Cut(statements, "\n----")
				f.Add(statements)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			t.Skip("long texts show nothing that short ones don't")
		}
		db := testdb.Open(t)
		s := &Statements{DB: db}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		define(ctx, t, s, nil, "CREATE TABLE t (k BIGINT, s VARCHAR, v INT, w DOUBLE, PRIMARY KEY (k, s), KEY i (v)) WITH (DYNAMIC_COLUMNS='true')")
		for rest := []byte(text); len(rest) > 0; {
			var one []byte
			one, rest, _ = parse.Dialect{}.Split(rest)
			if statement, err := parse.Parse(one); err == nil {
				_, _ = s.Run(ctx, statement, Session{Database: database.DefaultDatabase}, &recorder{})
			}
		}
		for _, name := range db.Tables(database.DefaultDatabase, "", 10) {
			shown := definition.Statement(tableOfName(t, db, name), 1)
			if _, err := parse.Parse([]byte(shown)); err != nil {
				t.Errorf("%q makes a table whose statement is not read: %v\n%s", text, err, shown)
			}
		}
	})
}
