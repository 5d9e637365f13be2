// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Window computes functions over one window. It sorts its input by Partition and Order; each partition is kept while it
// is at hand.
type Window struct {
	Input     Rows
	Partition []*evaluate.Program
	Order     []Ordering
	Functions []evaluate.WindowFunction
	Slots     []int // of the input that are kept
	Context   *evaluate.Context
	Budget    *Budget
	Counts    Counts

	sorter  *query.Sorter
	memory  share
	record  []byte
	number  uint64
	rows    recordList // the partition at hand
	at      cursor
	peers   cursor
	group   peerGroup
	key     []byte // of the partition at hand
	pending bool   // the sorter's record begins the next partition
	compute []calculation
	pulse   pulse
}

// peerGroup are the rows of a partition that are ordered alike: those from start up to end.
type peerGroup struct {
	start, end int64
	number     int64 // from 1
	key        []byte
}

// Open reads and sorts the input.
func (w *Window) Open(ctx context.Context) error {
	if err := w.Close(); err != nil {
		return err
	}
	w.Counts.Opens++
	w.pulse.ctx, w.pending, w.number = ctx, false, 0
	if err := w.fill(ctx); err != nil {
		return errors.Join(err, w.Close())
	}
	return nil
}

func (w *Window) fill(ctx context.Context) error {
	if err := w.Input.Open(ctx); err != nil {
		return err
	}
	w.sorter = w.memory.sorter(w.Budget, &w.Counts, 0, nil)
	if err := rest(ctx, w.Input, w.add); err != nil {
		return err
	}
	if err := w.sorter.Finish(); err != nil {
		return err
	}
	w.rows.begin(w.Budget, &w.Counts)
	for i := range w.Functions {
		c, err := w.calculation(&w.Functions[i])
		if err != nil {
			return err
		}
		w.compute = append(w.compute, c)
	}
	w.pending = w.sorter.Next()
	return nil
}

// add sorts the row at hand: by its partition, its order and its number. Behind the row stand the lengths of the first
// two.
func (w *Window) add() (err error) {
	record := w.record[:0]
	for _, program := range w.Partition {
		d, err := program.Value(w.Context)
		if err != nil {
			return err
		}
		record = AppendSortKey(record, d, false)
	}
	partition := len(record)
	if record, err = appendOrder(record, w.Context, w.Order); err != nil {
		return err
	}
	order := len(record)
	w.number++
	record = binary.BigEndian.AppendUint64(record, w.number)
	record = appendSlots(record, w.Context.Row, w.Slots)
	record = binary.BigEndian.AppendUint32(record, uint32(partition))
	w.record = binary.BigEndian.AppendUint32(record, uint32(order))
	w.Context.Reset()
	return sortError(w.sorter.Add(w.record), w.memory.of)
}

// cutWindow parts a sorted record.
func cutWindow(record []byte) (partition, order, row []byte, err error) {
	end := len(record) - 8
	if end < 8 {
		return nil, nil, nil, ErrRecord
	}
	p, o := int(binary.BigEndian.Uint32(record[end:])), int(binary.BigEndian.Uint32(record[end+4:]))
	if p > o || o+8 > end {
		return nil, nil, nil, ErrRecord
	}
	return record[:p], record[p:o], record[o+8 : end], nil
}

// Next moves to the next row.
func (w *Window) Next() (bool, error) {
	if w.sorter == nil {
		return false, nil
	}
	for {
		if err := w.pulse.check(); err != nil {
			return false, err
		}
		if w.at.index+1 < w.rows.rows {
			w.Counts.Rows++
			return true, w.row()
		}
		if !w.pending {
			return false, w.Close()
		}
		if err := w.nextPartition(); err != nil {
			return false, err
		}
	}
}

// nextPartition keeps the rows of the next partition and begins its functions.
func (w *Window) nextPartition() error {
	if err := w.rows.empty(); err != nil {
		return err
	}
	for first := true; w.pending; first = false {
		partition, order, row, err := cutWindow(w.sorter.Record())
		if err == nil {
			err = w.pulse.check()
		}
		if err != nil {
			return err
		}
		if first {
			w.key = append(w.key[:0], partition...)
		} else if !bytes.Equal(w.key, partition) {
			break
		}
		w.record = append(appendKeyed(w.record[:0], order), row...)
		if err := w.rows.add(w.record); err != nil {
			return err
		}
		w.pending = w.sorter.Next()
	}
	if err := w.rows.finish(); err != nil {
		return err
	}
	w.at.begin(w)
	w.peers.begin(w)
	w.group = peerGroup{key: w.group.key}
	for _, c := range w.compute {
		c.begin()
	}
	return nil
}

// row computes the functions of the next row.
func (w *Window) row() error {
	if err := w.at.seek(w.at.index + 1); err != nil {
		return err
	}
	if err := w.findPeers(); err != nil {
		return err
	}
	x := w.Context
	for _, slot := range w.Slots {
		x.Row[slot] = w.at.row[slot]
	}
	for i, c := range w.compute {
		d, err := c.value()
		if err != nil {
			return err
		}
		x.Row[w.Functions[i].Slot] = d.Clone()
	}
	x.Reset()
	return nil
}

// findPeers finds the rows that are ordered like the one at hand.
func (w *Window) findPeers() error {
	g := &w.group
	if w.at.index < g.end {
		return nil
	}
	g.start, g.number, g.key = g.end, g.number+1, append(g.key[:0], w.at.order...)
	if len(w.Order) == 0 {
		g.end = w.rows.rows
		return nil
	}
	for g.end = g.start + 1; g.end < w.rows.rows; g.end++ {
		if err := w.pulse.check(); err != nil {
			return err
		}
		if err := w.peers.seek(g.end); err != nil {
			return err
		}
		if !bytes.Equal(w.peers.order, g.key) {
			break
		}
	}
	return nil
}

// Close gives memory and files back.
func (w *Window) Close() error {
	err := errors.Join(w.Input.Close(), w.rows.close(), w.memory.end(&w.sorter))
	for _, c := range w.compute {
		c.close()
	}
	w.compute = w.compute[:0]
	w.at.index = -1
	return err
}

// cursor goes forward through the rows of a partition, in a row of its own.
type cursor struct {
	of     *Window
	reader keptReader
	index  int64 // of the row at hand; -1: before the first
	order  []byte
	row    []datum.Datum
}

func (c *cursor) begin(w *Window) {
	c.of, c.index = w, -1
	if len(c.row) < len(w.Context.Row) {
		c.row = make([]datum.Datum, len(w.Context.Row))
	}
	c.reader.begin(&w.rows)
}

// seek goes forward to a row.
func (c *cursor) seek(index int64) error {
	for c.index < index {
		record, ok, err := c.reader.next()
		if err != nil || !ok {
			return errors.Join(err, ErrRecord)
		}
		if c.index++; c.index < index {
			continue
		}
		order, row := cutKeyed(record)
		c.order = order
		if err := cutSlots(row, c.row, c.of.Slots); err != nil {
			return err
		}
	}
	return nil
}

// value computes a program over the cursor's row.
func (c *cursor) value(program *evaluate.Program) (datum.Datum, error) {
	x := c.of.Context
	row := x.Row
	x.Row = c.row
	d, err := program.Value(x)
	x.Row = row
	return d, err
}

// key returns the sort key of the cursor's row.
func (c *cursor) key(order *Ordering) (datum.Datum, error) {
	if order.By == nil {
		return c.row[order.Slot], nil
	}
	return c.value(order.By)
}
