// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"regexp"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// gathered is a Sink that keeps the text of all rows.
type gathered struct{ strings.Builder }

func (*gathered) Columns([]result.Column) error { return nil }
func (*gathered) Done(result.Done) error        { return nil }
func (g *gathered) Row(row []datum.Datum) error {
	for i := range row {
		g.Write(row[i].AppendText(nil))
		g.WriteByte('\n')
	}
	return nil
}

// TestExplainAnalyze checks that the parts of a join say what they did when it was run.
func TestExplainAnalyze(t *testing.T) {
	session, err := New(Options{DB: testdb.Open(t)}).Open(t.Context(),
		result.Login{User: "ann", Host: "localhost", Database: database.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	out := &gathered{}
	for _, text := range []string{
		"CREATE TABLE c (id BIGINT, name VARCHAR, PRIMARY KEY(id))",
		"CREATE TABLE o (id BIGINT, c BIGINT, PRIMARY KEY(id), KEY by_c(c))",
		"INSERT INTO c VALUES (1, 'a'), (2, 'b')", "INSERT INTO o VALUES (1, 1), (2, 1), (3, 2)",
		"EXPLAIN ANALYZE FORMAT=TREE SELECT name, o.id FROM c JOIN o ON o.c = c.id",
	} {
		out.Reset()
		if err := session.Query(t.Context(), []byte(text), out); err != nil {
			t.Fatal(text, err)
		}
	}
	for _, wanted := range []string{`join.*\(actual rows=3 loops=1\)`, ` on o .*\(actual rows=3 loops=1\)`,
		`examined: \d+ entries`, `-> Total: 3 rows sent, \d+ entries examined`} {
		if !regexp.MustCompile(wanted).MatchString(out.String()) {
			t.Errorf("%s is not in\n%s", wanted, out)
		}
	}
}
