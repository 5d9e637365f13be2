// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/plan"
)

// scan reads a table into the slots of a frame. Its source is bound each time that it is opened.
type scan struct {
	runner runner // its rows, and what holds them
	run    *run
	x      *evaluate.Context // of the frame
	node   *algebra.Scan
	to     []int // the slot of the frame for each of the source's; -1: none
	need   plan.Need
	locks  bool
	open   bool
	left   int // rows that are wanted yet; negative: all
	ctx    context.Context
	total  Counts // of all openings before
	counts operator.Counts
}

func (b *builder) scan(n *algebra.Scan, source *plan.Source, to []int, need plan.Need) *scan {
	q := b.run
	s := &scan{run: q, x: b.x, node: n, to: to, need: need, locks: b.locks && q.request.Tx != nil}
	own := q.context(0)
	statement := &plan.Select{Source: source, ForUpdate: s.locks, ForShare: b.statement.ForShare,
		NoWait: b.statement.NoWait, SkipLocked: b.statement.SkipLocked}
	s.runner.request = &Request{Statement: statement,
		Execution: plan.Execution{Pinned: q.request.Pinned[n.Table], Context: own, Settings: q.request.Settings},
		DB:        q.request.DB, Tx: q.request.Tx, Kept: q.request.Kept}
	s.runner.rows.timed = true
	q.scans = append(q.scans, s)
	b.count(n, &s.counts)
	return s
}

// Open begins, with parameters as they are now.
func (s *scan) Open(ctx context.Context) error {
	if err := s.Close(); err != nil {
		return err
	}
	request := s.runner.request
	request.View = s.run.view
	s.run.renew(request.Context)
	s.counts.Opens++
	if err := request.Statement.Source.Bind(&request.Execution, &s.need, &s.runner.access); err != nil {
		return err
	}
	s.ctx, s.open, s.left = ctx, true, -1
	if s.runner.access.Ends(&s.need) {
		s.left = s.need.RowsMax
	}
	return s.runner.rows.open(ctx, request.View, request.Statement.Source, &request.Execution, &s.runner.access)
}

// Next moves to the next row.
func (s *scan) Next() (bool, error) {
	for s.open {
		s.runner.request.Context.Reset()
		if s.left == 0 || !s.runner.rows.Next() {
			return false, s.Close()
		}
		if s.locks {
			if skip, err := s.lock(); skip || err != nil {
				if err != nil {
					return false, err
				}
				continue
			}
		}
		s.counts.Rows++
		s.left--
		for i, d := range s.runner.rows.slots {
			if slot := s.to[i]; slot >= 0 {
				s.x.Row[slot] = d
			}
		}
		return true, nil
	}
	return false, nil
}

// lock holds or guards the row at hand. skip says that SKIP LOCKED passes over it.
func (s *scan) lock() (skip bool, err error) {
	switch {
	case s.run.holding:
		held, changed, err := s.runner.holdItem(s.ctx)
		s.run.changed = s.run.changed || changed
		return !held, err
	case s.runner.request.Tx.Locks() && !s.runner.request.Statement.SkipLocked:
		return false, nil // it is held already
	}
	return s.runner.lock(s.ctx)
}

// Close ends the reading.
func (s *scan) Close() error {
	if !s.open {
		return nil
	}
	s.open = false
	err := s.runner.rows.Close()
	s.total.Counts = addCounts(s.total.Counts, s.runner.rows.counts.Counts)
	s.total.Accepted += s.runner.rows.counts.Accepted
	return err
}

// inOrder yields the rows of a scan sorted, whatever they are read by.
func (b *builder) inOrder(n *algebra.Scan, s *scan) operator.Rows {
	sort := &operator.Sort{Input: s, Slots: n.Slots(), Context: b.x, Budget: &b.run.budget}
	for _, by := range n.Sorted {
		sort.Order = append(sort.Order, operator.Ordering{By: by})
	}
	of := operator.Rows(s)
	return &operator.Func{OnOpen: func(ctx context.Context) error {
		err := s.Open(ctx)
		if of = s; err == nil && !s.runner.access.Sorted {
			of, err = sort, sort.Open(ctx)
		}
		return err
	}, OnNext: func() (bool, error) { return of.Next() }, OnClose: func() error { return of.Close() }}
}
