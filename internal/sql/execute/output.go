// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/query"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
)

// output takes the rows of an answer: it drops duplicates, sorts, skips OFFSET rows and ends after LIMIT.
type output struct {
	sink     result.Sink
	settings *plan.Settings
	distinct *seen
	sorter   *query.Sorter
	order    []plan.Sorting
	skip     int
	left     int // rows until LIMIT; negative: no limit
	rows     int64
	number   uint64
	record   []byte
	row      []datum.Datum // of a sorted row
	spilled  query.SortCounts
}

// full says whether no more rows are wanted.
func (o *output) full() bool { return o.left == 0 && o.sorter == nil }

// add takes one row. keys are what it is sorted by.
func (o *output) add(row, keys []datum.Datum) error {
	if o.distinct != nil {
		if isNew, err := o.distinct.add(row); err != nil || !isNew {
			return err
		}
	}
	if o.sorter == nil {
		return o.send(row)
	}
	record := o.record[:0]
	for i := range keys {
		record = operator.AppendSortKey(record, keys[i], o.order[i].Descending)
	}
	o.number++
	record = binary.BigEndian.AppendUint64(record, o.number) // rows that are alike keep their order
	size := len(record)
	o.record = binary.BigEndian.AppendUint32(operator.AppendRow(record, row), uint32(size))
	return sortError(o.sorter.Add(o.record), o.settings)
}

func (o *output) send(row []datum.Datum) error {
	switch {
	case o.left == 0:
		return nil
	case o.skip > 0:
		o.skip--
		return nil
	}
	if o.left > 0 {
		o.left--
	}
	o.rows++
	return o.sink.Row(row)
}

// finish sends what was sorted.
func (o *output) finish(ctx context.Context, columns int) error {
	if o.sorter == nil {
		return nil
	}
	if err := o.sorter.Finish(); err != nil {
		return err
	}
	o.row = make([]datum.Datum, columns)
	for n := 1; o.left != 0 && o.sorter.Next(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record := o.sorter.Record()
		if len(record) < 4 {
			return operator.ErrRecord
		}
		end := len(record) - 4
		size := int(binary.BigEndian.Uint32(record[end:]))
		if size > end {
			return operator.ErrRecord
		}
		if err := operator.CutRow(record[size:end], o.row); err != nil {
			return err
		}
		if err := o.send(o.row); err != nil {
			return err
		}
	}
	return nil
}

// close gives files back.
func (o *output) close() error {
	if o.distinct != nil {
		o.distinct.memory.Release()
	}
	if o.sorter == nil {
		return nil
	}
	o.spilled = o.sorter.Counts
	return o.sorter.Close()
}

// sortError says what to do about a sort that does not fit.
func sortError(err error, settings *plan.Settings) error {
	if !errors.Is(err, query.ErrSortMemory) {
		return err
	}
	return fault.Because(err, fault.OutOfMemory, fmt.Sprintf("Out of sort memory: more rows have to be sorted than fit into sort_buffer_size, %d bytes, or into what all statements leave free (--sql-memory); "+
		"order by what a key or an index gives, add LIMIT, raise sort_buffer_size, or set a folder for temporary files", settings.WithDefaults().SortBytesMax))
}
