// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/plan"
)

// decoder reads the wanted columns out of stored rows, in one pass over a row's attributes.
type decoder struct {
	names   value.Names
	columns []plan.Slot
	byID    []idSlot // sorted; columns whose names have ids
	unnamed []int    // slots whose names have no id yet,
	last    uint32   // up to this one
	zoned   []int    // slots of times that clocks of other zones show otherwise
	mapped  []int    // slots of columns whose bytes a codec reads
}

type idSlot struct {
	id   uint32
	slot int
}

// reset prepares for rows of a table whose dictionary is names.
func (d *decoder) reset(columns []plan.Slot, names value.Names) {
	d.names, d.columns, d.last, d.zoned, d.mapped = names, columns, 0, d.zoned[:0], d.mapped[:0]
	for i := range columns {
		switch typed := columns[i].Type; {
		case typed.Variety == datum.Zoned:
			d.zoned = append(d.zoned, i)
		case typed.Codec() != value.AsIs:
			d.mapped = append(d.mapped, i)
		}
	}
	d.resolve()
}

// resolve looks up the ids of all columns.
func (d *decoder) resolve() {
	d.byID, d.unnamed = d.byID[:0], d.unnamed[:0]
	for i := range d.columns {
		if id, ok := d.names.ID(d.columns[i].NameBytes); ok {
			d.byID = append(d.byID, idSlot{id, i})
		} else {
			d.unnamed = append(d.unnamed, i)
		}
	}
	if len(d.byID) > 1 {
		slices.SortFunc(d.byID, func(a, b idSlot) int { return int(a.id) - int(b.id) })
	}
}

// decode fills in slots, which are as many as columns. Texts alias the row. A value that does not fit its column's type
// is NULL; bytes that a codec can't read are an error.
func (d *decoder) decode(row value.Row, slots []datum.Datum) error {
	err := d.read(row, slots)
	for _, i := range d.mapped {
		if err == nil && slots[i].IsNull() {
			err = definition.CheckMapped(row, d.names, d.columns[i].NameBytes, d.columns[i].Type)
		}
	}
	return err
}

func (d *decoder) read(row value.Row, slots []datum.Datum) error {
	if len(d.unnamed) == 0 && len(d.byID) > 0 && d.decodeKnown(row, slots) {
		return nil
	}
	clear(slots)
	found, next := 0, 0
	attributes := row.Attributes(d.names)
	for found < len(slots) && attributes.NextID() {
		id := attributes.ID()
		if id == 0 {
			d.inline(attributes.Name(), attributes.Value(), slots)
			continue
		}
		if id > d.last && len(d.unnamed) > 0 {
			d.learn(id)
			next = 0
		}
		for next < len(d.byID) && d.byID[next].id < id {
			next++
		}
		if next < len(d.byID) && d.byID[next].id == id {
			slot := d.byID[next].slot
			slots[slot], _ = datum.FromValue(attributes.Value(), d.columns[slot].Type)
			next++
			found++
		}
	}
	return attributes.Err()
}

// decodeKnown is decode where all names have ids. It returns false for a row that has attributes under other names, or
// is damaged.
func (d *decoder) decodeKnown(row value.Row, slots []datum.Datum) bool {
	steps := row.Steps()
	id, v := steps.Next()
	missed := false
	for i := range d.byID {
		want := &d.byID[i]
		for id != 0 && id < want.id {
			id, v = steps.Next()
		}
		if id == want.id {
			slots[want.slot].SetStored(v, &d.columns[want.slot].Type)
		} else {
			slots[want.slot], missed = datum.Null, true
		}
	}
	for missed && id != 0 { // it may stand under its name
		id, _ = steps.Next()
	}
	return !missed || steps.Ended()
}

// learn looks up the columns without ids again at the first row that has an id: the dictionary may have learned it, and
// all before it, from others.
func (d *decoder) learn(id uint32) {
	d.last = id
	if _, ok := d.names.Name(id); ok {
		d.resolve()
	}
}

// inline takes an attribute that stands in the row under its name.
func (d *decoder) inline(name []byte, v value.Value, slots []datum.Datum) {
	for i := range d.columns {
		if d.columns[i].Name == string(name) {
			slots[i], _ = datum.FromValue(v, d.columns[i].Type)
			return
		}
	}
}
