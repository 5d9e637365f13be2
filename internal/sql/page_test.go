// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// pageTables fills tables that hold the same rows: a plain one, one that keeps times of cells, and one whose rows lie
// along a curve.
func pageTables(t testing.TB, s *sql.Session) {
	for _, name := range []string{"p", "q", "r"} {
		key := map[string]string{"p": "a, b DESC))", "q": "a, b DESC)) WITH (MUTABILITY='MUTABLE_ALL')",
			"r": "ZORDER(lat, lon), a, b))"}[name]
		must(t, s, "SET inefficient_query = 'allow'",
			"CREATE TABLE "+name+" (a VARCHAR(8), b INT, n INT, lat INT, lon INT, s VARCHAR(20), PRIMARY KEY ("+key,
			"CREATE INDEX by_n ON "+name+"(n DESC)", "CREATE INDEX z ON "+name+
				"(ZORDER(lat, lon)) INCLUDE (n)", "CREATE INDEX by_hash ON "+name+"(hash8(s), s)")
		for i := range 60 {
			n := fmt.Sprint(i % 7)
			if i%11 == 0 {
				n = "NULL"
			}
			must(t, s, fmt.Sprintf("UPSERT INTO %s (a, b, n, lat, lon, s) VALUES ('%c', %d, %s, %d, %d, 's%d')", name,
				'a'+i%4, i, n, i*7%50, i*13%50, i%5))
		}
	}
}

// paged are conditions and orders, each of which takes another path.
var paged = []string{
	"", "WHERE a = 'b'", "WHERE a IN ('a', 'c', 'x') AND b > 20", "WHERE a = 'b' ORDER BY b",
	"WHERE a = 'b' ORDER BY b DESC", "ORDER BY a DESC, b",
	"WHERE a = 'a' AND b = 8", "WHERE (a, b) IN (('a', 8), ('b', 9), ('d', 3))", "WHERE n = 3", "WHERE n IN (1, 5)",
	"WHERE n > 2 ORDER BY n DESC", "WHERE n BETWEEN 2 AND 4 ORDER BY n",
	"WHERE lat BETWEEN 10 AND 40 AND lon BETWEEN 5 AND 45", "WHERE lat < 20 AND lon < 30 AND s LIKE '%3'",
	"WHERE s = 's2'", "WHERE s = 's2' AND n % 2 = 1", "WHERE s LIKE '%2'", "WHERE a = 'nothing'",
	"WHERE b + 1 > 30 AND n IS NOT NULL",
}

// table keeps rows as data.
type table struct{ rows [][]datum.Datum }

// Columns is result.Sink's.
func (*table) Columns([]result.Column) error { return nil }

// Row is result.Sink's.
func (s *table) Row(row []datum.Datum) error {
	kept := make([]datum.Datum, len(row))
	for i := range row {
		kept[i] = row[i].Clone()
	}
	s.rows = append(s.rows, kept)
	return nil
}

// Done is result.Sink's.
func (*table) Done(result.Done) error { return nil }

func rowsOf(t *testing.T, s *sql.Session, text string) (rows []string) {
	out := &table{}
	if err := s.Query(t.Context(), []byte(text), out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, row := range out.rows {
		rows = append(rows, fmt.Sprint(row))
	}
	return rows
}

// cursorOf are the bytes of a cursor.
func cursorOf(t testing.TB, d datum.Datum) []byte {
	cursor, err := base64.RawURLEncoding.DecodeString(string(d.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return cursor
}

// TestPages reads statements page by page, of all sizes, in text and prepared in turn: together the pages are what the
// statement answers at once, and only the last row of all has no cursor.
func TestPages(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	s := h.session("main")
	pageTables(t, s)
	for _, of := range []string{"p", "q", "r"} {
		for _, rest := range paged {
			where, order, ordered := strings.Cut(rest, "ORDER BY")
			if ordered {
				order = " ORDER BY" + order
			}
			if of == "r" && strings.Contains(order, "b") {
				continue // such rows are sorted
			}
			whole := rowsOf(t, s, "SELECT a, b, n FROM "+of+" "+rest)
			for size := 1; size <= len(whole)+1; size += 1 + size/3 {
				if got := pagesOf(t, s, of, where, order, size); fmt.Sprint(got) != fmt.Sprint(whole) {
					t.Errorf("%s %s by %d:\ngot  %v\nwant %v", of, rest, size, got, whole)
				}
			}
		}
	}
}

// pagesOf reads all pages.
func pagesOf(t *testing.T, s *sql.Session, of, where, order string, size int) (rows []string) {
	text := fmt.Sprintf("SELECT /*+ _l_allow_cursor_ */ a, b, n, _l_next_cursor_ FROM %s %s", of, where)
	joint := " WHERE "
	if where != "" {
		joint = " AND "
	}
	end := fmt.Sprintf("%s LIMIT %d", order, size)
	prepared, err := s.Prepare(t.Context(), []byte(text+joint+"_l_current_cursor_ = ?"+end))
	if err != nil {
		t.Fatal(err)
	}
	defer prepared.Close()
	next, began := datum.Null, false
	for page := 0; ; page++ {
		out := &table{}
		switch {
		case page%2 == 1:
			err = prepared.Execute(t.Context(), []datum.Datum{next}, out)
		case !began:
			err = s.Query(t.Context(), []byte(text+end), out)
		default:
			err = s.Query(t.Context(), []byte(text+joint+"_l_current_cursor_ = '"+string(next.Bytes())+"'"+end), out)
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		began = true
		for i, row := range out.rows {
			rows = append(rows, fmt.Sprint(row[:3]))
			if next = row[3]; next.IsNull() && i < len(out.rows)-1 {
				t.Errorf("%s: row %d of %d has no cursor", text, i, len(out.rows))
			}
		}
		if len(out.rows) == 0 && page > 0 {
			t.Errorf("%s: page %d is empty", text, page)
		}
		if len(out.rows) == 0 || next.IsNull() {
			return rows
		}
		if len(out.rows) != size || page > 1000 {
			t.Fatalf("%s: page %d has %d rows and a cursor", text, page, len(out.rows))
		}
	}
}

// TestPageBytes changes each byte of a cursor, cuts it and makes it longer: it is refused or leads to rows of the same
// statement, and never elsewhere.
func TestPageBytes(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	s := h.session("main")
	pageTables(t, s)
	for _, where := range []string{"a = 'b'", "n IN (1, 5)", "lat < 30 AND lon < 30", "s = 's2'"} {
		text := "SELECT /*+ _l_allow_cursor_ */ a, b, n, _l_next_cursor_ FROM p WHERE " + where
		whole := rowsOf(t, s, "SELECT a, b, n FROM p WHERE "+where)
		out := &table{}
		if err := s.Query(t.Context(), []byte(text), out); err != nil {
			t.Fatal(err)
		}
		cursor := cursorOf(t, out.rows[2][3])
		try := func(cursor []byte) {
			t.Helper()
			out := &table{}
			err := s.Query(t.Context(), []byte(text+" AND _l_current_cursor_ = '"+
				base64.RawURLEncoding.EncodeToString(cursor)+"'"), out)
			if err != nil && !strings.Contains(err.Error(), "_l_current_cursor_") {
				t.Errorf("%s: %v", where, err)
			}
			for _, row := range out.rows {
				if !strings.Contains(fmt.Sprint(whole), fmt.Sprint(row[:3])) {
					t.Errorf("%s: a foreign row %v", where, row)
				}
			}
		}
		for i := range cursor {
			for _, bit := range []byte{1, 2, 16, 64, 128, 255} {
				other := []byte(string(cursor))
				other[i] ^= bit
				try(other)
			}
			try(cursor[:i])
		}
		for n := 1; n < 1<<15; n *= 4 {
			try(append([]byte(string(cursor)), make([]byte, n)...))
		}
	}
}

// FuzzPageCursor looks for bytes that a cursor must not be made of.
func FuzzPageCursor(f *testing.F) {
	h := newHarness(f, testdb.Open(f))
	s := h.session("main")
	pageTables(f, s)
	text := "SELECT /*+ _l_allow_cursor_ */ a, b, _l_next_cursor_ FROM p WHERE lat < 30 AND lon < 30"
	out := &table{}
	if err := s.Query(f.Context(), []byte(text), out); err != nil {
		f.Fatal(err)
	}
	cursor := cursorOf(f, out.rows[2][2])
	f.Add(cursor[9:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, position []byte) {
		forged := append(cursor[:9:9], position...)
		err := s.Query(t.Context(), []byte(text+" AND _l_current_cursor_ = '"+
			base64.RawURLEncoding.EncodeToString(forged)+"'"), &table{})
		if err != nil && !strings.Contains(err.Error(), "_l_current_cursor_") {
			t.Fatal(err)
		}
	})
}
