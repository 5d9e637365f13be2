// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
)

// Recursive is a recursive common table: the rows of Anchor, then those that Step makes of the last ones, which it
// reads by a Reader, until there are no new ones. Anchor and Step write the same slots.
type Recursive struct {
	Anchor, Step Rows
	Distinct     bool // UNION: a row that was there before is dropped
	DepthMax     int64
	Slots        []int
	Context      *evaluate.Context
	Budget       *Budget
	Counts       Counts

	last, coming recordList
	seen         table
	from         Rows // Anchor or Step; nil: at the end
	depth        int64
	key, record  []byte
	ctx          context.Context
	pulse        pulse
}

// Open begins with the anchor.
func (r *Recursive) Open(ctx context.Context) error {
	err := r.Close()
	r.Counts.Opens++
	r.ctx, r.pulse.ctx, r.depth, r.from = ctx, ctx, 0, r.Anchor
	r.seen.begin(r.Budget, &r.Counts)
	r.last.begin(r.Budget, &r.Counts)
	r.coming.begin(r.Budget, &r.Counts)
	return errors.Join(err, r.Anchor.Open(ctx))
}

// Next moves to the next row.
func (r *Recursive) Next() (bool, error) {
	for r.from != nil {
		if err := r.pulse.check(); err != nil {
			return false, err
		}
		ok, err := r.from.Next()
		if err == nil && ok && r.Distinct {
			var isNew bool
			if isNew, err = r.isNew(); err == nil && !isNew {
				continue
			}
		}
		if err != nil {
			return false, err
		}
		if !ok {
			if err := r.nextStep(); err != nil {
				return false, err
			}
			continue
		}
		r.record = appendSlots(r.record[:0], r.Context.Row, r.Slots)
		r.Counts.Rows++
		return true, r.coming.add(r.record)
	}
	return false, nil
}

func (r *Recursive) isNew() (bool, error) {
	r.key = appendSlotKey(r.key[:0], r.Context.Row, r.Slots)
	hash := r.seen.hash(r.key)
	if e, _, _ := r.seen.find(r.seen.first(hash), hash, r.key); e != nil {
		return false, nil
	}
	r.record = appendKeyed(r.record[:0], r.key)
	if !r.seen.add(hash, r.record, true) {
		return false, r.seen.memory.of.full("a recursive common table with UNION DISTINCT")
	}
	return true, nil
}

// nextStep makes the rows that came the last ones and begins a step with them.
func (r *Recursive) nextStep() error {
	err := errors.Join(r.from.Close(), r.last.close(), r.coming.finish())
	r.from = nil
	if err != nil || r.coming.rows == 0 {
		return err
	}
	if r.depth++; r.depth > r.DepthMax {
		return fault.New(fault.RecursionDepth, r.DepthMax)
	}
	r.last, r.coming = r.coming, r.last
	r.last.arena.memory = &r.last.memory
	r.coming = recordList{}
	r.coming.begin(r.Budget, &r.Counts)
	r.from = r.Step
	return r.Step.Open(r.ctx)
}

// Close gives memory and files back.
func (r *Recursive) Close() (err error) {
	if r.from != nil {
		err = r.from.Close()
		r.from = nil
	}
	r.seen.clear()
	return errors.Join(err, r.last.close(), r.coming.close())
}
