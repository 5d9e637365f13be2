// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"slices"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/document"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
	"github.com/weftdb/weft/internal/sql/tree"
)

// concatMax is group_concat_max_len where the session says nothing, in bytes.
const concatMax = 1024

// sortedValue is a value with the keys that it is sorted by.
type sortedValue struct {
	d    datum.Datum
	keys []datum.Datum
}

// bytes is about how much memory it holds.
func (r *sortedValue) bytes() int {
	size := 64 + r.d.Len()
	for _, k := range r.keys {
		size += 48 + k.Len()
	}
	return size
}

// keysOf computes the keys of ORDER BY; they are clones.
func (a *Aggregate) keysOf(x *Context) ([]datum.Datum, error) {
	keys := make([]datum.Datum, len(a.orderBy))
	for i, by := range a.orderBy {
		d, err := by.value(x)
		if err != nil {
			return nil, err
		}
		keys[i] = d.Clone()
	}
	return keys, nil
}

func (a *Aggregate) compareKeys(v, w []datum.Datum) int {
	for i := range v {
		order := datum.Order(v[i], w[i])
		if a.descending[i] {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// concat is GROUP_CONCAT, JSON_ARRAYAGG and JSON_OBJECTAGG. Without ORDER BY it keeps no more than the text that will
// be its result.
type concat struct {
	of      *Aggregate
	seen    *valueSet // of DISTINCT
	text    []byte
	count   int
	sorted  []sortedValue
	bytes   int
	max     int // group_concat_max_len, or what no document exceeds
	scratch []byte
}

func newConcat(of *Aggregate) *concat {
	c := &concat{of: of}
	if of.call.Distinct {
		c.seen = &valueSet{}
	}
	return c
}

// maxOf asks the session for group_concat_max_len.
func maxOf(x *Context) int {
	if x.Session == nil {
		return concatMax
	}
	d, err := x.Session.Variable(&tree.Variable{Name: "group_concat_max_len", System: true})
	if n := d.NumberInt(); err == nil && n >= 4 {
		return int(min(n, 16<<20))
	}
	return concatMax
}

func (c *concat) Add(x *Context) error {
	text, ok, err := c.part(x)
	if err != nil || !ok {
		return err
	}
	if c.seen != nil {
		c.seen.scratch = append(c.seen.scratch[:0], text...)
		if !c.seen.add() {
			return nil
		}
	}
	if len(c.of.orderBy) == 0 {
		c.append(text)
		return nil
	}
	keep := datum.Text(text).Clone()
	keys, err := c.of.keysOf(x)
	if err != nil {
		return err
	}
	r := sortedValue{keep, keys}
	c.bytes += r.bytes()
	c.sorted = append(c.sorted, r)
	return nil
}

// part returns the text that the context's row adds; not ok: none.
func (c *concat) part(x *Context) (text []byte, ok bool, err error) {
	if c.of.kind != concatKind {
		c.max = function.PacketMax
		text, err = c.document(x)
		return text, true, err
	}
	if c.max == 0 {
		c.max = maxOf(x)
	}
	dst := x.Arena()
	start := len(dst)
	for _, argument := range c.of.arguments {
		d, err := argument.value(x)
		if err != nil || d.IsNull() {
			return nil, false, err
		}
		if grown := x.Arena(); len(grown) > start && len(c.of.arguments) == 1 {
			start = len(grown)
			dst = grown
		}
		dst = d.AppendText(dst)
	}
	return dst[start:], true, nil
}

// document is an element of JSON_ARRAYAGG or a member of JSON_OBJECTAGG.
func (c *concat) document(x *Context) (text []byte, err error) {
	arguments := make([]datum.Datum, len(c.of.arguments))
	for i, argument := range c.of.arguments {
		if arguments[i], err = argument.value(x); err != nil {
			return nil, err
		}
	}
	if c.of.kind == arrayKind {
		text, err = document.AppendElement(c.scratch[:0], c.of.call.Name, arguments[0])
	} else {
		text, err = document.AppendMember(c.scratch[:0], c.of.call.Name, arguments[0], arguments[1])
	}
	c.scratch = text
	return text, err
}

func (c *concat) append(text []byte) {
	if c.count > 0 && len(c.text) < c.max {
		c.text = append(c.text, c.of.separator...)
	}
	c.count++
	if room := c.max - len(c.text); room > 0 {
		c.text = append(c.text, text[:min(len(text), room)]...)
	}
}

// Result is the value so far, cut to group_concat_max_len at a character's border.
func (c *concat) Result(*Context) (datum.Datum, error) {
	if len(c.sorted) > 0 {
		slices.SortStableFunc(c.sorted, func(v, w sortedValue) int { return c.of.compareKeys(v.keys, w.keys) })
		c.text, c.count = c.text[:0], 0
		for i := range c.sorted {
			c.append(c.sorted[i].d.Bytes())
		}
	}
	if c.count == 0 {
		return datum.Null, nil
	}
	if c.of.kind != concatKind {
		return c.documentOrNull()
	}
	text := c.text[:min(len(c.text), c.max)]
	for len(text) > 0 && len(text) == c.max {
		if r, size := utf8.DecodeLastRune(text); r != utf8.RuneError || size != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return datum.Text(text), nil
}

// documentOrNull is a document; one that is too long is NULL, as of the functions that make one.
func (c *concat) documentOrNull() (datum.Datum, error) {
	if len(c.text) >= c.max {
		return datum.Null, nil
	}
	if c.of.kind == arrayKind {
		return document.Array(c.text), nil
	}
	return document.Object(c.text)
}

func (c *concat) Bytes() int {
	size := 128 + cap(c.text) + c.bytes
	if c.seen != nil {
		size += c.seen.bytes
	}
	return size
}

// head is HEAD(x ORDER BY y): x of the row that comes first.
type head struct {
	of   *Aggregate
	best sortedValue
	any  bool
}

func (h *head) Add(x *Context) error {
	if h.any && len(h.of.orderBy) == 0 {
		return nil
	}
	keys, err := h.of.keysOf(x)
	if err != nil || h.any && h.of.compareKeys(keys, h.best.keys) >= 0 {
		return err
	}
	d, err := h.of.arguments[0].value(x)
	if err != nil {
		return err
	}
	h.best, h.any = sortedValue{d.Clone(), keys}, true
	return nil
}

func (h *head) Result(*Context) (datum.Datum, error) { return h.best.d, nil }
func (h *head) Bytes() int                           { return 32 + h.best.bytes() }
