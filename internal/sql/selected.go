// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// selectStatement is a compiled SELECT over one table or none.
type selectStatement struct {
	asks
	*plan.Select
	database, name string // of the table; "" for none
	notes          []warning
}

func (*selectStatement) kind() Kind { return KindSelect }

// compileSelect compiles a SELECT for the current version of its table.
func (s *Session) compileSelect(read *tree.Select) (statement, error) {
	return s.compileSelectOf(read, statementText)
}

// compileSelectOf is compileSelect with the text that messages give.
func (s *Session) compileSelectOf(read *tree.Select, text func() string) (statement, error) {
	if read.From == nil {
		compiled, err := plan.Compile(read, nil, nil, text)
		return &selectStatement{Select: compiled, notes: hintNotes(read.Hints, KindSelect)}, err
	}
	t, p, err := s.table(*read.From, account.Select)
	if err != nil {
		return nil, s.viewInstead(*read.From, err)
	}
	defer p.release()
	t.Spell(read)
	if err := s.askSelect(read, t); err != nil {
		return nil, err
	}
	compiled, err := plan.Compile(read, t, p.AttributeNames(), text)
	if err != nil {
		return nil, err
	}
	hints := read.Hints
	if compiled.Pages() {
		hints = slices.DeleteFunc(slices.Clone(hints), func(h tree.Hint) bool { return h.Name == "_l_allow_cursor_" })
	}
	return &selectStatement{Select: compiled, database: t.Database, name: t.Name, notes: hintNotes(hints, KindSelect)},
		nil
}

// run reads and sends rows.
func (st *selectStatement) run(ctx context.Context, s *Session, c *call) error {
	p, err := st.begin(ctx, s, c)
	if err != nil {
		return err
	}
	defer p.release()
	if limit := s.values.SelectLimit; limit > 0 {
		c.sink.limit(limit)
	}
	s.tell(st.notes)
	s.ofTable = st.name != ""
	s.timeout = st.Source.Timeout(&s.request.Settings)
	if st.ForUpdate && s.request.Tx == nil {
		tx, err := s.beginAlone(ctx)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		s.request.View, s.request.Tx, s.request.Kept = tx.View(), tx, &memory.Share{Of: s.engine.options.Memory}
		defer s.request.Kept.Release()
	}
	summary, err := execute.Select(ctx, &s.request)
	s.countReads(&summary.Counts.Counts)
	if summary.Warning != "" {
		s.warn(fault.Refused, summary.Warning)
	}
	if st.name != "" && st.Beyond() {
		s.warn(fault.Refused, fmt.Sprintf(
			"SELECT * shows the first %d column names of the table; name further columns to see them",
			database.AttributeNamesMax))
	}
	return err
}

// begin prepares the session's request. The caller releases the pin. errStale says that the table has changed.
func (st *selectStatement) begin(ctx context.Context, s *Session, c *call) (p heldTable, err error) {
	request := &s.request
	*request = execute.Request{Statement: st.Select, DB: s.engine.db, Sink: c.sink, Limit: &s.limit}
	request.Context, request.Settings = s.beginExecution(c.parameters), s.planSettings()
	if st.name == "" {
		return p, nil
	}
	if err := s.beginImplicit(ctx); err != nil {
		return p, err
	}
	if p, err = s.pin(st.database, st.name); err != nil {
		return p, s.viewInstead(tree.Name{Database: st.database, Name: st.name}, err)
	}
	if p.Descriptor() != st.Source.Table.Descriptor || !st.Current(p.Pinned) {
		p.release()
		return p, errStale
	}
	request.Pinned = p.Pinned
	if err := s.awaitSearch(ctx, p.Pinned); err != nil {
		p.release()
		return p, err
	}
	if tx := s.tx(); tx != nil {
		request.View, request.Tx, request.Kept = tx.View(), tx, &s.open.memory
		if err := s.reads(ctx); err != nil {
			p.release()
			return p, err
		}
	}
	return p, nil
}

// awaitSearch waits for the asynchronous search indexes of a table, if the session asks for it. A transaction shows a
// moment that is over.
func (s *Session) awaitSearch(ctx context.Context, p database.Pinned) error {
	limit := s.values.SearchWait
	if limit == 0 || s.tx() != nil {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := p.AwaitIndexes(waiting)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return fault.New(fault.Refused, fmt.Sprintf(
			"the asynchronous search index of table %s did not follow within %v: SHOW INDEX tells how far it is behind; raise weft_search_wait, or set it to 0 to search what it has", p.Descriptor().Name, limit))
	}
	return err
}

// planSettings are the session's settings for finding rows.
func (s *Session) planSettings() plan.Settings {
	v := s.values
	timeout := v.StatementTimeout
	if timeout == 0 {
		timeout = -1
	}
	settings := plan.Settings{
		MultiGetKeysMax: v.MultiGetMax, Inefficient: plan.Inefficient(v.Inefficient), Timeout: timeout,
		SortBytesMax:  int(v.SortBytesMax),
		GroupBytesMax: int(v.GroupBytesMax),
		Memory:        s.engine.options.Memory,
	}
	if v.SortSpill {
		settings.Spill = s.engine.options.Spill
	}
	return settings
}

// marker stands for the statement's text in messages of compiled statements, which many texts share.
const marker = "\x00statement\x00"

func statementText() string { return marker }
