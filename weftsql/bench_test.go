// SPDX-License-Identifier: Apache-2.0

package weftsql_test

import (
	"database/sql"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/wefttest"
)

// pools are database/sql within the process and, for comparison, over MySQL's protocol to a server in the same process.
func pools(b *testing.B, run func(b *testing.B, db *sql.DB)) {
	for _, c := range []struct {
		name, driver string
		source       func() string
	}{{"process", "weft", func() string { return "mem:" }}, {"protocol", "mysql",
		func() string { return wefttest.MySQL(b) }}} {
		b.Run(c.name, func(b *testing.B) {
			db, err := sql.Open(c.driver, c.source())
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			fill(b, db, 10_000)
			b.ReportAllocs()
			run(b, db)
		})
	}
}

func BenchmarkRow(b *testing.B) {
	pools(b, func(b *testing.B, db *sql.DB) {
		var id int
		var word string
		for i := 0; b.Loop(); i++ {
			if err := db.QueryRow("SELECT id, word FROM numbers WHERE id = ?", i%10_000).Scan(&id, &word); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPrepared(b *testing.B) {
	pools(b, func(b *testing.B, db *sql.DB) {
		s, err := db.Prepare("SELECT id, word FROM numbers WHERE id = ?")
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		var id int
		var word string
		for i := 0; b.Loop(); i++ {
			if err := s.QueryRow(i%10_000).Scan(&id, &word); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	pools(b, func(b *testing.B, db *sql.DB) {
		for i := 0; b.Loop(); i++ {
			if _, err := db.Exec("UPDATE numbers SET word = ? WHERE id = ?", "new", i%10_000); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkScan reads 10,000 rows.
func BenchmarkScan(b *testing.B) {
	pools(b, func(b *testing.B, db *sql.DB) {
		for b.Loop() {
			rows, err := db.Query("SELECT id, word FROM numbers")
			if err != nil {
				b.Fatal(err)
			}
			var id int
			var word string
			n := 0
			for ; rows.Next(); n++ {
				if err := rows.Scan(&id, &word); err != nil {
					b.Fatal(err)
				}
			}
			if rows.Err() != nil || n != 10_000 {
				b.Fatal(n, rows.Err())
			}
		}
	})
}
