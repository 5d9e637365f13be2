// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// recorder is a sink that keeps an answer as text.
type recorder struct{ text strings.Builder }

func (r *recorder) Columns(columns []result.Column) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	fmt.Fprintln(&r.text, strings.Join(names, " | "))
	return nil
}

func (r *recorder) Row(row []datum.Datum) error {
	values := make([]string, len(row))
	for i, d := range row {
		values[i] = "NULL"
		if !d.IsNull() {
			values[i] = string(d.AppendText(nil))
		}
	}
	fmt.Fprintln(&r.text, strings.Join(values, " | "))
	return nil
}

func (r *recorder) Done(done result.Done) error {
	fmt.Fprintln(&r.text, "ok")
	return nil
}

// TestStatements runs each file of testdata/statements on a database of its own: `sql` runs statements, a line each or
// ended by semicolons, and shows their answers; `put` puts items into a table over the embedded API; `make` makes a
// table as DynamoDB's protocol would.
func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata/statements", func(t *testing.T, path string) {
		db := testdb.OpenWith(t, database.Options{Now: func() time.Time { return time.UnixMilli(1_700_000_000_000) }})
		s := &Statements{DB: db, ViewColumns: func(context.Context, Session, tree.Name) ([]result.Column, error) {
			return []result.Column{{Name: "n", Type: datum.Type{Base: datum.BigInt}}}, nil
		}}
		session := Session{Database: "default", User: "ann"}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "sql":
				return run(t, s, session, d.Input)
			case "use":
				session.Database = strings.TrimSpace(d.Input)
				return ""
			case "view": // as package sql keeps one
				query := strings.TrimSpace(d.Input)
				view := database.StoredView{Database: database.DefaultDatabase, Name: d.CmdArgs[0].Key, Query: query,
					Statement: "CREATE VIEW " + d.CmdArgs[0].Key + " AS " + query}
				if err := db.StoredViews().Put(t.Context(), view); err != nil {
					return err.Error()
				}
				return ""
			case "virtual":
				return readVirtual(t, s, session, d)
			case "long":
				return longNames(t, s, session)
			case "put":
				return put(t, db, d)
			case "make":
				return makeTable(t, db, d)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

// readVirtual reads a virtual table: its database and name, and what is wanted of it.
func readVirtual(t *testing.T, s *Statements, session Session, d *datadriven.TestData) string {
	t.Helper()
	v, err := FindVirtual(d.CmdArgs[0].Key, d.CmdArgs[1].Key)
	if err != nil {
		return err.Error()
	}
	var about About
	d.MaybeScanArgs(t, "schema", &about.Schema)
	d.MaybeScanArgs(t, "table", &about.Table)
	var out recorder
	session.Variables = func(global bool, visit func(name, shown string) error) error {
		return visit("global", fmt.Sprint(global))
	}
	_ = out.Columns(v.Columns)
	err = s.Read(t.Context(), v, session, about, func(row []datum.Datum) error {
		if len(row) != len(v.Columns) {
			t.Errorf("%s.%s: %d values for %d columns", v.Database, v.Name, len(row), len(v.Columns))
		}
		return out.Row(row)
	})
	if err != nil {
		return err.Error()
	}
	return out.text.String()
}

// TestVirtualTables reads all virtual tables whole: their rows have all columns.
func TestVirtualTables(t *testing.T) {
	s := &Statements{DB: testdb.Open(t), Processes: func() []result.Process { return []result.Process{{ID: 1}} }}
	run(t, s, Session{Database: "default"},
		"CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(20), d DECIMAL(10,2), KEY i (v))")
	for _, v := range virtualTables() {
		err := s.Read(t.Context(), v, Session{}, About{}, func(row []datum.Datum) error {
			if len(row) != len(v.Columns) {
				t.Errorf("%s.%s: %d values for %d columns", v.Database, v.Name, len(row), len(v.Columns))
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s.%s: %v", v.Database, v.Name, err)
		}
	}
}

func run(t *testing.T, s *Statements, session Session, text string) string {
	t.Helper()
	var answers recorder
	session.Warn = func(code fault.Code, message string) { fmt.Fprintf(&answers.text, "note %d: %s\n", code, message) }
	for rest := []byte(text); len(rest) > 0; {
		var one []byte
		one, rest, _ = parse.Dialect{}.Split(rest)
		if len(strings.TrimSpace(string(one))) == 0 {
			continue
		}
		statement, err := parse.Parse(bytes.TrimSpace(one))
		if f, ok := fault.Of(err); ok {
			fmt.Fprintf(&answers.text, "error %d of the parser\n", f.Code) // whose texts are its own
			continue
		}
		handled, err := s.Run(t.Context(), statement, session, &answers)
		switch known, ok := fault.Of(err); {
		case ok:
			fmt.Fprintf(&answers.text, "error %d (%s): %s\n", known.Code, known.State, known.Message)
		case err != nil:
			fmt.Fprintf(&answers.text, "%T: %v\n", err, err)
		case !handled:
			fmt.Fprintf(&answers.text, "%T is not handled here\n", statement)
		}
	}
	settle(t, s.DB)
	return answers.text.String()
}

// longNames makes tables with names at the limit and beyond it.
func longNames(t *testing.T, s *Statements, session Session) string {
	var answers strings.Builder
	for _, bytes := range []int{255, 256} {
		name := strings.Repeat("n", bytes)
		for _, text := range []string{"CREATE TABLE " + name + " (k INT PRIMARY KEY, v INT)",
			"CREATE TABLE c" + fmt.Sprint(bytes) + " (k INT PRIMARY KEY, " + name + " INT)",
			"CREATE TABLE i" + fmt.Sprint(bytes) + " (k INT PRIMARY KEY, v INT, KEY " + name + " (v))"} {
			answers.WriteString(strings.ReplaceAll(run(t, s, session, text), name, "n*"+fmt.Sprint(bytes)))
		}
		run(t, s, session, "DROP TABLE IF EXISTS "+name)
	}
	return answers.String()
}

// settle waits until no job is left but those that stand still.
func settle(t *testing.T, db *database.DB) {
	t.Helper()
	for {
		working := false
		for _, job := range db.Jobs().List() {
			working = working || !job.Misfit
		}
		if !working {
			return
		}
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
}

// put writes lines of `name=text` pairs, numbers where they read so and stand in no quotes.
func put(t *testing.T, db *database.DB, d *datadriven.TestData) string {
	t.Helper()
	var name string
	d.ScanArgs(t, "table", &name)
	dbName := database.DefaultDatabase
	d.MaybeScanArgs(t, "in", &dbName)
	table, err := db.TableIn(dbName, name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(d.Input) {
		item := testdoc.Document{}
		for pair := range strings.FieldsSeq(line) {
			key, value, _ := strings.Cut(pair, "=")
			item[key] = strings.Trim(value, "'")
			if number, err := strconv.ParseInt(value, 10, 64); err == nil {
				item[key] = number
			}
		}
		if err := testdoc.Put(t.Context(), table, item); err != nil {
			return err.Error()
		}
	}
	return ""
}

func makeTable(t *testing.T, db *database.DB, d *datadriven.TestData) string {
	t.Helper()
	spec := database.TableSpec{Name: strings.TrimSpace(d.Input),
		Key: database.Columns("id", schema.String, "desc(at)", schema.Number)}
	boxes, err := database.Part("zorder(size number, at number)", schema.Binary)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := database.Part("hash32(status)", schema.Binary)
	if err != nil {
		t.Fatal(err)
	}
	joined, err := database.Part("concat(status,'#',id)", schema.String)
	if err != nil {
		t.Fatal(err)
	}
	spec.Indexes = []database.IndexSpec{
		{Name: "by-status", Key: database.Columns("status", schema.String)},
		{Name: "spread", Key: append([]schema.KeyPart{hash}, database.Columns("status", schema.String)...),
			Projection: schema.ProjectInclude, Include: []string{"note"}},
		{Name: "joined", Key: []schema.KeyPart{joined}, Projection: schema.ProjectKeys},
		{Name: "boxes", Key: []schema.KeyPart{boxes}},
	}
	if _, err := db.CreateTable(t.Context(), spec); err != nil {
		return err.Error()
	}
	return ""
}

func TestOtherStatementsAreLeftAlone(t *testing.T) {
	s := &Statements{DB: testdb.Open(t)}
	for _, statement := range []tree.Statement{&tree.Select{}, &tree.Show{What: "variables"}} {
		if handled, err := s.Run(t.Context(), statement, Session{}, &recorder{}); handled || err != nil {
			t.Errorf("%T is handled: %t %v", statement, handled, err)
		}
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		want          bool
	}{
		{"orders", "ord%", true}, {"orders", "%s", true}, {"orders", "_rders", true}, {"orders", "order_", true},
		{"orders", "order", false},
		{"a_b", `a\_b`, true}, {"axb", `a\_b`, false}, {"", "%", true}, {"", "_", false}, {"Orders", "oRDERS", true},
		{"日本", "_本", true}, {"日本", "__", true},
		{"abcabd", "%abd", true}, {"abcabd", "a%c%d", true}, {"abc", "", false}, {"50%", `50\%`, true},
		{"501", `50\%`, false},
	} {
		if got := isLike(c.name, c.pattern); got != c.want {
			t.Errorf("%q LIKE %q is %t", c.name, c.pattern, got)
		}
	}
}
