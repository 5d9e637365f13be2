// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Spool keeps the rows of an input, for any number of Readers. It reads the input when the first of them opens, and
// again only after Close.
type Spool struct {
	Input   Rows
	Slots   []int
	Context *evaluate.Context
	Budget  *Budget
	Counts  Counts

	rows   recordList
	filled bool
	record []byte
}

func (s *Spool) fill(ctx context.Context) error {
	if s.filled {
		return nil
	}
	s.Counts.Opens++
	s.rows.begin(s.Budget, &s.Counts)
	err := each(ctx, s.Input, func() error {
		s.record = appendSlots(s.record[:0], s.Context.Row, s.Slots)
		s.Counts.Rows++
		return s.rows.add(s.record)
	})
	if err != nil {
		return errors.Join(err, s.Close())
	}
	s.filled = true
	return s.rows.finish()
}

// Close gives memory and files back; the next Reader that opens reads the input again. No Reader may be open.
func (s *Spool) Close() error {
	s.filled = false
	return errors.Join(s.Input.Close(), s.rows.close())
}

// Reader is the rows of a spool, or of the last step of a Recursive, in slots of its own: as many as there, in the same
// order.
type Reader struct {
	Of        *Spool     // nil: Recursive is set
	Recursive *Recursive //
	Slots     []int
	Context   *evaluate.Context
	Counts    Counts

	reader keptReader
	open   bool
	pulse  pulse
}

// Open begins at the first row.
func (r *Reader) Open(ctx context.Context) error {
	r.Counts.Opens++
	r.pulse.ctx = ctx
	if r.Recursive != nil {
		r.reader.begin(&r.Recursive.last)
	} else {
		if err := r.Of.fill(ctx); err != nil {
			return err
		}
		r.reader.begin(&r.Of.rows)
	}
	r.open = true
	return nil
}

// Next moves to the next row.
func (r *Reader) Next() (bool, error) {
	if !r.open {
		return false, nil
	}
	if err := r.pulse.check(); err != nil {
		return false, err
	}
	record, ok, err := r.reader.next()
	if err != nil || !ok {
		return false, err
	}
	r.Counts.Rows++
	return true, cutSlots(record, r.Context.Row, r.Slots)
}

// Close ends the reading; the rows stay.
func (r *Reader) Close() error {
	r.open = false
	return nil
}
