// SPDX-License-Identifier: Apache-2.0

package cell

import (
	"bytes"
	"cmp"
	"errors"
	"reflect"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
)

// History is the attribute that holds what a row knows of its cells besides their current values.
const History = "\x00cells"

// Due is the attribute that says when a row must next be looked at, because cells or markers in it are past their time:
// a Number of seconds since 1970-01-01 UTC, as expiry indexes take it.
const Due = "\x00due"

// Existence is the attribute of a row that is there without any other: a write left it bare. It is a cell as others
// are, but no reader sees it.
const Existence = "\x00row"

// Masked begins the name under which a mark stands that masks all attributes whose names begin with the rest of it. It
// is in histories only.
const Masked = "\x00masked:"

// historyName is History, for look-ups that must not allocate; immutable.
var historyName = []byte(History)

// ErrMalformed says that a row's history can't be read.
var ErrMalformed = errors.New("cell: malformed history; the row was damaged or written by a newer version")

// Rules are a table's rules for its cells.
type Rules struct {
	// Versions is the number of values of each attribute that are kept. Default 1; negative keeps none.
	Versions int `json:"versions,omitempty"`
	// LifeMS is the time a cell lives after its time; 0 is for ever.
	LifeMS int64 `json:"lifeMS,omitempty"`
	// MarkersMS is the time delete markers are kept: after their time, and after they were set.
	MarkersMS int64 `json:"markersMS,omitempty"`
	// SinceMS is the time of cells that were written before the table had rules.
	SinceMS int64 `json:"sinceMS,omitempty"`
	// Pending says that rules are to come into force once nobody works by a version of the table without any: readers
	// know histories, and writers keep those that are there, but begin none.
	Pending bool `json:"pending,omitempty"`
	// Groups are rules for attributes by the beginning of their names: the first group counts whose Prefix a name has.
	// Others follow the rules above.
	Groups []Group `json:"groups,omitempty"`
	// Uncovers says that a cell whose life is over shows the next older one again, as in HBase. Otherwise it hides
	// older ones, as a deletion does.
	Uncovers bool `json:"uncovers,omitempty"`
}

// Group are the rules for attributes whose names have a prefix.
type Group struct {
	Prefix   string `json:"prefix"`
	Versions int    `json:"versions,omitempty"` // as in Rules
	LifeMS   int64  `json:"lifeMS,omitempty"`   // as in Rules
	// VersionsMin is the number of the newest values that stay although the group's life is over. A shorter life of
	// their own ends them nevertheless.
	VersionsMin int `json:"versionsMin,omitempty"`
}

// Equal reports whether two tables' rules are the same.
func (r *Rules) Equal(other *Rules) bool {
	a, b := *r, *other
	a.Groups, b.Groups = nil, nil
	return reflect.DeepEqual(a, b) && slices.Equal(r.Groups, other.Groups)
}

// Clone returns a copy that shares nothing with the rules.
func (r *Rules) Clone() *Rules {
	c := *r
	c.Groups = slices.Clone(r.Groups)
	return &c
}

// group returns the rules for an attribute.
func (r *Rules) group(name []byte) Group {
	for i := range r.Groups {
		if prefix := r.Groups[i].Prefix; len(name) >= len(prefix) && string(name[:len(prefix)]) == prefix {
			return r.Groups[i]
		}
	}
	return Group{Versions: r.Versions, LifeMS: r.LifeMS}
}

// Stamp is the time of a write's cells.
type Stamp struct {
	AtMS   int64
	LifeMS int64 // of the cells written; 0 is the table's
	// Implicit says that AtMS is the writer's clock, not a time that somebody chose. Such a write wins over one of the
	// same time, and of a time a little ahead of it, as another process's clock may be.
	Implicit bool
}

// skewMSMax is the largest difference between the clocks of processes that share a store.
const skewMSMax = 1000

// Version is one cell: a value of an attribute at a time, or the mark that it was deleted.
type Version struct {
	AtMS   int64
	LifeMS int64 // 0: the table's
	Value  value.Value
	Marker bool
	Exact  bool // of a Marker: it masks a value of its own time alone
	// SetMS is when a Marker was set, if that was long after AtMS; otherwise 0.
	SetMS int64
}

// column holds the cells of one attribute, newest first.
type column struct {
	name     []byte
	versions []Version
}

// history is a row's history in memory. Names and values alias the row.
type history struct {
	base    int64
	deleted int64
	columns []column  // by name
	single  []Version // room for the versions of columns that have one, or two
}

// read takes a row apart: its columns are all attributes but those for which isKey is true.
func (r *Rules) read(row value.Row, names value.Names, isKey func(name []byte) bool) (h history, err error) {
	h.base = r.SinceMS
	if stored, ok := row.Get(names, historyName); ok {
		if err := h.parse(stored); err != nil {
			return h, err
		}
	}
	listed := len(h.columns)
	h.columns = slices.Grow(h.columns, 8)
	attributes := row.Attributes(names)
	for attributes.Next() {
		name := attributes.Name()
		if string(name) == History || string(name) == Due || isKey(name) {
			continue
		}
		h.current(name, attributes.Value(), listed)
	}
	if err := attributes.Err(); err != nil {
		return h, err
	}
	h.complete(listed)
	slices.SortFunc(h.columns, func(a, b column) int { return bytes.Compare(a.name, b.name) })
	return h, nil
}

// complete drops current values that the row lacks: a writer that did not know yet of the table's rules removed them. A
// row without anything is there since the base time.
func (h *history) complete(listed int) {
	for i := range h.columns[:listed] {
		c := &h.columns[i]
		c.versions = slices.DeleteFunc(c.versions, func(v Version) bool { return v.Value == nil && !v.Marker })
	}
	h.columns = slices.DeleteFunc(h.columns, func(c column) bool { return len(c.versions) == 0 })
	if len(h.columns) == 0 && h.deleted == 0 {
		h.columns = []column{{name: []byte(Existence),
			versions: []Version{{AtMS: h.base, Value: value.AppendNull(nil)}}}}
	}
}

// IsHidden reports whether an attribute is one of this package's own.
func IsHidden(name []byte) bool {
	return len(name) > 0 && name[0] == 0 &&
		(string(name) == History || string(name) == Due || string(name) == Existence ||
			bytes.HasPrefix(name, []byte(Masked)))
}

// current gives a column its current value; one that is not listed was written at the base time.
func (h *history) current(name []byte, v value.Value, listed int) {
	for i := range h.columns[:listed] {
		c := &h.columns[i]
		if string(c.name) != string(name) {
			continue
		}
		for j := range c.versions {
			if one := &c.versions[j]; one.Value == nil && !one.Marker {
				one.Value = v
				return
			}
		}
	}
	const each = 2                      // so that one more can be put
	if len(h.single) == cap(h.single) { // older room stays with its columns
		h.single = make([]Version, 0, max(8*each, 2*cap(h.single)))
	}
	n := len(h.single)
	h.single = h.single[:n+each]
	h.single[n] = Version{AtMS: h.base, Value: v}
	h.columns = append(h.columns, column{name: name, versions: h.single[n : n+1 : n+each]})
}

// parse reads the stored form. Current values are left nil.
func (h *history) parse(v value.Value) error {
	e := v.Elements()
	var parts [3]value.Value
	for i := range parts {
		if !e.Next() {
			return ErrMalformed
		}
		parts[i] = e.Value()
	}
	var ok, okDeleted bool
	h.base, ok = parts[0].Int()
	h.deleted, okDeleted = parts[1].Int()
	if !ok || !okDeleted || parts[2].Kind() != value.Map {
		return ErrMalformed
	}
	for each := parts[2].Elements(); each.Next(); {
		c := column{name: each.Name()}
		for one := each.Value().Elements(); one.Next(); {
			version, err := parseVersion(one.Value())
			if err != nil {
				return err
			}
			c.versions = append(c.versions, version)
		}
		h.columns = append(h.columns, c)
	}
	if e.Next() {
		return h.parseLate(e.Value())
	}
	return nil
}

func parseVersion(stored value.Value) (v Version, err error) {
	e := stored.Elements()
	if !e.Next() {
		return v, ErrMalformed
	}
	var ok bool
	if v.AtMS, ok = e.Value().Int(); !ok {
		return v, ErrMalformed
	}
	if !e.Next() {
		return v, nil
	}
	if v.Marker = e.Value().Kind() == value.Null; v.Marker {
		v.Exact = e.Next()
		return v, nil
	}
	if v.LifeMS, ok = e.Value().Int(); !ok {
		return v, ErrMalformed
	}
	if e.Next() {
		v.Value = value.Value(e.Value().Bytes())
		if v.Value.Kind() == value.Missing {
			return v, ErrMalformed
		}
	}
	return v, nil
}

// put adds a cell. One of the same time is replaced, but a marker masks a value of its own time unless the value wins;
// it then goes on masking what is older. A marker of exactly that time leaves one in place that masks more.
func (c *column) put(v Version, wins bool) {
	at, same := slices.BinarySearchFunc(c.versions, v, func(a, b Version) int { return cmp.Compare(b.AtMS, a.AtMS) })
	if !same {
		c.versions = slices.Insert(c.versions, at, v)
		return
	}
	old := c.versions[at]
	switch {
	case !old.Marker, v.Marker && (old.Exact || !v.Exact):
		c.versions[at] = v
	case !v.Marker && wins:
		if c.versions[at] = v; !old.Exact {
			old.AtMS--
			c.put(old, false)
		}
	}
}

// isUniform reports whether cells of one time end at one time.
func (r *Rules) isUniform() bool {
	return !slices.ContainsFunc(r.Groups, func(g Group) bool { return g.LifeMS != r.LifeMS || g.VersionsMin > 0 })
}

// keeps is the number of values of an attribute that are kept.
func (g *Group) keeps() int {
	if g.Versions < 0 {
		return 0
	}
	return max(g.Versions, 1)
}

// mask is the part of a column that the row's marks hide.
type mask struct {
	upTo  int64   // this time and all before it
	exact []int64 // these times
}

// mask is the part of every column that the whole row's marker hides.
func (h *history) mask() mask {
	if h.deleted == 0 {
		return mask{upTo: -1}
	}
	return mask{upTo: h.deleted}
}

func (m *mask) hides(atMS int64) bool { return atMS <= m.upTo || slices.Contains(m.exact, atMS) }

// masked is the part of a column that the marks of the row, and of names that are its prefixes, hide.
func (h *history) masked(name []byte) mask {
	m := h.mask()
	for i := range h.columns {
		c := &h.columns[i]
		if len(c.name) > 0 && c.name[0] > Masked[0] { // columns stand in order
			break
		}
		if prefix, ok := bytes.CutPrefix(c.name, []byte(Masked)); !ok || !bytes.HasPrefix(name, prefix) {
			continue
		}
		for j := range c.versions {
			if v := &c.versions[j]; v.Exact {
				m.exact = append(m.exact, v.AtMS)
			} else {
				m.upTo = max(m.upTo, v.AtMS)
			}
		}
	}
	return m
}

// alive calls visit for the cells of a column that nothing masks and whose lives are not over at nowMS, newest first,
// until it returns false.
func (r *Rules) alive(h *history, c *column, nowMS int64, visit func(v *Version) bool) {
	group, masked, values := r.group(c.name), h.masked(c.name), 0
	for i := range c.versions {
		v := &c.versions[i]
		switch {
		case v.AtMS <= masked.upTo || v.Marker && !v.Exact:
			return
		case v.Marker || masked.hides(v.AtMS):
			continue
		case group.isOver(v, values, nowMS):
			if !r.Uncovers {
				return
			}
			continue
		}
		if values++; !visit(v) {
			return
		}
	}
}

// trim drops what can't count any more: what markers mask, what is past its life and what that masks, and values beyond
// the number kept. Then it forgets the markers that need not be kept. None may be forgotten earlier, because one that
// was set just now may be for a time long ago.
func (r *Rules) trim(h *history, nowMS int64) {
	for i := range h.columns {
		h.columns[i].versions = r.trimmed(h, &h.columns[i], nowMS)
	}
	r.forget(h, nowMS)
}

func (r *Rules) trimmed(h *history, c *column, nowMS int64) []Version {
	group, masked := r.group(c.name), h.masked(c.name)
	if bytes.HasPrefix(c.name, []byte(Masked)) {
		masked = h.mask()
	}
	kept, values := c.versions[:0], 0
	for _, v := range c.versions {
		if v.AtMS <= masked.upTo {
			break
		}
		if !v.Marker && masked.hides(v.AtMS) {
			continue
		}
		if v.Marker {
			kept = append(kept, v)
			if v.Exact {
				continue
			}
			break
		}
		if group.isOver(&v, values, nowMS) {
			if r.Uncovers {
				continue
			}
			break
		}
		if values < group.keeps() {
			kept = append(kept, v)
			values++
		} else if values == 0 || !r.Uncovers {
			break // otherwise a marker behind it counts once the values before are gone
		}
	}
	return kept
}

// overAt is when the life of a version is over that has so many newer values; 0 is never.
func (g *Group) overAt(v *Version, newer int) int64 {
	table := g.LifeMS
	if newer < g.VersionsMin {
		table = 0
	}
	life := v.LifeMS
	if life == 0 || table > 0 && table < life {
		life = table
	}
	if life == 0 || v.Marker {
		return 0
	}
	return plus(v.AtMS, life)
}

func (g *Group) isOver(v *Version, newer int, nowMS int64) bool {
	at := g.overAt(v, newer)
	return at != 0 && at <= nowMS
}

// shown returns the version of a column that readers see; nil for none.
func (r *Rules) shown(h *history, c *column, nowMS int64) (found *Version) {
	r.alive(h, c, nowMS, func(v *Version) bool { found = v; return false })
	return found
}
