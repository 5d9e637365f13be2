// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/plan"
)

// parallelWorthwhile is the number of rows from which on several workers gather groups.
const parallelWorthwhile = 20_000

// part reads one part of a walk, for a worker.
type part struct {
	tableRows
	x     plan.Execution
	own   evaluate.Context
	query database.Query
}

// parts makes groups of parts of the walk, each for a worker, at one snapshot that release gives back; none where the
// statement is one for a single worker.
func (r *runner) parts(ctx context.Context, group *operator.Group) (list []*operator.Group, release func(), err error) {
	release = func() {}
	if !r.isParallel() {
		return nil, release, nil
	}
	view, release, err := r.request.snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	query := r.access.Query
	query.Plan = &r.access.Plan
	settings := r.x.Settings.WithDefaults()
	queries, err := view.Split(ctx, r.x.Pinned, query, settings.CountWorkers)
	if err != nil {
		release()
		return nil, nil, err
	}
	if len(queries) < 2 {
		return nil, release, nil
	}
	for _, query := range queries {
		p := r.newPart(view, query)
		list = append(list, &operator.Group{Input: p, Keys: group.Keys, Dependents: group.Dependents,
			Aggregates: group.Aggregates, Growing: group.Growing, Slots: group.Slots, Context: &p.own,
			Budget: &operator.Budget{BytesMax: int64(settings.GroupBytesMax / len(queries)), Memory: settings.Memory,
				Undivided: true}})
	}
	return list, release, nil
}

// isParallel reports whether several workers may gather the groups.
func (r *runner) isParallel() bool {
	g, a := r.statement.Groups, &r.access
	if r.tx != nil || a.Point != nil || a.Class == plan.Nothing || a.Plan.Rows < parallelWorthwhile ||
		a.Grouped && len(g.Keys) > 0 {
		return false
	}
	return !slices.ContainsFunc(g.Aggregates, func(a *evaluate.Aggregate) bool { return !a.Merges() })
}

func (r *runner) newPart(view *database.View, query database.Query) *part {
	p := &part{x: *r.x, query: query}
	x := r.x.Context
	p.own.Begin(x.Parameters, x.NowUS, x.Session)
	p.own.StrictDivision, p.own.StrictNumbers = x.StrictDivision, x.StrictNumbers
	p.x.Context = &p.own
	p.reader = &reader{source: r.source, x: &p.x, view: view, access: r.access}
	return p
}

func (p *part) Open(ctx context.Context) error {
	return p.rows.openPart(ctx, p.view, p.source, &p.x, &p.access, p.query)
}
