// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"sync"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/plan"
)

// countAll answers COUNT(*) of a whole table by several workers at one snapshot. done is false if the statement is another one.
func (r *runner) countAll(ctx context.Context) (done bool, err error) {
	request := r.request
	s := request.Statement
	if !s.Groups.CountsRows || request.DB == nil || r.access.Class != plan.Range || r.access.Plan.Kind != weft.PlanFull || len(r.access.Residual) > 0 ||
		r.access.Plan.Filter != nil {
		return false, nil
	}
	if limit := s.Source.Timeout(&request.Settings); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errTimeout)
		defer cancel()
	}
	view := request.View
	if view == nil {
		if view, err = request.DB.View(ctx); err != nil {
			return true, err
		}
		defer view.Close()
	}
	total, err := r.countSegments(ctx, view)
	if err != nil {
		if context.Cause(ctx) == errTimeout {
			err = timedOut(s.Source.Timeout(&request.Settings), err)
		}
		return true, err
	}
	g := r.newGrouper()
	g.row[0] = datum.Int(total)
	return true, g.emit(&gathered{})
}

// countSegments counts the entries of the index that was chosen, which has one of each row.
func (r *runner) countSegments(ctx context.Context, view *weft.View) (total int64, err error) {
	settings := r.request.Settings.WithDefaults()
	workers := settings.CountWorkers
	if r.access.Plan.Rows < 10_000 || r.request.Tx != nil {
		workers = 1 // a transaction's view is for one goroutine
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range workers {
		wait.Go(func() {
			counts, failed := r.countSegment(ctx, view, i, workers)
			mu.Lock()
			defer mu.Unlock()
			total += counts.Returned
			r.rows.counts.Counts = addCounts(r.rows.counts.Counts, counts)
			if failed != nil && err == nil {
				err = failed
				cancel()
			}
		})
	}
	wait.Wait()
	return total, err
}

func (r *runner) countSegment(ctx context.Context, view *weft.View, number, of int) (weft.Counts, error) {
	q := weft.Query{Index: r.access.Plan.Index.Name, Wanted: []string{}}
	if of > 1 {
		q.Segment, q.Segments = number, of
	}
	cursor, err := view.Query(ctx, r.request.Pinned, q)
	if err != nil {
		return weft.Counts{}, err
	}
	for n := 1; cursor.Next(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			break
		}
	}
	counts := cursor.Counts()
	if err = cursor.Close(); err == nil {
		err = ctx.Err()
	}
	return counts, err
}

func addCounts(a, b weft.Counts) weft.Counts {
	return weft.Counts{Examined: a.Examined + b.Examined, Bytes: a.Bytes + b.Bytes, Returned: a.Returned + b.Returned, Fetched: a.Fetched + b.Fetched,
		Seeks: a.Seeks + b.Seeks, Jumps: a.Jumps + b.Jumps, Skipped: a.Skipped + b.Skipped}
}
