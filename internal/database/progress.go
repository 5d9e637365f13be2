// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/schema"
)

// Progress is the progress of building an index.
type Progress = job.Progress

// BuildProgress returns how far the build of an index is. building is false for an index that is not being built.
// Errors: KindNotFound.
func (p Pinned) BuildProgress(ctx context.Context, index string) (progress Progress, building bool, err error) {
	x, ok := p.table.Index(index)
	if !ok {
		return Progress{}, false, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no index " + index}
	}
	if x.State != schema.DeleteOnly && x.State != schema.WriteOnly && x.State != schema.Backfill {
		return Progress{}, false, nil
	}
	rows, err := p.Estimate(ctx, "")
	if err != nil {
		return Progress{}, false, err
	}
	for _, j := range p.db.jobs.List() {
		if j.Kind == job.BuildIndex && j.Table == p.Descriptor().ID && j.Index == x.ID {
			progress = Progress{Done: j.Done, Fault: j.Fault, Misfit: j.Misfit, Duplicate: j.Duplicate}
		}
	}
	progress.Expected = max(rows.Rows, progress.Done)
	return progress, true, nil
}
