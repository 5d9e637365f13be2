// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
)

// BenchmarkWrite runs the writes of sysbench, each a commit of its own, as statements that were prepared once. The
// store is in memory: syncs cost nothing.
func BenchmarkWrite(b *testing.B) {
	const rows = 20_000
	s := openSysbench(b, rows)
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
	run("update_index", "UPDATE t SET k=k+1 WHERE id=?",
		func(id int64) []datum.Datum { return []datum.Datum{datum.Int(id)} })
	run("update_non_index", "UPDATE t SET c=? WHERE id=?",
		func(id int64) []datum.Datum { return []datum.Datum{wide, datum.Int(id)} })
	run("insert", "INSERT INTO t (id, k, c, pad) VALUES (?, ?, ?, ?)", func(id int64) []datum.Datum {
		inserted++
		return []datum.Datum{datum.Int(inserted), datum.Int(id), wide, datum.Text([]byte("1"))}
	})
	one := func(id int64) []datum.Datum { return []datum.Datum{datum.Int(id)} }
	run("insert_select", "INSERT INTO t (id, k, c, pad) SELECT ? + 1000000, a.k, b.c, b.pad FROM t a JOIN t b ON b.id = a.id WHERE a.id = ?", func(id int64) []datum.Datum {
		inserted++
		return []datum.Datum{datum.Int(inserted), datum.Int(id)}
	})
	run("update_join", "UPDATE t a JOIN t b ON b.id = a.id SET a.k = b.k + 1 WHERE b.id = ?", one)
	run("delete_join", "DELETE a FROM t a JOIN t b ON b.id = a.id WHERE b.id = ?", one)
}
