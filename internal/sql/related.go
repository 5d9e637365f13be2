// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// relational runs a statement about views, or one that writes what a query over tables finds.
func (s *Session) relational(ctx context.Context, read *tree.Relational, c *call) error {
	if done, err := s.runView(ctx, read, c); done {
		return err
	}
	if done, err := s.runWrite(ctx, read, c); done {
		return err
	}
	return unknownForm(read)
}

// unknownForm refuses a statement that the parser knows and nobody runs.
func unknownForm(read *tree.Relational) error {
	if _, ok := read.Tree.(*tree.Set); ok {
		return fault.New(fault.NotSupported, "A variable's value can't be a subquery: let the client read the row, and SET @variable = its value")
	}
	return worded(fault.Unsupported, "%s is not supported in this form", read.Why)
}

// prepareRelational finds out what a statement takes.
func (s *Session) prepareRelational(read *tree.Relational) (parameters int, err error) {
	switch read.Tree.(type) {
	case *tree.CreateView, *tree.DropView:
		return 0, nil
	}
	w, err := s.compileWrite(read, nil)
	if err == nil && w == nil {
		err = unknownForm(read)
	}
	return placeholders(read.Tree), err
}

// viewInstead is errStale if there is a view where a table was not found: it is one since the statement was compiled.
func (s *Session) viewInstead(n tree.Name, err error) error {
	f, ok := fault.Of(err)
	if !ok || f.Code != fault.NoSuchTable || !s.isView(n) {
		return err
	}
	return errStale
}

func (s *Session) isView(n tree.Name) bool {
	database, name, err := s.resolve(n)
	if err != nil {
		return false
	}
	_, ok := s.engine.db.StoredViews().Get(database, name)
	return ok
}

// showCreateView answers SHOW CREATE VIEW. Errors: 1146.
func (s *Session) showCreateView(n tree.Name, c *call) (done bool, err error) {
	database, name, err := s.resolve(n)
	if err != nil {
		return true, err
	}
	view, ok := s.engine.db.StoredViews().Get(database, name)
	if !ok {
		return true, fault.New(fault.NoSuchTable, database, name)
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
