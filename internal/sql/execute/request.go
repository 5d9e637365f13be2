// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"

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

// Request is one execution of a query.
type Request struct {
	Query *algebra.Query
	// Pinned are the tables of Query.Tables.
	Pinned []database.Pinned
	// Context holds the statement's parameters and the clock.
	Context  *evaluate.Context
	Settings plan.Settings
	// View is the snapshot to read: a transaction's, or one that several statements share. nil: the latest commits.
	View *database.View
	// DB makes a View where a query needs one of its own. It may be nil; then such queries read what they can without.
	DB *database.DB
	// Tx holds or guards the rows of SELECT .. FOR UPDATE; nil: there is no transaction, and nothing is guarded.
	Tx *database.Tx
	// Kept counts what Tx holds until it ends; it may be nil.
	Kept *memory.Share
	// Virtual reads a table that is made up; schema and table are "" for all. It may be nil where there are none.
	Virtual func(ctx context.Context, of any, schema, table string, yield func(row []datum.Datum) error) error
	// BytesMax is the memory that the operators of a query over several tables may hold; 0: Settings.GroupBytesMax, and
	// SortBytesMax for each sort, as for other queries.
	BytesMax int64
	// DepthMax is the number of rounds a recursive common table may take.
	DepthMax int64
	// Nodes asks for each node's work.
	Nodes bool
	Sink  result.Sink
	// Limit ends the statement at its timeout; nil: one is made for it.
	Limit *Limit
}

// Summary sums up an execution.
type Summary struct {
	Rows    int64 // sent
	Read    Reads // of all tables
	Groups  int64
	Workers int             // that read at once; 0 and 1: one
	Sorted  operator.Counts // of ORDER BY
	Warning string          // about an inefficient query that was let through; "": none
	// Nodes counts the work of each node of a query over several tables, if requested.
	Nodes map[algebra.Node]NodeCounts
}

// Query runs a query and sends its rows. Errors: those of plan's Bind, of expressions, 1038 where memory is too little,
// 1242, 3024, 3636, of package database and of the sink.
func Query(ctx context.Context, request *Request) (summary Summary, err error) {
	if request.Query.Single != nil {
		summary, err = runSingle(ctx, request)
	} else {
		summary, err = runNodes(ctx, request)
	}
	if err != nil {
		return summary, err
	}
	return summary, request.Sink.Done(result.Done{})
}

// Each runs a query and hands each row of its answer on. The row is used again.
func Each(ctx context.Context, request *Request, use func(row []datum.Datum) error) (Summary, error) {
	copied := *request
	copied.Sink = &eachSink{use: use}
	return Query(ctx, &copied)
}

// eachSink hands rows to a function.
type eachSink struct{ use func(row []datum.Datum) error }

func (*eachSink) Columns([]result.Column) error { return nil }
func (s *eachSink) Row(row []datum.Datum) error { return s.use(row) }
func (*eachSink) Done(result.Done) error        { return nil }

// within does work within the statement's time.
func (r *Request) within(ctx context.Context, work func(ctx context.Context) error) error {
	timeout := r.Settings.TimeoutOf(r.Query.Timeout)
	if timeout > 0 {
		limit := r.Limit
		if limit == nil {
			limit = new(Limit)
			defer limit.Close()
		}
		ctx = limit.begin(ctx, timeout, r.Sink)
		defer limit.finish()
	}
	err := work(ctx)
	if f, told := fault.Of(err); err != nil && (!told || f.Code == fault.Interrupted) &&
		errors.Is(context.Cause(ctx), errTimeout) {
		err = timeoutError(timeout, err)
	}
	return err
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
