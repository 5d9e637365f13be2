// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testdb"
)

// BenchmarkWrite runs the writes of sysbench, each a commit of its own, as statements that were prepared once. The store is in memory: syncs cost nothing.
func BenchmarkWrite(b *testing.B) {
	const rows = 20_000
	s, err := sql.New(sql.Options{DB: testdb.OpenPebble(b)}).Open(b.Context(), result.Login{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	must(b, s, "CREATE TABLE t (id INT NOT NULL, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', PRIMARY KEY (id))")
	for id := 0; id < rows; id += 500 {
		var values []string
		for i := id + 1; i <= id+500; i++ {
			values = append(values, fmt.Sprintf("(%d, %d, '%0119d', '%059d')", i, i*7919%rows, i, i))
		}
		must(b, s, "INSERT INTO t VALUES "+strings.Join(values, ", "))
	}
	must(b, s, "CREATE INDEX k_1 ON t (k)")
	wide, inserted := datum.Text([]byte(strings.Repeat("7", 119))), int64(rows)
	run := func(name, text string, parameters func(id int64) []datum.Datum) {
		b.Run(name, func(b *testing.B) {
			p, err := s.Prepare(b.Context(), []byte(text))
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			b.ReportAllocs()
			for id := int64(1); b.Loop(); id = (id + 7919) % rows {
				if err := p.Execute(b.Context(), parameters(id), nowhere{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("update_index", "UPDATE t SET k=k+1 WHERE id=?", func(id int64) []datum.Datum { return []datum.Datum{datum.Int(id)} })
	run("update_non_index", "UPDATE t SET c=? WHERE id=?", func(id int64) []datum.Datum { return []datum.Datum{wide, datum.Int(id)} })
	run("insert", "INSERT INTO t (id, k, c, pad) VALUES (?, ?, ?, ?)", func(id int64) []datum.Datum {
		inserted++
		return []datum.Datum{datum.Int(inserted), datum.Int(id), wide, datum.Text([]byte("1"))}
	})
}
