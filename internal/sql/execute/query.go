// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"cmp"
	"context"
	"errors"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
)

// NodeCounts is the work of one node of a query.
type NodeCounts struct {
	operator.Counts
	// Read is the work of a Scan.
	Read Reads
}

// runNodes runs a query by the operators of its nodes.
func runNodes(ctx context.Context, request *Request) (Summary, error) {
	q := newRun(request)
	if err := request.Sink.Columns(request.Query.Columns); err != nil {
		return Summary{}, err
	}
	var rows int64
	err := request.within(ctx, func(ctx context.Context) (err error) {
		rows, err = q.answer(ctx)
		return err
	})
	return q.summary(rows), err
}

// run is the work of one query.
type run struct {
	request    *Request
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

func newRun(request *Request) *run {
	q := &run{spools: map[*algebra.Spool]*spool{}, recursive: map[int]*operator.Recursive{},
		nested: map[*algebra.Nested]*nestedQuery{}}
	q.begin(request, request.BytesMax)
	if extra := request.Query.Extra; extra > 0 {
		q.parameters = make([]datum.Datum, request.Query.Parameters+extra)
		copy(q.parameters, request.Context.Parameters)
	}
	return q
}

// begin takes a request that has no parameters but the statement's own. bytesMax is as Request.BytesMax.
func (q *run) begin(request *Request, bytesMax int64) {
	settings := request.Settings.WithDefaults()
	q.request, q.view, q.parameters = request, request.View, request.Context.Parameters
	q.budget = operator.Budget{BytesMax: bytesMax, Setting: "relational_buffer_size", Spill: settings.Spill,
		Memory: settings.Memory}
	if bytesMax <= 0 {
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

// answer sends the rows, all of one view.
func (q *run) answer(ctx context.Context) (rows int64, err error) {
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
	err = cmp.Or(err, q.close())
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
func (q *run) summary(rows int64) Summary {
	s := Summary{Rows: rows}
	if q.request.Nodes {
		s.Nodes = q.nodes()
	}
	for _, one := range q.scans {
		s.Read.add(one.total)
		s.Warning = cmp.Or(s.Warning, one.access.Warning)
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
		n.Read.add(one.total)
		nodes[one.node] = n
	}
	return nodes
}
