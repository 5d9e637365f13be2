// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// engine is a session of the whole dialect on a database of its own.
type engine struct {
	t       testing.TB
	db      *database.DB
	session *sql.Session
}

func newEngine(t testing.TB, db *database.DB) *engine {
	e := sql.New(sql.Options{DB: db, Spill: &spill.Folder{Dir: t.TempDir()},
		Now: func() time.Time { return time.UnixMilli(nowMS) }})
	session, err := e.Open(ctx, result.Login{User: "root", Database: database.DefaultDatabase, MultiStatements: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return &engine{t, db, session}
}

// run returns the rows of a statement as text, one a line.
func (e *engine) run(text string) (string, error) {
	sink := &textSink{}
	err := e.session.Query(ctx, []byte(text), sink)
	return sink.String(), err
}

func (e *engine) must(text string) string {
	e.t.Helper()
	out, err := e.run(text)
	if err != nil {
		e.t.Fatalf("%s\n%v", text, err)
	}
	return out
}

// predicates makes random conditions over a table whose every column may be NULL, but for its key.
type predicates struct{ *rand.Rand }

func (p predicates) pick(list ...string) string { return list[p.IntN(len(list))] }

func (p predicates) column() string { return p.pick("a", "b", "n", "v", "ts", "f", "u", "flag", "m") }

// literal is a value that column may have, or one of another kind.
func (p predicates) literal(column string) string {
	if p.IntN(12) == 0 {
		return "NULL"
	}
	if p.IntN(15) == 0 {
		column = p.column()
	}
	switch column {
	case "a", "n", "m":
		return p.pick("0", "1", "2", "3", "4", "1.5", "-1", "'2'", "3000000000", "2.0")
	case "u":
		return p.pick("0", "1", "2", "200", "-3", "1.0")
	case "b", "v":
		return p.pick("''", "'a'", "'ab'", "'b'", "'B'", "'a%'", "'é'", "'1'", "x'61'")
	case "ts":
		return p.pick("1000", "2000", "'1970-01-01 00:00:01'", "2500", "'1970-01-01'", "1500.5",
			"TIMESTAMP '1970-01-01 00:00:02'")
	case "f":
		return p.pick("0", "0.5", "1.5", "-2", "1e3", "'0.5'", "1")
	}
	return p.pick("TRUE", "FALSE", "1", "0", "2")
}

func (p predicates) list(column string) string {
	var values []string
	for range 1 + p.IntN(3) {
		values = append(values, p.literal(column))
	}
	return "(" + strings.Join(values, ", ") + ")"
}

func (p predicates) condition(depth int) string {
	c := p.column()
	if depth > 0 {
		switch p.IntN(5) {
		case 0, 1:
			return "(" + p.condition(depth-1) + " AND " + p.condition(depth-1) + ")"
		case 2:
			return "(" + p.condition(depth-1) + " OR " + p.condition(depth-1) + ")"
		case 3:
			return "NOT (" + p.condition(depth-1) + ")"
		}
	}
	switch p.IntN(10) {
	case 0:
		return c + p.pick(" IS NULL", " IS NOT NULL")
	case 1:
		return c + p.pick(" IN ", " NOT IN ") + p.list(c)
	case 2:
		return c + p.pick(" BETWEEN ", " NOT BETWEEN ") + p.literal(c) + " AND " + p.literal(c)
	case 3:
		return p.pick("b", "v") + p.pick(" LIKE ", " NOT LIKE ") +
			p.pick("'a%'", "'%a'", "'a_'", "'ab'", "''", "'%'", "NULL")
	case 4:
		return c + " <=> " + p.literal(c)
	case 5:
		d := p.column()
		return "(" + c + ", " + d + ")" + p.pick(" = ", " > ", " >= ", " < ", " <= ") + "(" + p.literal(c) + ", " +
			p.literal(d) + ")"
	case 6:
		d := p.column()
		return fmt.Sprintf("(%s, %s) IN ((%s, %s), (%s, %s))", c, d, p.literal(c), p.literal(d), p.literal(c),
			p.literal(d))
	case 7:
		return "flag" + p.pick("", " IS TRUE", " IS NOT TRUE", " IS FALSE", " IS NOT FALSE", " = TRUE")
	}
	if p.IntN(6) == 0 {
		return p.literal(c) + p.pick(" = ", " < ", " >= ") + c
	}
	return c + p.pick(" = ", " <> ", " < ", " <= ", " > ", " >= ") + p.literal(c)
}

// row is the values of a random row.
func (p predicates) row(i int) string {
	or := func(values ...string) string {
		if p.IntN(4) == 0 {
			return "NULL"
		}
		return p.pick(values...)
	}
	return fmt.Sprintf("(%d, '%s%d', %s, %s, %s, %s, %s, %s, %s, 'x')", p.IntN(5), p.pick("", "a", "b", "ab"), i,
		or("0", "1", "2", "3"), or("''", "'a'", "'ab'", "'b'", "'é'"),
		or("1000", "2000", "2500", "172800000"), or("0", "0.5", "1.5", "-2"), or("0", "1", "2"), or("TRUE", "FALSE"),
		or("0", "1", "2", "3", "4"))
}

// TestNullsAndIndexes says that no answer depends on the index that served: random conditions are asked of the table
// whole, where a condition that no key understands judges each row, and then of each index.
func TestNullsAndIndexes(t *testing.T) {
	rounds.SkipRace(t)
	seed := rounds.Seed(t)
	p := predicates{rand.New(rand.NewPCG(seed, 1))}
	for _, ddl := range []string{
		"CREATE INDEX i_n ON t(n); CREATE INDEX i_vn ON t(v DESC, n) INCLUDE (ts); CREATE INDEX i_z ON t(ZORDER(n, m)); CREATE INDEX i_h ON t(hash8(v), v); CREATE INDEX i_u ON t(u, n, m)",
		"CREATE INDEX i_ts ON t(ts, f) INCLUDE (n, v); CREATE INDEX i_f ON t(f DESC); CREATE INDEX i_flag ON t(flag, ts); CREATE INDEX i_z ON t(a, ZORDER(ts, v, flag)); CREATE INDEX i_r ON t(reverse(v))",
	} {
		t.Run(ddl[len(ddl)-20:], func(t *testing.T) { compareAll(t, p, ddl) })
	}
}

func compareAll(t *testing.T, p predicates, ddl string) {
	e := newEngine(t, testdb.Open(t))
	e.must("CREATE TABLE t (a INT NOT NULL, b VARCHAR NOT NULL, n INT, v VARCHAR, ts TIMESTAMP, f DOUBLE, u TINYINT, flag BOOLEAN, m BIGINT, x VARCHAR, PRIMARY KEY(a, b DESC)); " + ddl)
	if err := e.db.WaitJobs(ctx); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		e.must("INSERT INTO t(a, b, n, v, ts, f, u, flag, m, x) VALUES " + p.row(i))
	}
	indexes := []string{"", "PRIMARY"}
	for _, one := range strings.Split(ddl, "; ") {
		indexes = append(indexes, strings.Fields(one)[2])
	}
	count := rounds.Of(t, 100)
	matched := 0
	for range count {
		matched += e.compare(p.condition(p.IntN(4)), p.pick("a, b", "*", "n, v", "a, b, n, ts"), indexes)
		if t.Failed() {
			return
		}
	}
	if matched < count {
		t.Errorf("%d conditions matched %d rows: they say nothing", count, matched)
	}
}

// compare asks the condition of each index and returns how many rows meet it.
func (e *engine) compare(condition, list string, indexes []string) (matched int) {
	want := sorted(e.must("SELECT " + list + " FROM t WHERE (" + condition + ") IS TRUE ALLOW FILTERING"))
	for _, x := range indexes {
		hint := ""
		if x != "" {
			hint = ", _l_force_index_('" + x + "')"
		}
		text := "SELECT /*+ _l_allow_filtering_" + hint + " */ " + list + " FROM t WHERE " + condition
		got, err := e.run(text)
		if err != nil && strings.Contains(err.Error(), "Multi Get Plan") {
			continue
		}
		if err != nil || sorted(got) != want {
			e.t.Errorf("%s\n%v\nhas\n%swants\n%s%s", text, err, sorted(got), want, e.must("EXPLAIN "+text))
			return 0
		}
	}
	return strings.Count(want, "\n")
}

func sorted(rows string) string {
	lines := strings.SplitAfter(rows, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}
