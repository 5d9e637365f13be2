// SPDX-License-Identifier: Apache-2.0

package cell

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// Write is one change of a row.
type Write struct {
	// Stored is the row as it lies in the store; nil for none.
	Stored value.Row
	// Next is the row as it would be if only the order of writes counted: the visible one with the change; nil deletes
	// the row.
	Next value.Row
	// Key holds the attributes of the key; it is needed where Stored and Next are nil: a deleted row that was never
	// there leaves a marker, too.
	Key value.Row
	// Keeps says that a row which the write leaves without any attribute is there nevertheless.
	Keeps bool
	// Replaces says that attributes which Next lacks are deleted.
	Replaces bool
	// Written names the attributes that the change sets or removes; nil: all that Next has. They are looked at for the
	// time of the call.
	Written [][]byte
	Stamp   Stamp
	// Edits, if not nil, are the change, in place of Next: cells with times of their own. Those whose time is 0 have
	// Stamp's.
	Edits []Edit
}

// Kind is the kind of an Edit.
type Kind uint8

// The kinds of edits.
const (
	PutCell    Kind = iota // adds a value at a time
	MaskCell               // masks the value of exactly that time
	MaskNewest             // masks the value that was the newest, or of a lower Rank, before all edits of the write
	MaskCells              // masks all values up to a time
	MaskPrefix             // masks all values, up to a time, of the attributes whose names begin with Name
	MaskTime               // masks the values of exactly that time of the attributes whose names begin with Name
)

// Edit is a change of single cells.
type Edit struct {
	Kind   Kind
	Name   []byte
	Value  value.Value // of PutCell
	AtMS   int64       // 0: Write.Stamp's; Epoch: 0
	LifeMS int64       // of PutCell; 0: the table's
	Rank   int         // of MaskNewest: how many values are newer than the masked one
}

// Epoch stands for the time 0 in an Edit.
const Epoch = math.MinInt64

// Store returns the row to be stored after a write, made by b and appended to dst; nil if nothing is left to store.
// isKey says which attributes make the key: they have no cells. nowMS is the present, by which lives are over.
func (r *Rules) Store(dst []byte, b *value.RowBuilder, w *Write, names value.Names, isKey func(name []byte) bool,
	nowMS int64) (value.Row, error) {
	if row, ok, err := r.overwrite(dst, b, w, names, isKey); ok || err != nil {
		return row, err
	}
	h := history{base: r.SinceMS}
	if w.Stored != nil {
		var err error
		if h, err = r.read(w.Stored, names, isKey); err != nil {
			return nil, err
		}
	}
	r.forget(&h, nowMS)
	if w.Stamp.Implicit && w.Edits == nil {
		w.Stamp.AtMS = h.follow(w.Stamp.AtMS)
		if newest := h.hides(w, names, isKey); newest > w.Stamp.AtMS {
			return nil, &AheadError{CellMS: newest, ClockMS: w.Stamp.AtMS}
		}
	}
	if w.Edits != nil {
		r.edit(&h, w, nowMS)
	} else if err := r.apply(&h, w, names, isKey, nowMS); err != nil {
		return nil, err
	}
	r.trim(&h, nowMS)
	key := firstRow(w.Next, w.Stored, w.Key)
	if key == nil || len(h.columns) == 0 && h.deleted == 0 {
		return nil, nil
	}
	return r.build(dst, b, &h, key, names, isKey, w.Stamp.AtMS, nowMS)
}

// follow is the time of a write by the clock: no earlier than what is there, if that is ahead by no more than clocks
// differ.
func (h *history) follow(atMS int64) int64 {
	newest := h.deleted
	for i := range h.columns {
		newest = max(newest, h.columns[i].versions[0].AtMS)
	}
	if newest-atMS > skewMSMax {
		return atMS
	}
	return max(newest, atMS)
}

// AheadError is the error of a write by the clock that nobody would see, since its columns have cells of a later
// time: the clock went back, or somebody chose that time.
type AheadError struct{ CellMS, ClockMS int64 } // Unix milliseconds

// Error says what to do.
func (e *AheadError) Error() string {
	at := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339Nano) }
	return fmt.Sprintf("the row has cells of %s, and the server's clock is at %s: "+
		"a write now would stay hidden until that time; set the clock right, or write with a later time",
		at(e.CellMS), at(e.ClockMS))
}

// hides returns the newest time of the cells that the write replaces or deletes.
func (h *history) hides(w *Write, names value.Names, isKey func(name []byte) bool) int64 {
	newest := h.deleted
	if w.Next == nil {
		newest = 0 // a deletion of what is deleted has nothing to hide
	}
	for i := range h.columns {
		name, at := h.columns[i].name, h.columns[i].versions[0].AtMS
		if at <= newest || isKey(name) || w.Next == nil && h.columns[i].versions[0].Marker {
			continue
		}
		touched := w.Next == nil || w.Replaces ||
			slices.ContainsFunc(w.Written, func(one []byte) bool { return bytes.Equal(one, name) })
		if !touched && w.Written == nil {
			_, touched = w.Next.Get(names, name)
		}
		if touched {
			newest = at
		}
	}
	return newest
}

// Clean returns a stored row without what is past its life and what markers mask, appended to dst; nil if nothing is
// left. markers says that markers go, too.
func (r *Rules) Clean(dst []byte, stored value.Row, names value.Names, isKey func(name []byte) bool, nowMS int64,
	markers bool) (value.Row, error) {
	h, err := r.read(stored, names, isKey)
	if err != nil {
		return nil, err
	}
	r.trim(&h, nowMS)
	if markers {
		h.deleted = 0
		for i := range h.columns {
			c := &h.columns[i]
			c.versions = slices.DeleteFunc(c.versions, func(v Version) bool { return v.Marker })
		}
		h.columns = slices.DeleteFunc(h.columns, func(c column) bool { return len(c.versions) == 0 })
	}
	if len(h.columns) == 0 && h.deleted == 0 {
		return nil, nil
	}
	return r.build(dst, new(value.RowBuilder), &h, stored, names, isKey, h.base, nowMS)
}

func firstRow(rows ...value.Row) value.Row {
	for _, row := range rows {
		if row != nil {
			return row
		}
	}
	return nil
}

// isBare reports whether there is a row, and it is its key alone.
func isBare(row value.Row, names value.Names, isKey func(name []byte) bool) bool {
	if row == nil {
		return false
	}
	for attributes := row.Attributes(names); attributes.Next(); {
		if !isKey(attributes.Name()) {
			return false
		}
	}
	return true
}

// apply puts the written cells into the history.
func (r *Rules) apply(h *history, w *Write, names value.Names, isKey func(name []byte) bool, nowMS int64) error {
	mark := r.mark(w.Stamp.AtMS, nowMS)
	if w.Next == nil {
		if mark.SetMS > 0 {
			h.column([]byte(Masked)).put(mark, false) // of all names
		} else {
			h.deleted = max(h.deleted, w.Stamp.AtMS)
		}
		return nil
	}
	if w.Stamp.Implicit && h.deleted == w.Stamp.AtMS {
		h.deleted-- // what it masks is gone already
	}
	if w.Keeps && isBare(w.Next, names, isKey) {
		h.column([]byte(Existence)).put(Version{AtMS: w.Stamp.AtMS, LifeMS: w.Stamp.LifeMS,
			Value: value.AppendNull(nil)}, w.Stamp.Implicit)
	}
	for _, name := range w.Written {
		version := mark
		if v, ok := w.Next.Get(names, name); ok {
			version = Version{AtMS: w.Stamp.AtMS, LifeMS: w.Stamp.LifeMS, Value: v}
		}
		h.column(name).put(version, w.Stamp.Implicit)
	}
	if w.Written == nil {
		attributes := w.Next.Attributes(names)
		for attributes.Next() {
			if name := attributes.Name(); !isKey(name) && !IsHidden(name) {
				h.column(name).put(Version{AtMS: w.Stamp.AtMS, LifeMS: w.Stamp.LifeMS, Value: attributes.Value()},
					w.Stamp.Implicit)
			}
		}
		if err := attributes.Err(); err != nil {
			return err
		}
	}
	if !w.Replaces {
		return nil
	}
	for i := range h.columns {
		name := h.columns[i].name
		if _, ok := w.Next.Get(names, name); !ok && string(name) != Existence &&
			!bytes.HasPrefix(name, []byte(Masked)) {
			h.columns[i].put(mark, false)
		}
	}
	return nil
}

// edit puts the edits into the history, one after the other.
func (r *Rules) edit(h *history, w *Write, nowMS int64) {
	newest := r.newest(h, w.Edits, nowMS)
	for i := range w.Edits {
		e := w.Edits[i]
		wins := e.AtMS == 0 && w.Stamp.Implicit
		switch e.AtMS {
		case 0:
			e.AtMS = w.Stamp.AtMS
		case Epoch:
			e.AtMS = 0
		}
		mark := r.mark(e.AtMS, nowMS)
		switch e.Kind {
		case PutCell:
			if m := h.masked(e.Name); wins && (m.upTo == e.AtMS || slices.Contains(m.exact, e.AtMS)) {
				e.AtMS++ // a mark by the same clock was there first
			}
			h.column(e.Name).put(Version{AtMS: e.AtMS, LifeMS: e.LifeMS, Value: e.Value}, wins)
		case MaskNewest:
			if at := newest[i]; at != nil {
				mark = r.mark(*at, nowMS)
				mark.Exact = true
				h.column(e.Name).put(mark, false)
			}
		default:
			name := e.Name
			if e.Kind == MaskPrefix || e.Kind == MaskTime {
				name = append([]byte(Masked), name...)
			}
			mark.Exact = e.Kind == MaskCell || e.Kind == MaskTime
			h.column(name).put(mark, false)
		}
	}
	h.columns = slices.DeleteFunc(h.columns, func(c column) bool { return len(c.versions) == 0 })
}

// newest returns, for each edit that masks by rank, the time of the value that it masks; nil if there is none. Edits of
// other kinds before it don't count.
func (r *Rules) newest(h *history, edits []Edit, nowMS int64) (times []*int64) {
	for i := range edits {
		if edits[i].Kind != MaskNewest {
			continue
		}
		if times == nil {
			times = make([]*int64, len(edits))
		}
		at, ok := h.find(edits[i].Name)
		if !ok {
			continue
		}
		rank := edits[i].Rank
		r.alive(h, &h.columns[at], nowMS, func(v *Version) bool {
			if rank == 0 {
				times[i] = new(v.AtMS)
			}
			rank--
			return rank >= 0
		})
	}
	return times
}

func (h *history) find(name []byte) (at int, ok bool) {
	return slices.BinarySearchFunc(h.columns, name,
		func(c column, name []byte) int { return bytes.Compare(c.name, name) })
}

// column returns the column of that name, a new one if need be.
func (h *history) column(name []byte) *column {
	at, ok := h.find(name)
	if !ok {
		h.columns = slices.Insert(h.columns, at, column{name: name})
	}
	return &h.columns[at]
}

// build makes the stored row: the key, what is shown, and the history where that says more.
func (r *Rules) build(dst []byte, b *value.RowBuilder, h *history, keys value.Row, names value.Names,
	isKey func(name []byte) bool, stampMS, nowMS int64) (value.Row, error) {
	b.Reset(names)
	if err := copyKeys(b, keys, names, isKey); err != nil {
		return nil, err
	}
	if at, ok := h.oneTime(); ok && r.isEndless() && (at == stampMS || at == h.base) {
		return r.buildOneTime(dst, h, b, at)
	}
	for i := range h.columns {
		if v := r.shown(h, &h.columns[i], nowMS); v != nil {
			if err := b.Set(h.columns[i].name, v.Value); err != nil {
				return nil, err
			}
		}
	}
	h.rebase(r, stampMS, nowMS)
	if !r.isPlain(h, nowMS) {
		b.Begin([]byte(History))
		var err error
		if b.Buf, err = r.appendHistory(b.Buf, h, nowMS); err != nil {
			return nil, err
		}
		if err := b.End(); err != nil {
			return nil, err
		}
	}
	if due := r.due(h, nowMS); due > 0 {
		seconds := value.AppendNumber(nil, order.DecimalFromInt(due))
		if err := b.Set([]byte(Due), seconds); err != nil {
			return nil, err
		}
	}
	return b.AppendTo(dst), nil
}

// oneTime reports whether all that there is are values of one time, without lives of their own, one for each column.
func (h *history) oneTime() (atMS int64, ok bool) {
	if len(h.columns) == 0 || h.deleted != 0 {
		return 0, false
	}
	atMS = h.columns[0].versions[0].AtMS
	for i := range h.columns {
		c := &h.columns[i]
		if v := &c.versions[0]; len(c.versions) > 1 || v.AtMS != atMS || v.LifeMS != 0 || v.Marker {
			return 0, false
		}
	}
	return atMS, atMS > 0
}

// isEndless reports whether cells without a life of their own live for ever.
func (r *Rules) isEndless() bool {
	return r.LifeMS == 0 && !slices.ContainsFunc(r.Groups, func(g Group) bool { return g.LifeMS != 0 })
}

// buildOneTime is build for values of one time that never end: they are all shown, none is listed, and nothing is due.
func (r *Rules) buildOneTime(dst []byte, h *history, b *value.RowBuilder, atMS int64) (value.Row, error) {
	for i := range h.columns {
		if err := b.Set(h.columns[i].name, h.columns[i].versions[0].Value); err != nil {
			return nil, err
		}
	}
	return r.endOneTime(dst, b, atMS)
}

// endOneTime notes the one time of a row's cells.
func (r *Rules) endOneTime(dst []byte, b *value.RowBuilder, atMS int64) (value.Row, error) {
	if atMS != r.SinceMS {
		b.Begin(historyName)
		var err error
		if b.Buf, err = r.appendHistory(b.Buf, &history{base: atMS}, atMS); err != nil {
			return nil, err
		}
		if err := b.End(); err != nil {
			return nil, err
		}
	}
	return b.AppendTo(dst), nil
}

func copyKeys(b *value.RowBuilder, from value.Row, names value.Names, isKey func(name []byte) bool) error {
	attributes := from.Attributes(names)
	for attributes.Next() {
		if isKey(attributes.Name()) {
			if err := b.Set(attributes.Name(), attributes.Value()); err != nil {
				return err
			}
		}
	}
	return attributes.Err()
}

// isBase reports whether a column need not be listed: its one version is its current value, written at the base time.
func (r *Rules) isBase(h *history, c *column, nowMS int64) bool {
	return len(c.versions) == 1 && c.versions[0].AtMS == h.base && c.versions[0].LifeMS == 0 &&
		r.shown(h, c, nowMS) != nil
}

// rebase chooses the base time that leaves the fewer columns to list.
func (h *history) rebase(r *Rules, stampMS, nowMS int64) {
	count := func(base int64) (n int) {
		with := history{base: base, deleted: h.deleted}
		for i := range h.columns {
			if r.isBase(&with, &h.columns[i], nowMS) {
				n++
			}
		}
		return n
	}
	if count(stampMS) > count(h.base) {
		h.base = stampMS
	}
}

// isPlain reports whether the history tells nothing.
func (r *Rules) isPlain(h *history, nowMS int64) bool {
	if h.base != r.SinceMS || h.deleted != 0 {
		return false
	}
	for i := range h.columns {
		if !r.isBase(h, &h.columns[i], nowMS) {
			return false
		}
	}
	return true
}

func (r *Rules) appendHistory(dst []byte, h *history, nowMS int64) (_ []byte, err error) {
	whole := len(dst)
	dst = value.BeginList(dst)
	dst = value.AppendTimestamp(dst, h.base)
	dst = value.AppendTimestamp(dst, h.deleted)
	columns := len(dst)
	dst = value.BeginMap(dst)
	hasLate := false
	for i := range h.columns {
		c := &h.columns[i]
		late := c.late()
		hasLate = hasLate || late > 0
		if r.isBase(h, c, nowMS) || late == len(c.versions) {
			continue
		}
		dst = value.AppendName(dst, c.name)
		versions := len(dst)
		dst = value.BeginList(dst)
		shown := r.shown(h, c, nowMS)
		for j := range c.versions {
			if v := &c.versions[j]; v.SetMS > 0 {
				continue
			}
			if dst, err = appendVersion(dst, &c.versions[j], &c.versions[j] == shown); err != nil {
				return dst, err
			}
		}
		if dst, err = value.EndList(dst, versions); err != nil {
			return dst, err
		}
	}
	if dst, err = value.EndMap(dst, columns); err != nil {
		return dst, err
	}
	if hasLate {
		if dst, err = h.appendLate(dst); err != nil {
			return dst, err
		}
	}
	return value.EndList(dst, whole)
}

func appendVersion(dst []byte, v *Version, current bool) ([]byte, error) {
	start := len(dst)
	dst = value.BeginList(dst)
	dst = value.AppendTimestamp(dst, v.AtMS)
	switch {
	case v.Marker:
		dst = value.AppendNull(dst)
		if v.Exact {
			dst = value.AppendNull(dst)
		}
	case !current:
		dst = value.AppendInt(dst, v.LifeMS)
		dst = value.AppendBinary(dst, v.Value)
	case v.LifeMS != 0:
		dst = value.AppendInt(dst, v.LifeMS)
	}
	return value.EndList(dst, start)
}

// due is when the row must next be looked at, in seconds, no earlier than now; 0 is never.
func (r *Rules) due(h *history, nowMS int64) int64 {
	least := int64(math.MaxInt64)
	note := func(atMS int64) {
		if atMS > 0 {
			least = min(least, atMS)
		}
	}
	if h.deleted > 0 {
		note(plus(h.deleted, r.MarkersMS))
	}
	for i := range h.columns {
		group, newer := r.group(h.columns[i].name), 0
		for j := range h.columns[i].versions {
			v := &h.columns[i].versions[j]
			if v.Marker {
				note(r.forgottenAt(v))
			} else {
				note(group.overAt(v, newer))
				newer++
			}
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return (max(least, nowMS)-1)/1000 + 1
}
