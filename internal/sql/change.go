// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"strconv"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// change is a compiled INSERT, UPDATE or DELETE.
type change struct {
	does      Kind
	table     *definition.Table
	statement modify.Statement
	timeout   time.Duration // by a hint; 0: the session's
}

func (ch *change) kind() Kind { return ch.does }

// compileChange compiles a statement that writes rows.
func (s *Session) compileChange(read tree.Statement) (statement, error) {
	switch read := read.(type) {
	case *tree.Insert:
		return s.compileOn(read.Into, &change{does: kindOf(read), timeout: timeoutOf(read.Hints)}, func(ch *change, o modify.Options) (err error) {
			ch.statement, err = modify.CompileInsert(ch.table, read, o)
			return err
		})
	case *tree.Update:
		return s.compileOn(read.Table, &change{does: KindUpdate, timeout: timeoutOf(read.Hints)}, func(ch *change, o modify.Options) (err error) {
			ch.statement, err = modify.CompileUpdate(ch.table, read, o)
			return err
		})
	case *tree.Delete:
		return s.compileOn(read.From, &change{does: KindDelete, timeout: timeoutOf(read.Hints)}, func(ch *change, o modify.Options) (err error) {
			ch.statement, err = modify.CompileDelete(ch.table, read, o)
			return err
		})
	}
	return nil, worded(fault.Unsupported, "the statement can't be carried out")
}

// timeoutOf is what the hint _l_operation_timeout_ says, in milliseconds; 0 for nothing.
func timeoutOf(hints []tree.Hint) time.Duration {
	for _, hint := range hints {
		if hint.Name == "_l_operation_timeout_" {
			n, _ := strconv.ParseUint(hint.Argument, 10, 31) // what is no number asks for nothing
			return time.Duration(n) * time.Millisecond
		}
	}
	return 0
}

// compileOn compiles for the current version of a table.
func (s *Session) compileOn(name tree.Name, ch *change, compile func(*change, modify.Options) error) (statement, error) {
	t, p, err := s.table(name)
	if err != nil {
		return nil, err
	}
	defer p.release()
	ch.table = t
	return ch, compile(ch, modify.Options{DynamicVarbinary: s.values.DynamicVarbinary, UnboundedDelete: s.values.UnboundedDelete, Text: statementText})
}

// run writes.
func (ch *change) run(ctx context.Context, s *Session, c *call) error {
	if err := s.inside(ctx); err != nil {
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
	if p.Descriptor() != ch.table.Descriptor {
		return errStale
	}
	timeout := ch.timeout
	if timeout == 0 {
		timeout = s.values.StatementTimeout
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer cancel()
	}
	effect, err := ch.write(ctx, s, c, p.Pinned)
	s.looked(&effect.Read)
	if err != nil {
		return s.brokenBy(faultOf(ctx, err), effect.Broken)
	}
	for _, w := range effect.Warnings {
		s.warn(w.Code, w.Message)
	}
	return c.sink.Done(result.Done{Affected: effect.Affected, Info: effect.Info})
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
func (ch *change) write(ctx context.Context, s *Session, c *call, pin weft.Pinned) (modify.Effect, error) {
	values := s.values
	w := &modify.Call{
		DB: s.engine.db, Tx: s.tx(), Pin: pin, Context: s.beginExecution(c.parameters), FoundRows: s.login.FoundRows,
		Settings: s.planSettings(), Limits: modify.Limits{
			RowsMax: values.RowsMax, BytesMax: values.BytesMax, BytesAdvised: values.BytesAdvised,
			KeyColumnBytesMax: values.KeyColumnBytesMax, KeyBytesMax: values.KeyBytesMax, ValueBytesMax: values.ValueBytesMax,
		},
	}
	if s.open != nil {
		w.Kept = &s.open.memory
	}
	w.Context.Done = ctx.Done()
	return ch.statement.Run(ctx, w)
}
