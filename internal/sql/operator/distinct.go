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

// Distinct passes the first of the rows whose keys are alike; NULLs are alike. In memory it passes at once; rows that
// are new beyond memory are sorted in files and pass at the end, in the order of the input.
type Distinct struct {
	Input   Rows
	Keys    []int // slots
	Slots   []int // of the input's rows
	Context *evaluate.Context
	Budget  *Budget
	Counts  Counts
	// Together says that rows that are alike come one behind the other.
	Together bool

	seen   table
	put    *query.Sorter // rows that were put off, by their keys; nil: none
	first  *query.Sorter // the first of those that are alike, in the order of the input; nil: none
	sorts  [2]share      // of put and first
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
			isNew, err = d.nextFirst()
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
		return false, true, errors.Join(d.Input.Close(), d.takeFirst())
	}
	d.key = appendSlotKey(d.key[:0], d.Context.Row, d.Keys)
	if d.Together {
		isNew = !d.any || string(d.key) != string(d.last)
		d.any, d.last = true, append(d.last[:0], d.key...)
		return isNew, true, nil
	}
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
		d.put = d.sorts[0].sorter(d.Budget, &d.Counts, 0, nil)
	}
	return false, true, d.putOff()
}

// putOff keeps a row, which is not among those seen, for later.
func (d *Distinct) putOff() error {
	d.number++
	record := binary.BigEndian.AppendUint64(append(d.record[:0], d.key...), d.number)
	record = binary.BigEndian.AppendUint32(appendSlots(record, d.Context.Row, d.Slots), numberBytes)
	d.record = binary.BigEndian.AppendUint32(record, uint32(len(d.key)))
	return sortError(d.put.Add(d.record), d.sorts[0].of)
}

// numberBytes is the length of a row's number in a record.
const numberBytes = 8

// takeFirst sorts the first of the rows that were put off and are alike by their numbers.
func (d *Distinct) takeFirst() error {
	if err := d.put.Finish(); err != nil {
		return err
	}
	d.seen.clear()
	d.first = d.sorts[1].sorter(d.Budget, &d.Counts, 0, nil)
	for d.put.Next() {
		key, record, err := CutSorted(d.put.Record())
		if err == nil {
			err = d.pulse.check()
		}
		if err != nil {
			return err
		}
		if d.any && string(key) == string(d.last) {
			continue
		}
		d.any, d.last = true, append(d.last[:0], key...)
		if err := d.first.Add(record); err != nil {
			return sortError(err, d.sorts[1].of)
		}
	}
	return errors.Join(d.sorts[0].end(&d.put), d.first.Finish())
}

func (d *Distinct) nextFirst() (bool, error) {
	if d.first == nil {
		return false, nil
	}
	if !d.first.Next() {
		return false, d.sorts[1].end(&d.first)
	}
	_, row, err := CutSorted(d.first.Record())
	if err != nil {
		return false, err
	}
	return true, cutSlots(row, d.Context.Row, d.Slots)
}

// Close gives memory and files back.
func (d *Distinct) Close() error {
	d.seen.clear()
	d.later = true
	return errors.Join(d.Input.Close(), d.sorts[0].end(&d.put), d.sorts[1].end(&d.first))
}

// Release forgets the statement that it served, and keeps memory for another one. It is closed.
func (d *Distinct) Release() {
	d.Input, d.Keys, d.Slots, d.Context, d.Budget, d.Counts = nil, nil, nil, nil, nil, Counts{}
	d.sorts, d.seen.memory, d.seen.arena.memory, d.pulse.ctx = [2]share{}, share{}, nil, nil
	if cap(d.key) > bytesFree || cap(d.last) > bytesFree || cap(d.record) > bytesFree {
		d.key, d.last, d.record = nil, nil, nil
	}
}
