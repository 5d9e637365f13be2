// SPDX-License-Identifier: Apache-2.0

package cell

import (
	"bytes"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
)

// Visible returns a stored row as readers see it at nowMS: without what is this package's own, and without cells whose
// lives are over. ok is false for a row of which only marks or ended cells are left. The result is row itself, or
// appended to dst.
func (r *Rules) Visible(dst []byte, row value.Row, names value.Names, isKey func(name []byte) bool,
	nowMS int64) (visible value.Row, ok bool, err error) {
	if base, one := r.oneTime(row, names); one && r.isUniform() {
		if r.endsBy(base, nowMS) {
			return nil, false, nil
		}
		return Stripped(dst, row, names), true, nil
	}
	h, err := r.read(row, names, isKey)
	if err != nil {
		return nil, false, err
	}
	var b value.RowBuilder
	b.Reset(names)
	if err := copyKeys(&b, row, names, isKey); err != nil {
		return nil, false, err
	}
	for i := range h.columns {
		if v := r.shown(&h, &h.columns[i], nowMS); v != nil {
			ok = true
			if IsHidden(h.columns[i].name) {
				continue
			}
			if err := b.Set(h.columns[i].name, v.Value); err != nil {
				return nil, false, err
			}
		}
	}
	if !ok {
		return nil, false, nil
	}
	return b.AppendTo(dst), true, nil
}

// Stripped is a stored row without this package's own attributes, appended to dst, or the row itself if it has none.
func Stripped(dst []byte, row value.Row, names value.Names) value.Row {
	return value.Omit(dst, row, names, IsHidden)
}

// SeenSize is the Size of a Stripped row; 0 of one that IsDead.
func SeenSize(row value.Row, names value.Names, isKey func(name []byte) bool) int {
	size, kept, alive := row.Size(), false, false
	for attributes := row.Attributes(names); attributes.Next(); {
		name := attributes.Name()
		if !IsHidden(name) {
			alive = alive || !isKey(name)
			continue
		}
		size -= len(name) + attributes.Value().Size()
		kept = kept || string(name) == History
		alive = alive || string(name) != History && string(name) != Due
	}
	if kept && !alive {
		return 0
	}
	return size
}

// oneTime reports whether all cells of a row are current values of one time, with no life of their own.
func (r *Rules) oneTime(row value.Row, names value.Names) (baseMS int64, ok bool) {
	stored, kept := row.Get(names, historyName)
	if !kept {
		return r.SinceMS, true
	}
	e := stored.Elements()
	if !e.Next() {
		return 0, false
	}
	if baseMS, ok = e.Value().Int(); !ok || !e.Next() {
		return 0, false
	}
	if deleted, ok := e.Value().Int(); !ok || deleted != 0 || !e.Next() || e.Value().Kind() != value.Map {
		return 0, false
	}
	columns := e.Value().Elements()
	return baseMS, !columns.Next() && !e.Next()
}

// IsDead reports whether only marks are left of a stored row: no reader will see it any more.
func IsDead(row value.Row, names value.Names, isKey func(name []byte) bool) bool {
	if _, kept := row.Get(names, historyName); !kept {
		return false
	}
	for attributes := row.Attributes(names); attributes.Next(); {
		if name := attributes.Name(); string(name) != History && string(name) != Due && !isKey(name) {
			return false
		}
	}
	return true
}

// never is when cells without a life end, for the order in which cells end: after all others, the older ones first, as
// they will if the table gets a life.
const never = uint64(1) << 63

// Futures calls visit with a stored row as it will be seen after cells of it have ended, for each time at which an
// attribute ends that matters while others live on. The order follows the cells' times, whether the table has a life
// now or not. The row is valid during the call only.
func (r *Rules) Futures(row value.Row, names value.Names, isKey, matters func(name []byte) bool,
	visit func(value.Row) error) error {
	if _, one := r.oneTime(row, names); one && r.isUniform() {
		return nil
	}
	h, err := r.read(row, names, isKey)
	if err != nil {
		return err
	}
	ends := make([][]expiringValue, len(h.columns))
	var times []uint64
	for i := range h.columns {
		ends[i] = r.endings(&h, &h.columns[i])
		if !matters(h.columns[i].name) {
			continue
		}
		for _, e := range ends[i] {
			times = append(times, e.atMS)
		}
	}
	slices.Sort(times)
	var b value.RowBuilder
	var scratch []byte
	for _, at := range slices.Compact(times) {
		b.Reset(names)
		if err := copyKeys(&b, row, names, isKey); err != nil {
			return err
		}
		keys := b.Len()
		for i := range h.columns {
			next := slices.IndexFunc(ends[i], func(e expiringValue) bool { return e.atMS > at })
			if next < 0 || bytes.HasPrefix(h.columns[i].name, []byte(Masked)) {
				continue
			}
			if err := b.Set(h.columns[i].name, ends[i][next].value); err != nil {
				return err
			}
		}
		if b.Len() == keys {
			return nil
		}
		scratch = b.AppendTo(scratch[:0])
		if err := visit(scratch); err != nil {
			return err
		}
	}
	return nil
}

// expiringValue is a value and when it ends.
type expiringValue struct {
	atMS  uint64 // may be never or later
	value value.Value
}

// endings are the values of a column that are seen one after the other as time passes, if nothing is written.
func (r *Rules) endings(h *history, c *column) (list []expiringValue) {
	group := r.group(c.name)
	r.alive(h, c, math.MinInt64/2, func(v *Version) bool {
		at := uint64(group.overAt(v, group.VersionsMin))
		newer := 0
		for _, e := range list {
			if e.atMS > at {
				newer++
			}
		}
		if newer < group.VersionsMin {
			at = uint64(group.overAt(v, newer)) // it is one of the newest by then
		}
		if at == 0 {
			at = never + uint64(v.AtMS)
		}
		list = append(list, expiringValue{at, v.Value})
		return r.Uncovers
	})
	return list
}

// endsBy reports whether cells of a time without a life of their own are over.
func (r *Rules) endsBy(atMS, nowMS int64) bool { return r.LifeMS > 0 && plus(atMS, r.LifeMS) <= nowMS }

// Select says which versions of an attribute are wanted.
type Select struct {
	FromMS, ToMS int64 // times from FromMS on and before ToMS; 0 is no bound
	Versions     int   // the newest so many; 0: one
	// Times ends the names of companions that hold the times of attributes; see Rows.
	Times string
	// Stored asks a walk for rows as they are stored, one each, for Rules.Cells. The rest counts for nothing then.
	Stored bool
}

// VersionsOf returns the versions of an attribute that a stored row has at nowMS, newest first: those that no marker
// masks and whose lives are not over.
func (r *Rules) VersionsOf(row value.Row, names value.Names, isKey func(name []byte) bool, name []byte, nowMS int64,
	want Select) ([]Version, error) {
	h, err := r.read(row, names, isKey)
	if err != nil {
		return nil, err
	}
	for i := range h.columns {
		if string(h.columns[i].name) == string(name) {
			return r.selected(&h, &h.columns[i], nowMS, want), nil
		}
	}
	return nil, nil
}

// selected returns the versions of a column that are wanted.
func (r *Rules) selected(h *history, c *column, nowMS int64, want Select) (list []Version) {
	r.alive(h, c, nowMS, func(v *Version) bool {
		if v.AtMS >= want.FromMS && (want.ToMS == 0 || v.AtMS < want.ToMS) {
			list = append(list, *v)
		}
		return len(list) < max(want.Versions, 1)
	})
	return list
}

// Cells calls visit for the cells of a stored row that nothing masks and whose lives are not over, attribute by
// attribute in the order of names, newest first, until it returns false. The name and the value are valid as long as
// the row is, the Version during the call only.
func (r *Rules) Cells(row value.Row, names value.Names, isKey func(name []byte) bool, nowMS int64,
	visit func(name []byte, v *Version) bool) error {
	if base, one := r.oneTime(row, names); one && base > 0 {
		return r.cellsOfOneTime(row, names, isKey, base, nowMS, visit)
	}
	h, err := r.read(row, names, isKey)
	if err != nil {
		return err
	}
	for i, on := 0, true; i < len(h.columns) && on; i++ {
		c := &h.columns[i]
		if IsHidden(c.name) {
			continue
		}
		r.alive(&h, c, nowMS, func(v *Version) bool { on = visit(c.name, v); return on })
	}
	return nil
}

// cellsOfOneTime is Cells of a row that oneTime is true of. Most are.
func (r *Rules) cellsOfOneTime(row value.Row, names value.Names, isKey func(name []byte) bool, baseMS, nowMS int64,
	visit func(name []byte, v *Version) bool) error {
	type attribute struct {
		name  []byte
		value value.Value
	}
	var room [16]attribute
	list, isSorted, v := room[:0], true, Version{AtMS: baseMS}
	attributes := row.Attributes(names)
	for attributes.Next() {
		name := attributes.Name()
		if IsHidden(name) || isKey(name) {
			continue
		}
		if group := r.group(name); group.isOver(&v, 0, nowMS) {
			continue
		}
		isSorted = isSorted && (len(list) == 0 || bytes.Compare(list[len(list)-1].name, name) <= 0)
		list = append(list, attribute{name, attributes.Value()})
	}
	if !isSorted {
		slices.SortFunc(list, func(a, b attribute) int { return bytes.Compare(a.name, b.name) })
	}
	for i := range list {
		if v.Value = list[i].value; !visit(list[i].name, &v) {
			break
		}
	}
	return attributes.Err()
}

// Rows calls visit with a stored row once for each rank of its versions: first with the newest wanted one of each
// attribute, then with the second, as long as some attribute has one. Where want.Times is set, each attribute has a
// companion that holds its time, an Int, in the place where its name goes on with want.Times. Attributes of the key are
// in all. A row without a wanted cell is passed over. The arguments of visit are valid during the call only.
func (r *Rules) Rows(row value.Row, names value.Names, isKey func(name []byte) bool, nowMS int64, want Select,
	visit func(value.Row) error) error {
	h, err := r.read(row, names, isKey)
	if err != nil {
		return err
	}
	lists, ranks := make([][]Version, len(h.columns)), 0
	for i := range h.columns {
		lists[i] = r.selected(&h, &h.columns[i], nowMS, want)
		ranks = max(ranks, len(lists[i]))
	}
	var b value.RowBuilder
	for rank := range ranks {
		b.Reset(names)
		if err := copyKeys(&b, row, names, isKey); err != nil {
			return err
		}
		for i := range h.columns {
			if rank >= len(lists[i]) || IsHidden(h.columns[i].name) {
				continue
			}
			v := &lists[i][rank]
			if err := b.Set(h.columns[i].name, v.Value); err != nil {
				return err
			}
			if want.Times == "" {
				continue
			}
			name := append(slices.Clone(h.columns[i].name), want.Times...)
			if err := b.Set(name, value.AppendInt(nil, v.AtMS)); err != nil && err != value.ErrDuplicateName {
				return err
			}
		}
		if err := visit(b.AppendTo(nil)); err != nil {
			return err
		}
	}
	return nil
}
