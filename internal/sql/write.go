// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/variable"
)

// queryWrite is a compiled INSERT .. SELECT, or an UPDATE or DELETE over several tables or with queries in it. Its
// query is read to its end before the first row is written.
type queryWrite struct {
	asks
	query   *queryStatement
	insert  modify.Taker      // of an INSERT; else targets
	into    *definition.Table // of insert
	mode    modify.InsertMode // of insert
	targets []writeTarget
	updates bool
	ignores bool // the statement has IGNORE
	timeout time.Duration
	notes   []warning
}

// writeTarget is a table of which rows are changed.
type writeTarget struct {
	table  *definition.Table
	made   modify.Target // what change is compiled of
	change *modify.FoundChange
	key    int // where the columns of its key begin in the query's rows
	keys   int
	values int // where the values that it is assigned begin; their number is that up to the next target's key
	end    int
}

func (*queryWrite) kind() Kind { return KindRelational }

// run writes within the statement's time.
func (w *queryWrite) run(ctx context.Context, s *Session, c *call) error {
	s.told = 0
	s.tell(w.notes)
	if err := s.beginImplicit(ctx); err != nil {
		return err
	}
	if s.open != nil && s.open.readOnly || s.open == nil && s.values.ReadOnly {
		return fault.New(fault.ReadOnlyTransaction)
	}
	timeout := w.timeout
	if timeout == 0 {
		timeout = s.values.StatementTimeout
	}
	s.timeout, s.ofTable = timeout, true
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer cancel()
	}
	x := &writeExecution{of: w, session: s, call: c, memory: memory.Share{Of: s.engine.options.Memory}}
	defer x.memory.Release()
	err := x.commit(ctx)
	if err != nil {
		if errors.Is(err, errStale) {
			return err
		}
		return s.brokenBy(faultOf(ctx, err), x.effect.Broken)
	}
	for _, told := range x.effect.Warnings {
		s.warn(told.Code, told.Message)
	}
	return c.sink.Done(result.Done{Affected: x.effect.Affected, Info: x.effect.Info,
		LastInsertID: s.noteInsertIDs(&x.effect)})
}

// writeExecution is one execution of a queryWrite.
type writeExecution struct {
	of      *queryWrite
	session *Session
	call    *call
	tx      *database.Tx
	rows    [][]datum.Datum // of the query
	bytes   int
	memory  memory.Share
	effect  modify.Effect
}

// commit writes in the open transaction, or in one of the statement's own, again if other writers were first.
func (x *writeExecution) commit(ctx context.Context) error {
	s := x.session
	if s.open != nil {
		if err := s.writes(ctx); err != nil {
			return err
		}
		x.tx = s.tx()
		point := x.tx.Savepoint()
		defer x.tx.ReleaseSavepoint(point)
		err := x.write(ctx)
		if err != nil && x.effect.Broken {
			x.effect.Broken = x.tx.RollbackTo(point) != nil
		}
		return err
	}
	warnings := len(s.warnings)
	try := func(tx *database.Tx) error {
		s.warnings = s.warnings[:warnings]
		x.tx, x.effect = tx, modify.Effect{}
		return x.write(ctx)
	}
	if s.values.Isolation == variable.Serializable {
		return s.engine.db.UpdateSerializable(ctx, s.values.LockWait, try)
	}
	return s.engine.db.UpdateWithin(ctx, s.values.LockWait, nil, try)
}

// write reads everything, then writes.
func (x *writeExecution) write(ctx context.Context) error {
	if x.of.insert == nil {
		return x.changes(ctx)
	}
	if err := x.read(ctx); err != nil {
		return err
	}
	pin, err := x.session.pin(x.of.into.Database, x.of.into.Name)
	if isNoTable(err) { // another may be in its place
		err = errStale
	}
	if err != nil {
		return err
	}
	defer pin.release()
	if pin.Descriptor() != x.of.into.Descriptor || x.of.mode != x.session.insertMode(x.of.into.Database) {
		return errStale
	}
	call := x.session.changeCall(ctx, x.call, x.tx, pin.Pinned)
	call.Rows = x.rows
	x.effect, err = x.of.insert.Run(ctx, call)
	return err
}

// read reads the rows of the query.
func (x *writeExecution) read(ctx context.Context) error {
	s, q := x.session, x.of.query
	request := execute.QueryRequest{Query: q.Query, Context: s.beginExecution(x.call.parameters),
		Settings: s.planSettings(), DB: s.engine.db, View: x.tx.View(), Tx: x.tx,
		BytesMax: s.values.RelationalBytesMax, DepthMax: s.recursionMax(), Virtual: s.virtual}
	request.Context.StrictDivision = s.values.StrictDivision && !x.of.ignores
	request.Context.StrictNumbers = !s.values.Lax && !x.of.ignores
	request.Settings.Timeout = -1 // the statement has one for all that it does
	if s.open != nil {
		request.Kept = &s.open.memory
	}
	release, err := q.pinTables(s, &request)
	defer release()
	if err != nil {
		return err
	}
	x.rows, x.bytes = nil, 0
	summary, err := execute.Each(ctx, &request, x.keep)
	q.noteCounts(s, &summary.Counts.Counts)
	return err
}

// rowOverheadBytes is the approximate memory of a stored row besides its values, and datumBytes that of a value besides
// its text.
const (
	rowOverheadBytes = 64
	datumBytes       = 32
)

// keep keeps a row until all are read.
func (x *writeExecution) keep(row []datum.Datum) error {
	most := x.session.values.BytesMax
	if most == 0 {
		most = 64 << 20
	}
	kept := make([]datum.Datum, len(row))
	x.bytes += rowOverheadBytes
	for i := range row {
		kept[i] = row[i].Clone()
		x.bytes += datumBytes + row[i].Len()
	}
	if x.bytes > most {
		return fault.Message(fault.Refused,
			"the statement writes more than %d bytes (statement_bytes_max): write fewer rows at once", most)
	}
	if limit := x.session.values.RowsMax; limit > 0 && len(x.rows) >= limit {
		return fault.Message(fault.Refused,
			"the statement writes more than %d rows (statement_rows_max): write fewer rows at once, for example with LIMIT", limit)
	}
	if !x.memory.Hold(int64(x.bytes)) {
		return fault.New(fault.OutOfResources,
			"no memory left for the rows of this statement (--sql-memory): write fewer at once, or try again later")
	}
	x.rows = append(x.rows, kept)
	return nil
}

// changes updates or deletes the rows of all targets.
func (x *writeExecution) changes(ctx context.Context) error {
	calls, release, err := x.calls(ctx)
	defer release()
	if err != nil {
		return err
	}
	found := make([][]modify.Found, len(x.of.targets))
	for again := true; again; { // until all rows are held and nobody changed one in between
		if err := x.read(ctx); err != nil {
			return err
		}
		again = false
		for i := range x.of.targets {
			found[i] = x.of.targets[i].rowsOf(x.rows)
			changed, err := x.of.targets[i].change.Hold(ctx, calls[i], found[i])
			if err != nil {
				return err
			}
			again = again || changed
		}
	}
	var matched uint64
	for i := range x.of.targets {
		calls[i].Context = x.session.beginExecution(x.call.parameters)
		calls[i].Context.StrictDivision = x.session.values.StrictDivision && !x.of.ignores
		calls[i].Context.StrictNumbers = !x.session.values.Lax && !x.of.ignores
		effect, rows, err := x.of.targets[i].change.Run(ctx, calls[i], found[i])
		x.effect.Warnings = append(x.effect.Warnings, effect.Warnings...)
		x.effect.Broken = effect.Broken || i > 0
		if err != nil {
			return err
		}
		x.effect.Affected += effect.Affected
		matched += rows
	}
	x.effect.Broken = false
	if x.of.updates {
		x.effect.Info = fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", matched, x.effect.Affected,
			len(x.effect.Warnings))
		if x.session.login.FoundRows {
			x.effect.Affected = matched
		}
	}
	return nil
}

// calls are those of the targets, with their tables' versions.
func (x *writeExecution) calls(ctx context.Context) (calls []*modify.Call, release func(), err error) {
	var pins []heldTable
	release = func() {
		for i := range pins {
			pins[i].release()
		}
	}
	for i := range x.of.targets {
		t := x.of.targets[i].table
		p, err := x.session.pin(t.Database, t.Name)
		if isNoTable(err) { // another may be in its place
			err = errStale
		}
		if err != nil {
			return nil, release, err
		}
		pins = append(pins, p)
		if p.Descriptor() != t.Descriptor {
			return nil, release, errStale
		}
		calls = append(calls, x.session.changeCall(ctx, x.call, x.tx, p.Pinned))
	}
	return calls, release, nil
}

// rowsOf picks a target's part of the query's rows. Where an outer join found no row, there is none.
func (t *writeTarget) rowsOf(rows [][]datum.Datum) (list []modify.Found) {
	for _, row := range rows {
		if !row[t.key].IsNull() {
			list = append(list, modify.Found{Key: row[t.key : t.key+t.keys], Values: row[t.values:t.end]})
		}
	}
	return list
}
