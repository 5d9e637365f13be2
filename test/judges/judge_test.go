// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	_ "github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/spill"
	weftsql "github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// answer is the rows of a statement, in a form in which equal ones are equal texts, or an error.
type answer struct {
	rows []string
	err  error
}

// judge is a server that answers statements.
type judge interface {
	name() string
	ask(ctx context.Context, statement string) answer
}

// own is the server that is judged.
type own struct{ session *weftsql.Session }

func openOwn(t *testing.T) *own {
	t.Helper()
	engine := weftsql.New(weftsql.Options{DB: testdb.Open(t), Spill: &spill.Folder{Dir: t.TempDir()}})
	session, err := engine.Open(t.Context(),
		result.Login{User: "ann", Host: "localhost", Database: database.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	o := &own{session}
	if a := o.ask(t.Context(), "SET inefficient_query = 'allow'"); a.err != nil {
		t.Fatal(a.err)
	}
	return o
}

func (*own) name() string { return "weft" }

func (o *own) ask(ctx context.Context, statement string) (a answer) {
	defer func() {
		if fault := recover(); fault != nil {
			a = answer{err: fmt.Errorf("panic: %v\n%s", fault, debug.Stack())}
		}
	}()
	rows := &collector{}
	err := o.session.Query(ctx, []byte(statement), rows)
	return answer{rows.rows, err}
}

// collector is a sink that keeps rows.
type collector struct{ rows []string }

// Columns is result.Sink's.
func (*collector) Columns([]result.Column) error { return nil }

// Row is result.Sink's.
func (c *collector) Row(row []datum.Datum) error {
	var line []byte
	for _, d := range row {
		if d.IsNull() {
			line = append(line, "NULL|"...)
		} else {
			line = append(appendValue(line, string(d.AppendText(nil))), '|')
		}
	}
	c.rows = append(c.rows, string(line))
	return nil
}

// Done is result.Sink's.
func (*collector) Done(result.Done) error { return nil }

// shownDigits are the number of digits behind the point of numbers that are compared: quotients have more, each server
// as it likes.
const shownDigits = 1e3

var (
	number = regexp.MustCompile(`^-?\d+(\.\d+)?(e[+-]?\d+)?$`)
	zeros  = regexp.MustCompile(`^((?:\d{4}-\d\d-\d\d )?-?\d+:\d\d:\d\d)\.0+$`)
)

// appendValue writes a value: numbers by what they are worth.
func appendValue(line []byte, text string) []byte {
	if !number.MatchString(text) {
		return append(line, zeros.ReplaceAllString(text, "$1")...)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return append(line, text...)
	}
	if x = math.Round(x*shownDigits) / shownDigits; x == 0 {
		x = 0 // not -0
	}
	return strconv.AppendFloat(line, x, 'g', 12, 64)
}

// embedded is go-mysql-server over tables in memory.
type embedded struct {
	engine *sqle.Engine
	ctx    *gms.Context
}

func openEmbedded(t *testing.T) *embedded {
	t.Helper()
	provider := memory.NewDBProvider(memory.NewDatabase("d"))
	session := memory.NewSession(gms.NewBaseSession(), provider)
	ctx := gms.NewContext(t.Context(), gms.WithSession(session))
	ctx.SetCurrentDatabase("d")
	e := &embedded{engine: sqle.NewDefault(provider), ctx: ctx}
	t.Cleanup(func() { _ = e.engine.Close() })
	return e
}

func (*embedded) name() string { return "go-mysql-server" }

func (e *embedded) ask(ctx context.Context, statement string) (a answer) {
	defer func() {
		if fault := recover(); fault != nil {
			a = answer{err: fmt.Errorf("panic: %v", fault)}
		}
	}()
	c := e.ctx.WithContext(ctx)
	schema, rows, _, err := e.engine.Query(c, statement)
	if err != nil {
		return answer{err: err}
	}
	for {
		row, err := rows.Next(c)
		if errors.Is(err, io.EOF) {
			return answer{rows: a.rows, err: rows.Close(c)}
		}
		if err != nil {
			return answer{err: errors.Join(err, rows.Close(c))}
		}
		line, err := e.line(c, schema, row)
		if err != nil {
			return answer{err: errors.Join(err, rows.Close(c))}
		}
		a.rows = append(a.rows, line)
	}
}

func (e *embedded) line(c *gms.Context, schema gms.Schema, row gms.Row) (string, error) {
	var line []byte
	for i, v := range row {
		if v == nil {
			line = append(line, "NULL|"...)
			continue
		}
		if _, ok := v.(types.OkResult); ok {
			continue
		}
		shown, err := schema[i].Type.SQL(c, nil, v)
		if err != nil {
			return "", err
		}
		line = append(appendValue(line, shown.ToString()), '|')
	}
	return string(line), nil
}

// same reports whether two answers are equal: in their order if it is given, and errors with errors.
func (a answer) same(b answer, ordered bool) bool {
	if a.err != nil || b.err != nil {
		return a.err != nil && b.err != nil
	}
	x, y := a.rows, b.rows
	if !ordered {
		x, y = slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))
	}
	return slices.Equal(x, y)
}

// String is the beginning of an answer.
func (a answer) String() string {
	if a.err != nil {
		return "error: " + a.err.Error()
	}
	return fmt.Sprintf("%d rows\n  %s", len(a.rows), strings.Join(a.rows[:min(12, len(a.rows))], "\n  "))
}
