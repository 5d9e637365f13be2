// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"

	"github.com/weftdb/weft/internal/database"
)

// ends answers MIN and MAX of columns whose least and greatest values stand at the ends of a key, by one seek each at
// one snapshot. done is false if the statement is another one.
func (r *runner) ends(ctx context.Context) (done bool, err error) {
	request := r.request
	s := request.Statement
	if r.locks() || len(s.Groups.Ends) == 0 || request.View == nil && request.DB == nil {
		return false, nil
	}
	list, ok, err := s.BindEnds(&request.Execution)
	if !ok || err != nil {
		return false, err
	}
	view, release, err := request.snapshot(ctx)
	if err != nil {
		return true, err
	}
	defer release()
	g := r.newGrouper()
	one := &group{}
	var counts Counts
	for i, a := range s.Groups.Aggregates {
		one.accumulators = append(one.accumulators, a.New())
		if err := r.rows.open(ctx, view, s.Source, &request.Execution, &list[i]); err != nil {
			return true, err
		}
		err := r.firstOf(s.Groups.Ends[i], func() error { return one.accumulators[i].Add(request.Context) })
		if closed := r.rows.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return true, err
		}
		counts.Accepted += r.rows.counts.Accepted
		counts.Counts = addCounts(counts.Counts, r.rows.counts.Counts)
	}
	r.rows.counts, r.groupsMade = counts, 1
	return true, g.emit(one)
}

// firstOf takes the first row that has a value in the column.
func (r *runner) firstOf(end database.Ordering, take func() error) error {
	slots := r.rows.source.Slots
	for r.rows.Next() {
		for i := range slots {
			if slots[i].Name == end.Column && !r.rows.slots[i].IsNull() {
				return take()
			}
		}
	}
	return nil
}
