// SPDX-License-Identifier: Apache-2.0

package cell

import (
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
)

// mark returns a marker for a time, set at nowMS.
func (r *Rules) mark(atMS, nowMS int64) Version {
	const share = 20 // of the time that markers are kept, within which AtMS is near enough to the time of setting
	v := Version{AtMS: atMS, Marker: true}
	if nowMS-atMS > r.MarkersMS/share {
		v.SetMS = nowMS
	}
	return v
}

// forgottenAt is when a marker is forgotten.
func (r *Rules) forgottenAt(v *Version) int64 { return plus(max(v.AtMS, v.SetMS), r.MarkersMS) }

// plus adds a duration to a time. The greatest time stands for all later ones.
func plus(atMS, forMS int64) int64 {
	if atMS > math.MaxInt64-forMS {
		return math.MaxInt64
	}
	return atMS + forMS
}

// forget drops markers that have been kept long enough, and columns without anything.
func (r *Rules) forget(h *history, nowMS int64) {
	if h.deleted > 0 && plus(h.deleted, r.MarkersMS) <= nowMS {
		h.deleted = 0
	}
	for i := range h.columns {
		c := &h.columns[i]
		c.versions = slices.DeleteFunc(c.versions,
			func(v Version) bool { return v.Marker && r.forgottenAt(&v) <= nowMS })
	}
	h.columns = slices.DeleteFunc(h.columns, func(c column) bool { return len(c.versions) == 0 })
}

// parseLate reads the markers that were set long after their time.
func (h *history) parseLate(v value.Value) error {
	if v.Kind() != value.Map {
		return ErrMalformed
	}
	for each := v.Elements(); each.Next(); {
		c := h.column(each.Name())
		for one := each.Value().Elements(); one.Next(); {
			e, late, ok := one.Value().Elements(), Version{Marker: true}, false
			for _, to := range [...]*int64{&late.AtMS, &late.SetMS} {
				if ok = e.Next(); ok {
					*to, ok = e.Value().Int()
				}
				if !ok {
					return ErrMalformed
				}
			}
			late.Exact = e.Next()
			c.put(late, false)
		}
	}
	return nil
}

// late is the number of markers that were set long after their time.
func (c *column) late() (n int) {
	for i := range c.versions {
		if c.versions[i].SetMS > 0 {
			n++
		}
	}
	return n
}

// appendLate appends the markers that were set long after their time.
func (h *history) appendLate(dst []byte) (_ []byte, err error) {
	columns := len(dst)
	dst = value.BeginMap(dst)
	for i := range h.columns {
		c := &h.columns[i]
		if c.late() == 0 {
			continue
		}
		dst = value.AppendName(dst, c.name)
		list := len(dst)
		dst = value.BeginList(dst)
		for j := range c.versions {
			v := &c.versions[j]
			if v.SetMS == 0 {
				continue
			}
			start := len(dst)
			dst = value.AppendTimestamp(value.AppendTimestamp(value.BeginList(dst), v.AtMS), v.SetMS)
			if v.Exact {
				dst = value.AppendNull(dst)
			}
			if dst, err = value.EndList(dst, start); err != nil {
				return dst, err
			}
		}
		if dst, err = value.EndList(dst, list); err != nil {
			return dst, err
		}
	}
	return value.EndMap(dst, columns)
}
