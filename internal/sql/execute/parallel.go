// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/plan"
)

// parallelWorthwhile is from how many rows on several workers gather groups.
const parallelWorthwhile = 20_000

// errCrowded says that workers met more groups than they may keep together.
var errCrowded = errors.New("execute: more groups than several workers may keep") // lint:invariant a sentinel

// part is a worker that gathers the groups of one part of a walk.
type part struct {
	runner  runner
	request Request
	context evaluate.Context
	groups  *grouper
}

// groupsParallel gathers groups by several workers, each of one part of the walk at one snapshot, and joins them. done
// is false if the statement is one for a single worker.
func (r *runner) groupsParallel(ctx context.Context) (done bool, err error) {
	request := r.request
	if !r.isParallel() {
		return false, nil
	}
	view, release, err := request.snapshot(ctx)
	if err != nil {
		return true, err
	}
	defer release()
	query := r.access.Query
	query.Plan = &r.access.Plan
	settings := request.Settings.WithDefaults()
	queries, err := view.Split(ctx, request.Pinned, query, settings.CountWorkers)
	if err != nil || len(queries) < 2 {
		return err != nil, err
	}
	r.workers = len(queries)
	parts := make([]*part, len(queries))
	for i := range parts {
		parts[i] = r.newPart(settings.GroupBytesMax / len(parts))
	}
	defer func() {
		for _, p := range parts {
			p.groups.memory.Release()
		}
	}()
	if err := r.gatherParts(ctx, view, parts, queries); err != nil {
		r.workers = 0
		return !errors.Is(err, errCrowded), err
	}
	return true, r.joinParts(ctx, parts)
}

// isParallel reports whether several workers may gather the groups.
func (r *runner) isParallel() bool {
	g, a := r.request.Statement.Groups, &r.access
	if r.locks() || r.request.Tx != nil || r.request.View == nil && r.request.DB == nil || a.Point != nil ||
		a.Class == plan.Nothing ||
		a.Plan.Rows < parallelWorthwhile || a.Grouped && len(g.Keys) > 0 {
		return false
	}
	return !slices.ContainsFunc(g.Aggregates, func(a *evaluate.Aggregate) bool { return !a.Merges() })
}

func (r *runner) newPart(bytesMax int) *part {
	p := &part{request: *r.request}
	x := r.request.Context
	p.context.Begin(x.Parameters, x.NowUS, x.Session)
	p.request.Context = &p.context
	p.runner.request, p.runner.access, p.runner.rows.timed = &p.request, r.access, true
	p.groups = p.runner.newGrouper()
	p.groups.bytesMax = bytesMax
	return p
}

// gatherParts runs the workers.
func (r *runner) gatherParts(ctx context.Context, view *database.View, parts []*part,
	queries []database.Query) (err error) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range parts {
		wait.Go(func() {
			failed := parts[i].gather(ctx, view, queries[i])
			mu.Lock()
			defer mu.Unlock()
			if failed != nil && err == nil {
				err = failed
				cancel()
			}
		})
	}
	wait.Wait()
	return err
}

// gather gathers the groups of a part.
func (p *part) gather(ctx context.Context, view *database.View, query database.Query) error {
	rows := &p.runner.rows
	if err := rows.openPart(ctx, view, p.request.Statement.Source, &p.request.Execution, &p.runner.access,
		query); err != nil {
		return err
	}
	var err error
	for err == nil && rows.Next() {
		if err = p.groups.add(); err == nil && p.groups.bytes > p.groups.bytesMax {
			err = errCrowded
		}
		p.context.Reset()
	}
	if closed := rows.Close(); err == nil {
		err = closed
	}
	return err
}

// joinParts joins the groups of all parts and sends them, in the order in which a single worker had met them.
func (r *runner) joinParts(ctx context.Context, parts []*part) error {
	g := r.newGrouper()
	g.found = map[string]*group{}
	r.rows.counts = Counts{}
	for _, p := range parts {
		counts := p.runner.rows.counts
		r.rows.counts.Accepted += counts.Accepted
		r.rows.counts.Counts = addCounts(r.rows.counts.Counts, counts.Counts)
		for _, one := range p.groups.list {
			if err := g.join(one); err != nil {
				return err
			}
		}
	}
	r.groupsMade = int64(len(g.list))
	return g.finish(ctx)
}

// join adds a group that another grouper has gathered of later rows.
func (g *grouper) join(one *group) error {
	known := g.found[one.key]
	if known == nil {
		g.found[one.key] = one
		g.list = append(g.list, one)
		return nil
	}
	for i, a := range g.of.Aggregates {
		if err := a.Merge(known.accumulators[i], one.accumulators[i]); err != nil {
			return err
		}
	}
	return nil
}
