// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Subset is INTERSECT or, with Except, EXCEPT: the left rows that are, or are not, among the right ones, compared by
// the slots that both write. All keeps duplicates: as many as both sides have, or as the left side has more. It sorts
// both sides.
type Subset struct {
	Left, Right Rows
	Except, All bool
	Slots       []int
	Context     *evaluate.Context
	Budget      *Budget
	Counts      Counts

	sorter *query.Sorter
	memory share
	record []byte
	key    []byte
	any    bool
	right  int64 // right rows of the key at hand that no left row has met
	sent   bool  // a row of the key was sent
	pulse  pulse
}

const (
	rightMark byte = iota // sorts before leftMark
	leftMark
)

// Open reads both sides.
func (s *Subset) Open(ctx context.Context) error {
	if err := s.Close(); err != nil {
		return err
	}
	s.Counts.Opens++
	s.pulse.ctx, s.any = ctx, false
	s.sorter = s.memory.sorter(s.Budget, &s.Counts, 0, nil)
	err := s.read(ctx, s.Right, rightMark)
	if err == nil {
		err = s.read(ctx, s.Left, leftMark)
	}
	if err == nil {
		err = s.sorter.Finish()
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

func (s *Subset) read(ctx context.Context, side Rows, mark byte) error {
	return each(ctx, side, func() error {
		record := appendSlotKey(s.record[:0], s.Context.Row, s.Slots)
		size := len(record)
		record = append(record, mark)
		if mark == leftMark {
			record = appendSlots(record, s.Context.Row, s.Slots)
		}
		s.record = binary.BigEndian.AppendUint32(record, uint32(size))
		return sortError(s.sorter.Add(s.record), s.memory.of)
	})
}

// Next moves to the next row.
func (s *Subset) Next() (bool, error) {
	if s.sorter == nil {
		return false, nil
	}
	for s.sorter.Next() {
		if err := s.pulse.check(); err != nil {
			return false, err
		}
		key, rest, err := CutSorted(s.sorter.Record())
		if err != nil || len(rest) == 0 {
			return false, errors.Join(err, ErrRecord)
		}
		if !s.any || string(key) != string(s.key) {
			s.any, s.right, s.sent, s.key = true, 0, false, append(s.key[:0], key...)
		}
		if rest[0] == rightMark {
			s.right++
			continue
		}
		if s.judge() {
			s.sent = true
			s.Counts.Rows++
			return true, cutSlots(rest[1:], s.Context.Row, s.Slots)
		}
	}
	return false, s.Close()
}

// judge judges a left row of the key at hand.
func (s *Subset) judge() bool {
	met := s.right > 0
	if s.All && met {
		s.right--
	}
	return met != s.Except && (s.All || !s.sent)
}

// Close gives memory and files back.
func (s *Subset) Close() error {
	return s.memory.end(&s.sorter)
}
