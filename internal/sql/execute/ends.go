// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"cmp"
	"context"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/plan"
)

// ends computes MIN and MAX of columns whose least and greatest values stand at the ends of a key, by one seek each at
// one snapshot. list has the way to each.
func (r *runner) ends(ctx context.Context, list []plan.Access, row []datum.Datum) error {
	view, release, err := r.request.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	groups := r.statement.Groups
	var counts Reads
	for i, a := range groups.Aggregates {
		sum := a.New()
		if err := r.rows.open(ctx, view, r.source, r.x, &list[i]); err != nil {
			return err
		}
		err := r.firstOf(groups.Ends[i], func() error { return sum.Add(r.x.Context) })
		err = cmp.Or(err, r.rows.Close())
		if err == nil {
			row[i], err = sum.Result(r.x.Context)
		}
		if err != nil {
			return err
		}
		counts.add(r.rows.counts)
	}
	r.rows.counts, r.groups = counts, 1
	return nil
}

// firstOf takes the first row that has a value in the column.
func (r *runner) firstOf(end database.Ordering, take func() error) error {
	slots := r.source.Slots
	for r.rows.Next() {
		for i := range slots {
			if slots[i].Name == end.Column && !r.rows.slots[i].IsNull() {
				return take()
			}
		}
	}
	return nil
}
