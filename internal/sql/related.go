// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/source"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/variable"
)

// relational runs a statement over several tables, or about views. It belongs to the open transaction, or is one of its own.
func (s *Session) relational(ctx context.Context, read *tree.Relational, c *call) error {
	if done, err := s.runView(ctx, read, c); done {
		return err
	}
	if done, err := s.runWrite(ctx, read, c); done {
		return err
	}
	if read.Views {
		if err := s.commit(ctx); err != nil {
			return err
		}
	} else if err := s.inside(ctx); err != nil {
		return err
	}
	if !read.Reads && (s.open != nil && s.open.readOnly || s.open == nil && s.values.ReadOnly) {
		return fault.New(fault.ReadOnlyTransaction)
	}
	timeout, err := definition.Timeout(read.Hints)
	if err != nil {
		return err
	}
	if timeout == 0 {
		timeout = s.values.StatementTimeout
	}
	s.tell(hintNotes(read.Hints, KindRelational))
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer cancel()
		defer c.sink.EndBy(ctx)()
	}
	switch {
	case read.Reads || read.Views:
		if err := s.reads(ctx); err != nil {
			return err
		}
		if limit := s.values.SelectLimit; limit > 0 {
			c.sink.limit(limit)
		}
		from := source.New(s.sourceOptions(s.tx(), c))
		defer from.Close()
		err = s.engine.joins.Query(ctx, s.asker(), from, read.Text, c.parameters, c.sink)
	case s.open != nil:
		if err := s.writes(ctx); err != nil {
			return err
		}
		err = s.relationalWrite(ctx, s.tx(), read, c)
	default:
		err = s.relationalAlone(ctx, read, c)
	}
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errTimeout) {
		return fault.Because(err, fault.StatementTimeout)
	}
	return err
}

// relationalText hands on a text that was read as a statement of another kind.
func (s *Session) relationalText(ctx context.Context, c *call) error {
	read, err := c.dialect.Relational(c.text)
	if err != nil {
		return err
	}
	read.Reads = true
	return s.relational(ctx, read, c)
}

// relationalAlone writes in a transaction of the statement's own, again if other writers were first.
func (s *Session) relationalAlone(ctx context.Context, read *tree.Relational, c *call) error {
	held := &heldDone{}
	outer := c.sink.Sink
	c.sink.Sink = held
	warnings := len(s.warnings)
	try := func(tx *weft.Tx) error {
		s.warnings = s.warnings[:warnings]
		return s.relationalWrite(ctx, tx, read, c)
	}
	var err error
	if s.values.Isolation == variable.Serializable {
		err = s.engine.db.UpdateSerializable(ctx, s.values.LockWait, try)
	} else {
		err = s.engine.db.UpdateWithin(ctx, s.values.LockWait, nil, try)
	}
	c.sink.Sink = outer
	if err != nil {
		return err
	}
	return c.sink.Done(held.done)
}

// relationalWrite runs a statement that writes. Within the session's transaction, a part of it that was written takes the whole with it.
func (s *Session) relationalWrite(ctx context.Context, tx *weft.Tx, read *tree.Relational, c *call) error {
	from := source.New(s.sourceOptions(tx, c))
	defer from.Close()
	held := &heldDone{}
	if err := s.engine.joins.Query(ctx, s.asker(), from, read.Text, c.parameters, held); err != nil {
		return err
	}
	effect, err := from.Flush(ctx)
	if err != nil {
		return s.brokenBy(faultOf(ctx, err), effect.Broken)
	}
	if !s.login.FoundRows && !read.Updates {
		held.done.Affected = effect.Affected
	}
	return c.sink.Done(held.done)
}

// heldDone keeps how a statement without rows ended until its writes are made.
type heldDone struct{ done result.Done }

// Columns is result.Sink's. Statements that write answer no rows.
func (h *heldDone) Columns([]result.Column) error { return nil }

// Row is result.Sink's.
func (h *heldDone) Row([]datum.Datum) error { return nil }

// Done is result.Sink's.
func (h *heldDone) Done(done result.Done) error {
	h.done = done
	return nil
}

// prepareRelational finds out what a statement takes and answers.
func (s *Session) prepareRelational(ctx context.Context, read *tree.Relational) (int, []result.Column, error) {
	if w, err := s.compileWrite(read, nil); w != nil || err != nil {
		return placeholders(read.Tree), nil, err
	}
	from := source.New(s.sourceOptions(s.tx(), &call{}))
	defer from.Close()
	return s.engine.joins.Prepare(ctx, s.asker(), from, read.Text)
}

// sourceOptions hand the relational engine the database as the session sees it.
func (s *Session) sourceOptions(tx *weft.Tx, c *call) source.Options {
	v, settings := s.values, s.planSettings()
	settings.Timeout = -1 // the statement has one for all its scans
	s.beginExecution(c.parameters)
	return source.Options{
		DB: s.engine.db, Tx: tx, Definition: s.engine.tables.of, Session: s, NowMS: s.context.NowMS, Settings: settings,
		Compile: modify.Options{DynamicVarbinary: v.DynamicVarbinary, Insert: modify.InsertMode(v.Insert), Text: statementText},
		Limits:  modify.Limits{RowsMax: v.RowsMax, BytesMax: v.BytesMax, BytesAdvised: v.BytesAdvised},
		Text:    func() string { return string(c.text[:min(len(c.text), textMax)]) }, Warn: s.warn,
	}
}

// passed are the variables that the relational engine is told, since what it answers hangs on them. It is immutable.
var passed = [...]string{"sql_mode", "group_concat_max_len", "cte_max_recursion_depth", "div_precision_increment", "max_allowed_packet", "lower_case_table_names",
	"autocommit", "version_comment", "character_set_client", "character_set_results", "wait_timeout", "interactive_timeout"}

// asker is the session as the relational engine sees it.
func (s *Session) asker() relational.Session {
	variables := make(map[string]datum.Datum, len(passed))
	for _, name := range passed {
		if d, err := s.engine.variables.Get(s.values, name); err == nil {
			variables[name] = d
		}
	}
	return relational.Session{
		User: s.login.User, Host: s.login.Host, Database: s.database, ConnectionID: s.login.ConnectionID, Variables: variables, UserVariables: s.user,
		HeldBytesMax: s.values.RelationalBytesMax, Memory: s.engine.options.Memory,
	}
}

// errView says that a statement that was taken for one over a table is over a view.
var errView = errors.New("sql: the statement reads a view")

// viewInstead is errView if there is a view where a table was not found.
func (s *Session) viewInstead(n tree.Name, err error) error {
	f, ok := fault.Of(err)
	if !ok || f.Code != fault.NoSuchTable || !s.isView(n) {
		return err
	}
	if !s.engine.options.Foreign {
		return errStale // it is one since the statement was compiled
	}
	return errView
}

func (s *Session) isView(n tree.Name) bool {
	database, name, err := s.resolve(n)
	if err != nil {
		return false
	}
	_, ok := s.engine.db.StoredViews().Get(database, name)
	return ok
}

// showCreateView answers SHOW CREATE VIEW. done is false if there is no such view.
func (s *Session) showCreateView(n tree.Name, c *call) (done bool, err error) {
	database, name, err := s.resolve(n)
	if err != nil {
		return true, err
	}
	view, ok := s.engine.db.StoredViews().Get(database, name)
	if !ok {
		return false, nil
	}
	if err := c.sink.Columns(texts("View", "Create View", "character_set_client", "collation_connection")); err != nil {
		return true, err
	}
	row := []datum.Datum{datum.TextString(view.Name), datum.TextString(view.Statement), datum.TextString("utf8mb4"), datum.TextString("utf8mb4_bin")}
	if err := c.sink.Row(row); err != nil {
		return true, err
	}
	return true, c.sink.Done(result.Done{})
}
