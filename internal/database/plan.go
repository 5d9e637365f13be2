// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/tuning"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/rows/statistics"
	"github.com/weftdb/weft/kv"
)

// Plan says how a Query would be answered. It holds for the Pinned that it was made of, and for as long as that is not
// released.
type Plan struct {
	Index     *schema.Index // what is walked; points into the descriptor
	Class     access.Class
	Bounds    bool           // it is not of class access.Full, or there is a plan with AnyIndex that is not
	Bound     int            // leading visible parts of the key that are bound, the last of them perhaps by ranges
	Points    bool           // all bound parts are bound to single values
	Single    bool           // each of the Keys is one whole key of a unique index, which has one entry at most
	Keys      int            // spans of keys that are read; 0: nothing can match
	Boxes     bool           // a Z-order part prunes by boxes
	Filter    expr.Condition // what of Where the spans do not guarantee; nil: nothing
	Sorted    bool           // items come in Query.Order, walked backwards if Backwards is set, too
	Backwards bool
	Covering  bool    // the entries hold all that Filter, Query.Filter and Query.Wanted need
	Rows      float64 // entries expected to be looked at
	Cost      float64 // in that of reading one entry after another

	path  access.Path
	index *record.Index
}

// Plan says how q would be answered. It reads nothing but some entries of search indexes that could answer. Errors are
// those of Query.
func (p Pinned) Plan(q Query) (Plan, error) {
	path, x, err := p.choosePath(context.Background(), p.Descriptor(), &q, q.AnyIndex || q.Fetch || p.searches(&q))
	if err != nil {
		return Plan{}, wrap(p.name(), err)
	}
	return Plan{
		Index: x.Index, Class: path.Class(), Bounds: path.Bounds, Bound: path.Bound, Points: path.Points,
		Single: path.Single, Keys: len(path.Scan.Spans), Boxes: path.Scan.Curves != nil,
		Filter: path.Filter, Sorted: path.Sorted, Backwards: path.Backwards, Covering: path.Covering, Rows: path.Rows,
		Cost: path.Cost, path: path, index: x,
	}, nil
}

// Start is the walk's beginning in the store: the key of an item or an entry, or what several have in common; nil if
// nothing can match.
func (p *Plan) Start() []byte {
	if len(p.path.Scan.Spans) == 0 {
		return nil
	}
	return slices.Concat(p.index.Prefix, p.path.Scan.Spans[0].Start)
}

// Searches is the name of the search index that finds the rows; "" if none does.
func (p *Plan) Searches() string {
	if p.path.Search == nil {
		return ""
	}
	return p.path.Search.Index.Name
}

// IsAsync reports whether that index need not have all rows yet.
func (p *Plan) IsAsync() bool { return p.path.Search != nil && p.path.Search.Index.Async != nil }

// Together reports whether items that are equal in some columns come one after the other.
func (p *Plan) Together(columns []string) bool { return p.path.Together(columns) }

// Unusable is an index that can't answer a Query, and why.
type Unusable = access.Unusable

// Unusable lists the indexes that can't answer q with AnyIndex, of those that have a column of its condition, and the
// one that q names.
func (p Pinned) Unusable(q Query) []Unusable {
	return access.FindUnusable(p.Descriptor(), p.plannerQuery(&q), p.cachedStatistics())
}

// Explain says in words how the index is read.
func (p *Plan) Explain() ExplainedPath {
	if p.path.Index == nil {
		return ExplainedPath{}
	}
	return p.path.Tree()
}

// choosePath finds the index to walk, of those of table, and the spans on it. estimated says that it matters what that
// costs.
func (p Pinned) choosePath(ctx context.Context, table *schema.Table, q *Query, estimated bool) (access.Path,
	*record.Index, error) {
	if !q.AnyIndex {
		if _, err := p.index(q.Index); err != nil {
			return access.Path{}, nil, err
		}
	}
	known := access.Statistics{}
	if estimated {
		look := p.look(OwnWork(ctx))
		var done func()
		known, done = p.db.statistics.ForQuery(OwnWork(ctx), &look, p.searches(q))
		defer done()
	}
	path, err := access.Choose(table, p.plannerQuery(q), known)
	if err != nil {
		return access.Path{}, nil, err
	}
	x, err := p.index(path.Index.Name)
	return path, x, err
}

// plannerQuery is q for the planner.
func (p Pinned) plannerQuery(q *Query) access.Query {
	asked := access.Query{
		Where: q.Where, Index: q.Index, Primary: !q.AnyIndex && q.Index == "" ||
			q.Cells != nil, Reverse: q.Reverse, PointsMax: q.SpansMax, Ignore: q.Ignore, Wanted: q.Wanted,
		Order: q.Order, Limit: q.Limit, Drops: q.Drops || q.Filter != nil,
	}
	if q.Wanted != nil && q.Filter != nil {
		asked.Wanted = append([]string{}, q.Wanted...)
		for path := range expr.Paths(q.Filter) {
			asked.Wanted = append(asked.Wanted, path.Name)
		}
	}
	return asked
}

// walkPath finds the index to walk and the spans to walk on it. old says that the snapshot may be older than the
// version.
func (p Pinned) walkPath(ctx context.Context, from kv.Snapshot, q *Query, old bool) (access.Path, *record.Index,
	error) {
	if old {
		return p.walkPathAtSnapshot(ctx, from, q)
	}
	x, err := p.indexOfPage(q)
	if err != nil {
		return access.Path{}, nil, err
	}
	if x != nil && (q.Plan == nil || q.Plan.index.ID != x.ID) {
		path, err := p.pathOn(x, q)
		return path, x, err
	}
	if q.Plan != nil {
		return q.Plan.path, q.Plan.index, nil
	}
	return p.choosePath(ctx, p.Descriptor(), q, q.AnyIndex)
}

// indexOfPage returns the index that a walk has to go on with; nil leaves the choice open.
func (p Pinned) indexOfPage(q *Query) (*record.Index, error) {
	if q.After != nil && q.AnyIndex {
		return tuning.OfPage(p.table, q.After, "")
	}
	if q.AnyIndex || q.Index == "" || q.After == nil && q.Segments <= 1 {
		return nil, nil
	}
	x, ok := p.table.Index(q.Index)
	switch {
	case !ok || !x.Curved():
		return nil, nil
	case q.After != nil:
		return tuning.OfPage(p.table, q.After, q.Index)
	}
	return p.db.keeper.Scans.Begin(p.table, x, p.db.options.Now()), nil
}

// walkPathAtSnapshot is walkPath at a snapshot that was taken before the version came into use: an index that became
// active since lacks entries there.
func (p Pinned) walkPathAtSnapshot(ctx context.Context, from kv.Snapshot, q *Query) (access.Path, *record.Index,
	error) {
	then, err := tuning.AtSnapshot(ctx, from, p.table)
	if err != nil {
		return access.Path{}, nil, err
	}
	x, err := p.indexAtSnapshot(&then, q)
	if err != nil {
		return access.Path{}, nil, err
	}
	if x != nil {
		path, err := p.pathOn(x, q)
		return path, x, err
	}
	table := *p.Descriptor()
	table.Indexes = nil
	for _, x := range p.Descriptor().Indexes {
		if then.Holds(x.ID) {
			table.Indexes = append(table.Indexes, x)
		}
	}
	return p.choosePath(ctx, &table, q, q.AnyIndex)
}

// indexAtSnapshot returns the index that had the name that q names, or the one that its page key names; nil leaves the
// choice open.
func (p Pinned) indexAtSnapshot(then *tuning.Then, q *Query) (x *record.Index, err error) {
	if q.After != nil && (q.AnyIndex || q.Index != "") {
		name := q.Index
		if q.AnyIndex {
			name = ""
		}
		if x, err = tuning.OfPage(p.table, q.After, name); err != nil {
			return nil, err
		}
	}
	if x == nil && !q.AnyIndex {
		if _, err := p.index(q.Index); err != nil {
			return nil, err
		}
		x, _ = then.Index(p.table, q.Index)
	} else if x == nil {
		return nil, nil
	}
	if x == nil || !then.Holds(x.ID) {
		return nil, &Error{Kind: KindBusy, Table: p.name(),
			Detail: "index " + q.Index + " was not built yet when this view or transaction began; begin another"}
	}
	return x, nil
}

// pathOn finds the spans to walk on one index, whatever it is called now.
func (p Pinned) pathOn(x *record.Index, q *Query) (access.Path, error) {
	table := *p.Descriptor()
	if !x.IsPrimary() {
		table.Indexes = []schema.Index{*x.Index}
	}
	asked := p.plannerQuery(q)
	asked.Index, asked.Primary = x.Name, x.IsPrimary()
	return access.Choose(&table, asked, access.Statistics{})
}

// Estimate is roughly how much an index holds.
type Estimate = statistics.Estimate

// Estimate returns about how many items a table ("") or index holds: exact up to some 50,000, a few seconds old at
// most. Errors: KindNotFound.
func (p Pinned) Estimate(ctx context.Context, index string) (Estimate, error) {
	x, ok := p.table.Index(index)
	if !ok {
		return Estimate{}, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no index " + index}
	}
	look := p.look(ctx)
	estimate, err := p.db.statistics.Estimate(ctx, &look, x)
	return estimate, wrap(p.name(), err)
}

// Count makes sure that Plan knows about how many items the table holds, if it knows nothing yet: it reads some 50,000
// entries at most.
func (p Pinned) Count(ctx context.Context) error {
	if p.cachedStatistics().Rows > 0 {
		return nil
	}
	_, err := p.Estimate(ctx, "")
	return err
}

func (p Pinned) look(ctx context.Context) statistics.Look {
	return statistics.Look{Table: p.table, Store: heat.Own(p.db.store), Now: p.db.options.Now(), SizeOf: p.sizer(ctx),
		Starts: func(from kv.Snapshot, x *record.Index) ([][]byte, error) {
			return p.db.regions.Starts(ctx, from, p.Descriptor().ID, x)
		}}
}

// cachedStatistics holds recent counts and samples.
func (p Pinned) cachedStatistics() access.Statistics {
	return p.db.statistics.Known(&statistics.Look{Table: p.table, Now: p.db.options.Now()})
}

// searches reports whether a search index may answer a query.
func (p Pinned) searches(q *Query) bool {
	for x := range p.Descriptor().Searches() {
		if q.Where != nil && x.State.Readable() && (q.AnyIndex || q.Index == x.Name) {
			return true
		}
	}
	return false
}

// countFor counts and samples what helps to choose a path for q.
func (p Pinned) countFor(ctx context.Context, from kv.Snapshot, q *Query) (access.Statistics, error) {
	look := p.look(ctx)
	return p.db.statistics.Count(ctx, &look, from,
		&statistics.Choice{Asked: p.plannerQuery(q),
			Open: access.Query{Where: expr.Both(q.Where, q.Filter), Order: q.Order, Limit: q.Limit}})
}
