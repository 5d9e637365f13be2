// SPDX-License-Identifier: Apache-2.0

package hbasejson

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// serve returns a server with a table of some rows.
func serve(t *testing.T) *Server {
	api := &hbase.API{DB: testdb.Open(t)}
	name := hbase.TableName{Namespace: "default", Name: "t"}
	families := []hbase.Family{{Name: "f", Versions: 3}, {Name: "g", Versions: 1}}
	if err := api.CreateTable(t.Context(), &hbase.Table{TableName: name, Families: families}, nil); err != nil {
		t.Fatal(err)
	}
	put := func(row, family, qualifier, value string, at int64) {
		column := hbase.Column{Family: []byte(family), Qualifier: []byte(qualifier)}
		if err := api.Put(t.Context(), name,
			[]*hbase.Put{{Row: []byte(row),
				Cells: []hbase.CellWrite{{Column: column, Value: []byte(value), AtMS: at}}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []string{"a", "b", "b\x00", "c\xff"} {
		put(row, "f", "q", "<"+row+">", 1)
		put(row, "f", "q", "newer "+row, 2)
		put(row, "g", "", "\xff\x00", 3)
	}
	return New(Options{API: api})
}

// milliseconds vary. // immutable
var milliseconds = regexp.MustCompile(`("milliseconds":)[0-9.e-]+`)

// TestScans sends scans and prints the lines of their answers.
func TestScans(t *testing.T) {
	s := serve(t)
	datadriven.RunTest(t, "testdata/scans.txt", func(t *testing.T, d *datadriven.TestData) string {
		recorder := httptest.NewRecorder()
		s.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/api/hbase/scan", strings.NewReader(d.Input)))
		if recorder.Code != http.StatusOK {
			return http.StatusText(recorder.Code) + "\n" + recorder.Body.String()
		}
		return milliseconds.ReplaceAllString(recorder.Body.String(), `${1}MS`)
	})
	if n := s.running.Load(); n != 0 {
		t.Errorf("%d scans still run", n)
	}
}

// TestLeave: a scan whose client is gone ends, and counts no longer.
func TestLeave(t *testing.T) {
	s := serve(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/",
		strings.NewReader(`{"table": "t"}`)).WithContext(ctx))
	s.running.Store(scansMax)
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"table": "t"}`)))
	if recorder.Code != http.StatusServiceUnavailable || s.running.Load() != scansMax {
		t.Errorf("%d: %s", recorder.Code, recorder.Body)
	}
}

// FuzzBytes: a text without \x is what it is, and every text has bytes.
func FuzzBytes(f *testing.F) {
	for _, text := range []string{"", "a", `\x00`, `\x`, `\xg0`, `\\x41`, `a\x4`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := bytesOf(text)
		if !strings.Contains(text, `\x`) && !bytes.Equal(got, []byte(text)) || len(got) > len(text) {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

// TestGreatTimes: a time that programs in JavaScript would round is a text.
func TestGreatTimes(t *testing.T) {
	for at, want := range map[shownTime]string{0: "0", 1 << 53: "9007199254740992", 1<<53 + 1: `"9007199254740993"`,
		1<<63 - 2: `"9223372036854775806"`} {
		if got, err := json.Marshal(at); err != nil || string(got) != want {
			t.Errorf("%d is %s, %v", at, got, err)
		}
	}
}
