// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/rows/query"
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
	distinct *rowSet
	put      *query.Sorter // rows of DISTINCT that were put off; nil: none
	sorter   *query.Sorter
	order    []plan.SortKey
	skip     int
	left     int // rows until LIMIT; negative: no limit
	rows     int64
	number   uint64
	record   []byte
	row      []datum.Datum // of a sorted row
	spilled  query.SortCounts
}

// full reports whether no more rows are wanted.
func (o *output) full() bool { return o.left == 0 && o.sorter == nil }

// add takes one row. keys are its sort keys.
func (o *output) add(row, keys []datum.Datum) error {
	if o.distinct != nil {
		if !o.distinct.add(row) {
			return nil
		}
		if o.distinct.full {
			return o.putOff(row, keys)
		}
	}
	if o.sorter == nil {
		return o.send(row)
	}
	o.record = o.appendSorted(o.record[:0], row, keys)
	return sortError(o.sorter.Add(o.record), o.settings)
}

// appendSorted appends the record of a row for the sorter.
func (o *output) appendSorted(record []byte, row, keys []datum.Datum) []byte {
	begin := len(record)
	for i := range keys {
		record = operator.AppendSortKey(record, keys[i], o.order[i].Descending)
	}
	o.number++
	record = binary.BigEndian.AppendUint64(record, o.number) // rows that are alike keep their order
	size := len(record) - begin
	return binary.BigEndian.AppendUint32(operator.AppendRow(record, row), uint32(size))
}

// putOff keeps a row of DISTINCT in files, since no more fit into memory to compare with. It is not among those.
func (o *output) putOff(row, keys []datum.Datum) error {
	settings := o.settings.WithDefaults()
	if settings.Spill == nil {
		return groupMemory("DISTINCT", o.distinct.bytesMax)
	}
	if o.put == nil {
		o.put = query.Sort{BytesMax: settings.SortBytesMax, Spill: settings.Spill, Memory: settings.Memory}.Open()
	}
	if o.sorter == nil {
		keys = nil // they come in their order, which their numbers keep
	}
	o.record = o.appendSorted(append(o.record[:0], o.distinct.key...), row, keys)
	o.record = binary.BigEndian.AppendUint32(o.record, uint32(len(o.distinct.key)))
	return sortError(o.put.Add(o.record), o.settings)
}

// takeUp hands one of the rows that were put off and are alike to the sorter.
func (o *output) takeUp(ctx context.Context) error {
	if o.put == nil {
		return nil
	}
	if o.sorter == nil {
		settings := o.settings.WithDefaults()
		o.sorter = query.Sort{BytesMax: settings.SortBytesMax, Spill: settings.Spill, Memory: settings.Memory}.Open()
	}
	if err := o.put.Finish(); err != nil {
		return err
	}
	var last []byte
	for n := 1; o.put.Next(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key, record, err := operator.CutSorted(o.put.Record())
		if err != nil {
			return err
		}
		if n > 1 && bytes.Equal(last, key) {
			continue
		}
		last = append(last[:0], key...)
		if err := o.sorter.Add(record); err != nil {
			return sortError(err, o.settings)
		}
	}
	return nil
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
	if err := o.takeUp(ctx); err != nil {
		return err
	}
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
		_, record, err := operator.CutSorted(o.sorter.Record())
		if err != nil {
			return err
		}
		if err := operator.CutRow(record, o.row); err != nil {
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
	var err error
	if o.put != nil {
		err = o.put.Close()
	}
	if o.sorter == nil {
		return err
	}
	o.spilled = o.sorter.Counts
	return errors.Join(err, o.sorter.Close())
}

// sortError says what to do about a sort that does not fit.
func sortError(err error, settings *plan.Settings) error {
	if !errors.Is(err, query.ErrSortMemory) {
		return err
	}
	return fault.Because(err, fault.OutOfMemory,
		fmt.Sprintf("Out of sort memory: the rows to sort exceed sort_buffer_size, %d bytes, or the memory that other statements leave free (--sql-memory); "+
			"order by the columns of a key or an index, add LIMIT, raise sort_buffer_size, or set a folder for temporary files", settings.WithDefaults().SortBytesMax))
}
