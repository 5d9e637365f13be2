// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestRoundTrip makes tables of random definitions: what SHOW CREATE TABLE prints makes an equal table, and so does
// CREATE TABLE .. LIKE.
func TestRoundTrip(t *testing.T) {
	seed := rounds.Seed(t)
	random := &definitions{Rand: rand.New(rand.NewPCG(seed, 1))}
	db := testdb.Open(t)
	s := &Statements{DB: db}
	session := Session{Database: database.DefaultDatabase}
	for i := range 500 {
		text := random.statement("a")
		if answer := run(t, s, session, text); answer != "ok\n" {
			t.Fatalf("%d: %s\n%s", i, text, answer)
		}
		shown := tableOfName(t, db, "a")
		again := definition.Statement(shown, 1)
		for _, other := range []string{strings.Replace(again, "`a`", "`b`", 1), "CREATE TABLE c LIKE a"} {
			if answer := run(t, s, session, other); answer != "ok\n" {
				t.Fatalf("%d: %s\n%s\n%s", i, text, other, answer)
			}
		}
		for _, name := range []string{"b", "c"} {
			got, want := describe(tableOfName(t, db, name)), describe(shown)
			if got != want {
				t.Fatalf("%d: %s\nwas made as\n%s\nand again as %s\n%s", i, text, want, name, got)
			}
		}
		if answer := run(t, s, session, "DROP TABLE a, b, c"); answer != "ok\n" {
			t.Fatal(answer)
		}
	}
}

func tableOfName(t *testing.T, db *database.DB, name string) *definition.Table {
	t.Helper()
	p, err := db.PinIn("", name)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	table, err := definition.Of(p.Descriptor())
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// describe writes all that a definition says but its name.
func describe(t *definition.Table) string {
	var text strings.Builder
	for i := range t.Columns {
		c := t.Columns[i]
		fmt.Fprintf(&text, "%s %v %t %d %s %t %q\n", c.Name, c.Type, c.NotNull, c.KeyPart, definition.DefaultText(&c),
			c.DefaultNow, c.Comment)
	}
	fmt.Fprintln(&text, t.Key, t.Dynamic, t.Wildcards, t.Options, t.Descriptor.Columns,
		stored(t.Descriptor.Primary.Key))
	for _, x := range t.Indexes {
		fmt.Fprintln(&text, x.Name, x.Key, x.Include, x.Covers, x.Options, stored(x.Schema.Key), x.Schema.KeepNulls,
			x.Schema.Projection)
	}
	return text.String()
}

// stored is a key as it is kept, codecs of curves and all.
func stored(key []schema.KeyPart) string {
	text, err := json.Marshal(key)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// definitions makes up CREATE TABLE statements.
type definitions struct{ *rand.Rand }

func (d *definitions) pick(list ...string) string { return list[d.IntN(len(list))] }

// types are types of columns with a default each; immutable.
var randomTypes = [][2]string{
	{"BOOLEAN", "true"}, {"TINYINT", "-128"}, {"SMALLINT", "7"}, {"INT", "-5"}, {"BIGINT", "9223372036854775807"},
	{"BIGINT UNSIGNED", "18446744073709551615"},
	{"FLOAT", "0.5"}, {"DOUBLE", "-1e-300"}, {"DECIMAL(20,4)", "-12.5"}, {"DECIMAL", "3"},
	{"VARCHAR", `'it''s \\ "a" \n'`}, {"VARCHAR(30)", "''"}, {"CHAR(4)", "'ab'"},
	{"DATE", "'2024-02-29'"}, {"TIME", "'-10:00:00'"}, {"TIMESTAMP", "NOW()"},
	{"TIMESTAMP", "'2024-01-02 03:04:05.678'"}, {"BINARY(3)", "x'00ff'"}, {"VARBINARY", "x''"},
	{"JSON", `'{"a":[1,null]}'`},
}

func (d *definitions) statement(name string) string {
	var lines, columns, typed []string
	for i, n := 0, 2+d.IntN(8); i < n; i++ {
		one := randomTypes[d.IntN(len(randomTypes))]
		if i == 0 {
			one = [2]string{d.pick("BIGINT", "VARCHAR", "INT"), "1"}
		}
		column := d.pick("c", "C", "a.b-", "größe_") + fmt.Sprint(i)
		text := "`" + column + "` " + one[0] + d.pick("", " NOT NULL")
		if d.IntN(2) == 0 {
			text += " DEFAULT " + one[1]
		}
		lines = append(lines, text+d.pick("", " COMMENT 'it''s'"))
		if columns = append(columns, column); one[0] != "JSON" && one[0] != "VARBINARY" {
			typed = append(typed, column)
		}
	}
	options := []string{}
	dynamic := len(typed) > 0
	if dynamic {
		options = append(options, "DYNAMIC_COLUMNS='true'")
	}
	if d.IntN(3) == 0 {
		lines, options = append(lines, "`*_s` VARCHAR(5)", "`x?` BIGINT"), append(options,
			"WILDCARD_COLUMN='"+d.pick("x?,*_s", "*_s,x?")+"'")
	}
	for _, o := range []string{"TTL='60'", "VERSIONS='3'", "CONSISTENCY='strong'", "COMMENT='it''s'"} {
		if d.IntN(2) == 0 {
			options = append(options, o)
		}
	}
	lines = append(lines, "PRIMARY KEY ("+d.key(columns[0], typed)+")")
	for i := range d.IntN(4) {
		lines = append(lines, d.index(fmt.Sprintf("i%d", i), typed))
	}
	text := "CREATE TABLE " + name + " (" + strings.Join(lines, ", ") + ")"
	if len(options) > 0 {
		text += " WITH (" + strings.Join(options, ", ") + ")"
	}
	return text
}

// some are several of the columns in any order, each once.
func (d *definitions) some(columns []string) []string {
	columns = slices.Clone(columns)
	d.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	return columns[:1+d.IntN(len(columns))]
}

func quotedNames(names []string, separator string) string {
	return "`" + strings.Join(names, separator) + "`"
}

// key is a primary key that holds the first column.
func (d *definitions) key(first string, typed []string) string {
	parts := d.some(typed)
	if !slices.Contains(parts, first) {
		parts = append(parts, first)
	}
	text := quotedNames(parts, d.pick("`, `", "` DESC, `"))
	switch d.IntN(4) {
	case 0:
		return d.pick("hash8", "hash32", "hash64") + "(" + quotedNames(d.some(parts), "`,`") + "), " + text
	case 1:
		others := slices.DeleteFunc(parts, func(name string) bool { return name == first })
		if text = "reverse(`" + first + "`)"; len(others) > 0 {
			text += ", " + quotedNames(others, "`, `")
		}
	}
	return text
}

func (d *definitions) index(name string, typed []string) string {
	parts := d.some(typed)
	text := quotedNames(parts, d.pick("`, `", "` DESC, `"))
	switch d.IntN(4) {
	case 0:
		text = d.pick("hash8", "hash32", "hash64") + "(" + quotedNames(d.some(parts), "`,`") + "), " + text
	case 1:
		text = "zorder(" + quotedNames(parts[:min(len(parts), 4)], "`,`") + ")"
	}
	text = d.pick("KEY ", "INDEX ") + name + " (" + text + ")"
	switch d.IntN(4) {
	case 0:
		return text + " INCLUDE (dyn1, dyn2)"
	case 1:
		return text + " WITH (INDEX_COVERED_TYPE='" + d.pick(definition.CoverSchema, definition.CoverDynamic) + "')"
	case 2:
		return text + " WITH (SPARSE='true', COMMENT='x')"
	}
	return text
}

// TestBuilding follows the build of an index: SHOW INDEX says how far it is, and CREATE INDEX ASYNC does not wait for
// it.
func TestBuilding(t *testing.T) {
	db := testdb.OpenWith(t, database.Options{BackfillPause: time.Hour})
	s := &Statements{DB: db}
	session := Session{Database: database.DefaultDatabase}
	if answer := run(t, s, session, "CREATE TABLE t (k INT PRIMARY KEY, v INT) WITH (INSERT_MODE='upsert')"); answer != "ok\n" {
		t.Fatal(answer)
	}
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": i, "v": i}); err != nil {
			t.Fatal(err)
		}
	}
	if answer := statementOn(t.Context(), s, session, "CREATE INDEX i ON t (v) ASYNC"); answer != "ok\n" {
		t.Fatal(answer)
	}
	for !strings.Contains(statementOn(t.Context(), s, session, "SHOW INDEX FROM t"),
		"| BUILDING | EXECUTING 42.00% | SECONDARY |") {
		if t.Context().Err() != nil {
			t.Fatal("the build makes no progress")
		}
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if answer := statementOn(ctx, s, session, "CREATE INDEX j ON t (v)"); !strings.Contains(answer,
		"deadline exceeded") {
		t.Errorf("a build that does not end: %s", answer)
	}
	if answer := statementOn(t.Context(), s, session, "SHOW INDEX FROM t LIKE 'j'"); !strings.Contains(answer,
		"| BUILDING | EXECUTING 0.00% |") {
		t.Errorf("a build that waits for another: %s", answer)
	}
}

// statementOn runs one statement, and waits for no job.
func statementOn(ctx context.Context, s *Statements, session Session, text string) string {
	var answers recorder
	statement, err := parse.Parse([]byte(text))
	if err == nil {
		_, err = s.Run(ctx, statement, session, &answers)
	}
	if err != nil {
		return err.Error()
	}
	return answers.text.String()
}
