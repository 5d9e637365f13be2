// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/spill"
	weftsql "github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// tpch are the tables of TPC-H, in the order of the columns of dbgen's files.
func tpch() []string {
	return []string{
		"CREATE TABLE region (r_regionkey INT NOT NULL, r_name VARCHAR(25), r_comment VARCHAR(152), PRIMARY KEY (r_regionkey))",
		"CREATE TABLE nation (n_nationkey INT NOT NULL, n_name VARCHAR(25), n_regionkey INT, n_comment VARCHAR(152), PRIMARY KEY (n_nationkey), KEY n_region (n_regionkey))",
		"CREATE TABLE supplier (s_suppkey INT NOT NULL, s_name VARCHAR(25), s_address VARCHAR(40), s_nationkey INT, s_phone VARCHAR(15), s_acctbal DECIMAL(15,2), s_comment VARCHAR(101), PRIMARY KEY (s_suppkey), KEY s_nation (s_nationkey))",
		"CREATE TABLE part (p_partkey INT NOT NULL, p_name VARCHAR(55), p_mfgr VARCHAR(25), p_brand VARCHAR(10), p_type VARCHAR(25), p_size INT, p_container VARCHAR(10), p_retailprice DECIMAL(15,2), p_comment VARCHAR(23), PRIMARY KEY (p_partkey))",
		"CREATE TABLE partsupp (ps_partkey INT NOT NULL, ps_suppkey INT NOT NULL, ps_availqty INT, ps_supplycost DECIMAL(15,2), ps_comment VARCHAR(199), PRIMARY KEY (ps_partkey, ps_suppkey), KEY ps_supp (ps_suppkey))",
		"CREATE TABLE customer (c_custkey INT NOT NULL, c_name VARCHAR(25), c_address VARCHAR(40), c_nationkey INT, c_phone VARCHAR(15), c_acctbal DECIMAL(15,2), c_mktsegment VARCHAR(10), c_comment VARCHAR(117), PRIMARY KEY (c_custkey), KEY c_nation (c_nationkey))",
		"CREATE TABLE orders (o_orderkey INT NOT NULL, o_custkey INT, o_orderstatus VARCHAR(1), o_totalprice DECIMAL(15,2), o_orderdate DATE, o_orderpriority VARCHAR(15), o_clerk VARCHAR(15), o_shippriority INT, o_comment VARCHAR(79), PRIMARY KEY (o_orderkey), KEY o_cust (o_custkey))",
		"CREATE TABLE lineitem (l_orderkey INT NOT NULL, l_partkey INT, l_suppkey INT, l_linenumber INT NOT NULL, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), l_tax DECIMAL(15,2), l_returnflag VARCHAR(1), l_linestatus VARCHAR(1), l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipinstruct VARCHAR(25), l_shipmode VARCHAR(10), l_comment VARCHAR(44), PRIMARY KEY (l_orderkey, l_linenumber), KEY l_part (l_partkey, l_suppkey), KEY l_supp (l_suppkey))",
	}
}

// batchRows is the number of rows one INSERT loads.
const batchRows = 1000

// TestTPCH compares the answers to TPC-H's 22 queries with MariaDB's over the files of dbgen in WEFT_TPCH, and tells
// the times.
func TestTPCH(t *testing.T) {
	dir := os.Getenv("WEFT_TPCH")
	if dir == "" {
		t.Skip("WEFT_TPCH names no folder with region.tbl and so on: make tpch makes one")
	}
	mariadb, ok := openMariaDB(t)
	if !ok {
		t.Skip("MariaDB is not installed")
	}
	engine := weftsql.New(weftsql.Options{DB: testdb.OpenPebbleDir(t, t.TempDir()),
		Spill: &spill.Folder{Dir: t.TempDir()}})
	session, err := engine.Open(t.Context(),
		result.Login{User: "ann", Host: "localhost", Database: database.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	mine := &own{session}
	for _, statement := range []string{"SET inefficient_query = 'allow'", "SET max_execution_time = 600000"} {
		if a := mine.ask(t.Context(), statement); a.err != nil {
			t.Fatal(a.err)
		}
	}
	if a := mariadb.ask(t.Context(), "SET max_statement_time = 600"); a.err != nil {
		t.Fatal(a.err)
	}
	for _, create := range tpch() {
		load(t, dir, create, []judge{mine, mariadb})
	}
	queries, err := os.ReadFile("testdata/tpch.sql")
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.SplitSeq(string(queries), "-- ") {
		number, query, _ := strings.Cut(text, "\n")
		if query == "" {
			continue
		}
		took, a := timed(t, mine, query)
		other, b := timed(t, mariadb, query)
		t.Logf("query %s: %d rows, weft %v, MariaDB %v (%.2f)", number, len(b.rows), took, other,
			took.Seconds()/other.Seconds())
		if !a.same(b, true) {
			t.Errorf("query %s:\nweft: %v\nMariaDB: %v", number, a, b)
		}
	}
}

// timed asks for minutes.
func timed(t *testing.T, j judge, query string) (time.Duration, answer) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	begun := time.Now()
	a := j.ask(ctx, query)
	return time.Since(begun).Round(time.Millisecond), a
}

// load makes a table and fills it from its file.
func load(t *testing.T, dir, create string, judges []judge) {
	t.Helper()
	name := strings.Fields(create)[2]
	file, err := os.Open(filepath.Join(dir, name+".tbl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	insert := func(statement string) {
		for _, j := range judges {
			if a := j.ask(t.Context(), statement); a.err != nil {
				t.Fatalf("%s: %.200s: %v", j.name(), statement, a.err)
			}
		}
	}
	insert(create)
	var values []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Split(strings.TrimSuffix(lines.Text(), "|"), "|")
		for i := range fields {
			fields[i] = strings.ReplaceAll(fields[i], "'", "''")
		}
		values = append(values, "('"+strings.Join(fields, "', '")+"')")
		if len(values) == batchRows {
			insert(fmt.Sprintf("INSERT INTO %s VALUES %s", name, strings.Join(values, ", ")))
			values = values[:0]
		}
	}
	if len(values) > 0 {
		insert(fmt.Sprintf("INSERT INTO %s VALUES %s", name, strings.Join(values, ", ")))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
