// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"context"

	"github.com/weftdb/weft/internal/database"
)

// rangesMax is the number of ranges of rows a plan shows.
const rangesMax = 20

// Plan says how a scan reads its table.
type Plan struct {
	// Ranges are the ranges of rows that are read, in their order: the scan's, cut to where its filter can keep a row.
	// There may be more.
	Ranges []database.Explanation
	More   int
}

// Explain says how the scan reads its table, before it begins to. Nothing is read but statistics and samples.
func (s *Scanner) Explain(ctx context.Context) (plan Plan, err error) {
	p, _, err := s.api.pinEnabled(s.name)
	if err != nil {
		return plan, err
	}
	defer p.Release()
	if err := s.api.authorize(ctx, "Scan", p, part{columns: s.scan.Columns, read: true}); err != nil {
		return plan, err
	}
	for i, b := range s.keys {
		if i == rangesMax {
			plan.More = len(s.keys) - i
			break
		}
		e, err := p.Explain(ctx, database.Query{Where: b.condition(), Reverse: s.scan.Reversed})
		if err != nil {
			return plan, faultOf(err)
		}
		plan.Ranges = append(plan.Ranges, e)
	}
	return plan, nil
}

// Counts is the work of the scan: Returned counts the rows of which a cell was wanted and kept by the filter.
func (s *Scanner) Counts() database.Counts { return s.work }

// note adds the work of a walk.
func (s *Scanner) note(n database.Counts) {
	n.Returned = 0 // rows are counted where it is known that a cell of theirs is kept
	s.work.Add(n)
}
