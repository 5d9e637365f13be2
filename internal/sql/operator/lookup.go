// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// rowsByKey is the number of left rows a batch takes for each key that it may ask for: rows that share keys are many.
const rowsByKey = 8

// LookupJoin finds the right rows of many left rows at once: it writes the left rows' distinct keys where the right
// side has parameters, opens that, and matches what comes by the keys. Batches begin small, so that few rows cost
// little. The order of the left rows stays. Kinds: Inner, Left, Semi and Anti.
type LookupJoin struct {
	Kind  JoinKind
	Left  Rows
	Right []Lookup // ascending by Size; the first is of size 1
	Keys  []Key
	// Parameters are the parameters that the right side reads.
	Parameters            []datum.Datum
	On                    []*evaluate.Program
	LeftSlots, RightSlots []int
	Context               *evaluate.Context
	Budget                *Budget
	Counts                Counts

	memory   share
	left     arena
	batch    []batchRow
	next     int // the row behind the one at hand
	keys     []datum.Datum
	distinct table
	found    table
	size     int  // the lookup of the next batch
	single   bool // right rows come from the lookup of size 1, row by row
	reading  bool // the lookup of size 1 is open
	ended    bool // there are no more left rows
	opened   bool
	chain    uint32
	busy     bool // a left row is at hand
	matched  bool
	key      []byte // of the row at hand
	scratch  []byte
	record   []byte
	ctx      context.Context
	pulse    pulse
}

// Lookup is the right side for Size keys: its parameters are Parameters[First:], key by key.
type Lookup struct {
	Size, First int
	Rows        Rows
}

type batchRow struct {
	at   uint64
	hash uint64
	key  int // which of the batch's keys, from 0; negative: NULL
}

// Open begins.
func (j *LookupJoin) Open(ctx context.Context) error {
	err := j.Close()
	j.Counts.Opens++
	j.ctx, j.pulse.ctx, j.ended, j.size, j.opened = ctx, ctx, false, 0, true
	j.memory.begin(j.Budget, &j.Counts)
	j.left.memory = &j.memory
	j.distinct.begin(j.Budget, &j.Counts)
	j.found.begin(j.Budget, &j.Counts)
	return errors.Join(err, j.Left.Open(ctx))
}

// Next moves to the next row.
func (j *LookupJoin) Next() (bool, error) {
	if !j.opened {
		return false, nil
	}
	for {
		if err := j.pulse.check(); err != nil {
			return false, err
		}
		if j.busy {
			ok, err := j.step()
			if ok && err == nil {
				j.Counts.Rows++
			}
			if ok || err != nil {
				return ok && err == nil, err
			}
			continue
		}
		if j.next == len(j.batch) {
			if ok, err := j.nextBatch(); err != nil || !ok {
				return false, err
			}
		}
		if err := j.begin(); err != nil {
			return false, err
		}
	}
}

// begin takes the next left row of the batch.
func (j *LookupJoin) begin() error {
	row := &j.batch[j.next]
	j.next++
	key, data := cutKeyed(j.left.get(row.at))
	if err := cutSlots(data, j.Context.Row, j.LeftSlots); err != nil {
		return err
	}
	j.key, j.busy, j.matched, j.chain, j.reading = key, true, false, 0, false
	switch {
	case row.key < 0:
	case j.single:
		j.fill(0, 1, row.key)
		j.reading = true
		return j.Right[0].Rows.Open(j.ctx)
	default:
		j.chain = j.found.first(row.hash)
	}
	return nil
}

// step goes to the next pair of the left row at hand.
func (j *LookupJoin) step() (bool, error) {
	ok, err := j.candidate()
	if err != nil {
		return false, err
	}
	if !ok {
		j.busy = false
		if err := j.stop(); err != nil || j.matched || !j.Kind.keepsLeft() {
			return false, err
		}
		setNull(j.Context.Row, j.RightSlots)
		return true, nil
	}
	if is, err := allTrue(j.Context, j.On); err != nil || !is {
		return false, err
	}
	j.matched = true
	if !j.Kind.once() {
		return true, nil
	}
	j.busy = false
	return j.Kind == Semi, j.stop()
}

// candidate reads the next right row of the key at hand.
func (j *LookupJoin) candidate() (bool, error) {
	if j.reading {
		return j.Right[0].Rows.Next()
	}
	if j.chain == 0 {
		return false, nil
	}
	e, row, next := j.found.find(j.chain, j.batch[j.next-1].hash, j.key)
	if j.chain = next; e == nil {
		return false, nil
	}
	return true, cutSlots(row, j.Context.Row, j.RightSlots)
}

func (j *LookupJoin) stop() error {
	if !j.reading {
		return nil
	}
	j.reading = false
	return j.Right[0].Rows.Close()
}

// nextBatch reads left rows and what their keys find.
func (j *LookupJoin) nextBatch() (bool, error) {
	j.batch, j.next, j.keys = j.batch[:0], 0, j.keys[:0]
	j.left.chunks = nil
	j.memory.release()
	j.distinct.clear()
	j.found.clear()
	keys := 0
	most := j.Right[j.size].Size
	for !j.ended && keys < most && len(j.batch) < rowsByKey*most {
		ok, err := j.Left.Next()
		if err == nil {
			err = j.pulse.check()
		}
		if err != nil {
			return false, err
		}
		if !ok {
			j.ended = true
			break
		}
		if keys, err = j.take(keys); err != nil {
			return false, err
		}
		if j.memory.held > 0 {
			break // rows are wide: this is enough
		}
	}
	j.size = min(j.size+1, len(j.Right)-1)
	if len(j.batch) == 0 {
		return false, j.Left.Close()
	}
	return true, j.find(keys)
}

// take adds the left row at hand to the batch.
func (j *LookupJoin) take(keys int) (int, error) {
	from := len(j.keys)
	key, null, err := j.appendKey()
	if err != nil {
		return keys, err
	}
	row := batchRow{hash: j.distinct.hash(key), key: -1}
	j.record = appendSlots(appendKeyed(j.record[:0], key), j.Context.Row, j.LeftSlots)
	j.Context.Reset()
	var ok bool
	if row.at, ok = j.left.add(j.record); !ok {
		return keys, j.memory.of.full("a row of a join")
	}
	if !null {
		row.key = keys
		j.record = append(appendKeyed(j.record[:0], key), byte(keys), byte(keys>>8), byte(keys>>16))
		if e, number, _ := j.distinct.find(j.distinct.first(row.hash), row.hash, key); e != nil {
			row.key = int(number[0]) | int(number[1])<<8 | int(number[2])<<16
			null = true
		} else if !j.distinct.add(row.hash, j.record, true) {
			return keys, j.memory.of.full("a row of a join")
		} else {
			keys++
		}
	}
	if null {
		j.keys = j.keys[:from]
	}
	j.batch = append(j.batch, row)
	return keys, nil
}

// appendKey computes the left key, and appends its values to keys.
func (j *LookupJoin) appendKey() (key []byte, null bool, err error) {
	key = j.scratch[:0]
	for i := range j.Keys {
		d, err := j.Keys[i].Left.Value(j.Context)
		if err != nil {
			return nil, false, err
		}
		d = d.Clone()
		null = null || d.IsNull()
		j.keys = append(j.keys, d)
		key = d.AppendKey(key)
	}
	j.scratch = key
	return key, null, nil
}

// fill writes count keys from a given one into the parameters of a lookup, the last one again into what is left.
func (j *LookupJoin) fill(lookup, count, from int) {
	to, width := &j.Right[lookup], len(j.Keys)
	for i := range to.Size {
		at := (from + min(i, count-1)) * width
		copy(j.Parameters[to.First+i*width:][:width], j.keys[at:at+width])
	}
}

// find reads the right rows of a batch's keys. Where they are too many to be kept, the keys are looked up one by one.
func (j *LookupJoin) find(keys int) error {
	j.single = keys <= 1
	if j.single {
		return nil
	}
	lookup := 0
	for j.Right[lookup].Size < keys {
		lookup++
	}
	j.fill(lookup, keys, 0)
	rows := j.Right[lookup].Rows
	if err := rows.Open(j.ctx); err != nil {
		return err
	}
	for {
		ok, err := rows.Next()
		if err == nil {
			err = j.pulse.check()
		}
		if err != nil {
			return errors.Join(err, rows.Close())
		}
		if !ok {
			return rows.Close()
		}
		fits, err := j.keepFound()
		if err == nil && !fits {
			j.single = true
			j.found.clear()
			j.size = max(0, lookup-1)
			return rows.Close()
		}
		if err != nil {
			return errors.Join(err, rows.Close())
		}
	}
}

func (j *LookupJoin) keepFound() (fits bool, err error) {
	key, null, err := appendKeys(j.scratch[:0], j.Context, j.Keys, true)
	j.scratch = key
	if err != nil || null {
		return err == nil, err
	}
	j.record = appendSlots(appendKeyed(j.record[:0], key), j.Context.Row, j.RightSlots)
	j.Context.Reset()
	return j.found.add(j.distinct.hash(key), j.record, true), nil
}

// Close gives memory back.
func (j *LookupJoin) Close() error {
	if !j.opened {
		return nil
	}
	err := j.stop()
	for i := range j.Right {
		err = errors.Join(err, j.Right[i].Rows.Close())
	}
	j.left.chunks, j.batch, j.next, j.busy, j.opened = nil, nil, 0, false, false
	j.memory.release()
	j.distinct.clear()
	j.found.clear()
	return errors.Join(err, j.Left.Close())
}
