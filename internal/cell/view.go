// SPDX-License-Identifier: Apache-2.0

package cell

import "github.com/weftdb/weft/internal/value"

// Visible returns a stored row as readers see it at nowMS: without what is this package's own, and without cells whose lives are over. ok is
// false for a row of which only marks or ended cells are left. What it returns is row itself, or appended to dst.
func (r *Rules) Visible(dst []byte, row value.Row, names value.Names, isKey func(name []byte) bool, nowMS int64) (visible value.Row, ok bool, err error) {
	if _, kept := row.Get(names, []byte(History)); !kept && !r.endsBy(r.SinceMS, nowMS) {
		if _, due := row.Get(names, []byte(Due)); !due {
			return row, true, nil
		}
		return value.Project(dst, row, names, func(name []byte) bool { return !isHidden(name) }), true, nil
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
	keys := b.Len()
	for i := range h.columns {
		if v := r.shown(&h.columns[i], h.deleted, nowMS); v != nil {
			if err := b.Set(h.columns[i].name, v.Value); err != nil {
				return nil, false, err
			}
		}
	}
	if b.Len() == keys && (len(h.columns) > 0 || h.deleted > 0) {
		return nil, false, nil
	}
	return b.AppendTo(dst), true, nil
}

// endsBy says whether cells of a time without a life of their own are over.
func (r *Rules) endsBy(atMS, nowMS int64) bool { return r.LifeMS > 0 && atMS+r.LifeMS <= nowMS }

// Select says which versions of an attribute are wanted.
type Select struct {
	FromMS, ToMS int64 // times from FromMS on and before ToMS; 0 is no bound
	Versions     int   // the newest so many; 0: one
}

// VersionsOf returns the versions of an attribute that a stored row has at nowMS, newest first: those that no marker masks and whose lives are not over.
func (r *Rules) VersionsOf(row value.Row, names value.Names, isKey func(name []byte) bool, name []byte, nowMS int64, want Select) ([]Version, error) {
	h, err := r.read(row, names, isKey)
	if err != nil {
		return nil, err
	}
	var list []Version
	for i := range h.columns {
		if string(h.columns[i].name) != string(name) {
			continue
		}
		for _, v := range h.columns[i].versions {
			if v.Marker || v.AtMS <= h.deleted || len(list) == max(want.Versions, 1) {
				break
			}
			if !r.isOver(&v, nowMS) && v.AtMS >= want.FromMS && (want.ToMS == 0 || v.AtMS < want.ToMS) {
				list = append(list, v)
			}
		}
	}
	return list, nil
}
