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
	reader
	run    *run
	frame  *evaluate.Context
	node   *algebra.Scan
	to     []int // the slot of the frame for each of the source's; -1: none
	need   plan.Need
	isOpen bool
	left   int // rows that are wanted yet; negative: all
	ctx    context.Context
	total  Reads // of all openings before
	counts operator.Counts
}

func (b *builder) scan(n *algebra.Scan, source *plan.Source, to []int, need plan.Need) *scan {
	q := b.run
	s := &scan{run: q, frame: b.x, node: n, to: to, need: need}
	s.source, s.kept, s.locking = source, q.request.Kept, b.statement.Locking
	s.x = &plan.Execution{Pinned: q.request.Pinned[n.Table], Context: q.context(0), Settings: q.request.Settings}
	if b.locks {
		s.tx, s.locking.ForUpdate = q.request.Tx, true
	}
	q.scans = append(q.scans, s)
	b.count(n, &s.counts)
	return s
}

// Open begins, with parameters as they are now.
func (s *scan) Open(ctx context.Context) error {
	if err := s.Close(); err != nil {
		return err
	}
	s.view = s.run.view
	s.run.renew(s.x.Context)
	s.counts.Opens++
	if err := s.source.Bind(s.x, &s.need, &s.access); err != nil {
		return err
	}
	s.ctx, s.isOpen, s.left = ctx, true, -1
	if s.access.Ends(&s.need) {
		s.left = s.need.RowsMax
	}
	return s.open(ctx)
}

func (s *scan) Next() (bool, error) {
	for s.isOpen {
		s.x.Context.Reset()
		if s.left == 0 || !s.rows.Next() {
			return false, s.Close()
		}
		if s.locks() {
			if skip, err := s.lockRow(); skip || err != nil {
				if err != nil {
					return false, err
				}
				continue
			}
		}
		s.counts.Rows++
		s.left--
		for i, d := range s.rows.slots {
			if slot := s.to[i]; slot >= 0 {
				s.frame.Row[slot] = d
			}
		}
		return true, nil
	}
	return false, nil
}

// lockRow holds or guards the row at hand. skip says that SKIP LOCKED passes over it.
func (s *scan) lockRow() (skip bool, err error) {
	switch {
	case s.run.holding:
		held, changed, err := s.holdItem(s.ctx)
		s.run.changed = s.run.changed || changed
		return !held, err
	case s.tx.Locks() && !s.locking.SkipLocked:
		return false, nil // it is held already
	}
	return s.lock(s.ctx)
}

func (s *scan) Close() error {
	if !s.isOpen {
		return nil
	}
	s.isOpen = false
	err := s.rows.Close()
	s.total.add(s.rows.counts)
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
		if of = s; err == nil && !s.access.Sorted {
			of, err = sort, sort.Open(ctx)
		}
		return err
	}, OnNext: func() (bool, error) { return of.Next() }, OnClose: func() error { return of.Close() }}
}
