// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/userlock"
	"github.com/weftdb/weft/internal/sql/variable"
)

// Session is the state of one connection. It is used by one goroutine at a time and must be closed.
type Session struct {
	engine     *Engine
	login      result.Login
	database   string
	values     *variable.Values
	user       map[string]datum.Datum // @variables
	userBytes  int64                  // of their values
	userMemory memory.Share
	open       *transaction // nil outside of one
	nextRead   *bool        // SET TRANSACTION READ ONLY, for the next one
	// nextIsolation is SET TRANSACTION ISOLATION LEVEL's, for the next one.
	nextIsolation *variable.Isolation
	warnings      []warning
	multi         bool
	named         map[string]*preparedStatement // PREPARE name FROM ..
	userLocks     userlock.Holder               // of GET_LOCK
	temporaries   temporaries
	released      bool // it has ended itself
	readsOnly     bool // see SetReadsOnly
	// affected is the value of ROW_COUNT().
	affected int64
	insertID uint64          // what LAST_INSERT_ID() returns
	told     uint64          // what the statement at work gave to LAST_INSERT_ID(n); 0 for nothing
	found    int64           // what FOUND_ROWS() returns
	tally    Outcome         // of the statement at work
	running  context.Context // of the statement at work
	timeout  time.Duration   // of the statement at work; 0: none
	slept    time.Duration   // what SLEEP took of it
	waits    database.Waits
	digest   uint64 // names the digest of the statement at work; 0: its text does
	ofTable  bool   // the statement at work is about a table
	key      []byte // scratch
	literals []datum.Datum
	// rights are the principal's, as of rightsAt, and allowed are the decisions that were made by them.
	principal  permission.Principal
	rights     permission.Rights
	rightsAt   time.Time
	rightsErr  error // why they are not known
	allowed    map[right]bool
	asking     *[]need          // what the statement that is compiled asks for; nil: none is
	parameters []datum.Datum    // of the statement at work that is run from its tree
	context    evaluate.Context // of the statement's expressions
	request    execute.Request  // of the query that is run
	pins       []heldTable      // its tables, and those that are written
	finding    evaluate.Context // of the query of a statement that writes
	access     plan.Access      // scratch
	limit      execute.Limit    // of its time
}

// warningsMax is the number of warnings of one statement that are kept.
const warningsMax = 64

// warning is a line of SHOW WARNINGS.
type warning struct {
	level   string // Warning, Note or Error
	code    fault.Code
	message string
}

// Query runs a text of one statement or several, and tells the answer of each to the sink. Errors: *fault.Error; the
// statements before the one that failed are done.
func (s *Session) Query(ctx context.Context, text []byte, sink result.Sink) error {
	for {
		one, rest, err := s.dialect().Split(text)
		if err != nil {
			return err
		}
		if len(one) == 0 {
			one = text // nothing, or a comment: its reader knows which
		}
		if len(rest) > 0 && !s.multi {
			return fault.New(fault.Syntax,
				"You have an error in your SQL syntax: a text with several statements needs a client with multi-statements enabled; "+
					"what follows the first is near '"+near([]byte(Show(string(rest))))+"'")
		}
		if err := s.run(ctx, one, &answer{Sink: sink, session: s, more: len(rest) > 0}); err != nil {
			return err
		}
		if len(rest) == 0 {
			return nil
		}
		text = rest
	}
}

// dialect is how sql_mode says that texts are read.
func (s *Session) dialect() parse.Dialect {
	return parse.DialectOf(s.values.AnsiQuotes, s.values.PipesAsConcat, s.values.NoBackslashEscapes,
		s.values.RealAsFloat, s.values.LooseGroups)
}

// near is the beginning of a text, for messages.
func near(text []byte) string { return string(text[:min(len(text), 80)]) }

// Use changes the current database. Errors: fault.UnknownDatabase.
func (s *Session) Use(ctx context.Context, database string) error {
	s.renewRights(ctx)
	if err := s.askToSeeDatabase(database); err != nil {
		return err
	}
	if err := s.engine.checkDatabase(ctx, database); err != nil {
		return faultOf(ctx, err)
	}
	s.database = database
	return nil
}

// SetMultiStatements reports whether a text may hold several statements.
func (s *Session) SetMultiStatements(on bool) { s.multi = on }

// SetReadsOnly makes the session refuse, from here on, all but statements that read: SELECT, SHOW, DESCRIBE, EXPLAIN.
func (s *Session) SetReadsOnly() { s.readsOnly, s.values.ReadOnly = true, true }

// IdleTimeout is the time the session may wait for its next statement: wait_timeout.
func (s *Session) IdleTimeout() time.Duration { return s.values.IdleSession }

// Reset makes the session what it was when it was opened, in the database that it is in.
func (s *Session) Reset(context.Context) error {
	s.drop()
	s.warnings, s.nextRead, s.nextIsolation = nil, nil, nil
	s.affected, s.insertID = 0, 0
	return s.preset()
}

// insertAttribute is the connection attribute that sets the variable of its name.
const insertAttribute = "insert_mode"

// preset gives the session the variables with which it begins.
func (s *Session) preset() error {
	s.values = s.engine.variables.Global()
	mode, ok := s.login.Attributes[insertAttribute]
	if !ok {
		return nil
	}
	d := datum.TextString(mode)
	return s.assignSession(insertAttribute, &d)
}

// State returns the state that clients receive after each statement.
func (s *Session) State() result.State {
	return result.State{
		Database: s.database, InTransaction: s.open != nil, ReadOnly: s.open != nil && s.open.readOnly,
		Autocommit: s.values.Autocommit,
		Warnings:   len(s.warnings), NoBackslashEscapes: s.values.NoBackslashEscapes, Released: s.released,
	}
}

// Close rolls back what is open. The session is not used again.
func (s *Session) Close() {
	s.limit.Close()
	s.drop()
	s.engine.counts.sessions.Add(-1)
}

// drop rolls back what is open, and forgets prepared statements and variables.
func (s *Session) drop() {
	s.rollback()
	s.dropTemporaries()
	s.ReleaseLocks()
	for _, p := range s.named {
		p.Close()
	}
	s.named, s.user, s.userBytes = nil, nil, 0
	s.userMemory.Release()
}

// warn keeps a warning for SHOW WARNINGS.
func (s *Session) warn(code fault.Code, message string) {
	if len(s.warnings) < warningsMax {
		s.warnings = append(s.warnings, warning{"Warning", code, message})
	}
}

// answer is the sink of one statement: it knows whether another one follows, and adds what the session knows.
type answer struct {
	result.Sink
	session *Session
	more    bool
	isSet   bool // it has columns
	rows    int64
	rowsMax int64 // sql_select_limit; 0: none
}

// limit ends the answer after so many rows.
func (a *answer) limit(rows int64) { a.rowsMax = rows }

// EndBy is execute.Ender's, of a sink that has it.
func (a *answer) EndBy(ctx context.Context) (stop func() bool) {
	if ends, ok := a.Sink.(execute.Ender); ok {
		return ends.EndBy(ctx)
	}
	return func() bool { return true }
}

// Columns starts a result set.
func (a *answer) Columns(columns []result.Column) error {
	a.isSet = true
	return a.Sink.Columns(columns)
}

// Row is one row of it.
func (a *answer) Row(row []datum.Datum) error {
	if a.rowsMax > 0 && a.rows >= a.rowsMax {
		return nil
	}
	a.rows++
	return a.Sink.Row(row)
}

// Done ends the answer.
func (a *answer) Done(done result.Done) error {
	done.More = a.more
	done.Warnings = len(a.session.warnings)
	a.session.affected = int64(done.Affected)
	a.session.tally.Written += int64(done.Affected)
	if a.isSet {
		a.session.affected, a.session.found = -1, a.rows
		a.session.tally.Returned += a.rows
	}
	return a.Sink.Done(done)
}
