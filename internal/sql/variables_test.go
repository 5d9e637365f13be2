// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// typed is a sink that notes the types of columns and the kinds of values.
type typed struct{ strings.Builder }

// Columns is result.Sink's.
func (s *typed) Columns(columns []result.Column) error {
	for i := range columns {
		s.WriteString(columns[i].Type.String() + " ")
	}
	return nil
}

// Row is result.Sink's.
func (s *typed) Row([]datum.Datum) error { return nil }

// Done is result.Sink's.
func (s *typed) Done(result.Done) error { return nil }

// TestVariableTypes: numbers come as numbers, whether the statement is run at once, from a kept plan, or prepared.
// Django reads @@sql_auto_is_null so.
func TestVariableTypes(t *testing.T) {
	s := newHarness(t, testdb.Open(t)).session("main")
	must(t, s, "CREATE TABLE t (k INT, v INT, PRIMARY KEY (k))")
	must(t, s, "SET @n = 5, @d = 1.5, @t = 'x'")
	for _, c := range []struct{ text, want string }{
		{"SELECT @@sql_auto_is_null, @@lower_case_table_names, @@autocommit", "BIGINT BIGINT BIGINT "},
		{"SELECT @@sql_select_limit, @@long_query_time, @@sql_mode, @@timestamp",
			"BIGINT UNSIGNED DOUBLE VARCHAR DOUBLE "},
		{"SELECT @@global.wait_timeout + 1, if(1, @@session.wait_timeout, 0), max(@@wait_timeout)",
			"BIGINT BIGINT BIGINT "},
		{"SELECT k, @@wait_timeout FROM t", "INTEGER BIGINT "},
		{"SELECT @n, @d, @t", "BIGINT DECIMAL(38,1) VARCHAR "},
	} {
		for range 2 {
			var got typed
			if err := s.Query(t.Context(), []byte(c.text), &got); err != nil || got.String() != c.want {
				t.Errorf("%s: %q, %v; want %q", c.text, got.String(), err, c.want)
			}
		}
	}
	p, err := s.Prepare(t.Context(), []byte("SELECT @@wait_timeout"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := p.Columns()[0].Type.Base; got != datum.BigInt {
		t.Errorf("prepared: %v", got)
	}
}
