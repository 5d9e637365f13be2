// SPDX-License-Identifier: Apache-2.0

// Package operator has the relational operators: streams of rows that filter, join, sort, keep, group by windows and
// put other streams together.
//
// All streams of one FROM write into one row, a frame: each into slots of its own, so that a join copies nothing.
// Stored rows, such as the build side of a hash join, are encoded from their slots and decoded back into them. Memory
// is bounded by a Budget; rows that don't fit go into temporary files.
//
// Knows: rows, programs, memory, temporary files.
// Never: tables, plans, syntax, packets.
package operator

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Rows is a stream of rows. It is used by one goroutine.
type Rows interface {
	// Open begins, or begins again, from the first row.
	Open(ctx context.Context) error
	// Next writes the next row into its slots. Texts in them are valid until the next call of Next or Close. false:
	// there is none.
	Next() (bool, error)
	// Close gives memory and files back. Closing twice is no error, and a closed stream may be opened again.
	Close() error
}

// Counts is the work of an operator since it was made.
type Counts struct {
	Opens, Rows  int64
	MemoryPeak   int64 // bytes
	BytesSpilled int64 // into temporary files
	Sorted, Runs int64 // the records that sorts took, and the files that they wrote
}

// checkEvery is the number of rows between two checks whether the statement was ended.
const checkEvery = 256

// pulse looks at a context once for many rows.
type pulse struct {
	ctx  context.Context
	rows int
}

func (p *pulse) check() error {
	if p.rows++; p.rows < checkEvery {
		return nil
	}
	p.rows = 0
	return p.ctx.Err()
}

// each calls take for each row of a stream, which it opens and closes.
func each(ctx context.Context, rows Rows, take func() error) error {
	if err := rows.Open(ctx); err != nil {
		return errors.Join(err, rows.Close())
	}
	return rest(ctx, rows, take)
}

// rest calls take for each row that an open stream still has, and closes it.
func rest(ctx context.Context, rows Rows, take func() error) (err error) {
	pulse := pulse{ctx: ctx}
	for ok := true; ok && err == nil; {
		if ok, err = rows.Next(); ok && err == nil {
			err = pulse.check()
		}
		if ok && err == nil {
			err = take()
		}
	}
	return errors.Join(err, rows.Close())
}

// allTrue reports whether the row at hand meets all conditions. What they made is forgotten.
func allTrue(x *evaluate.Context, conditions []*evaluate.Program) (is bool, err error) {
	is = true
	for i := 0; is && err == nil && i < len(conditions); i++ {
		is, err = conditions[i].Truth(x)
	}
	x.Reset()
	return is && err == nil, err
}

func setNull(row []datum.Datum, slots []int) {
	for _, slot := range slots {
		row[slot] = datum.Null
	}
}

func appendSlots(dst []byte, row []datum.Datum, slots []int) []byte {
	for _, slot := range slots {
		dst = appendDatum(dst, row[slot])
	}
	return dst
}

// cutSlots decodes what appendSlots has made; what is for a negative slot is passed over. The data alias b.
func cutSlots(b []byte, row []datum.Datum, slots []int) (err error) {
	for _, slot := range slots {
		if slot < 0 {
			if _, b, err = cutDatum(b); err != nil {
				return err
			}
			continue
		}
		if row[slot], b, err = cutDatum(b); err != nil {
			return err
		}
	}
	return nil
}
