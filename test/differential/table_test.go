// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testdb"
)

// class is what a column's values are, as far as expressions care.
type class int

const (
	number class = iota
	text
	truth
	moment // TIMESTAMP
	day    // DATE
	bytes
)

// column is a column of a table that statements are made over.
type column struct {
	name    string
	of      class
	exact   bool // of a number: an integer or decimal
	integer bool
	values  []string // as SQL literals; NULL among them where it may be
}

// shape is a table.
type shape struct {
	name    string
	create  []string
	columns []column
	key     []string
	rows    int
}

// Few values, so that they meet each other. They are immutable.
var (
	smallIntegers = []string{"0", "1", "2", "3", "4", "5", "-1", "-7", "10", "100"}
	texts         = []string{"''", "'a'", "'b'", "'ab'", "'B'", "'abc'", "'x_y'", "'10'", "'9'", "'%'", "'é'", "'zz'"}
	doubles       = []string{"0", "0.5", "-0.5", "1", "2.25", "1e3", "-3.75"}
	decimals      = []string{"0.00", "1.00", "2.50", "-2.50", "10.05", "99.99", "0.10"}
	moments       = []string{"'2024-01-31 12:00:00'", "'2024-02-29 23:59:59.5'", "'1999-12-31 00:00:00'", "'2024-01-31 12:00:01'", "'2023-07-04 06:30:00.125'"}
	days          = []string{"'2024-01-31'", "'2024-02-29'", "'1999-12-31'", "'2023-07-04'"}
	truths        = []string{"TRUE", "FALSE"}
	binaries      = []string{"x''", "x'00'", "x'41'", "x'ff00'", "x'4142'"}
)

func orNull(values []string) []string { return append([]string{"NULL", "NULL"}, values...) }

// plainColumns are those outside of keys.
func plainColumns() []column {
	return []column{
		{name: "n", of: number, exact: true, integer: true, values: orNull(smallIntegers)},
		{name: "m", of: number, exact: true, integer: true, values: orNull(smallIntegers)},
		{name: "f", of: number, values: orNull(doubles)},
		{name: "c", of: number, exact: true, values: orNull(decimals)},
		{name: "s", of: text, values: orNull(texts)},
		{name: "r", of: text, values: orNull(texts)},
		{name: "ts", of: moment, values: orNull(moments)},
		{name: "dt", of: day, values: orNull(days)},
		{name: "b", of: truth, values: orNull(truths)},
		{name: "y", of: bytes, values: orNull(binaries)},
	}
}

const plainDefinitions = "n INTEGER, m BIGINT, f DOUBLE, c DECIMAL(10,2), s VARCHAR, r VARCHAR, ts TIMESTAMP, dt DATE, b BOOLEAN, y VARBINARY"

func keyed(columns ...column) []column { return append(columns, plainColumns()...) }

func integerKey(name string) column {
	return column{name: name, of: number, exact: true, integer: true, values: smallIntegers}
}

// shapes are the tables: several kinds of keys and of indexes.
func shapes() []shape {
	return []shape{
		{name: "one", rows: 40, key: []string{"k"}, columns: keyed(column{name: "k", of: number, exact: true, integer: true}),
			create: []string{"CREATE TABLE one (k BIGINT, " + plainDefinitions + ", PRIMARY KEY(k))",
				"CREATE INDEX one_n ON one(n)", "CREATE INDEX one_sr ON one(s DESC, r)", "CREATE INDEX one_c ON one(c) INCLUDE(n, s)"}},
		{name: "two", rows: 150, key: []string{"p", "q"}, columns: keyed(column{name: "p", of: text, values: texts[1:]}, integerKey("q")),
			create: []string{"CREATE TABLE two (p VARCHAR, q BIGINT, " + plainDefinitions + ", PRIMARY KEY(p, q))",
				"CREATE INDEX two_mf ON two(m, f DESC)", "CREATE INDEX two_ts ON two(ts DESC)", "CREATE INDEX two_b ON two(b, dt)"}},
		{name: "three", rows: 200, key: []string{"a", "t", "z"},
			columns: keyed(integerKey("a"), column{name: "t", of: moment, values: moments}, column{name: "z", of: text, values: texts[1:]}),
			create: []string{"CREATE TABLE three (a INTEGER, t TIMESTAMP, z VARCHAR, " + plainDefinitions + ", PRIMARY KEY(a, t DESC, z))",
				"CREATE INDEX three_nm ON three(ZORDER(n, m))", "CREATE INDEX three_z ON three(z) INCLUDE(f)"}},
		{name: "hashed", rows: 120, key: []string{"h", "g"}, columns: keyed(column{name: "h", of: text, values: texts[1:]}, integerKey("g")),
			create: []string{"CREATE TABLE hashed (h VARCHAR, g BIGINT, " + plainDefinitions + ", PRIMARY KEY(hash8(h), h, g DESC))",
				"CREATE INDEX hashed_c ON hashed(c DESC)", "CREATE INDEX hashed_fs ON hashed(f, s)"}},
		{name: "heap", rows: 150, key: []string{"k"}, columns: keyed(column{name: "k", of: number, exact: true, integer: true}),
			create: []string{"CREATE TABLE heap (k BIGINT, " + plainDefinitions + ", PRIMARY KEY(k DESC))"}},
		{name: "loose", rows: 150, key: []string{"k"}, columns: keyed(column{name: "k", of: number, exact: true, integer: true},
			column{name: "dn", of: number, values: orNull(append([]string{"2.5", "0.5", "-7.5"}, smallIntegers...))}, column{name: "dm", of: number, values: orNull(smallIntegers)},
			column{name: "ds", of: text, values: orNull(texts[1:])}),
			create: []string{"CREATE TABLE loose (k BIGINT, " + plainDefinitions + ", PRIMARY KEY(k)) WITH (DYNAMIC_COLUMNS='true')"}},
	}
}

// fill makes the tables and their rows.
func fill(t *testing.T, random *rand.Rand) (*weft.DB, *sql.Session) {
	db := testdb.Open(t)
	session, err := sql.New(sql.Options{DB: db}).Open(t.Context(), result.Login{User: "ann", Host: "localhost", Database: weft.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	must := func(statement string) {
		t.Helper()
		if err := session.Query(t.Context(), []byte(statement), &answer{}); err != nil {
			t.Fatalf("%s\n%v", statement, err)
		}
	}
	for _, one := range shapes() {
		for _, statement := range one.create {
			must(statement)
		}
		for i := range one.rows {
			must(one.insert(random, i))
		}
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db, session
}

// insert is a row, perhaps again one that is there.
func (s *shape) insert(random *rand.Rand, row int) string {
	var names, values []string
	for _, c := range s.columns {
		names = append(names, c.name)
		if c.values == nil { // a single key column
			values = append(values, fmt.Sprint(row*3-20))
			continue
		}
		values = append(values, c.values[random.IntN(len(c.values))])
	}
	values[len(values)-2] = truths[random.IntN(len(truths))] // so that no row is a key alone
	return fmt.Sprintf("UPSERT INTO %s(%s) VALUES (%s)", s.name, strings.Join(names, ", "), strings.Join(values, ", "))
}
