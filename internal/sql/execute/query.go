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

// QueryRequest is one execution of a query over several tables.
type QueryRequest struct {
	Query *algebra.Query
	// Pinned are the tables of Query.Tables.
	Pinned []database.Pinned
	// Context holds the statement's parameters and the clock.
	Context  *evaluate.Context
	Settings plan.Settings
	// View, DB, Tx and Kept are those of a Request. Without a View, one of DB serves the whole query.
	View *database.View
	DB   *database.DB
	Tx   *database.Tx
	Kept *memory.Share
	// Virtual reads a table that is made up; schema and table are "" for all. It may be nil where there are none.
	Virtual func(ctx context.Context, of any, schema, table string, yield func(row []datum.Datum) error) error
	// BytesMax is the memory that the query's operators may hold; 0: Settings.GroupBytesMax, and SortBytesMax for each
	// sort.
	BytesMax int64
	// DepthMax is the number of rounds a recursive common table may take.
	DepthMax int64
	// Nodes asks for what each node did.
	Nodes bool
	Sink  result.Sink
}

// QuerySummary sums up the execution of a query.
type QuerySummary struct {
	Rows    int64
	Counts  Counts // of all tables
	Warning string
	// Nodes counts the work of each node, if requested.
	Nodes map[algebra.Node]NodeCounts
}

// NodeCounts is the work of one node of a query.
type NodeCounts struct {
	operator.Counts
	// Read is the work of a Scan.
	Read Counts
}

// Query runs a query over several tables and sends its rows. Errors: those of Select, 1242, 3636, and 1038 where memory
// is too little.
func Query(ctx context.Context, request *QueryRequest) (QuerySummary, error) {
	q := newRun(request)
	if err := request.Sink.Columns(request.Query.Columns); err != nil {
		return QuerySummary{}, err
	}
	rows, err := q.answer(ctx)
	summary := q.summary(rows)
	if err != nil {
		return summary, err
	}
	return summary, request.Sink.Done(result.Done{})
}

// Each runs a query and hands each row of its answer on. The row is used again.
func Each(ctx context.Context, request *QueryRequest, use func(row []datum.Datum) error) (QuerySummary, error) {
	copied := *request
	copied.Sink = &eachSink{use: use}
	return Query(ctx, &copied)
}

// eachSink hands rows to a function.
type eachSink struct{ use func(row []datum.Datum) error }

func (*eachSink) Columns([]result.Column) error { return nil }
func (s *eachSink) Row(row []datum.Datum) error { return s.use(row) }
func (*eachSink) Done(result.Done) error        { return nil }

// run is the work of one query.
type run struct {
	request    *QueryRequest
	ctx        context.Context // of the execution; subqueries run in it
	view       *database.View
	budget     operator.Budget
	parameters []datum.Datum
	scans      []*scan
	counted    []counted
	spools     map[*algebra.Spool]*spool
	recursive  map[int]*operator.Recursive
	nested     map[*algebra.Nested]*nestedQuery
	holding    bool // rows are held, not shown
	changed    bool // a row that was held was another one before
}

// counted returns the counters of a node's operator.
type counted struct {
	node   algebra.Node
	counts *operator.Counts
}

func newRun(request *QueryRequest) *run {
	q := &run{spools: map[*algebra.Spool]*spool{}, recursive: map[int]*operator.Recursive{},
		nested: map[*algebra.Nested]*nestedQuery{}}
	q.begin(request)
	if extra := request.Query.Extra; extra > 0 {
		q.parameters = make([]datum.Datum, request.Query.Parameters+extra)
		copy(q.parameters, request.Context.Parameters)
	}
	return q
}

// begin takes a request that has no parameters but the statement's own.
func (q *run) begin(request *QueryRequest) {
	settings := request.Settings.WithDefaults()
	q.request, q.view, q.parameters = request, request.View, request.Context.Parameters
	q.budget = operator.Budget{BytesMax: request.BytesMax, Setting: "relational_buffer_size", Spill: settings.Spill,
		Memory: settings.Memory}
	if request.BytesMax <= 0 {
		q.budget.Setting = "group_buffer_size"
		q.budget.BytesMax, q.budget.SortBytesMax = int64(settings.GroupBytesMax), int64(settings.SortBytesMax)
	}
}

// context makes a context of so many slots.
func (q *run) context(width int) *evaluate.Context {
	x := &evaluate.Context{Row: make([]datum.Datum, width)}
	q.adopt(x)
	return x
}

// adopt makes a context one of the execution's.
func (q *run) adopt(x *evaluate.Context) {
	x.Subqueries, x.Random, x.Memory.Of = q, q.request.Context.Random, q.request.Context.Memory.Of
	q.renew(x)
}

// renew forgets what a context has computed once, which outer values may have decided.
func (q *run) renew(x *evaluate.Context) {
	x.Begin(q.parameters, q.request.Context.NowUS, q.request.Context.Session)
	x.StrictDivision, x.StrictNumbers = q.request.Context.StrictDivision, q.request.Context.StrictNumbers
	if q.ctx != nil {
		x.Done = q.ctx.Done()
	}
}

// answer sends the rows within the statement's time.
func (q *run) answer(ctx context.Context) (rows int64, err error) {
	timeout := (&plan.Source{}).Timeout(&q.request.Settings)
	if limit := q.request.Query.Timeout; limit > 0 {
		timeout = limit
	}
	if timeout > 0 {
		limit := new(Limit)
		defer limit.Close()
		ctx = limit.begin(ctx, timeout, q.request.Sink)
		defer limit.finish()
	}
	q.ctx = ctx
	if q.view == nil && q.request.DB != nil {
		if q.view, err = q.request.DB.View(ctx); err != nil {
			return 0, err
		}
		defer q.view.Close()
	}
	root := q.block(q.request.Query.Root, true)
	if err = q.hold(ctx, root); err == nil {
		rows, err = q.send(ctx, root)
	}
	if closed := q.close(); err == nil {
		err = closed
	}
	if f, told := fault.Of(err); err != nil && (!told || f.Code == fault.Interrupted) &&
		errors.Is(context.Cause(ctx), errTimeout) {
		err = timeoutError(timeout, err)
	}
	return rows, err
}

// send sends all rows of a block.
func (q *run) send(ctx context.Context, b *block) (rows int64, err error) {
	if err = b.Open(ctx); err != nil {
		return 0, errors.Join(err, b.Close())
	}
	for {
		ok, err := b.Next()
		if err == nil && ok {
			rows++
			err = q.request.Sink.Row(b.row[:b.of.Visible])
		}
		if err != nil {
			return rows, errors.Join(err, b.Close())
		}
		if !ok {
			return rows, b.Close()
		}
	}
}

// hold holds the rows of FOR UPDATE before the first is shown, until nobody has changed one in between.
func (q *run) hold(ctx context.Context, root *block) error {
	tx := q.request.Tx
	if tx == nil || !q.request.Query.ForUpdate || !tx.Locks() {
		return nil
	}
	q.holding, q.changed = true, true
	defer func() { q.holding = false }()
	for q.changed {
		if err := tx.Renew(ctx); err != nil {
			return err
		}
		q.changed = false
		err := root.Open(ctx)
		for ok := true; ok && err == nil; {
			ok, err = root.Next()
		}
		if err = errors.Join(err, root.Close()); err != nil {
			return err
		}
		if err := q.close(); err != nil {
			return err
		}
	}
	return nil
}

// close gives back what outlasts single operators.
func (q *run) close() (err error) {
	for _, s := range q.spools {
		err = errors.Join(err, s.kept.Close())
	}
	for _, n := range q.nested {
		err = errors.Join(err, n.close())
	}
	return err
}

// summary gathers what was counted.
func (q *run) summary(rows int64) QuerySummary {
	s := QuerySummary{Rows: rows}
	if q.request.Nodes {
		s.Nodes = q.nodes()
	}
	for _, one := range q.scans {
		s.Counts.Counts, s.Counts.Accepted = addCounts(s.Counts.Counts, one.total.Counts), s.Counts.Accepted+
			one.total.Accepted
		if s.Warning == "" {
			s.Warning = one.access.Warning
		}
	}
	return s
}

// nodes gathers what each node did.
func (q *run) nodes() map[algebra.Node]NodeCounts {
	nodes := map[algebra.Node]NodeCounts{}
	for _, c := range q.counted {
		n := nodes[c.node]
		n.Opens, n.Rows, n.BytesSpilled = n.Opens+c.counts.Opens, n.Rows+c.counts.Rows, n.BytesSpilled+
			c.counts.BytesSpilled
		n.MemoryPeak = max(n.MemoryPeak, c.counts.MemoryPeak)
		nodes[c.node] = n
	}
	for _, one := range q.scans {
		n := nodes[one.node]
		n.Read.Counts, n.Read.Accepted = addCounts(n.Read.Counts, one.total.Counts), n.Read.Accepted+one.total.Accepted
		nodes[one.node] = n
	}
	return nodes
}
