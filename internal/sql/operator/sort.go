// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
)

// Ordering is one key of an order.
type Ordering struct {
	By         *evaluate.Program // nil: the value in Slot
	Slot       int
	Descending bool
}

func (o *Ordering) value(x *evaluate.Context) (datum.Datum, error) {
	if o.By == nil {
		return x.Row[o.Slot], nil
	}
	return o.By.Value(x)
}

// Sort reads its input and yields it in order; rows that are alike keep theirs.
type Sort struct {
	Input   Rows
	Order   []Ordering
	KeepMax int // how many of the first rows are wanted; 0: all
	Slots   []int
	Context *evaluate.Context
	Budget  *Budget
	Counts  Counts

	memory share
	sorter *query.Sorter // nil: it is closed
	room   query.Sorter  // for sorter
	record []byte
	number uint64
	pulse  pulse
}

// Open reads and sorts the input.
func (s *Sort) Open(ctx context.Context) error {
	if err := s.Close(); err != nil {
		return err
	}
	s.Counts.Opens++
	s.pulse.ctx = ctx
	if err := s.fill(ctx); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

func (s *Sort) fill(ctx context.Context) error {
	if err := s.Input.Open(ctx); err != nil {
		return err
	}
	s.sorter = s.memory.sorter(s.Budget, &s.Counts, s.KeepMax, &s.room)
	if err := rest(ctx, s.Input, s.add); err != nil {
		return err
	}
	return s.sorter.Finish()
}

func (s *Sort) add() error {
	record, err := appendOrder(s.record[:0], s.Context, s.Order)
	if err != nil {
		return err
	}
	s.number++
	record = binary.BigEndian.AppendUint64(record, s.number)
	size := uint32(len(record))
	s.record = binary.BigEndian.AppendUint32(appendSlots(record, s.Context.Row, s.Slots), size)
	s.Context.Reset()
	return sortError(s.sorter.Add(s.record), s.memory.of)
}

// appendOrder appends what the row at hand is ordered by.
func appendOrder(dst []byte, x *evaluate.Context, order []Ordering) ([]byte, error) {
	for i := range order {
		d, err := order[i].value(x)
		if err != nil {
			return dst, err
		}
		dst = AppendSortKey(dst, d, order[i].Descending)
	}
	return dst, nil
}

// sorter opens a sorter, in place of one that was closed (nil: of none). Its memory is the budget's for a sort, or half
// of what the budget has free.
func (h *share) sorter(b *Budget, counts *Counts, keepMax int, in *query.Sorter) *query.Sorter {
	h.begin(b, counts)
	most := h.of.SortBytesMax
	if most <= 0 {
		if most = max(h.most, 4*bytesFree); h.of.used+most <= h.of.limit() {
			h.of.used += most // the sorter itself asks for its part of what all statements share
			h.held = most
		}
	}
	if in == nil {
		in = new(query.Sorter)
	}
	return query.Sort{BytesMax: int(most), Spill: h.of.Spill, Memory: h.of.Memory, KeepMax: keepMax}.OpenIn(in)
}

func sortError(err error, b *Budget) error {
	if !errors.Is(err, query.ErrSortMemory) {
		return err
	}
	setting, most := "sort_buffer_size", b.SortBytesMax
	if most <= 0 {
		setting, most = b.setting(), b.limit()
	}
	return fault.Because(err, fault.OutOfMemory,
		fmt.Sprintf("Out of sort memory: the rows to sort exceed %s, %d bytes, or the memory that other "+
			"statements leave free (--sql-memory); order by the columns of a key or an index, add LIMIT, raise "+
			"%[1]s, or set a folder for temporary files", setting, most))
}

// Next moves to the next row.
func (s *Sort) Next() (bool, error) {
	if s.sorter == nil {
		return false, nil
	}
	if err := s.pulse.check(); err != nil {
		return false, err
	}
	if !s.sorter.Next() {
		return false, s.Close()
	}
	_, row, err := CutSorted(s.sorter.Record())
	if err != nil {
		return false, err
	}
	s.Counts.Rows++
	return true, cutSlots(row, s.Context.Row, s.Slots)
}

// CutSorted parts a sorter's record into its sort key and the rest. The last four bytes are the length of
// the first part. Both parts lie in record. An error is ErrRecord.
func CutSorted(record []byte) (key, row []byte, err error) {
	end := len(record) - 4
	if end < 0 || uint64(binary.BigEndian.Uint32(record[end:])) > uint64(end) {
		return nil, nil, ErrRecord
	}
	size := binary.BigEndian.Uint32(record[end:])
	return record[:size], record[size:end], nil
}

// Close gives memory and files back.
func (s *Sort) Close() error {
	return errors.Join(s.Input.Close(), s.memory.end(&s.sorter))
}

// end closes a sorter, counts what it has done, and gives its memory back; there may be none.
func (h *share) end(s **query.Sorter) error {
	if *s == nil {
		return nil
	}
	h.counts.BytesSpilled += (*s).Counts.BytesSpilled
	h.counts.Sorted, h.counts.Runs = h.counts.Sorted+(*s).Counts.Records, h.counts.Runs+(*s).Counts.Runs
	err := (*s).Close()
	*s = nil
	h.release()
	return err
}

// Release forgets the statement that it served, and keeps memory for another one. It is closed.
func (s *Sort) Release() {
	s.Input, s.Order, s.Slots, s.Context, s.Budget, s.Counts = nil, s.Order[:0], nil, nil, nil, Counts{}
	s.memory, s.pulse.ctx = share{}, nil
	if cap(s.record) > bytesFree {
		s.record = nil
	}
}
