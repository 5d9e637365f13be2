// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestScripts runs each file of testdata/scripts on a database of its own. A file's sessions are told apart by `on=`.
//
//	sql [on=a]        statements that end in ";" and a line break; each answers its rows, what it affected, or its error
//	prepared [on=a]   the first line is prepared, each of the others holds its parameters as SQL literals, separated by commas
//	wait 61s          lets the time pass, which is the test's own
//	close on=a        ends a session
//	reset on=a        makes it what it was at its beginning
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t, testdb.Open(t))
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				said := h.command(t, d)
				if filepath.Base(path) == "versions" { // the sizes of times hang on what the background did meanwhile
					said = sizes.ReplaceAllString(said, "some bytes")
				}
				return said
			})
			h.verify(t)
		})
	})
}

// sizes are those of rows, in EXPLAIN.
var sizes = regexp.MustCompile(`\d+ bytes`)

// beganAt is the time of all statements.
var beganAt = time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)

// harness is an engine and its sessions by name.
type harness struct {
	t        testing.TB
	engine   *sql.Engine
	db       *database.DB
	sessions map[string]*sql.Session
	killed   []string
	observed []string
	watching sync.Mutex // over observed and begun: sessions may run at once
	begun    int
}

func newHarness(t testing.TB, db *database.DB) *harness {
	h := &harness{t: t, db: db, sessions: map[string]*sql.Session{}}
	h.engine = sql.New(sql.Options{
		DB: db, Spill: &spill.Folder{Dir: t.TempDir()}, Now: func() time.Time { return beganAt },
		Kill: func(id uint32, queryOnly bool) bool {
			h.killed = append(h.killed, fmt.Sprint(id, queryOnly))
			return id <= uint32(len(h.sessions))
		},
		Processes: func() []result.Process {
			return []result.Process{
				{ID: 1, User: "ann", Host: "localhost:5000", Database: "default", Command: "Query",
					Info: "SHOW PROCESSLIST"},
				{ID: 2, User: "bob", Host: "localhost:5001", Command: "Sleep", Seconds: 7},
				{ID: 3, User: "bob", Host: "localhost:5002", Command: "Query", Seconds: 1,
					Info: "SELECT " + strings.Repeat("x", 200)},
			}
		},
		Warnings: func(table string) []string {
			if table == "watched" {
				return []string{"warning: disk is at 80 % of what there is. Free some."}
			}
			return nil
		},
		Observer: (*observer)(h),
	})
	t.Cleanup(func() {
		for _, s := range h.sessions {
			s.Close()
		}
	})
	return h
}

// observer notes what statements came to.
type observer harness

// Begin is sql.Observer's.
func (o *observer) Begin() {
	o.watching.Lock()
	defer o.watching.Unlock()
	o.begun++
}

// End is sql.Observer's.
func (o *observer) End(e *sql.Outcome) {
	o.watching.Lock()
	defer o.watching.Unlock()
	o.begun--
	o.observed = append(o.observed, fmt.Sprintf("%v code=%d plan=%d examined=%d returned=%d written=%d in-flight=%d",
		e.Kind, e.Code, e.Plan, e.Examined, e.Returned, e.Written, o.begun))
}

// verify checks the rows and index entries of all tables that no session has in a transaction.
func (h *harness) verify(t *testing.T) {
	for name, s := range h.sessions {
		s.Close()
		delete(h.sessions, name)
	}
	for _, in := range h.db.Databases() {
		for _, name := range h.db.Tables(in, "", 1000) {
			table, err := h.db.TableIn(in, name)
			if err != nil {
				t.Fatal(err)
			}
			report, err := table.Verify(t.Context())
			if err != nil || len(report.Faults) > 0 {
				t.Errorf("table %s of %s: %v %q", name, in, err, report.Faults)
			}
		}
	}
}

// session returns the session of a name, opened when it is first used.
func (h *harness) session(name string) *sql.Session {
	s, ok := h.sessions[name]
	if !ok {
		var err error
		login := result.Login{ConnectionID: uint32(len(h.sessions) + 1), User: name, Host: "localhost",
			Database: "default", MultiStatements: name == "multi", FoundRows: name == "found"}
		if s, err = h.engine.Open(h.t.Context(), login); err != nil {
			h.t.Fatal(err)
		}
		h.sessions[name] = s
	}
	return s
}

func (h *harness) command(t *testing.T, d *datadriven.TestData) string {
	name := "main"
	d.MaybeScanArgs(t, "on", &name)
	s, out := h.session(name), &printer{}
	switch d.Cmd {
	case "sql":
		for _, text := range strings.Split(d.Input, ";\n") {
			if text = strings.TrimSuffix(text, ";"); strings.TrimSpace(text) != "" {
				out.failed(s.Query(t.Context(), []byte(text), out))
			}
		}
	case "text": // one text of several statements
		out.failed(s.Query(t.Context(), []byte(d.Input), out))
	case "prepared":
		first, rest, _ := strings.Cut(d.Input, "\n")
		h.prepared(t.Context(), s, out, first, strings.Split(rest, "\n"))
	case "wait":
		span, err := time.ParseDuration(d.CmdArgs[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(span)
		synctest.Wait()
	case "reset":
		out.failed(s.Reset(t.Context()))
	case "close":
		s.Close()
		delete(h.sessions, name)
	case "observed":
		fmt.Fprintln(out, strings.Join(h.observed, "\n"))
		h.observed = nil
	case "forget":
		h.observed = nil
	case "hbase-table", "hbase-put":
		return h.hbase(d)
	case "killed":
		fmt.Fprintln(out, strings.Join(h.killed, ", "))
	default:
		t.Fatalf("no command %s", d.Cmd)
	}
	return estimates.ReplaceAllString(out.String(), "")
}

// estimates are what messages say of tables' sizes once those are known, which takes its time.
var estimates = regexp.MustCompile(`, about \d+ of them`)

// prepared executes a statement by values of the types that literals have.
func (h *harness) prepared(ctx context.Context, s *sql.Session, out *printer, text string, executions []string) {
	p, err := s.Prepare(ctx, []byte(text))
	if err != nil {
		out.failed(err)
		return
	}
	defer p.Close()
	fmt.Fprintf(out, "%d parameters, %d columns\n", p.Parameters(), len(p.Columns()))
	for _, line := range executions {
		out.failed(p.Execute(ctx, literals(h.t, line), out))
	}
}

// literals computes a line such as `1, 2e0, 'x', NULL`.
func literals(t testing.TB, line string) (values []datum.Datum) {
	t.Helper()
	if strings.TrimSpace(line) == "" {
		return nil
	}
	read, err := parse.Parse([]byte("SELECT " + line))
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range read.(*tree.Select).List {
		program, err := evaluate.Compile(item.Expression, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := program.Value(&evaluate.Context{})
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, d.Clone())
	}
	return values
}

// printer is a sink that writes answers as text.
type printer struct {
	strings.Builder
	isSet bool
}

// Columns is result.Sink's.
func (p *printer) Columns(columns []result.Column) error {
	p.isSet = true
	for i := range columns {
		if i > 0 {
			p.WriteString(" | ")
		}
		p.WriteString(columns[i].Name)
	}
	p.WriteString("\n")
	return nil
}

// Row is result.Sink's.
func (p *printer) Row(row []datum.Datum) error {
	for i := range row {
		if i > 0 {
			p.WriteString(" | ")
		}
		if kind := row[i].Kind(); kind == datum.KindNull || kind == datum.KindBinary {
			p.WriteString(row[i].String())
		} else {
			p.Write(row[i].AppendText(nil))
		}
	}
	p.WriteString("\n")
	return nil
}

// Done is result.Sink's.
func (p *printer) Done(done result.Done) error {
	if !p.isSet {
		fmt.Fprintf(p, "ok %d", done.Affected)
		if done.Info != "" {
			fmt.Fprintf(p, " (%s)", done.Info)
		}
		if done.Warnings > 0 {
			fmt.Fprintf(p, " %d warnings", done.Warnings)
		}
		p.WriteString("\n")
	} else if done.Warnings > 0 {
		fmt.Fprintf(p, "-- %d warnings\n", done.Warnings)
	}
	p.isSet = false
	return nil
}

// failed writes an error, if there is one.
func (p *printer) failed(err error) {
	p.isSet = false
	if err == nil {
		return
	}
	if known := (*fault.Error)(nil); errors.As(err, &known) {
		fmt.Fprintf(p, "ERROR %d (%s): %s\n", known.Code, known.State, known.Message)
		return
	}
	fmt.Fprintf(p, "ERROR: %v\n", err)
}
