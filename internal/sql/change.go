// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/variable"
)

// change is a compiled INSERT, UPDATE or DELETE.
type change struct {
	asks
	does      Kind
	table     *definition.Table
	mode      modify.InsertMode // that it was compiled for
	statement modify.Statement
	timeout   time.Duration // by a hint; 0: the session's
	notes     []warning
}

func (ch *change) kind() Kind { return ch.does }

// compileChange compiles a statement that writes rows.
func (s *Session) compileChange(read tree.Statement) (statement, error) {
	switch read := read.(type) {
	case *tree.Insert:
		return s.compileOn(read, read.Into, account.Insert, read.Hints, &change{does: kindOf(read)},
			func(ch *change, o modify.Options) (err error) {
				ch.statement, err = modify.CompileInsert(ch.table, read, o)
				return err
			})
	case *tree.Update:
		return s.compileOn(read, read.Table, account.Update, read.Hints, &change{does: KindUpdate},
			func(ch *change, o modify.Options) (err error) {
				ch.statement, err = modify.CompileUpdate(ch.table, read, o)
				return err
			})
	case *tree.Delete:
		return s.compileOn(read, read.From, account.Delete, read.Hints, &change{does: KindDelete},
			func(ch *change, o modify.Options) (err error) {
				ch.statement, err = modify.CompileDelete(ch.table, read, o)
				return err
			})
	}
	return nil, fault.Message(fault.Unsupported, "the statement can't be carried out")
}

// compileOn compiles for the current version of a table.
func (s *Session) compileOn(read tree.Statement, name tree.Name, privilege account.Privileges, hints []tree.Hint,
	ch *change, compile func(*change, modify.Options) error) (_ statement, err error) {
	if ch.timeout, err = definition.Timeout(hints); err != nil {
		return nil, err
	}
	ch.notes = hintNotes(hints, ch.does)
	t, p, err := s.table(name, privilege)
	if err == nil {
		t.Spell(read)
	}
	if err != nil {
		return nil, s.writesView(read, name, err)
	}
	defer p.release()
	if err := s.askChange(read, t); err != nil {
		return nil, err
	}
	ch.table = t
	options := s.changeOptions(t)
	ch.mode = options.Insert
	return ch, compile(ch, options)
}

// insertMode says what an INSERT into a table of a database does when the key already exists: the session decides, or
// else the database.
func (s *Session) insertMode(database string) modify.InsertMode {
	if s.values.Insert != variable.ByTable {
		return modify.InsertMode(s.values.Insert)
	}
	return modify.InsertModeOf(s.engine.db.DatabaseOption(database, definition.DatabaseInsertMode))
}

func (s *Session) changeOptions(t *definition.Table) modify.Options {
	return modify.Options{DynamicVarbinary: s.values.DynamicVarbinary, UnboundedDelete: s.values.UnboundedDelete,
		Insert: s.insertMode(t.Database), Text: statementText}
}

// run writes.
func (ch *change) run(ctx context.Context, s *Session, c *call) error {
	s.told = 0
	if err := s.beginImplicit(ctx); err != nil {
		return err
	}
	if s.open != nil && s.open.readOnly || s.open == nil && s.values.ReadOnly {
		return fault.New(fault.ReadOnlyTransaction)
	}
	p, err := s.pin(ch.table.Database, ch.table.Name)
	if err != nil {
		return err
	}
	defer p.release()
	if p.Descriptor() != ch.table.Descriptor || ch.mode != s.insertMode(ch.table.Database) {
		return errStale
	}
	timeout := ch.timeout
	if timeout == 0 {
		timeout = s.values.StatementTimeout
	}
	s.tell(ch.notes)
	s.timeout, s.ofTable = timeout, true
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer cancel()
	}
	effect, err := ch.write(ctx, s, c, p.Pinned)
	s.countReads(&effect.Read)
	if err != nil {
		return s.brokenBy(faultOf(ctx, err), effect.Broken)
	}
	for _, w := range effect.Warnings {
		s.warn(w.Code, w.Message)
	}
	return c.sink.Done(result.Done{Affected: effect.Affected, Info: effect.Info,
		LastInsertID: s.noteInsertIDs(&effect)})
}

// noteInsertIDs notes the numbers of new rows for LAST_INSERT_ID(), and returns the one that the client gets.
func (s *Session) noteInsertIDs(effect *modify.Effect) uint64 {
	switch {
	case effect.InsertID > 0:
		s.insertID = effect.InsertID
		return effect.InsertID
	case s.told > 0:
		return s.told
	}
	return effect.GivenID
}

// brokenBy rolls the open transaction back if it holds a part of a statement that failed.
func (s *Session) brokenBy(err error, broken bool) error {
	if !broken || s.open == nil {
		return err
	}
	s.rollback()
	f, ok := fault.Of(err)
	if !ok {
		return err
	}
	told := *f
	told.Message += " (the transaction was rolled back as a whole)"
	return &told
}

// write runs the compiled statement.
func (ch *change) write(ctx context.Context, s *Session, c *call, pin database.Pinned) (modify.Effect, error) {
	w := s.changeCall(ctx, c, s.tx(), pin)
	return ch.statement.Run(ctx, w)
}

// changeCall is one execution of a statement that writes. A nil tx makes it a commit of its own.
func (s *Session) changeCall(ctx context.Context, c *call, tx *database.Tx, pin database.Pinned) *modify.Call {
	values := s.values
	w := &modify.Call{
		DB: s.engine.db, Tx: tx, LockWait: s.values.LockWait, Serializable: s.values.Isolation == variable.Serializable,
		Pin: pin, Context: s.beginExecution(c.parameters), FoundRows: s.login.FoundRows,
		ZeroIsNumber: values.NoAutoValueOnZero,
		Settings:     s.planSettings(), Limits: modify.Limits{
			RowsMax: values.RowsMax, BytesMax: values.BytesMax, BytesAdvised: values.BytesAdvised,
			KeyColumnBytesMax: values.KeyColumnBytesMax, KeyBytesMax: values.KeyBytesMax,
			ValueBytesMax: values.ValueBytesMax,
		},
	}
	if s.open != nil {
		w.Kept = &s.open.memory
	}
	w.ZeroDates = s.values.ZeroDates
	w.Lax, w.Context.StrictDivision, w.Context.StrictNumbers = s.values.Lax, s.values.StrictDivision, !s.values.Lax
	w.Tables, w.Unchecked = s.engine.tables.of, s.values.KeysUnchecked
	w.Context.Done = ctx.Done()
	return w
}

// writesView is the error for a statement that writes to a view, where a table was not found.
func (s *Session) writesView(read tree.Statement, n tree.Name, err error) error {
	if !isNoTable(err) || !s.isView(n) {
		return err
	}
	switch read.(type) {
	case *tree.Update:
		return fault.Because(err, fault.NotUpdatable, n.Name, "UPDATE")
	case *tree.Delete:
		return fault.Because(err, fault.NotUpdatable, n.Name, "DELETE")
	}
	return fault.Because(err, fault.NotInsertable, n.Name, "INSERT")
}
