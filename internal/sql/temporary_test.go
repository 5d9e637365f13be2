// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/kv/mem"
)

// TestTemporaryTables: sessions don't see one another's temporary tables, which share no plans, and nothing is left of
// them when the session ends, or when a server starts after one that ended without notice.
func TestTemporaryTables(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	start := func() *database.DB {
		db, err := database.Open(t.Context(), store, database.Options{Admin: store})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := start()
	engine := sql.New(sql.Options{DB: db})
	open := func(texts ...string) *sql.Session {
		s, err := engine.Open(t.Context(), result.Login{})
		if err != nil {
			t.Fatal(err)
		}
		must(t, s, texts...)
		return s
	}
	one := open("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 0)",
		"CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 1)")
	two := open("CREATE TEMPORARY TABLE t (v INT, id INT PRIMARY KEY)", "INSERT INTO t VALUES (2, 1)")
	three := open()
	prepared, err := three.Prepare(t.Context(), []byte("SELECT v FROM t WHERE id = 1"))
	if err != nil {
		t.Fatal(err)
	}
	must(t, three, "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 3)")
	p := &printer{}
	if err := prepared.Execute(t.Context(), nil, p); err != nil || !strings.Contains(p.String(), "3") {
		t.Errorf("prepared before the table was made: %q, %v", p.String(), err)
	}
	for s, want := range map[*sql.Session]string{one: "1", two: "2", three: "3", open(): "0"} {
		if got := must(t, s, "SELECT v FROM t WHERE id = 1"); !strings.Contains(got, want) {
			t.Errorf("%q, not %s", got, want)
		}
	}
	of, err := db.CreateTemporary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(t.Context(),
		database.TableSpec{Database: of, Name: "lost", Key: database.Columns("id", schema.Int)}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"SELECT * FROM `" + of + "`.lost", "DROP TABLE `" + of + "`.lost", "USE `" + of + "`",
		"SHOW TABLES FROM `" + of + "`"} {
		if err := three.Query(t.Context(), []byte(text), &printer{}); err == nil {
			t.Errorf("%s: no error, though it is not the session's own", text)
		}
	}
	one.Close()
	if err := two.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := must(t, two, "SELECT v FROM t WHERE id = 1"); !strings.Contains(got, "0") {
		t.Errorf("after a reset: %q", got)
	}
	three.Close()
	if _, err := db.TableIn(of, "lost"); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = start()
	defer db.Close()
	sql.New(sql.Options{DB: db})
	if _, err := db.TableIn(of, "lost"); database.KindOf(err) != database.KindNotFound {
		t.Errorf("a table that was lost is there after a start: %v", err)
	}
}
