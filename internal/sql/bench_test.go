// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testdb"
)

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
		if err := p.Execute(b.Context(), []datum.Datum{datum.Int(id), value, datum.Int(id % 1000)}, &printer{}); err != nil {
			b.Fatal(err)
		}
	}
}
