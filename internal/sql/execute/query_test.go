// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// related runs a query by packages algebra and operator.
func (h *harness) related(text string, bytesMax int64) (string, error) {
	statement, err := parse.Parse([]byte(text))
	if err != nil {
		return "", err
	}
	q, ok := statement.(tree.Query)
	if !ok {
		return h.one(text, nil)
	}
	h.x.Begin(nil, nowMS, nil)
	compiled, err := algebra.Compile(q, algebra.Options{Catalog: h,
		Execution: plan.Execution{Context: &h.x, Settings: h.settings}, Only: h.only})
	if err != nil {
		return "", err
	}
	h.compiled = compiled
	request := execute.Request{Query: compiled, Context: &h.x, Settings: h.settings, DB: h.db, BytesMax: bytesMax,
		DepthMax: 1000}
	for _, table := range compiled.Tables {
		pinned, err := h.db.PinIn("", table.Name)
		if err != nil {
			return "", err
		}
		defer pinned.Release()
		request.Pinned = append(request.Pinned, pinned)
	}
	sink := &textSink{}
	request.Sink = sink
	_, err = execute.Query(ctx, &request)
	return sink.String(), err
}

// Relation is algebra.Catalog's.
func (h *harness) Relation(dbName, name string, _ bool) (algebra.Relation, error) {
	pinned, err := h.db.PinIn("", name)
	if err != nil {
		return algebra.Relation{}, err
	}
	defer pinned.Release()
	if err := pinned.Count(ctx); err != nil {
		return algebra.Relation{}, err
	}
	table, err := definition.Of(pinned.Descriptor())
	return algebra.Relation{Database: database.DefaultDatabase, Name: name, Table: table, Pinned: pinned,
		Names: pinned.AttributeNames()}, err
}

// TestQueries runs the files in testdata/queries. Their one command, sql, runs statements and prints the rows of
// queries, or the error: once with much memory, and once with little and temporary files, with the same answer but for
// the order of rows.
func TestQueries(t *testing.T) {
	datadriven.Walk(t, "testdata/queries", func(t *testing.T, path string) {
		h := &harness{t: t, db: testdb.Open(t)}
		h.settings.Spill = &spill.Folder{Dir: t.TempDir()}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h.t = t
			var all strings.Builder
			for rest := []byte(d.Input); len(strings.TrimSpace(string(rest))) > 0; {
				var statement []byte
				var err error
				if statement, rest, err = (parse.Dialect{}).Split(rest); err != nil {
					t.Fatal(err)
				}
				out, err := h.related(string(statement), 0)
				if err == nil && out != "" {
					h.little(string(statement), out)
				}
				all.WriteString(out)
				if err != nil {
					all.WriteString("error: " + err.Error() + "\n")
				}
			}
			return all.String()
		})
	})
}

// little runs a query with little memory.
func (h *harness) little(text, want string) {
	h.t.Helper()
	server := memory.New(1 << 30)
	settings := h.settings
	h.settings.Memory = server
	got, err := h.related(text, 1)
	h.settings = settings
	if err != nil || sortedLines(got) != sortedLines(want) {
		h.t.Errorf("%s\nwith little memory: %v\n%s", text, err, got)
	}
	if server.Used() != 0 {
		h.t.Errorf("%s\n%d bytes were not given back", text, server.Used())
	}
}

func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
