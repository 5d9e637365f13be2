// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Distinct passes one of the rows whose slots are alike; NULLs are alike. In memory the first of each passes at once;
// rows that are new beyond memory are sorted in files and pass at the end.
type Distinct struct {
	Input   Rows
	Slots   []int
	Context *evaluate.Context
	Budget  *Budget
	Counts  Counts

	seen   table
	put    *query.Sorter // rows that were put off; nil: none
	sorts  share
	number uint64
	key    []byte
	record []byte
	last   []byte
	any    bool
	later  bool // the input has ended
	pulse  pulse
}

// Open begins.
func (d *Distinct) Open(ctx context.Context) error {
	err := d.Close()
	d.Counts.Opens++
	d.pulse.ctx, d.any, d.later = ctx, false, false
	d.seen.begin(d.Budget, &d.Counts)
	return errors.Join(err, d.Input.Open(ctx))
}

// Next moves to the next row.
func (d *Distinct) Next() (bool, error) {
	for {
		if err := d.pulse.check(); err != nil {
			return false, err
		}
		var isNew, more bool
		var err error
		if d.later {
			isNew, more, err = d.nextPutOff()
		} else {
			isNew, more, err = d.nextInput()
		}
		if isNew && err == nil {
			d.Counts.Rows++
		}
		if isNew || !more || err != nil {
			return isNew && err == nil, err
		}
	}
}

func appendSlotKey(dst []byte, row []datum.Datum, slots []int) []byte {
	for _, slot := range slots {
		dst = row[slot].AppendKey(dst)
	}
	return dst
}

func (d *Distinct) nextInput() (isNew, more bool, err error) {
	ok, err := d.Input.Next()
	if err != nil {
		return false, false, err
	}
	if !ok {
		d.later = true
		if d.put == nil {
			return false, false, d.Input.Close()
		}
		return false, true, errors.Join(d.Input.Close(), d.put.Finish())
	}
	d.key = appendSlotKey(d.key[:0], d.Context.Row, d.Slots)
	hash := d.seen.hash(d.key)
	if e, _, _ := d.seen.find(d.seen.first(hash), hash, d.key); e != nil {
		return false, true, nil
	}
	if d.put == nil {
		d.record = appendKeyed(d.record[:0], d.key)
		if d.seen.add(hash, d.record, true) {
			return true, true, nil
		}
		if d.seen.memory.of.Spill == nil {
			return false, false, d.seen.memory.of.full("DISTINCT")
		}
		d.put = d.sorts.sorter(d.Budget, &d.Counts, 0)
	}
	return false, true, d.putOff()
}

// putOff keeps a row, which is not among those seen, for later.
func (d *Distinct) putOff() error {
	d.number++
	record := binary.BigEndian.AppendUint64(append(d.record[:0], d.key...), d.number)
	record = appendSlots(record, d.Context.Row, d.Slots)
	d.record = binary.BigEndian.AppendUint32(record, uint32(len(d.key)))
	return sortError(d.put.Add(d.record), d.sorts.of)
}

func (d *Distinct) nextPutOff() (isNew, more bool, err error) {
	if d.put == nil {
		return false, false, nil
	}
	if !d.put.Next() {
		return false, false, d.sorts.end(&d.put)
	}
	key, rest, err := CutSorted(d.put.Record())
	if err != nil || len(rest) < 8 {
		return false, false, errors.Join(err, ErrRecord)
	}
	if d.any && string(key) == string(d.last) {
		return false, true, nil
	}
	d.any, d.last = true, append(d.last[:0], key...)
	return true, true, cutSlots(rest[8:], d.Context.Row, d.Slots)
}

// Close gives memory and files back.
func (d *Distinct) Close() error {
	d.seen.clear()
	d.later = true
	return errors.Join(d.Input.Close(), d.sorts.end(&d.put))
}
