// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// hostile are statements that take the stack or the time of those who read and plan them by how often a part is
// repeated.
var hostile = map[string]func(n int) string{
	"AND of a UNION": func(n int) string { return "SELECT 1 UNION SELECT 1" + strings.Repeat(" AND 1", n) },
	"sum of a UNION": func(n int) string { return "SELECT 1 UNION SELECT 1" + strings.Repeat(" + 1", n) },
	"brackets": func(n int) string {
		return "SELECT 1 UNION SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n)
	},
	"functions": func(n int) string {
		return "SELECT 1 UNION SELECT " + strings.Repeat("abs(", n) + "1" + strings.Repeat(")", n)
	},
	"signs": func(n int) string { return "SELECT 1 UNION SELECT " + strings.Repeat("- ", n) + "1" },
	"subqueries": func(n int) string {
		return "SELECT " + strings.Repeat("(SELECT ", n) + "1" +
			strings.Repeat(")", n)
	},
	"UNIONs":        func(n int) string { return "SELECT 1" + strings.Repeat(" UNION SELECT 1", n) },
	"joins":         func(n int) string { return "SELECT 1 FROM t" + strings.Repeat(" JOIN t", n) },
	"IN of a UNION": func(n int) string { return "SELECT 1 UNION SELECT 1 IN (1" + strings.Repeat(",1", 4*n) + ")" },
	"own signs":     func(n int) string { return "SELECT k FROM t WHERE k = " + strings.Repeat("- ", n) + "1" },
	"own NOT":       func(n int) string { return "SELECT k FROM t WHERE k = 1 AND " + strings.Repeat("NOT ", n) + "1" },
	"own sum":       func(n int) string { return "SELECT k FROM t WHERE k = 1" + strings.Repeat(" + 1", n) },
	"own AND":       func(n int) string { return "SELECT k FROM t WHERE k = 1" + strings.Repeat(" AND k = 1", n) },
	"own brackets": func(n int) string {
		return "SELECT k FROM t WHERE " + strings.Repeat("(", n) + "k = 1" + strings.Repeat(")", n)
	},
	"own CASE": func(n int) string {
		return "SELECT " + strings.Repeat("CASE WHEN 1 THEN ", n) + "1" + strings.Repeat(" END", n)
	},
	"own IN":       func(n int) string { return "SELECT k FROM t WHERE k IN (1" + strings.Repeat(",1", 4*n) + ")" },
	"own interval": func(n int) string { return "SELECT k FROM t WHERE k = " + strings.Repeat("INTERVAL ", n) + "1" },
	"own casts": func(n int) string {
		return "UPDATE t SET v = " + strings.Repeat("CAST(", n) + "1" + strings.Repeat(" AS SIGNED)", n) +
			" WHERE k = 1"
	},
	"statement within": func(n int) string { return strings.Repeat("EXPLAIN ", n) + "SELECT 1" },
	"JSON": func(n int) string {
		return "SELECT 1 UNION SELECT json_extract('" + strings.Repeat("[", n) + strings.Repeat("]", n) + "', '$')"
	},
	"own JSON": func(n int) string {
		return "SELECT json_extract('" + strings.Repeat("[", n) + strings.Repeat("]", n) + "', '$')"
	},
}

// TestHostileShapes runs each of them in every way in which a text comes in: each is answered by an error, and the
// process lives.
func TestHostileShapes(t *testing.T) {
	rounds.SkipRace(t)
	h := newHarness(t, testdb.Open(t))
	s := h.session("main")
	must(t, s, "CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT)", "INSERT INTO t VALUES (1, 1)")
	for name, shape := range hostile {
		text := shape(400_000)
		t.Run(name, func(t *testing.T) {
			for _, way := range []string{"", "EXPLAIN ", "CREATE VIEW hostile AS ", "INSERT INTO t (k) ",
				"PREPARE p FROM "} {
				of := way + text
				if strings.HasPrefix(way, "PREPARE") {
					of = way + "'" + strings.ReplaceAll(text, "'", "''") + "'"
				}
				if err := s.Query(t.Context(), []byte(of), &printer{}); err == nil {
					if way == "" || !strings.Contains(name, "JSON") { // documents are read when they are met
						t.Errorf("%s..: no error", of[:40])
					}
				} else if f, ok := fault.Of(err); !ok || f.Code == fault.Unknown {
					t.Errorf("%s..: %.200v", of[:40], err)
				}
				must(t, s, "SELECT 1")
			}
			if _, err := s.Prepare(t.Context(), []byte(text)); err == nil && !strings.Contains(name, "JSON") {
				t.Errorf("%s.. is prepared", text[:40])
			}
		})
	}
}

// TestQuotesOfIdentifiers: in ANSI_QUOTES, a name ends at the next quote, whatever stands before it.
func TestQuotesOfIdentifiers(t *testing.T) {
	s := newHarness(t, testdb.Open(t)).session("main")
	text := `SELECT 1 UNION SELECT "a\" + 1` + strings.Repeat(" AND 1", 2000)
	if got := must(t, s, text+`"`); !strings.Contains(got, `a" + 1 AND 1`) {
		t.Errorf("read as %.60s", got)
	}
	must(t, s, "SET sql_mode = 'ANSI_QUOTES'")
	var out printer
	out.failed(s.Query(t.Context(), []byte(text), &out))
	if got := out.String(); !strings.Contains(got, `Unknown column 'a\'`) {
		t.Errorf("read as %.200s", got)
	}
}
