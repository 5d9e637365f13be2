// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"
	"sync"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
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
	Workers int // that read at once; 0 and 1: one
	Sorted  query.SortCounts
	Warning string // about an inefficient query that was let through; "": none
}

// runner is the work of one SELECT. It is used again for the next one.
type runner struct {
	request    *Request
	access     plan.Access
	rows       Rows
	row        []datum.Datum
	keys       []datum.Datum
	output     output
	seen       rowSet
	sorter     query.Sorter
	lockKey    []byte
	groupsMade int64
	workers    int
}

// lint:global a runner in the pool holds memory and nothing of a statement
var runners = sync.Pool{New: func() any { return new(runner) }}

// Select runs a SELECT and sends its rows. Errors: those of plan's Bind, of expressions, 1038, 3024, of package
// database and of the sink.
func Select(ctx context.Context, request *Request) (Summary, error) {
	r := runners.Get().(*runner)
	r.request = request
	summary, err := r.run(ctx)
	r.release() // not after a panic, when it may still be in use
	return summary, err
}

// release puts a runner back, without what it must not keep alive.
func (r *runner) release() {
	r.request, r.output.sink, r.output.settings, r.output.distinct, r.output.sorter = nil, nil, nil, nil, nil
	clear(r.row[:cap(r.row)])
	clear(r.keys[:cap(r.keys)])
	clear(r.rows.slots[:cap(r.rows.slots)])
	r.rows.ctx, r.rows.source, r.rows.x, r.rows.access, r.rows.view, r.rows.item = nil, nil, nil, nil, nil, nil
	r.access.Query, r.access.Plan, r.rows.timed = database.Query{}, database.Plan{}, false
	runners.Put(r)
}

func (r *runner) run(ctx context.Context) (Summary, error) {
	s := r.request.Statement
	limit, offset, err := s.Limits(r.request.Context)
	if err != nil {
		return Summary{}, err
	}
	if s.Source.Table == nil {
		return r.runNowhere(ctx, limit, offset)
	}
	wanted := -1
	if limit >= 0 && !s.Distinct {
		wanted = limit + offset
	}
	if err := s.Bind(&r.request.Execution, wanted, &r.access); err != nil {
		return Summary{}, err
	}
	if err := r.request.Sink.Columns(s.Columns); err != nil {
		return Summary{}, err
	}
	r.begin(limit, offset)
	err = r.answer(ctx)
	summary := Summary{Rows: r.output.rows, Counts: r.rows.counts, Groups: r.groupsMade, Workers: r.workers,
		Sorted: r.output.spilled, Warning: r.access.Warning}
	if err != nil {
		return summary, err
	}
	return summary, r.request.Sink.Done(result.Done{})
}

// answer reads and sends rows within the statement's time.
func (r *runner) answer(ctx context.Context) (err error) {
	s := r.request.Statement
	timeout := s.Source.Timeout(&r.request.Settings)
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
		err = r.hold(ctx)
	}
	switch {
	case err != nil:
	case s.Groups != nil:
		err = r.groups(ctx)
	default:
		err = r.plain(ctx)
	}
	if err == nil {
		err = r.output.finish(ctx, len(s.Items))
	}
	if closed := r.output.close(); err == nil {
		err = closed
	}
	if f, told := fault.Of(err); err != nil && (!told || f.Code == fault.Interrupted) &&
		errors.Is(context.Cause(ctx), errTimeout) {
		err = timeoutError(timeout, err)
	}
	return err
}

// begin prepares what rows are sent through.
func (r *runner) begin(limit, offset int) {
	s := r.request.Statement
	r.groupsMade, r.workers = 0, 0
	o := &r.output
	*o = output{sink: r.request.Sink, settings: &r.request.Settings, skip: offset, left: limit, record: o.record,
		order: s.Order}
	r.row = resize(r.row, len(s.Items))
	r.keys = resize(r.keys, len(s.Order))
	settings := r.request.Settings.WithDefaults()
	if s.Distinct {
		o.distinct = r.seen.begin(settings.Memory, settings.GroupBytesMax, s.Groups == nil && r.access.Grouped)
	}
	if len(s.Order) > 0 && !r.access.Sorted {
		sort := query.Sort{BytesMax: settings.SortBytesMax, Spill: settings.Spill, Memory: settings.Memory}
		if limit >= 0 {
			sort.KeepMax = max(1, limit+offset)
		}
		o.sorter = sort.OpenIn(&r.sorter)
	}
}

func resize(row []datum.Datum, size int) []datum.Datum {
	if cap(row) < size {
		return make([]datum.Datum, size)
	}
	return row[:size]
}

// runNowhere is a SELECT without FROM: one row, unless WHERE refuses it.
func (r *runner) runNowhere(ctx context.Context, limit, offset int) (Summary, error) {
	s := r.request.Statement
	if err := r.request.Sink.Columns(s.Columns); err != nil {
		return Summary{}, err
	}
	r.access = plan.Access{}
	r.begin(limit, offset)
	for _, conjunct := range s.Source.Conjuncts {
		if is, err := conjunct.Truth(r.request.Context); err != nil || !is {
			if err != nil {
				return Summary{}, err
			}
			r.output.left = 0
		}
	}
	if err := r.nowhereRow(ctx); err != nil {
		return Summary{}, err
	}
	return Summary{Rows: r.output.rows}, r.request.Sink.Done(result.Done{})
}

func (r *runner) nowhereRow(ctx context.Context) error {
	if r.request.Statement.Groups != nil {
		return r.nowhereGroup(ctx)
	}
	if err := r.project(); err != nil {
		return err
	}
	return r.output.send(r.row)
}

// plain sends the rows of a statement without groups.
func (r *runner) plain(ctx context.Context) error {
	if r.output.full() {
		return nil
	}
	if err := r.lockPoint(ctx); err != nil {
		return err
	}
	request := r.request
	err := r.rows.open(ctx, request.View, request.Statement.Source, &request.Execution, &r.access)
	if err != nil {
		return err
	}
	if request.Statement.TellsNext() {
		return r.page()
	}
	for r.rows.Next() {
		if err = r.sendRow(ctx); err != nil || r.output.full() {
			break
		}
		request.Context.Reset()
	}
	if closed := r.rows.Close(); err == nil {
		err = closed
	}
	return err
}

// sendRow computes and sends the row at hand.
func (r *runner) sendRow(ctx context.Context) error {
	if r.locks() {
		if skip, err := r.lock(ctx); skip || err != nil {
			return err
		}
	}
	if having := r.request.Statement.Having; having != nil {
		if is, err := having.Truth(r.request.Context); err != nil || !is {
			return err
		}
	}
	if err := r.project(); err != nil {
		return err
	}
	if r.output.sorter != nil {
		if err := r.sortKeys(); err != nil {
			return err
		}
	}
	return r.output.add(r.row, r.keys)
}

// project computes the select list.
func (r *runner) project() (err error) {
	x := r.request.Context
	for i := range r.request.Statement.Items {
		item := &r.request.Statement.Items[i]
		if item.Slot >= 0 {
			r.row[i] = x.Row[item.Slot]
		} else if r.row[i], err = item.Program.Value(x); err != nil {
			return err
		}
	}
	return nil
}

// sortKeys computes what the row is sorted by.
func (r *runner) sortKeys() (err error) {
	for i := range r.request.Statement.Order {
		sorting := &r.request.Statement.Order[i]
		if sorting.Item >= 0 {
			r.keys[i] = r.row[sorting.Item]
		} else if r.keys[i], err = sorting.Program.Value(r.request.Context); err != nil {
			return err
		}
	}
	return nil
}
