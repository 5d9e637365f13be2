// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// selectInto runs SELECT .. INTO @a, @b. Errors: 1172 for more than one row, 1222; no row is warning 1329, and leaves
// the variables as they are.
func (s *Session) selectInto(ctx context.Context, read *tree.SelectInto, c *call) error {
	if read.Targets == nil {
		if err := s.answerInto(ctx, read.Query, c, func() result.Sink { return result.Nowhere{} }); err != nil {
			return err
		}
		return c.sink.Done(result.Done{})
	}
	row := &oneRow{columns: len(read.Targets)}
	if err := s.answerInto(ctx, read.Query, c,
		func() result.Sink { *row = oneRow{columns: row.columns}; return row }); err != nil {
		return err
	}
	if row.values == nil {
		f := fault.New(fault.NoData)
		s.warnings = append(s.warnings, warning{"Warning", f.Code, f.Message})
		return c.sink.Done(result.Done{})
	}
	for i := range read.Targets {
		if err := s.assignUser(read.Targets[i].Name, &row.values[i]); err != nil {
			return err
		}
	}
	return c.sink.Done(result.Done{Affected: 1})
}

// answerInto runs a query whose answer goes to another sink than the client's: to a new one each time that it begins.
func (s *Session) answerInto(ctx context.Context, read tree.Query, c *call, sink func() result.Sink) error {
	return whileStale(func() error {
		inner := *c
		inner.sink = &answer{Sink: sink(), session: s}
		st, err := s.compile(read, &inner)
		if err == nil {
			err = st.run(ctx, s, &inner)
		}
		return err
	})
}

// selectPage runs a SELECT with SQL_CALC_FOUND_ROWS: it finds all rows, and shows those that LIMIT wants.
func (s *Session) selectPage(ctx context.Context, read *tree.Select, c *call) error {
	var bounds [2]int64
	for i, e := range [...]tree.Expression{read.Offset, read.Limit} {
		if e == nil {
			continue
		}
		d, err := s.constant(ctx, e, c.parameters)
		if err != nil {
			return err
		}
		if bounds[i] = d.NumberInt(); bounds[i] < 0 {
			return fault.New(fault.WrongArguments, "LIMIT")
		}
	}
	page := &result.Page{Sink: c.sink, Skip: bounds[0], Left: bounds[1]}
	err := s.answerInto(ctx, allOf(read), c, func() result.Sink { return page })
	s.found = page.Found
	return err
}

// compilePage checks a SELECT with SQL_CALC_FOUND_ROWS.
func (s *Session) compilePage(read *tree.Select, c *call) (statement, error) {
	found, err := s.compileUnchecked(allOf(read), c)
	page := &plain{read: read}
	if q, ok := found.(*queryStatement); ok && err == nil {
		page.columns = q.Columns
	}
	return page, err
}

// allOf is a SELECT without its LIMIT.
func allOf(read *tree.Select) *tree.Select {
	all := *read
	all.Limit, all.Offset, all.CountsFound = nil, nil, false
	return &all
}

// oneRow is a sink that keeps one row.
type oneRow struct {
	columns int
	values  []datum.Datum
}

// Columns is result.Sink's.
func (r *oneRow) Columns(columns []result.Column) error {
	if len(columns) != r.columns {
		return fault.New(fault.WrongNumberOfColumns)
	}
	return nil
}

// Row is result.Sink's.
func (r *oneRow) Row(row []datum.Datum) error {
	if r.values != nil {
		return fault.New(fault.TooManyRows)
	}
	r.values = make([]datum.Datum, len(row))
	for i := range row {
		r.values[i] = row[i].Clone()
	}
	return nil
}

// Done is result.Sink's.
func (r *oneRow) Done(result.Done) error { return nil }
