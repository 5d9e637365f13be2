// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/relational/failure"
	"github.com/weftdb/weft/internal/sql/relational/rewrite"
	"github.com/weftdb/weft/internal/sql/relational/value"
	"github.com/weftdb/weft/internal/sql/result"
)

// Options configure an Engine. The zero value works.
type Options struct {
	// Version is what version() answers; "" means the engine's own.
	Version string
	// HeldRowsMax bounds the rows that subqueries, hash joins and the like hold in memory for one statement. 0 means 5,000,000.
	HeldRowsMax uint64
}

const (
	heldRowsMaxDefault  = 5_000_000
	heldBytesMaxDefault = 256 << 20
)

// Engine runs relational statements. There should be one in a process, since go-mysql-server keeps its system variables in globals. Nothing is
// built before the first statement. All methods may be called at the same time.
type Engine struct {
	options Options
	logger  *logrus.Entry
	once    sync.Once
	asked   atomic.Int64 // statements
	engine  *sqle.Engine
	// analyzers share the engine's catalog.
	analyzers map[manner]*analyzer.Analyzer
	// privileges are all there are: who may do what was settled before a statement comes here. information_schema asks for them.
	privileges sql.PrivilegeSet
}

// New makes an engine.
func New(options Options) *Engine {
	if options.HeldRowsMax == 0 {
		options.HeldRowsMax = heldRowsMaxDefault
	}
	return &Engine{options: options}
}

// build makes the engine at the first statement.
func (e *Engine) build() {
	e.once.Do(func() {
		silent := logrus.New()
		silent.SetOutput(io.Discard)
		silent.SetLevel(logrus.PanicLevel)
		e.logger = logrus.NewEntry(silent)
		databases := &provider{}
		a := newAnalyzer(databases, manner{})
		e.privileges = mysql_db.NewPrivilegeSetWithAllPrivileges()
		e.analyzers = map[manner]*analyzer.Analyzer{{}: a}
		for _, m := range []manner{{plain: true}, {sorts: true}, {plain: true, sorts: true}} {
			e.analyzers[m] = newAnalyzer(databases, m)
			e.analyzers[m].Catalog = a.Catalog
		}
		databases.system = a.Catalog.MySQLDb
		if e.options.Version != "" {
			a.Catalog.RegisterFunction(sql.NewEmptyContext(), sql.Function0{Name: "version", Fn: func() sql.Expression {
				return expression.NewLiteral(e.options.Version, types.CreateLongText(sql.Collation_Default))
			}})
		}
		e.engine = sqle.New(a, &sqle.Config{})
		for _, a := range e.analyzers {
			a.Runner = e.engine
		}
	})
}

// Statements is how many statements were run or prepared. The engine is not built before the first.
func (e *Engine) Statements() int64 { return e.asked.Load() }

// Query runs one statement and sends its answer to the sink: Columns, each Row and Done, or Done alone. Errors are *fault.Error, except those of
// the sink, which come back as they are. The context ends the statement.
func (e *Engine) Query(ctx context.Context, from Session, source Source, text string, parameters []datum.Datum, sink result.Sink) (err error) {
	defer failure.Recovered(&err)
	e.build()
	r, err := e.begin(ctx, from, source, text)
	if err != nil {
		return err
	}
	defer r.statement.held.memory.Release()
	if want := countParameters(r.parsed); want != len(parameters) {
		return fault.New(fault.WrongArguments, "EXECUTE: the statement has "+strconv.Itoa(want)+" parameters, "+strconv.Itoa(len(parameters))+" were given")
	}
	schema, rows, err := r.run(parameters)
	if err != nil {
		return translate(r.ctx, err)
	}
	answer := &answer{run: r, schema: schema, sink: sink}
	err = answer.send(rows)
	if closed := rows.Close(r.ctx); err == nil && closed != nil {
		err = translate(r.ctx, closed)
	}
	if err != nil {
		return err
	}
	return sink.Done(answer.done)
}

// Prepare says how many parameters a statement has and which columns its answer, as far as can be said without the parameters' types. A
// statement without an answer of rows has no columns.
func (e *Engine) Prepare(ctx context.Context, from Session, source Source, text string) (parameters int, columns []result.Column, err error) {
	defer failure.Recovered(&err)
	e.build()
	r, err := e.begin(ctx, from, source, text)
	if err != nil {
		return 0, nil, err
	}
	parameters = countParameters(r.parsed)
	binder := planbuilder.New(r.ctx, e.engine.Analyzer.Catalog, nil, e.engine.Parser)
	node, _, err := binder.BindOnly(r.parsed, r.text, nil)
	if err != nil {
		return parameters, nil, translate(r.ctx, err)
	}
	switch r.parsed.(type) {
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.DDL:
		return parameters, nil, nil
	}
	return parameters, r.columns(node.Schema()), nil
}

// run is one statement under way.
type run struct {
	engine    *Engine
	ctx       *sql.Context
	statement *statement
	parsed    sqlparser.Statement
	text      string
}

// begin reads a statement and finds out what it names.
func (e *Engine) begin(ctx context.Context, from Session, source Source, text string) (*run, error) {
	e.asked.Add(1)
	if err := token.Relational().Check([]byte(text)); err != nil { // the parser takes any depth, up to the end of the process
		return nil, err
	}
	s := &statement{source: source, tables: make(map[string]Table), names: &names{}, missing: make(map[string]string), strangers: make(map[string]string)}
	s.held.bytesMax, s.held.memory.Of = from.HeldBytesMax, from.Memory
	if s.held.bytesMax == 0 {
		s.held.bytesMax = heldBytesMaxDefault
	}
	text, s.insert.rule = rewrite.Dialect(text)
	s.text = text
	s.settings(from, text)
	s.tells = strings.Contains(strings.ToLower(text), "information_schema") || strings.EqualFold(text[:min(len(text), 4)], "show")
	r := &run{engine: e, statement: s, text: text}
	r.ctx = e.engineContext(ctx, from, s, text)
	parsed, err := parse(r.ctx, text)
	if err != nil {
		return nil, err
	}
	r.parsed = parsed
	if err := rewrite.Permit(parsed); err != nil {
		return nil, err
	}
	rewrite.Repair(parsed)
	s.inspect(parsed)
	if s.names, err = collect(r.ctx, s, parsed); err != nil {
		return nil, translate(r.ctx, err)
	}
	return r, nil
}

func parse(ctx *sql.Context, text string) (sqlparser.Statement, error) {
	parsed, err := sqlparser.ParseWithOptions(ctx, text, sql.LoadSqlMode(ctx).ParserOptions())
	if errors.Is(err, sqlparser.ErrEmpty) {
		return nil, fault.New(fault.EmptyQuery)
	}
	if err != nil {
		return nil, fault.Because(err, fault.Syntax, failure.Syntax(text, err.Error()))
	}
	return parsed, nil
}

// run plans the statement and starts it.
func (r *run) run(parameters []datum.Datum) (sql.Schema, sql.RowIter, error) {
	analyzed, flags, err := r.analyze(func() (sql.Node, *sql.QueryFlags, error) {
		binder := planbuilder.New(r.ctx, r.engine.engine.Analyzer.Catalog, nil, r.engine.engine.Parser)
		if len(parameters) > 0 {
			binder.SetBindingsWithExpr(literals(parameters))
		}
		return binder.BindOnly(r.parsed, r.text, nil)
	})
	if err != nil {
		return nil, nil, err
	}
	if analyzed, err = narrow(analyzed); err != nil {
		return nil, nil, err
	}
	if analyzed, err = spread(analyzed); err != nil {
		return nil, nil, err
	}
	if err = r.statement.judge(analyzed); err != nil {
		return nil, nil, err
	}
	schema, rows, _, err := r.engine.engine.PrepQueryPlanForExecution(r.ctx, r.text, analyzed, flags)
	return schema, rows, err
}

// answer sends rows to the sink.
type answer struct {
	run    *run
	schema sql.Schema
	sink   result.Sink
	done   result.Done
}

func (a *answer) send(rows sql.RowIter) error {
	if types.IsOkResultSchema(a.schema) || len(a.schema) == 0 {
		return a.count(rows)
	}
	columns := a.run.columns(a.schema)
	row, err := a.next(rows)
	if err != nil {
		return err
	}
	for i := range row {
		if _, exact := row[i].(decimal.Decimal); exact && columns[i].Type.Base == datum.Double {
			columns[i].Type = datum.Type{Base: datum.DecimalBase} // the engine takes sums of decimals for floating-point numbers
		}
	}
	if err := a.sink.Columns(columns); err != nil {
		return err
	}
	out := make([]datum.Datum, len(columns))
	for row != nil {
		for i := range out {
			if out[i], err = value.FromEngine(a.run.ctx, row[i], columns[i].Type.Base, a.schema[i].Type); err != nil {
				return translate(a.run.ctx, err)
			}
		}
		if err := a.sink.Row(out); err != nil {
			return err
		}
		if row, err = a.next(rows); err != nil {
			return err
		}
	}
	return nil
}

// next is the next row, nil at the end.
func (a *answer) next(rows sql.RowIter) (sql.Row, error) {
	if err := a.run.ctx.Err(); err != nil {
		return nil, translate(a.run.ctx, err)
	}
	row, err := rows.Next(a.run.ctx)
	if errors.Is(err, io.EOF) {
		a.done.Warnings = int(a.run.ctx.WarningCount())
		return nil, nil
	}
	if err != nil {
		return nil, translate(a.run.ctx, err)
	}
	return row, nil
}

// count reads the one row of a statement that answers with counts.
func (a *answer) count(rows sql.RowIter) error {
	for {
		row, err := a.next(rows)
		if row == nil {
			return err
		}
		if len(row) == 0 {
			continue
		}
		if ok, is := row[0].(types.OkResult); is {
			a.done.Affected, a.done.LastInsertID = ok.RowsAffected, ok.InsertID
			if ok.Info != nil {
				a.done.Info = ok.Info.String()
			}
		}
	}
}

// columns describes an answer.
func (r *run) columns(schema sql.Schema) []result.Column {
	columns := make([]result.Column, len(schema))
	for i, c := range schema {
		name := r.statement.names.original(c.Name)
		columns[i] = result.Column{
			Database: c.DatabaseSource, Table: c.Source, OriginalTable: c.Source, Name: name, OriginalName: name,
			Type: value.ResultType(c.Type), NotNull: !c.Nullable, PrimaryKey: c.PrimaryKey, Unsigned: types.IsUnsigned(c.Type),
		}
	}
	return columns
}

// countParameters counts the question marks of a statement.
func countParameters(parsed sqlparser.Statement) int {
	count := 0
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if v, ok := node.(*sqlparser.SQLVal); ok && v.Type == sqlparser.ValArg {
			count++
		}
		return true, nil
	}, parsed)
	return count
}

// literals are the engine's literals of parameters, by the names that its parser gives to question marks.
func literals(parameters []datum.Datum) map[string]sql.Expression {
	made := make(map[string]sql.Expression, len(parameters))
	for i, p := range parameters {
		made[fmt.Sprintf("v%d", i+1)] = expression.NewLiteral(value.Loose(p), value.LooseType(p))
	}
	return made
}
