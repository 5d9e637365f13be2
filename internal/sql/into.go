// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// selectInto runs SELECT .. INTO @a, @b. Errors: 1172 for more than one row, 1222; no row is warning 1329, and leaves the variables as they are.
func (s *Session) selectInto(ctx context.Context, read *tree.SelectInto, c *call) error {
	row := &oneRow{columns: len(read.Targets)}
	if err := s.answerInto(ctx, read.Query, c, func() result.Sink { *row = oneRow{columns: row.columns}; return row }); err != nil {
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
	for range stalesMax {
		inner := *c
		inner.sink = &answer{Sink: sink(), session: s}
		st, err := s.compile(read, &inner)
		if err == nil {
			err = st.run(ctx, s, &inner)
		}
		if !errors.Is(err, errStale) {
			return err
		}
	}
	return tooOften()
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
