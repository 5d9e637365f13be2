// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"sync"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/plan"
)

// countsAll reports whether a statement is COUNT(*) of rows that keys alone decide on.
func (r *runner) countsAll() bool {
	return r.statement.Groups.CountsRows && r.access.Class != plan.Nothing && r.access.Point == nil &&
		len(r.access.Residual) == 0
}

// countAll counts the rows, by several workers at one snapshot.
func (r *runner) countAll(ctx context.Context, row []datum.Datum) error {
	view, release, err := r.request.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	total, err := r.countParts(ctx, view)
	row[0] = datum.Int(total)
	return err
}

// The number of rows from which on several workers count. Those of a search index take a fifth of the time, and parts
// of a search have some of the work in common.
const (
	countWorthwhile  = 20_000
	searchWorthwhile = 5 * countWorthwhile
)

// countParts counts what the parts of the walk return.
func (r *runner) countParts(ctx context.Context, view *database.View) (total int64, err error) {
	query := r.access.Query
	query.Plan, query.Wanted = &r.access.Plan, []string{}
	parts := []database.Query{query}
	worthwhile := countWorthwhile
	if r.access.Plan.Searches() != "" {
		worthwhile = searchWorthwhile
	}
	if workers := r.x.Settings.WithDefaults().CountWorkers; r.tx == nil && r.access.Plan.Rows >= float64(worthwhile) {
		if parts, err = view.Split(ctx, r.x.Pinned, query, workers); err != nil {
			return 0, err
		}
	}
	r.workers = len(parts)
	var wait sync.WaitGroup
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range parts {
		wait.Go(func() {
			counts, failed := r.countPart(ctx, view, parts[i])
			mu.Lock()
			defer mu.Unlock()
			total += counts.Returned
			r.rows.counts.add(Reads{counts, counts.Returned})
			if failed != nil && err == nil {
				err = failed
				cancel()
			}
		})
	}
	wait.Wait()
	return total, err
}

func (r *runner) countPart(ctx context.Context, view *database.View, q database.Query) (database.Counts, error) {
	cursor, err := view.Query(ctx, r.x.Pinned, q)
	if err != nil {
		return database.Counts{}, err
	}
	cursor.Count()
	counts := cursor.Counts()
	return counts, cursor.Close()
}

// add adds the work of another reading.
func (r *Reads) add(more Reads) {
	r.Counts.Add(more.Counts)
	r.Accepted += more.Accepted
}
