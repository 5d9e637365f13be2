// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// harness runs statements on a database: just enough of DDL and INSERT to make tables for SELECT.
type harness struct {
	t        testing.TB
	db       *database.DB
	settings plan.Settings
	x        evaluate.Context
	only     *algebra.Method // see algebra.Options
	compiled *algebra.Query  // the last one
}

var ctx = context.Background()

// nowMS is the time of all statements.
var nowMS = time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC).UnixMilli()

// run runs the statements of a text. A SELECT's rows are returned as text, one a line.
func (h *harness) run(text string) (string, error) {
	var out strings.Builder
	for rest := []byte(text); len(rest) > 0; {
		var statement []byte
		var err error
		if statement, rest, err = (parse.Dialect{}).Split(rest); err != nil {
			return out.String(), err
		}
		if len(strings.TrimSpace(string(statement))) == 0 {
			continue
		}
		answer, err := h.one(string(statement), nil)
		out.WriteString(answer)
		if err != nil {
			return out.String(), err
		}
	}
	return out.String(), nil
}

// must is run for statements that can't fail.
func (h *harness) must(text string) string {
	h.t.Helper()
	out, err := h.run(text)
	if err != nil {
		h.t.Fatalf("%s\n%v", text, err)
	}
	return out
}

func (h *harness) one(text string, parameters []datum.Datum) (string, error) {
	statement, err := parse.Parse([]byte(text))
	if err != nil {
		return "", err
	}
	switch s := statement.(type) {
	case *tree.CreateTable:
		spec, err := definition.Limits{}.Create(s, database.DefaultDatabase)
		if err == nil {
			_, err = h.db.CreateTable(ctx, spec)
		}
		return "", err
	case *tree.CreateIndex:
		return "", h.createIndex(s)
	case *tree.Insert:
		return "", h.insert(s)
	case *tree.Select:
		return h.query(text, s, parameters)
	}
	return "", fmt.Errorf("the harness can't run a %T", statement)
}

func (h *harness) table(name string) (database.Pinned, *definition.Table) {
	h.t.Helper()
	pinned, err := h.db.PinIn("", name)
	if err != nil {
		h.t.Fatal(err)
	}
	table, err := definition.Of(pinned.Descriptor())
	if err != nil {
		h.t.Fatal(err)
	}
	return pinned, table
}

func (h *harness) createIndex(s *tree.CreateIndex) error {
	pinned, table := h.table(s.Table.Name)
	spec, err := definition.Limits{}.Index(&s.Index, table)
	pinned.Release()
	if err != nil {
		return err
	}
	t, err := h.db.Table(s.Table.Name)
	if err == nil {
		err = t.AddIndex(ctx, spec)
	}
	if err == nil {
		err = h.db.WaitJobs(ctx)
	}
	return err
}

func (h *harness) insert(s *tree.Insert) error {
	pinned, table := h.table(s.Into.Name)
	defer pinned.Release()
	h.x.Begin(nil, nowMS, nil)
	for _, row := range s.Rows {
		var builder value.RowBuilder
		builder.Reset(pinned.Names())
		for i, e := range row {
			program, err := evaluate.Compile(e, nil)
			if err != nil {
				return err
			}
			d, err := program.Value(&h.x)
			if err != nil || d.IsNull() {
				continue
			}
			column, _ := table.Column(s.Columns[i])
			if d, err = datum.Store(d, column.Type); err != nil {
				return err
			}
			v, err := datum.AppendValue(nil, d, column.Type)
			if err != nil {
				return err
			}
			if err := builder.Set([]byte(column.Name), v); err != nil {
				return err
			}
		}
		var written database.WriteResult
		if err := pinned.Write(ctx, &database.Write{Op: database.OpPut, Row: builder.AppendTo(nil)},
			&written); err != nil {
			return err
		}
	}
	return nil
}

// compile compiles a SELECT; the caller releases the version.
func (h *harness) compile(text string, s *tree.Select) (database.Pinned, *algebra.Query, error) {
	if s.From == nil {
		compiled, err := algebra.CompileSingle(s, nil, nil, nil)
		return database.Pinned{}, compiled, err
	}
	pinned, table := h.table(s.From.Name)
	compiled, err := algebra.CompileSingle(s, table, pinned.AttributeNames(), func() string { return text })
	return pinned, compiled, err
}

func (h *harness) query(text string, s *tree.Select, parameters []datum.Datum) (string, error) {
	pinned, compiled, err := h.compile(text, s)
	if s.From != nil {
		defer pinned.Release()
	}
	if err != nil {
		return "", err
	}
	sink := &textSink{}
	h.x.Begin(parameters, nowMS, nil)
	_, err = execute.Query(ctx, &execute.Request{Query: compiled, Pinned: []database.Pinned{pinned}, Context: &h.x,
		Settings: h.settings, DB: h.db, Sink: sink})
	return sink.String(), err
}

// textSink writes rows as text.
type textSink struct {
	strings.Builder
	header bool
	rows   int
}

// Columns is result.Sink's.
func (s *textSink) Columns(columns []result.Column) error {
	if s.header {
		for i := range columns {
			fmt.Fprintf(s, "%s ", columns[i].Name)
		}
		s.WriteString("\n")
	}
	return nil
}

// Row is result.Sink's.
func (s *textSink) Row(row []datum.Datum) error {
	s.rows++
	for i := range row {
		if i > 0 {
			s.WriteString("|")
		}
		if row[i].IsNull() {
			s.WriteString("NULL")
		} else {
			s.Write(row[i].AppendText(nil))
		}
	}
	s.WriteString("\n")
	return nil
}

// Done is result.Sink's.
func (s *textSink) Done(result.Done) error { return nil }
