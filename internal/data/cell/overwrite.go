// SPDX-License-Identifier: Apache-2.0

package cell

import (
	"slices"

	"github.com/weftdb/weft/internal/data/value"
)

// overwriteMax is the number of cells a write may have to be looked at by overwrite, which compares each column of the
// row with each of them.
const overwriteMax = 32

// overwrite is Store for the most frequent write: it has values by the clock for all columns of a row whose cells have
// one time, and nothing older is kept. ok is false for all other writes; b may have been used then.
func (r *Rules) overwrite(dst []byte, b *value.RowBuilder, w *Write, names value.Names,
	isKey func(name []byte) bool) (row value.Row, ok bool, err error) {
	if !w.Stamp.Implicit || w.Stamp.AtMS <= 0 || !r.replace(w.Edits) {
		return nil, false, nil
	}
	b.Reset(names)
	switch {
	case w.Stored != nil:
		ok, err = r.copyCovered(b, w, names, isKey)
	case w.Key != nil:
		ok, err = true, copyKeys(b, w.Key, names, isKey)
	}
	if !ok || err != nil {
		return nil, false, err
	}
	for i := range w.Edits {
		if err := b.Set(w.Edits[i].Name, w.Edits[i].Value); err != nil {
			return nil, false, err
		}
	}
	row, err = r.endOneTime(dst, b, w.Stamp.AtMS)
	return row, true, err
}

// replace reports whether the edits are values by the clock, one for each column, that live for ever, and that replace
// older ones.
func (r *Rules) replace(edits []Edit) bool {
	if len(edits) == 0 || len(edits) > overwriteMax || !r.isEndless() {
		return false
	}
	for i := range edits {
		e := &edits[i]
		if e.Kind != PutCell || e.AtMS != 0 || e.LifeMS != 0 {
			return false
		}
		if group := r.group(e.Name); group.keeps() != 1 || covers(edits[:i], e.Name) {
			return false
		}
	}
	return true
}

func covers(edits []Edit, name []byte) bool {
	return slices.ContainsFunc(edits, func(e Edit) bool { return string(e.Name) == string(name) })
}

// copyCovered copies the key of the stored row, if its cells have one time that is not ahead of the write, and the
// edits replace all of them.
func (r *Rules) copyCovered(b *value.RowBuilder, w *Write, names value.Names, isKey func(name []byte) bool) (ok bool,
	err error) {
	if at, one := r.oneTime(w.Stored, names); !one || at > w.Stamp.AtMS {
		return false, nil
	}
	cells := 0
	attributes := w.Stored.Attributes(names)
	for attributes.Next() {
		name := attributes.Name()
		switch {
		case isKey(name):
			if err := b.Set(name, attributes.Value()); err != nil {
				return false, err
			}
		case covers(w.Edits, name):
			cells++
		case string(name) != History:
			return false, nil
		}
	}
	return cells > 0, attributes.Err()
}
