// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"
	"sync"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
)

// Request is one execution of a SELECT.
type Request struct {
	Statement *plan.Select
	plan.Execution
	// View is the snapshot to read: a transaction's, or one that several statements share. nil: the latest commits.
	View *database.View
	// DB makes a View where a statement needs one of its own. It may be nil; then such statements read what they can
	// without.
	DB *database.DB
	// Tx holds or guards the rows of SELECT .. FOR UPDATE; nil: there is no transaction, and nothing is guarded.
	Tx *database.Tx
	// Kept counts what Tx holds until it ends; it may be nil.
	Kept *memory.Share
	Sink result.Sink
	// Limit ends the statement at its timeout; nil: one is made for it.
	Limit *Limit
}

// snapshot returns the request's View, or one of DB that is released when the statement has ended.
func (r *Request) snapshot(ctx context.Context) (view *database.View, release func(), err error) {
	if r.View != nil {
		return r.View, func() {}, nil
	}
	view, err = r.DB.View(ctx)
	return view, view.Close, err
}

// Ender is a sink that may wait for its client, and can be given a time to give up: a moment after the context has
// ended, until stop is called.
type Ender interface {
	EndBy(ctx context.Context) (stop func() bool)
}

// Summary sums up an execution.
type Summary struct {
	Rows    int64 // sent
	Counts  Counts
	Groups  int64
	Workers int             // that read at once; 0 and 1: one
	Sorted  operator.Counts // of ORDER BY
	Warning string          // about an inefficient query that was let through; "": none
}

// runner is the work of one SELECT. It is used again for the next one.
type runner struct {
	reader
	request       *Request
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

// Select runs a SELECT and sends its rows. Errors: those of plan's Bind, of expressions, 1038, 3024, of package
// database and of the sink.
func Select(ctx context.Context, request *Request) (Summary, error) {
	r := runners.Get().(*runner)
	r.begin(request)
	summary, err := r.execute(ctx)
	r.release() // not after a panic, when it may still be in use
	return summary, err
}

// begin takes a request.
func (r *runner) begin(request *Request) {
	s := request.Statement
	r.request, r.source, r.x, r.locking = request, s.Source, &request.Execution, s.Locking
	r.view, r.tx, r.kept = request.View, request.Tx, request.Kept
	r.sent, r.groups, r.workers, r.rows.counts = 0, 0, 0, Counts{}
	r.row = resize(r.row, len(s.Items))
}

// release puts a runner back, without what it must not keep alive.
func (r *runner) release() {
	r.reader.release()
	r.block.release()
	clear(r.row[:cap(r.row)])
	r.request, r.run, r.shape = nil, run{}, algebra.Block{}
	runners.Put(r)
}

func (r *runner) execute(ctx context.Context) (summary Summary, err error) {
	s := r.request.Statement
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
	if err := r.request.Sink.Columns(s.Columns); err != nil {
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
	summary = Summary{Rows: r.sent, Counts: r.rows.counts, Groups: r.groups, Workers: r.workers,
		Sorted: r.block.sort.Counts, Warning: r.access.Warning}
	if err != nil {
		return summary, err
	}
	return summary, r.request.Sink.Done(result.Done{})
}

// answer reads and sends rows of a table within the statement's time.
func (r *runner) answer(ctx context.Context) (err error) {
	timeout := r.source.Timeout(&r.x.Settings)
	if timeout > 0 && r.access.Point == nil {
		limit := r.request.Limit
		if limit == nil {
			limit = new(Limit)
			defer limit.Close()
		}
		ctx = limit.begin(ctx, timeout, r.request.Sink)
		defer limit.finish()
		r.rows.timed = true
	}
	if r.locks() {
		err = r.hold(ctx, r.rowsToShow())
	}
	switch {
	case err != nil:
	case r.isDirect():
		err = r.direct(ctx)
	default:
		err = r.stream(ctx)
	}
	if f, told := fault.Of(err); err != nil && (!told || f.Code == fault.Interrupted) &&
		errors.Is(context.Cause(ctx), errTimeout) {
		err = timeoutError(timeout, err)
	}
	return err
}

// isDirect reports whether rows are sent as they are read.
func (r *runner) isDirect() bool {
	s := r.request.Statement
	return s.Groups == nil && !s.Distinct && (len(s.Order) == 0 || r.access.Sorted)
}

// rowsToShow is how many of the rows that are found will be shown or skipped; negative: all, or it is not known.
func (r *runner) rowsToShow() int {
	switch {
	case r.limit == 0:
		return 0
	case r.limit < 0 || !r.isDirect() || r.request.Statement.Having != nil:
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
	if r.request.Statement.TellsNext() {
		return r.page()
	}
	var err error
	for r.rows.Next() {
		if err = r.lockAndSend(ctx); err != nil || r.limit == 0 {
			break
		}
		r.x.Context.Reset()
	}
	if closed := r.rows.Close(); err == nil {
		err = closed
	}
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
	s := r.request.Statement
	if s.Having != nil {
		if is, err := s.Having.Truth(r.x.Context); err != nil || !is {
			return err
		}
	}
	if err := project(r.row, s.Items, r.x.Context); err != nil {
		return err
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
