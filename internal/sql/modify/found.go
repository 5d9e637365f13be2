// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"context"
	"fmt"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// changing is one try of a Change.
type changing struct {
	*Change
	call    *Call
	works   []*work // of the targets; the effect of the first is the statement's
	answer  answerRows
	found   [][]foundRow // for each target
	matched uint64
}

// foundRow is a row that a statement is about.
type foundRow struct {
	row    value.Row     // as it was read; nil: key leads to it
	key    []datum.Datum // the columns of its key in the order of KeyNames
	values []datum.Datum // that are assigned
}

// Run changes the rows.
func (c *Change) Run(ctx context.Context, call *Call) (Effect, error) {
	of := c.targets[0].of
	call.Context.StrictDivision = call.Context.StrictDivision && !of.Ignore
	call.Context.StrictNumbers = call.Context.StrictNumbers && !of.Ignore
	var x *changing
	err := call.within(ctx, call.Keys, func(tx *database.Tx) error {
		x = c.try(call, tx)
		if call.Tx != nil && !of.Stored {
			return x.works[0].undoOnError(func() error { return x.run(ctx) })
		}
		return x.run(ctx)
	})
	if x == nil {
		return Effect{}, err
	}
	effect := x.works[0].effect
	if err == nil && !of.Removes {
		effect.Info = fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", x.matched, effect.Affected,
			len(effect.Warnings))
		if call.FoundRows {
			effect.Affected = x.matched
		}
	}
	return effect, err
}

func (c *Change) try(call *Call, tx *database.Tx) *changing {
	x := &changing{Change: c, call: call, works: make([]*work, len(c.targets))}
	for i, t := range c.targets {
		own := call
		if i > 0 {
			copied := *call
			own, copied.Pin = &copied, call.Others[i-1]
		}
		x.works[i] = &work{call: own, tx: tx, table: t.table, names: own.Pin.Names()}
	}
	return x
}

// run finds the rows of all targets, holds them, and changes them.
func (x *changing) run(ctx context.Context) error {
	total := x.works[0]
	if err := total.begin(ctx, x.call.Keys); err != nil {
		return err
	}
	defer x.answer.memory.Release()
	if err := x.find(ctx); err != nil {
		return err
	}
	for i, t := range x.targets {
		w := x.works[i]
		matched, err := t.apply(ctx, w, x.found[i])
		x.matched += matched
		if i > 0 {
			total.effect.Affected += w.effect.Affected
			total.effect.Warnings = append(total.effect.Warnings, w.effect.Warnings...)
			total.written += w.written
		}
		if err != nil {
			total.effect.Broken = total.effect.Broken || w.effect.Broken || i > 0
			return err
		}
	}
	return nil
}

// find reads the rows that the statement is about, until all are held and nobody changed one in between.
func (x *changing) find(ctx context.Context) error {
	for again := true; again; {
		x.answer.begin(x.call, x.targets[0].of.Stored)
		warning, err := x.call.Read(ctx, x.works[0].tx, x.answer.keep)
		if err != nil {
			return err
		}
		if x.works[0].effect.Warnings = nil; warning != "" {
			x.works[0].warn(fault.Refused, "%s", warning)
		}
		x.found, again = x.found[:0], false
		for i, t := range x.targets {
			x.found = append(x.found, t.pick(&x.answer))
			changed, err := t.hold(ctx, x.works[i], x.found[i])
			if err != nil {
				return err
			}
			again = again || changed
		}
	}
	return nil
}

// pick is a target's part of the query's answer. Where an outer join found no row, there is none.
func (c *change) pick(answer *answerRows) []foundRow {
	if c.of.Stored {
		return answer.items
	}
	list := make([]foundRow, 0, len(answer.rows))
	values := c.of.First + len(c.keyColumns)
	for _, row := range answer.rows {
		if !row[c.of.First].IsNull() {
			list = append(list,
				foundRow{key: row[c.of.First:values], values: row[values : values+len(c.of.Sources)]})
		}
	}
	return list
}

// hold holds rows in a transaction that holds rows. again says that others have changed one of them since it was found.
func (c *change) hold(ctx context.Context, w *work, found []foundRow) (again bool, err error) {
	if !w.tx.Locks() {
		return false, nil
	}
	rows := make([]value.Row, len(found))
	for i := range found {
		if rows[i], err = c.keyRow(w, &found[i]); err != nil {
			return false, err
		}
	}
	return w.holdRows(ctx, rows)
}

// keyRow is a row that has the key of one that was found.
func (c *change) keyRow(w *work, found *foundRow) (value.Row, error) {
	if found.row != nil {
		return found.row, nil
	}
	cells := make([]cell, len(c.keyColumns))
	for k := range c.keyColumns {
		v, err := c.store(w.call, &c.keyColumns[k], found.key[k], 1)
		if err != nil {
			return nil, err
		}
		cells[k] = cell{name: []byte(c.keyColumns[k].Name), value: v}
	}
	return fresh(&w.builder, w.names, cells)
}

// apply changes rows. One that was found several times is changed once, with the values of the first time. It returns
// how many rows there were.
func (c *change) apply(ctx context.Context, w *work, found []foundRow) (matched uint64, err error) {
	var seen map[string]bool
	if !c.of.Stored {
		seen = make(map[string]bool, len(found))
	}
	err = w.run(ctx, writeStepwise(c.moves || c.of.Ignore, func(ctx context.Context, w *work) error {
		for i := range found {
			row, err := c.fetch(ctx, w, &found[i], seen)
			if err != nil {
				return err
			}
			if row == nil {
				continue
			}
			matched++
			at, values := int(matched), found[i].values
			if err := w.spare(ctx, c.of.Ignore, func() error { return c.place(ctx, w, row, at, values) }); err != nil {
				return err
			}
		}
		return nil
	}))
	return matched, err
}

// fetch is a row that was found, as it is now; nil: it was seen before, or another target of this statement has deleted
// it.
func (c *change) fetch(ctx context.Context, w *work, found *foundRow, seen map[string]bool) (value.Row, error) {
	if found.row != nil {
		return found.row, nil
	}
	key, err := c.keyRow(w, found)
	if err != nil {
		return nil, err
	}
	id, err := w.call.Pin.AppendItemKey(nil, &database.Write{Op: database.OpDelete, Row: key})
	if err != nil || seen[string(id)] {
		return nil, err
	}
	seen[string(id)] = true
	row, ok, err := w.tx.View().Get(database.OwnWork(ctx), w.call.Pin, key, nil)
	if !ok {
		return nil, err
	}
	return row, err
}

// answerRows keeps the answer of a statement's query until all of it is read.
type answerRows struct {
	call   *Call
	stored bool       // its only column are rows as they are stored
	items  []foundRow // if they are
	rows   [][]datum.Datum
	bytes  int
	memory memory.Share // of rows
}

// begin forgets the rows of a reading before.
func (a *answerRows) begin(call *Call, stored bool) {
	a.memory.Of = call.Memory
	a.call, a.stored, a.items, a.rows, a.bytes = call, stored, nil, nil, 0
}

// rowOverheadBytes is the approximate memory of a kept row besides its values, and datumBytes that of a value besides
// its text.
const (
	rowOverheadBytes = 64
	datumBytes       = 32
)

// keep keeps a row.
func (a *answerRows) keep(row []datum.Datum) error {
	if a.stored {
		item := bytes.Clone(row[0].Bytes())
		a.items = append(a.items, foundRow{row: item})
		a.bytes += len(item)
	} else {
		kept := make([]datum.Datum, len(row))
		a.bytes += rowOverheadBytes
		for i := range row {
			kept[i] = row[i].Clone()
			a.bytes += datumBytes + row[i].Len()
		}
		a.rows = append(a.rows, kept)
	}
	limits := a.call.Limits.withDefaults()
	if a.bytes > limits.BytesMax {
		return fault.Message(fault.Refused,
			"the statement writes more than %d bytes (statement_bytes_max): write fewer rows at once, for example with LIMIT",
			limits.BytesMax)
	}
	if limits.tooManyRows(len(a.items) + len(a.rows)) {
		return tooManyRows(limits.RowsMax)
	}
	if !a.stored && !a.memory.Hold(int64(a.bytes)) {
		return fault.New(fault.OutOfResources,
			"no memory left for the rows of this statement (--sql-memory): write fewer at once, or try again later")
	}
	return nil
}
