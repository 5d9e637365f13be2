// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/order"
)

// dialect opens scripted sessions, whose statements are words.
type dialect struct {
	opened, closed atomic.Int64
	cancelled      chan error // gets why a sleeping statement ended
	sleeping       chan struct{}
	produced       atomic.Int64 // rows that "rows" made
}

func newDialect() *dialect {
	return &dialect{cancelled: make(chan error, 64), sleeping: make(chan struct{}, 64)}
}

func (d *dialect) open(_ context.Context, login result.Login) (Session, error) {
	if login.Database == "missing" {
		return nil, fault.New(fault.UnknownDatabase, login.Database)
	}
	d.opened.Add(1)
	return &script{dialect: d, login: login, state: result.State{Autocommit: true, Database: login.Database}}, nil
}

type script struct {
	dialect *dialect
	login   result.Login
	state   result.State
	multi   bool
	idle    time.Duration // 0: the server's
	using   atomic.Bool   // finds sessions used by two goroutines at once
}

func (s *script) enter() func() {
	if !s.using.CompareAndSwap(false, true) {
		panic("the session is used by two goroutines")
	}
	return func() { s.using.Store(false) }
}

var constantColumns = []result.Column{{Name: "1", Type: datum.Type{Base: datum.BigInt}, NotNull: true}}

var constantRow = []datum.Datum{datum.Int(1)}

func (s *script) Query(ctx context.Context, text []byte, sink result.Sink) error {
	defer s.enter()()
	if bytes.Equal(text, []byte("SELECT 1")) {
		return one(sink, constantColumns, constantRow)
	}
	statements := strings.Split(string(text), ";")
	for i, statement := range statements {
		if err := s.run(ctx, strings.TrimSpace(statement), nil, moreSink{sink, i < len(statements)-1}); err != nil {
			return err
		}
	}
	return nil
}

// moreSink marks the ends of all statements but the last.
type moreSink struct {
	result.Sink
	more bool
}

func (m moreSink) Done(d result.Done) error {
	d.More = m.more
	return m.Sink.Done(d)
}

func one(sink result.Sink, columns []result.Column, rows ...[]datum.Datum) error {
	if err := sink.Columns(columns); err != nil {
		return err
	}
	for _, row := range rows {
		if err := sink.Row(row); err != nil {
			return err
		}
	}
	return sink.Done(result.Done{})
}

func (s *script) run(ctx context.Context, statement string, parameters []datum.Datum, sink result.Sink) error {
	word, rest, _ := strings.Cut(statement, " ")
	switch strings.ToLower(word) {
	case "select":
		return one(sink, textColumns("value"), []datum.Datum{textOf(rest)})
	case "echo":
		return echo(parameters, sink)
	case "types":
		return one(sink, typeColumns, typeRows()...)
	case "rows":
		return s.rows(ctx, rest, sink)
	case "state":
		text := fmt.Sprintf("user=%s db=%s found=%v multi=%v tls=%v", s.login.User, s.state.Database, s.login.FoundRows,
			s.multi || s.login.MultiStatements, s.login.TLS)
		return one(sink, textColumns("state"), []datum.Datum{textOf(text)})
	case "sleep":
		s.dialect.sleeping <- struct{}{}
		<-ctx.Done()
		s.dialect.cancelled <- context.Cause(ctx)
		return ctx.Err()
	case "sleeprows":
		return s.sleepRows(ctx, sink)
	case "panic":
		panic("scripted")
	case "plain":
		return errors.New("plain failure")
	case "fail":
		return fault.New(fault.NoSuchTable, "d", "t")
	case "failrows":
		if err := sink.Columns(constantColumns); err != nil {
			return err
		}
		if err := sink.Row(constantRow); err != nil {
			return err
		}
		return fault.New(fault.Deadlock)
	case "begin", "start":
		s.state.InTransaction = true
	case "commit", "rollback":
		s.state.InTransaction = false
	case "use":
		s.state.Database = rest
	case "hurry":
		s.idle = time.Millisecond
	case "silent":
		return nil
	}
	return sink.Done(result.Done{Affected: 3, LastInsertID: 7, Warnings: 1, Info: "Records: 3"})
}

func textColumns(name string) []result.Column {
	return []result.Column{{Name: name, Type: datum.Type{Base: datum.Varchar}}}
}

func echo(parameters []datum.Datum, sink result.Sink) error {
	var columns []result.Column
	var row []datum.Datum
	for i, p := range parameters {
		columns = append(columns, result.Column{Name: fmt.Sprint("p", i)},
			result.Column{Name: fmt.Sprint("k", i), Type: datum.Type{Base: datum.BigInt}})
		row = append(row, p, datum.Int(int64(p.Kind())))
	}
	return one(sink, columns, row)
}

// rows answers "N SIZE": N rows of a number and SIZE bytes.
func (s *script) rows(ctx context.Context, arguments string, sink result.Sink) error {
	var count, size int
	_, _ = fmt.Sscan(arguments, &count, &size)
	columns := []result.Column{{Name: "n", Type: datum.Type{Base: datum.BigInt}},
		{Name: "v", Type: datum.Type{Base: datum.Varbinary}}}
	if err := sink.Columns(columns); err != nil {
		return err
	}
	value := bytes.Repeat([]byte{'x'}, size)
	for i := range count {
		if ctx.Err() != nil {
			s.dialect.cancelled <- context.Cause(ctx)
			return ctx.Err()
		}
		s.dialect.produced.Add(1)
		if err := sink.Row([]datum.Datum{datum.Int(int64(i)), datum.Binary(value)}); err != nil {
			return err
		}
	}
	return sink.Done(result.Done{})
}

// sleepRows answers a row and then waits.
func (s *script) sleepRows(ctx context.Context, sink result.Sink) error {
	if err := sink.Columns(constantColumns); err != nil {
		return err
	}
	if err := sink.Row(constantRow); err != nil {
		return err
	}
	return s.run(ctx, "sleep", nil, sink)
}

type preparedScript struct {
	s          *script
	text       string
	parameters int
	columns    []result.Column
}

func (s *script) Prepare(_ context.Context, text []byte) (result.Prepared, error) {
	defer s.enter()()
	p := &preparedScript{s: s, text: string(text), parameters: bytes.Count(text, []byte("?"))}
	switch word, _, _ := strings.Cut(p.text, " "); word {
	case "unpreparable":
		return nil, fault.New(fault.Syntax, "You have an error in your SQL syntax")
	case "types":
		p.columns = typeColumns
	case "SELECT":
		p.columns = constantColumns
	}
	return p, nil
}

func (p *preparedScript) Parameters() int          { return p.parameters }
func (p *preparedScript) Columns() []result.Column { return p.columns }
func (p *preparedScript) Close()                   { p.s.enter()() }

func (p *preparedScript) Execute(ctx context.Context, parameters []datum.Datum, sink result.Sink) error {
	defer p.s.enter()()
	if p.text == "SELECT ?" {
		return one(sink, constantColumns, parameters)
	}
	return p.s.run(ctx, p.text, parameters, sink)
}

func (s *script) Use(_ context.Context, database string) error {
	defer s.enter()()
	if database == "missing" {
		return fault.New(fault.UnknownDatabase, database)
	}
	s.state.Database = database
	return nil
}

func (s *script) Reset(context.Context) error {
	defer s.enter()()
	s.state.InTransaction = false
	return nil
}

func (s *script) Fields(_ context.Context, table string) ([]result.Column, error) {
	defer s.enter()()
	if table != "t" {
		return nil, fault.New(fault.NoSuchTable, "d", table)
	}
	return typeColumns[:2], nil
}

// State may be asked for by a sink, so it does not enter; the race detector sees whether two goroutines use it.
func (s *script) State() result.State {
	return s.state
}

func (s *script) IdleTimeout() time.Duration { return s.idle }

func (s *script) SetMultiStatements(on bool) { s.multi = on }

func (s *script) Close() {
	defer s.enter()()
	s.dialect.closed.Add(1)
}

// typeColumns is one column of each type.
var typeColumns = func() []result.Column {
	types := []struct {
		name string
		t    datum.Type
	}{
		{"boolean", datum.Type{Base: datum.Boolean}},
		{"tinyint", datum.Type{Base: datum.TinyInt}},
		{"smallint", datum.Type{Base: datum.SmallInt}},
		{"integer", datum.Type{Base: datum.Integer}},
		{"bigint", datum.Type{Base: datum.BigInt}},
		{"unsigned", datum.Type{Base: datum.BigIntUnsigned}},
		{"float", datum.Type{Base: datum.Float}},
		{"double", datum.Type{Base: datum.Double}},
		{"decimal", datum.Type{Base: datum.DecimalBase, Precision: 10, Scale: 2}},
		{"char", datum.Type{Base: datum.Char, Length: 3}},
		{"varchar", datum.Type{Base: datum.Varchar, Length: 20}},
		{"binary", datum.Type{Base: datum.BinaryBase, Length: 2}},
		{"varbinary", datum.Type{Base: datum.Varbinary}},
		{"date", datum.Type{Base: datum.Date}},
		{"time", datum.Type{Base: datum.Time}},
		{"timestamp", datum.Type{Base: datum.Timestamp}},
		{"json", datum.Type{Base: datum.JSONBase}},
		{"untyped", datum.Type{}},
	}
	var columns []result.Column
	for _, t := range types {
		columns = append(columns, result.Column{Database: "d", Table: "a", OriginalTable: "t", Name: t.name,
			OriginalName: t.name, Type: t.t})
	}
	columns[0].NotNull, columns[0].PrimaryKey = true, true
	return columns
}()

func decimal(text string) datum.Datum {
	x, err := order.ParseDecimal([]byte(text))
	if err != nil {
		panic(err)
	}
	return datum.Decimal(x)
}

// typeRows are a row of ordinary values, one of extreme ones, one of NULLs, and one of values of other kinds than their
// columns'.
func typeRows() [][]datum.Datum {
	nulls := make([]datum.Datum, len(typeColumns))
	return [][]datum.Datum{
		{datum.Bool(true), datum.Int(1), datum.Int(-2), datum.Int(3), datum.Int(-4), datum.Uint(5), datum.Float64(0.5),
			datum.Float64(-2.25), decimal("12.5"), textOf("abc"),
			textOf("größe"), datum.Binary([]byte{0, 255}), datum.Binary([]byte("b")), datum.DateDays(19_000),
			datum.TimeUS(3_661_000_000), datum.TimestampUS(1_700_000_000_123_000),
			datum.JSON([]byte(`{"a": 1}`)), textOf("any")},
		{datum.Bool(false), datum.Int(-128), datum.Int(math.MaxInt16), datum.Int(math.MinInt32),
			datum.Int(math.MinInt64), datum.Uint(math.MaxUint64),
			datum.Float64(float64(float32(0.1))), datum.Float64(1e15), decimal("-99999999.99"), textOf(""),
			textOf(strings.Repeat("v", 300)), datum.Binary(nil),
			datum.Binary([]byte{}), datum.DateDays(-719_162), datum.TimeUS(-3_661_001_000), datum.TimestampUS(0),
			datum.JSON([]byte("null")), datum.Int(-9)},
		nulls,
		{datum.Int(1), decimal("2.5"), textOf("300000"), datum.Float64(-3.7), datum.Float64(1e300),
			decimal("18446744073709551615"), datum.Int(7), textOf("1.5"),
			datum.Int(3), datum.Int(12), datum.Bool(true), textOf("x"), datum.Int(4), datum.TimestampUS(86_400_001_000),
			textOf("-01:00:00.5"), textOf("2024-02-29 01:02:03.5"),
			datum.Int(1), datum.TimestampUS(-1000)},
	}
}

// serve starts a server on a loopback port, and ends it with the test.
func serve(t testing.TB, d *dialect, o Options) (s *Server, address string) {
	t.Helper()
	o.Open = d.open
	s = New(o)
	listener := listen(t)
	done := make(chan error, 1)
	go func() { done <- s.Serve(listener) }()
	t.Cleanup(func() { endServer(t, s, done, d) })
	return s, listener.Addr().String()
}

// endServer ends a server and looks whether every session was closed.
func endServer(t testing.TB, s *Server, ended <-chan error, d *dialect) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // whatever is still at work is cut off
	_ = s.Shutdown(ctx)
	if err := <-ended; err != nil {
		t.Error("Serve: ", err)
	}
	if opened, closed := d.opened.Load(), d.closed.Load(); opened != closed {
		t.Errorf("%d sessions were opened, %d closed", opened, closed)
	}
}
