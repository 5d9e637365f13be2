// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// BenchmarkLookupJoin reads a row by its key, and its partner in another table, by a prepared statement and by texts.
func BenchmarkLookupJoin(b *testing.B) {
	engine := sql.New(sql.Options{DB: testdb.OpenPebble(b)})
	s, err := engine.Open(b.Context(), result.Login{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const rows = 1000
	must(b, s, "CREATE TABLE customers (id BIGINT PRIMARY KEY, name VARCHAR(40))")
	must(b, s, "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BIGINT, total BIGINT)")
	for id := range rows {
		must(b, s, fmt.Sprintf("INSERT INTO customers VALUES (%d, 'customer')", id))
		must(b, s, fmt.Sprintf("INSERT INTO orders VALUES (%d, %d, 9)", id, rows-1-id))
	}
	const text = "SELECT o.total, c.name FROM orders o JOIN customers c ON c.id = o.customer WHERE o.id = "
	p, err := s.Prepare(b.Context(), []byte(text+"?"))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("prepared", func(b *testing.B) {
		b.ReportAllocs()
		for id := int64(0); b.Loop(); id++ {
			if err := p.Execute(b.Context(), []datum.Datum{datum.Int(id % rows)}, &printer{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for id := 0; b.Loop(); id++ {
			if err := s.Query(b.Context(), []byte(text+strconv.Itoa(id%rows)), &printer{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkGroups groups rows by a column that an index begins with, in a derived table.
func BenchmarkGroups(b *testing.B) {
	engine := sql.New(sql.Options{DB: testdb.OpenPebble(b)})
	s, err := engine.Open(b.Context(), result.Login{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	must(b, s, "CREATE TABLE t (id BIGINT PRIMARY KEY, k BIGINT, KEY by_k (k))")
	const rows = 50_000
	for at := 0; at < rows; at += 1000 {
		text := []byte("INSERT INTO t VALUES ")
		for id := at; id < at+1000; id++ {
			text = fmt.Appendf(text, "(%d, %d),", id, id*7919%(rows/2))
		}
		must(b, s, string(text[:len(text)-1]))
	}
	b.ReportAllocs()
	for b.Loop() {
		must(b, s, "SELECT COUNT(*), MAX(c) FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k) d")
	}
}

// BenchmarkInsert inserts one row after the other by a prepared statement.
func BenchmarkInsert(b *testing.B) {
	engine := sql.New(sql.Options{DB: testdb.OpenPebble(b)})
	s, err := engine.Open(b.Context(), result.Login{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	must(b, s, "CREATE TABLE t (id BIGINT NOT NULL, v VARCHAR(100), n INT, PRIMARY KEY (id))")
	p, err := s.Prepare(b.Context(), []byte("INSERT INTO t (id, v, n) VALUES (?, ?, ?)"))
	if err != nil {
		b.Fatal(err)
	}
	value := datum.Text(make([]byte, 100))
	b.ReportAllocs()
	for id := int64(0); b.Loop(); id++ {
		if err := p.Execute(b.Context(), []datum.Datum{datum.Int(id), value, datum.Int(id % 1000)},
			&printer{}); err != nil {
			b.Fatal(err)
		}
	}
}
