// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"context"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/variable"
)

// writeStatement is a compiled INSERT, UPSERT, REPLACE, UPDATE or DELETE.
type writeStatement struct {
	asks
	does      Kind
	statement modify.Statement
	tables    []*definition.Table   // that are written
	views     []database.StoredView // through which they are
	inserts   bool                  // it is one of the first three
	mode      modify.InsertMode     // that they were compiled for
	query     *queryStatement       // finds what is written; nil: VALUES says it
	ignores   bool                  // the statement has IGNORE
	timeout   time.Duration         // by a hint; 0: the session's
	notes     []warning
}

func (w *writeStatement) kind() Kind { return w.does }

// run writes within the statement's time.
func (w *writeStatement) run(ctx context.Context, s *Session, c *call) error {
	s.told = 0
	if err := s.beginImplicit(ctx); err != nil {
		return err
	}
	if s.open != nil && s.open.readOnly || s.open == nil && s.values.ReadOnly {
		return fault.New(fault.ReadOnlyTransaction)
	}
	defer s.ends()
	s.timeout, s.ofTable = s.values.StatementTimeout, true
	if w.timeout > 0 {
		s.timeout = w.timeout
	}
	if s.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.timeout, errTimeout)
		defer cancel()
	}
	call, err := w.begin(ctx, s, c)
	if err != nil {
		return err
	}
	s.tell(w.notes)
	effect, err := w.statement.Run(ctx, call)
	if err != nil {
		return s.brokenBy(faultOf(ctx, err), effect.Broken)
	}
	for _, told := range effect.Warnings {
		s.warn(told.Code, told.Message)
	}
	return c.sink.Done(result.Done{Affected: effect.Affected, Info: effect.Info,
		LastInsertID: s.noteInsertIDs(&effect)})
}

// begin takes the tables' versions, until ends, and makes the call of an execution. errStale says that the statement is
// to be compiled again.
func (w *writeStatement) begin(ctx context.Context, s *Session, c *call) (*modify.Call, error) {
	for _, view := range w.views {
		if now, ok := s.engine.db.StoredViews().Get(view.Database, view.Name); !ok || now != view {
			return nil, errStale
		}
	}
	for _, t := range w.tables {
		if err := s.awaitRows(ctx, t.Database, t.Name); err != nil {
			return nil, err
		}
	}
	call := s.writeCall(ctx, c)
	for i, t := range w.tables {
		p, err := s.pinKnown(t)
		if err == nil && w.inserts && w.mode != s.insertMode(t.Database) {
			err = errStale
		}
		if err == nil && s.open == nil && p.IsHeld() {
			s.ends()
			err = cmp.Or(s.awaitFree(ctx, t.Database, t.Name), errStale)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			call.Pin = p.Pinned
		} else {
			call.Others = append(call.Others, p.Pinned)
		}
	}
	if w.query == nil {
		return call, nil
	}
	request := w.query.request(s, s.beginFinding(w, c))
	if err := w.query.pinTables(s); err != nil {
		return nil, err
	}
	if w.query.Single != nil {
		call.Keys = w.keys(s, request)
	}
	call.Read = w.reader(s, c, call.Keys != nil)
	return call, nil
}

// keys are the items that WHERE names, if it names one.
func (w *writeStatement) keys(s *Session, request *execute.Request) [][]byte {
	x := plan.Execution{Pinned: request.Pinned[0], Context: request.Context}
	point := w.query.Single.Source.Point(&x, &s.access)
	if point == nil {
		return nil
	}
	key, err := x.Pinned.AppendItemKey(nil, &database.Write{Op: database.OpDelete, Row: point})
	if err != nil {
		return nil // a key that can't be belongs to no row
	}
	return [][]byte{key}
}

// beginFinding begins the context of the query of an execution.
func (s *Session) beginFinding(w *writeStatement, c *call) *evaluate.Context {
	x := &s.finding
	s.beginContext(x, c.parameters)
	x.StrictDivision, x.StrictNumbers = s.values.StrictDivision && !w.ignores, !s.values.Lax && !w.ignores
	return x
}

// reader reads the query of an execution, which may have to be read several times. own says that it finds the row that
// WHERE names: looking at it is part of writing it.
func (w *writeStatement) reader(s *Session, c *call, own bool) func(context.Context, *database.Tx,
	func(row []datum.Datum) error) (string, error) {
	warnings := len(s.warnings) + len(w.notes)
	return func(ctx context.Context, tx *database.Tx, use func(row []datum.Datum) error) (string, error) {
		s.warnings = s.warnings[:min(warnings, len(s.warnings))]
		request := &s.request
		s.beginFinding(w, c)
		request.View, request.Tx = tx.View(), tx
		request.Settings.Timeout = -1 // the statement's time is for all it does
		// What is sorted is kept anyway.
		request.Settings.SortBytesMax = max(request.Settings.SortBytesMax, s.values.BytesMax)
		if s.open != nil {
			request.Kept = &s.open.memory
		}
		if own {
			ctx = database.OwnWork(ctx)
		}
		summary, err := execute.Each(ctx, request, use)
		w.query.noteCounts(s, &summary.Read.Counts)
		return summary.Warning, err
	}
}

// insertMode says what an INSERT into a table of a database does when the key already exists: the session decides, or
// else the database.
func (s *Session) insertMode(database string) modify.InsertMode {
	if s.values.Insert != variable.ByTable {
		return modify.InsertMode(s.values.Insert)
	}
	return modify.InsertModeOf(s.engine.db.DatabaseOption(database, definition.DatabaseInsertMode))
}

func (s *Session) writeOptions(t *definition.Table) modify.Options {
	return modify.Options{DynamicVarbinary: s.values.DynamicVarbinary, UnboundedDelete: s.values.UnboundedDelete,
		Insert: s.insertMode(t.Database)}
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

// writeCall is one execution of a statement that writes, in the open transaction or, without one, as a commit of its
// own.
func (s *Session) writeCall(ctx context.Context, c *call) *modify.Call {
	values := s.values
	w := &modify.Call{
		DB: s.engine.db, Tx: s.tx(), LockWait: s.values.LockWait,
		Serializable: s.values.Isolation == variable.Serializable,
		Context:      s.beginExecution(c.parameters), FoundRows: s.login.FoundRows,
		ZeroIsNumber: values.NoAutoValueOnZero,
		Memory:       s.engine.options.Memory, Limits: modify.Limits{
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
