// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// nowhere is a sink that drops what it is given.
type nowhere struct{}

func (nowhere) Columns([]result.Column) error { return nil }
func (nowhere) Row([]datum.Datum) error       { return nil }
func (nowhere) Done(result.Done) error        { return nil }

// openSysbench opens a session over sysbench's table with rows 1 to rows, whose columns k and c are in no order.
func openSysbench(b *testing.B, rows int) *sql.Session {
	b.Helper()
	s, err := sql.New(sql.Options{DB: testdb.OpenPebble(b)}).Open(b.Context(), result.Login{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	must(b, s, "CREATE TABLE t (id INT NOT NULL, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', PRIMARY KEY (id))")
	for id := 0; id < rows; id += 500 {
		var values []string
		for i := id + 1; i <= id+500; i++ {
			values = append(values, fmt.Sprintf("(%d, %d, '%0119d', '%059d')", i, i*7919%rows, i*104_729%1_000_003, i))
		}
		must(b, s, "INSERT INTO t VALUES "+strings.Join(values, ", "))
	}
	must(b, s, "CREATE INDEX k_1 ON t (k)")
	return s
}

// BenchmarkRead runs the reads of sysbench's oltp_read_only as statements that were prepared once: a point, and ranges
// of 100 rows.
func BenchmarkRead(b *testing.B) {
	const rows = 20_000
	s := openSysbench(b, rows)
	for _, each := range []struct{ name, text string }{
		{"point", "SELECT c FROM t WHERE id=?"},
		{"simple", "SELECT c FROM t WHERE id BETWEEN ? AND ?"},
		{"sum", "SELECT SUM(k) FROM t WHERE id BETWEEN ? AND ?"},
		{"order", "SELECT c FROM t WHERE id BETWEEN ? AND ? ORDER BY c"},
		{"distinct", "SELECT DISTINCT c FROM t WHERE id BETWEEN ? AND ? ORDER BY c"},
	} {
		b.Run(each.name, func(b *testing.B) {
			p, err := s.Prepare(b.Context(), []byte(each.text))
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			parameters := make([]datum.Datum, p.Parameters())
			b.ReportAllocs()
			for id := int64(1); b.Loop(); id = (id + 7919) % (rows - 100) {
				for i := range parameters {
					parameters[i] = datum.Int(id + 99*int64(i))
				}
				if err := p.Execute(b.Context(), parameters, nowhere{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
