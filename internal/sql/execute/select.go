// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"cmp"
	"context"
	"sync"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/plan"
)

// runner is the work of one SELECT. It is used again for the next one.
type runner struct {
	reader
	request       *Request
	statement     *plan.Select
	execution     plan.Execution // of reader
	row           []datum.Datum
	limit, offset int // of rows; a negative limit is none
	sent          int64
	groups        int64
	workers       int
	run           run // of block
	block         block
	shape         algebra.Block
}

// lint:global a runner in the pool holds memory and nothing of a statement
var runners = sync.Pool{New: func() any { return new(runner) }}

// runSingle runs a query that is a single SELECT.
func runSingle(ctx context.Context, request *Request) (Summary, error) {
	r := runners.Get().(*runner)
	r.begin(request)
	summary, err := r.execute(ctx)
	r.release() // not after a panic, when it may still be in use
	return summary, err
}

// begin takes a request.
func (r *runner) begin(request *Request) {
	s := request.Query.Single
	r.request, r.statement, r.source, r.locking = request, s, s.Source, s.Locking
	r.execution = plan.Execution{Context: request.Context, Settings: request.Settings}
	if s.Source.Table != nil {
		r.execution.Pinned = request.Pinned[0]
	}
	r.x, r.view, r.tx, r.kept = &r.execution, request.View, request.Tx, request.Kept
	r.sent, r.groups, r.workers, r.rows.counts = 0, 0, 0, Reads{}
	r.row = resize(r.row, len(s.Items))
}

// release puts a runner back, without what it must not keep alive.
func (r *runner) release() {
	r.reader.release()
	r.block.release()
	clear(r.row[:cap(r.row)])
	r.request, r.statement, r.run, r.shape = nil, nil, run{}, algebra.Block{}
	r.execution = plan.Execution{}
	runners.Put(r)
}

func (r *runner) execute(ctx context.Context) (summary Summary, err error) {
	s := r.statement
	if r.limit, r.offset, err = s.Limits(r.x.Context); err != nil {
		return Summary{}, err
	}
	if s.Source.Table != nil {
		wanted := -1
		if r.limit >= 0 && !s.Distinct {
			wanted = r.limit + r.offset
		}
		if err := s.Bind(r.x, wanted, &r.access); err != nil {
			return Summary{}, err
		}
	} else {
		r.access = plan.Access{}
	}
	if err := r.request.Sink.Columns(r.request.Query.Columns); err != nil {
		return Summary{}, err
	}
	switch {
	case s.Source.Table != nil:
		err = r.answer(ctx)
	case s.Groups != nil:
		err = r.stream(ctx)
	default:
		err = r.sendOnly()
	}
	summary = Summary{Rows: r.sent, Read: r.rows.counts, Groups: r.groups, Workers: r.workers,
		Sorted: r.block.sort.Counts, Warning: r.access.Warning}
	return summary, err
}

// answer reads and sends rows of a table within the statement's time.
func (r *runner) answer(ctx context.Context) error {
	if r.access.Point != nil {
		return r.read(ctx)
	}
	return r.request.within(ctx, r.read)
}

// read reads and sends rows of a table.
func (r *runner) read(ctx context.Context) error {
	if r.locks() {
		if err := r.hold(ctx, r.rowsToShow()); err != nil {
			return err
		}
	}
	if r.isDirect() {
		return r.direct(ctx)
	}
	return r.stream(ctx)
}

// isDirect reports whether rows are sent as they are read.
func (r *runner) isDirect() bool {
	s := r.statement
	return s.Groups == nil && !s.Distinct && (len(s.Order) == 0 || r.access.Sorted)
}

// rowsToShow is the number of found rows that will be shown or skipped; negative: all, or it is not known.
func (r *runner) rowsToShow() int {
	switch {
	case r.limit == 0:
		return 0
	case r.limit < 0 || !r.isDirect() || r.statement.Having != nil:
		return -1
	}
	return r.offset + r.limit
}

func resize(row []datum.Datum, size int) []datum.Datum {
	if cap(row) < size {
		return make([]datum.Datum, size)
	}
	return row[:size]
}

// direct sends rows as they are read: the path of most statements, which allocates nothing.
func (r *runner) direct(ctx context.Context) error {
	if r.limit == 0 {
		return nil
	}
	if err := r.lockPoint(ctx); err != nil {
		return err
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if r.statement.TellsNext() {
		return r.page()
	}
	var err error
	for r.rows.Next() {
		if err = r.lockAndSend(ctx); err != nil || r.limit == 0 {
			break
		}
		r.x.Context.Reset()
	}
	err = cmp.Or(err, r.rows.Close())
	return err
}

// lockAndSend sends the row at hand, which the statement may hold or guard.
func (r *runner) lockAndSend(ctx context.Context) error {
	if r.locks() {
		if skip, err := r.lock(ctx); skip || err != nil {
			return err
		}
	}
	return r.sendRow()
}

// sendRow computes and sends the row at hand, if HAVING accepts it.
func (r *runner) sendRow() error {
	s := r.statement
	if s.Having != nil {
		if is, err := s.Having.Truth(r.x.Context); err != nil || !is {
			return err
		}
	}
	if err := project(r.row, s.Items, r.x.Context); err != nil {
		return err
	}
	if s.Stored {
		r.row[0] = datum.Binary(r.rows.item)
	}
	return r.send()
}

// sendOnly sends the row of a statement without a table, if its conditions accept it.
func (r *runner) sendOnly() error {
	r.x.Context.Row = nil
	for _, condition := range r.source.Conjuncts {
		if is, err := condition.Truth(r.x.Context); err != nil || !is {
			return err
		}
	}
	return r.sendRow()
}

// project computes a select list.
func project(row []datum.Datum, items []plan.Item, x *evaluate.Context) (err error) {
	for i := range items {
		if slot := items[i].Slot; slot >= 0 {
			row[i] = x.Row[slot]
		} else if row[i], err = items[i].Program.Value(x); err != nil {
			return err
		}
	}
	return nil
}

// send sends the row, unless OFFSET passes over it or LIMIT is reached.
func (r *runner) send() error {
	switch {
	case r.limit == 0:
		return nil
	case r.offset > 0:
		r.offset--
		return nil
	}
	if r.limit > 0 {
		r.limit--
	}
	r.sent++
	return r.request.Sink.Row(r.row)
}
