// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
)

// calculation computes a function for one row of a partition after the other.
type calculation interface {
	begin() // of a partition
	value() (datum.Datum, error)
	close()
}

func (w *Window) calculation(f *evaluate.WindowFunction) (calculation, error) {
	switch {
	case f.Kind <= evaluate.NTile:
		return &rankFunction{of: w, function: f}, nil
	case f.Kind != evaluate.Aggregated:
		return &rowPick{of: w, function: f}, nil
	case !f.Aggregate.Combines():
		return nil, fault.New(fault.NotSupported, "This aggregate cannot be computed over a window.")
	}
	a := &frameAggregate{of: w, function: f}
	a.memory.begin(w.Budget, &w.Counts)
	return a, nil
}

// rankFunction computes the functions that depend on a row's place alone.
type rankFunction struct {
	of       *Window
	function *evaluate.WindowFunction
}

func (r *rankFunction) begin() {}
func (r *rankFunction) close() {}

func (r *rankFunction) value() (datum.Datum, error) {
	w := r.of
	g, i, n := &w.group, w.at.index, w.rows.rows
	switch r.function.Kind {
	case evaluate.RowNumber:
		return datum.Int(i + 1), nil
	case evaluate.Rank:
		return datum.Int(g.start + 1), nil
	case evaluate.DenseRank:
		return datum.Int(g.number), nil
	case evaluate.PercentRank:
		if n == 1 {
			return datum.Float64(0), nil
		}
		return datum.Float64(float64(g.start) / float64(n-1)), nil
	case evaluate.CumeDist:
		return datum.Float64(float64(g.end) / float64(n)), nil
	}
	d, err := r.function.Arguments[0].Value(w.Context)
	if err != nil || d.IsNull() {
		return datum.Null, err
	}
	tiles := d.NumberInt()
	if tiles <= 0 {
		return datum.Null, fault.New(fault.WrongArguments, "ntile")
	}
	return datum.Int(tileOf(i, n, tiles)), nil
}

// tileOf is the tile of row i of n, from 1: the first tiles have one row more where they are not even.
func tileOf(i, n, tiles int64) int64 {
	small := n / tiles
	large := n % tiles // so many tiles have small+1 rows
	if i < large*(small+1) {
		return i/(small+1) + 1
	}
	return large + (i-large*(small+1))/small + 1
}

// rowPick is a value of one other row.
type rowPick struct {
	of       *Window
	function *evaluate.WindowFunction
	bounds   bounds
	rows     cursor
}

func (p *rowPick) begin() {
	p.bounds.begin(p.of, p.function.Frame)
	p.rows.begin(p.of)
}

func (p *rowPick) close() {}

func (p *rowPick) value() (datum.Datum, error) {
	index, err := p.index()
	if err != nil {
		return datum.Null, err
	}
	f := p.function
	if index < 0 {
		if len(f.Arguments) > 2 {
			return f.Arguments[2].Value(p.of.Context)
		}
		return datum.Null, nil
	}
	if err := p.rows.seek(index); err != nil {
		return datum.Null, err
	}
	return p.rows.value(f.Arguments[0])
}

// index is the row whose value is meant; -1: there is none.
func (p *rowPick) index() (int64, error) {
	w, f := p.of, p.function
	if f.Kind == evaluate.Lag || f.Kind == evaluate.Lead {
		count, err := p.count(1)
		if err != nil {
			return 0, err
		}
		if f.Kind == evaluate.Lag {
			count = -count
		}
		if at := w.at.index + count; at >= 0 && at < w.rows.rows {
			return at, nil
		}
		return -1, nil
	}
	if err := p.bounds.find(); err != nil || p.bounds.start == p.bounds.end {
		return -1, err
	}
	switch f.Kind {
	case evaluate.FirstValue:
		return p.bounds.start, nil
	case evaluate.LastValue:
		return p.bounds.end - 1, nil
	}
	count, err := p.count(0)
	if err != nil {
		return 0, err
	}
	if count == 0 {
		return 0, fault.New(fault.WrongArguments, "nth_value")
	}
	if at := p.bounds.start + count - 1; at < p.bounds.end {
		return at, nil
	}
	return -1, nil
}

func (p *rowPick) count(standard int64) (int64, error) {
	if len(p.function.Arguments) < 2 {
		return standard, nil
	}
	d, err := p.function.Arguments[1].Value(p.of.Context)
	if err != nil {
		return 0, err
	}
	return rowCount(d, p.of.rows.rows)
}

// accumulatorBytes is the approximate memory of an accumulator besides what it reports.
const accumulatorBytes = 96

// frameAggregate is an aggregate over a frame. While the frame's beginning stays, rows are added to one accumulator.
// Once it moves, the frame is held in two halves: for each row of the front an accumulator of all that follows it
// there, and one accumulator of the back; each row goes through each half once, and the front is made anew, of the
// back's rows, when it is used up.
type frameAggregate struct {
	of        *Window
	function  *evaluate.WindowFunction
	bounds    bounds
	rows      cursor // adds rows at the back
	front     cursor // reads rows again for the front
	total     evaluate.Accumulator
	added     int64                  // rows before this one are in, or were dropped
	suffixes  []evaluate.Accumulator // of the front
	frontFrom int64                  // the row of the first of them
	sliding   bool
	memory    share
	last      datum.Datum
	lastStart int64
	lastEnd   int64
	known     bool
}

func (a *frameAggregate) begin() {
	a.bounds.begin(a.of, a.function.Frame)
	a.rows.begin(a.of)
	a.front.begin(a.of)
	a.memory.release()
	a.total, a.added, a.suffixes, a.frontFrom = a.function.Aggregate.New(), 0, a.suffixes[:0], 0
	a.sliding, a.known = false, false
}

func (a *frameAggregate) close() { a.memory.release() }

func (a *frameAggregate) value() (datum.Datum, error) {
	if err := a.bounds.find(); err != nil {
		return datum.Null, err
	}
	start, end := a.bounds.start, a.bounds.end
	if a.known && start == a.lastStart && end == a.lastEnd {
		return a.last, nil
	}
	var err error
	if start == 0 && !a.sliding {
		err = a.addUpTo(end)
		if err == nil {
			a.last, err = a.total.Result(a.of.Context)
		}
	} else {
		a.last, err = a.slide(start, end)
	}
	a.last = a.last.Clone()
	a.known, a.lastStart, a.lastEnd = true, start, end
	return a.last, err
}

// addUpTo adds the rows before end to the accumulator at the back.
func (a *frameAggregate) addUpTo(end int64) error {
	for ; a.added < end; a.added++ {
		if err := a.of.pulse.check(); err != nil {
			return err
		}
		if err := a.rows.seek(a.added); err != nil {
			return err
		}
		if err := a.addRow(a.total, &a.rows); err != nil {
			return err
		}
	}
	return nil
}

func (a *frameAggregate) addRow(to evaluate.Accumulator, c *cursor) error {
	x := a.of.Context
	row := x.Row
	x.Row = c.row
	err := to.Add(x)
	x.Row = row
	return err
}

// slide is the result over the rows from start up to end.
func (a *frameAggregate) slide(start, end int64) (datum.Datum, error) {
	a.sliding = true
	if start >= a.frontFrom+int64(len(a.suffixes)) {
		if err := a.makeFront(start, max(end, start)); err != nil {
			return datum.Null, err
		}
	}
	if err := a.addUpTo(end); err != nil {
		return datum.Null, err
	}
	if start == end || start >= a.frontFrom+int64(len(a.suffixes)) {
		return a.total.Result(a.of.Context)
	}
	for i := range a.suffixes[:start-a.frontFrom] {
		a.suffixes[i] = nil
	}
	both := a.function.Aggregate.New()
	err := a.function.Aggregate.Merge(both, a.suffixes[start-a.frontFrom])
	if err == nil {
		err = a.function.Aggregate.Merge(both, a.total)
	}
	if err != nil {
		return datum.Null, err
	}
	return both.Result(a.of.Context)
}

// makeFront makes accumulators of the rows from start up to end, each with all that follows it.
func (a *frameAggregate) makeFront(start, end int64) error {
	a.memory.release()
	a.suffixes, a.frontFrom = a.suffixes[:0], start
	for i := start; i < end; i++ {
		if err := a.of.pulse.check(); err != nil {
			return err
		}
		if err := a.front.seek(i); err != nil {
			return err
		}
		one := a.function.Aggregate.New()
		if err := a.addRow(one, &a.front); err != nil {
			return err
		}
		if !a.memory.take(int64(one.Bytes() + accumulatorBytes)) {
			return a.memory.of.full("the frame of a window")
		}
		a.suffixes = append(a.suffixes, one)
	}
	for i := len(a.suffixes) - 2; i >= 0; i-- {
		if err := a.function.Aggregate.Merge(a.suffixes[i], a.suffixes[i+1]); err != nil {
			return err
		}
	}
	a.added, a.total = max(a.added, end), a.function.Aggregate.New()
	return nil
}
