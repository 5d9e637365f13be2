// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"math"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// unnamed stands for a window in messages.
const unnamed = "<unnamed window>"

// bounds finds the frame of the row at hand: the rows from start up to end. Neither ever goes back while the row at
// hand goes forward.
type bounds struct {
	of           *Window
	frame        evaluate.Frame
	start, end   int64
	first, last  cursor // for limits of RANGE
	before, past int64  // rows that were found to be before the frame, and before its end
}

func (b *bounds) begin(w *Window, frame evaluate.Frame) {
	b.of, b.frame, b.before, b.past = w, frame, 0, 0
	if frame == (evaluate.Frame{}) {
		b.frame.End.Kind = tree.CurrentRow
	}
	b.first.begin(w)
	b.last.begin(w)
}

// find computes the frame of the row at hand.
func (b *bounds) find() (err error) {
	if b.start, err = b.at(&b.frame.Start, true); err != nil {
		return err
	}
	if b.end, err = b.at(&b.frame.End, false); err != nil {
		return err
	}
	b.end = max(b.end, b.start)
	return nil
}

// at is the place of a bound: the row before which the frame begins, or ends.
func (b *bounds) at(bound *evaluate.Bound, start bool) (int64, error) {
	w := b.of
	switch bound.Kind {
	case tree.UnboundedPreceding:
		return 0, nil
	case tree.UnboundedFollowing:
		return w.rows.rows, nil
	case tree.CurrentRow:
		switch {
		case !b.frame.Rows && start:
			return w.group.start, nil
		case !b.frame.Rows:
			return w.group.end, nil
		case start:
			return w.at.index, nil
		}
		return w.at.index + 1, nil
	}
	if !b.frame.Rows {
		return b.limit(bound, start)
	}
	count, err := w.count(bound)
	if err != nil {
		return 0, err
	}
	if bound.Kind == tree.Preceding {
		count = -count
	}
	at := w.at.index + count
	if !start {
		at++
	}
	return min(max(at, 0), w.rows.rows), nil
}

// count is the number of rows a bound is away.
func (w *Window) count(bound *evaluate.Bound) (int64, error) {
	d, err := bound.Count.Value(w.Context)
	if err != nil {
		return 0, err
	}
	n, err := rowCount(d, w.rows.rows)
	if err != nil {
		return 0, fault.New(fault.WindowBound, unnamed)
	}
	return n, nil
}

// rowCount is a number of rows, at most a few more than there are.
func rowCount(d datum.Datum, rows int64) (int64, error) {
	if d.IsNull() || d.NumberFloat() < 0 || d.NumberFloat() != math.Trunc(d.NumberFloat()) {
		return 0, fault.New(fault.WrongArguments, "a window function: it takes a number of rows that is not negative")
	}
	return min(d.NumberInt(), rows+1), nil
}

// limit is the place where values pass a bound of RANGE.
func (b *bounds) limit(bound *evaluate.Bound, start bool) (int64, error) {
	w := b.of
	if by, err := bound.Count.Value(w.Context); err != nil {
		return 0, err
	} else if by.IsNull() || by.NumberFloat() < 0 {
		return 0, fault.New(fault.WindowBound, unnamed)
	}
	limit, err := bound.Limit.Value(w.Context)
	if err != nil {
		return 0, err
	}
	limit = limit.Clone()
	c, found, want := &b.first, &b.before, -1
	if !start {
		c, found, want = &b.last, &b.past, 0
	}
	for *found < w.rows.rows {
		if err := w.pulse.check(); err != nil {
			return 0, err
		}
		if err := c.seek(*found); err != nil {
			return 0, err
		}
		key, err := c.key(&w.Order[0])
		if err != nil {
			return 0, err
		}
		order := datum.Order(key, limit)
		if w.Order[0].Descending {
			order = -order
		}
		if order > want {
			break
		}
		*found++
	}
	return *found, nil
}
