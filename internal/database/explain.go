// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/explanation"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/kv"
)

type (
	// ExplainedPath is how a Query reads its index, in words.
	ExplainedPath = access.Tree
	// ExplainedBox is the search space of a walk over a Z-order index, in words.
	ExplainedBox = access.BoxTree
	// Estimated is the expected cost of a Query.
	Estimated = access.Estimated
	// Explanation says how a Query is answered and what that takes. It is made to be read as JSON, too.
	Explanation = explanation.Explanation
	// Cheaper is a path that gives the same items and is expected to cost less.
	Cheaper = explanation.Cheaper
	// Actual is the work of a walk.
	Actual = explanation.Actual
)

// cheaperShare is the share of a path's cost below which another one is called cheaper.
const cheaperShare = 0.9

// QError is by which factor an estimate is wrong, 1 at least.
func QError(estimated, actual float64) float64 { return explanation.QError(estimated, actual) }

// Explain says how q would be answered, without doing it. What is counted and sampled for it is remembered for some
// minutes, and helps to choose the index of a Query with AnyIndex. Nothing is written. Errors are those of Query.
func (p Pinned) Explain(ctx context.Context, q Query) (Explanation, error) {
	if err := p.askWalk(ctx, &q); err != nil {
		return Explanation{}, err
	}
	reader, err := p.db.store.Read(heat.OwnWork(ctx))
	if err != nil {
		return Explanation{}, wrap(p.name(), err)
	}
	defer reader.Close()
	e, err := p.explain(ctx, reader, &q)
	return e, wrap(p.name(), err)
}

// Analyze is Explain, and then walks the page that q asks for, to tell what that took.
func (p Pinned) Analyze(ctx context.Context, q Query) (Explanation, error) {
	e, err := p.Explain(ctx, q)
	if err != nil {
		return e, err
	}
	q.Quiet = true
	if q.Boundaries == 0 {
		q.Boundaries = query.Foreseen
	}
	begun := time.Now() // lint:clock the duration is for people
	c, err := p.Query(ctx, q)
	if err != nil {
		return e, err
	}
	defer c.Close()
	if len(c.path.Scan.Curves) > 0 {
		c.scan.Stretches = &query.Stretches{Most: explanation.StretchesMax}
	}
	for c.Next() {
	}
	e.Actual = c.actual()
	e.Actual.Milliseconds = float64(time.Since(begun).Microseconds()) / 1000
	if e.Actual.LastKey, err = c.LastKey(); err != nil {
		return e, err
	}
	if !e.Actual.More && q.Limit == 0 && q.After == nil && q.Segments <= 1 {
		e.Actual.QError = QError(e.Path.Estimate.Entries, float64(e.Actual.LookedAt))
	}
	return e, c.Close()
}

// actual is the work of the walk so far.
func (c *Cursor) actual() *Actual {
	n := c.Counts()
	a := &Actual{
		LookedAt: n.Looked(), Examined: n.Examined, Skipped: n.Skipped, Postings: n.Postings, Returned: n.Returned,
		FalsePositives: n.FalsePositives(),
		Seeks:          n.Seeks, Jumps: n.Jumps, Bytes: n.Bytes, ReadBack: n.Fetched, Dead: n.Dead, More: c.More(),
		Boundaries: c.Boundaries(), Counts: n,
	}
	a.AddStretches(c.path.Scan.Curves, c.scan.Stretches)
	return a
}

func (p Pinned) explain(ctx context.Context, from kv.Snapshot, q *Query) (e Explanation, err error) {
	if !q.AnyIndex {
		if _, err := p.index(q.Index); err != nil {
			return e, err
		}
	}
	if _, err := p.countFor(ctx, from, q); err != nil {
		return e, err
	}
	look := p.look(OwnWork(ctx))
	statistics, done := p.db.statistics.ForQuery(OwnWork(ctx), &look, p.searches(q))
	defer done()
	asked := p.plannerQuery(q)
	if !q.AnyIndex && !q.Fetch {
		asked.Wanted = []string{} // what the index holds is all that is wanted
	}
	path, err := access.Choose(p.Descriptor(), asked, statistics)
	if err != nil {
		return e, err
	}
	x, err := p.index(path.Index.Name)
	if err != nil {
		return e, err
	}
	path.Filter = expr.Both(path.Filter, q.Filter)
	e = Explanation{Table: p.name(), Rows: int64(statistics.Indexes[x.ID].Rows), Path: path.Tree(), Reads: "entries"}
	if q.Fetch && !x.IsPrimary() && x.Projection != schema.ProjectAll {
		e.Reads = "entries and items"
	}
	e.Cheaper, err = p.cheaper(q, &path, statistics)
	return e, err
}

// cheaper looks for the cheapest of the other paths.
func (p Pinned) cheaper(q *Query, path *access.Path, statistics access.Statistics) (*Cheaper, error) {
	wanted := access.Held(p.Descriptor(), path.Index)
	if q.Fetch {
		wanted = nil
	}
	paths, err := access.Alternatives(p.Descriptor(),
		access.Query{Where: expr.Both(q.Where, q.Filter), Reverse: q.Reverse, Wanted: wanted, Order: q.Order,
			Limit: q.Limit}, statistics)
	if errors.Is(err, access.ErrPartUnbound) {
		return nil, nil
	}
	if err != nil || paths[0].Index.ID == path.Index.ID || paths[0].Cost > cheaperShare*path.Cost {
		return nil, err
	}
	best := &paths[0]
	return &Cheaper{Index: best.Index.Name, Kind: best.Kind(), Estimate: best.Expected()}, nil
}
