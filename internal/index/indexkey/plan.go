// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/zorder"
)

// SpansMaxDefault is the number of spans a plan has at most if the caller sets no limit.
const SpansMaxDefault = 1000

// Plan is the effect of bounds on one index.
type Plan struct {
	Scan
	// Used is the number of leading visible parts that are bound.
	Used int
	// Points says that all of them are bound to single values: every span is one tuple of values.
	Points bool
	// Nulls says that NULL is among these.
	Nulls bool

	index *schema.Index
	// own[i] says that every key in the spans meets the bounds on the name, and on the column, of visible part i.
	own []bool
	// clash says that spans with different rules to skip by overlap: they can't be walked.
	clash bool
	// each are the plans of the single alternatives if these were planned one by one; their spans are there to be
	// counted only.
	each []Plan
}

// Guarantees reports whether every key in the spans meets the bounds that were given for a name.
func (p *Plan) Guarantees(name string) bool {
	if p.each != nil {
		return !slices.ContainsFunc(p.each, func(one Plan) bool { return !one.Guarantees(name) })
	}
	if !p.Exact {
		return false
	}
	visible := p.index.Visible()
	for i := range visible[:p.Used] {
		if p.own[i] && (visible[i].Name == name || visible[i].Column() == name) {
			return true
		}
	}
	return len(p.Spans) == 0
}

// GuaranteesIn reports whether every key that is there because of one alternative meets the bounds that this one, and
// all, have on a name.
func (p *Plan) GuaranteesIn(alternative int, name string) bool {
	return p.each != nil && p.each[alternative].Guarantees(name)
}

// Bind plans reading x for the given bounds. Parts are bound from the first on: by bounds on the part's name or, if it
// is plain, its column; a computed part also by bounds to single values on all of its columns, a concatenation by those
// on its first ones. Single values let the next part be bound too, anything else ends it. limit is the greatest number
// of spans, 0 for SpansMaxDefault; beyond it the error is *TooManyError. Without any bounds the plan is one span over
// the whole index.
func Bind(x *schema.Index, bounds Bounds, limit int) (Plan, error) {
	return bind(x, Choices{All: bounds}, limit, len(x.Key), planOf)
}

// BindChoices is Bind for bounds of which some are alternatives.
func BindChoices(x *schema.Index, choices Choices, limit int) (Plan, error) {
	return bind(x, choices, limit, len(x.Key), planOf)
}

// BindLeading is BindChoices with the bounds on the first few parts only: after a *TooManyError its Parts.
func BindLeading(x *schema.Index, choices Choices, limit, parts int) (Plan, error) {
	return bind(x, choices, limit, parts, planOf)
}

// Choices are bounds that all hold, and alternatives of which one holds, too. Each alternative makes spans of its own,
// or boxes where a key part is one over several columns; where that would be too many spans, or none would be narrower,
// the alternatives are passed over.
type Choices struct {
	All Bounds
	// Any holds the bounds of each alternative besides All; none: there are no alternatives.
	Any []Bounds
}

// each calls visit with the bounds of each alternative, those of All among them.
func (c *Choices) each(visit func(Bounds)) {
	if len(c.Any) == 0 {
		visit(c.All)
	}
	for _, one := range c.Any {
		visit(func(name string) []Bound { return slices.Concat(c.All(name), one(name)) })
	}
}

// planOf returns the planner of a function that has one of its own. A function joins with a case here and one in
// appendComputed.
func planOf(function schema.Function) partPlan {
	if function == schema.ZOrder {
		return planCurve
	}
	return nil
}

// partPlan plans a key part that is not in the order of any column: a box over several of them, say. choices gives what
// all columns are bound to. start and end enclose, in the part's encoding, what can match; skip and skipBack, if any,
// do as Scan.Skip and Scan.SkipBack, for the encodings of this part, which may be followed by those of others. ok is
// false if no bounds concern the part.
type partPlan func(p *schema.KeyPart, choices *Choices) (plan partSpan, ok bool)

type partSpan struct {
	start, end     []byte // a nil end reaches beyond the part's last encoding
	skip, skipBack skipFunc
	boxes          *zorder.Boxes // of a Z-order part
	empty          bool          // nothing can match
}

type skipFunc func(key, dst []byte) (next []byte, in, ok bool)

func bind(x *schema.Index, choices Choices, limit, parts int, planOf func(schema.Function) partPlan) (Plan, error) {
	if limit <= 0 {
		limit = SpansMaxDefault
	}
	b := planner{index: x, bounds: choices.All, alternatives: choices, limit: limit, depthMax: parts, planOf: planOf,
		exact: true}
	b.found = b.few.found[:0]
	if b.parts = b.few.parts[:]; len(x.Key) > len(b.parts) {
		b.parts = make([]boundPart, len(x.Key))
	}
	b.parts = b.parts[:len(x.Key)]
	err := b.expand(0, nil, nil)
	if err == nil && slices.ContainsFunc(b.found, func(f foundSpan) bool { return f.part.boxes != nil }) {
		return b.plan(), nil // the boxes are those of all alternatives
	}
	if len(choices.Any) > 0 {
		if plan, ok := bindEach(&b); ok {
			return plan, nil
		}
	}
	if err != nil {
		return Plan{}, err
	}
	return b.plan(), nil
}

// planner is the work of Bind: it walks the parts in order and, for each single value of a part, goes on with the next
// part below it.
type planner struct {
	index  *schema.Index
	bounds Bounds
	// alternatives are bounds together with All.
	alternatives Choices
	limit        int
	depthMax     int // parts from here on are not bound
	planOf       func(schema.Function) partPlan
	parts        []boundPart
	found        []foundSpan
	slab         slab
	used         int // parts bound, the hidden one counted
	exact        bool
	nulls        bool     // NULL is among the values that a part is bound to
	few          struct { // room for most
		found [1]foundSpan
		parts [3]boundPart
	}
}

// boundPart holds the bounds of one part.
type boundPart struct {
	seen      bool
	own       bool // its own bounds gave the intervals, rather than those of columns that it is computed from
	told      bool // its values matter to parts behind it
	intervals []interval
	visited   int // how many prefixes reached it
}

// foundSpan is a span and what estimates and skips need to know of it.
type foundSpan struct {
	Span
	depth          int // leading parts that have single values
	offset         int // length of their encodings
	part           interval
	skip, skipBack skipFunc
	joined         []foundSpan // what it was joined of; nil if of itself alone. For estimates
}

// boundColumn is a column that a part further ahead has bound to one value.
type boundColumn struct {
	column string
	value  value.Value
}

// expand plans the parts from i on, below the encodings of those before.
func (b *planner) expand(i int, prefix []byte, known []boundColumn) error {
	if i >= min(b.depthMax, len(b.index.Key)) {
		return b.emit(i, prefix, interval{}, partSpan{})
	}
	p := &b.index.Key[i]
	if plan := b.planOf(p.Function); plan != nil && len(b.ownBounds(p)) == 0 && !b.isSingle(i, known) {
		if !b.index.KeepNulls {
			return b.expandPlanned(i, prefix, plan)
		}
		// Where nulls are kept, a row without an address has the mark of nulls instead, which boxes would pass over.
		if hasAddresses(p) {
			return b.expandPlanned(i, append(slices.Clip(prefix), markValue^maskOf(p.Descending)), plan)
		}
	}
	choices, bound := b.choices(i, known)
	if !bound {
		return b.emit(i, prefix, interval{}, partSpan{})
	}
	b.used = max(b.used, i+1)
	b.found = slices.Grow(b.found, len(choices))
	points := !slices.ContainsFunc(choices, func(c choice) bool { return !c.point })
	for _, c := range choices {
		if err := b.count(i); err != nil {
			return err
		}
		var err error
		if points {
			err = b.expand(i+1, b.slab.concat(prefix, c.start), c.known)
		} else {
			err = b.emit(i, prefix, c.interval, partSpan{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isSingle reports whether all columns of a computed part are bound to single values, so that the parts behind it can
// be bound, too.
func (b *planner) isSingle(i int, known []boundColumn) bool {
	p := &b.index.Key[i]
	if b.index.KeepNulls || i+1 == len(b.index.Key) {
		return false
	}
	_, leading, ok := b.combinations(p, known)
	return ok && leading == len(p.Args)
}

func (b *planner) expandPlanned(i int, prefix []byte, plan partPlan) error {
	span, ok := plan(&b.index.Key[i], &b.alternatives)
	if !ok {
		return b.emit(i, prefix, interval{}, partSpan{})
	}
	b.used = max(b.used, i+1)
	if err := b.count(i); err != nil {
		return err
	}
	if span.empty {
		return nil
	}
	return b.emit(i, prefix, interval{start: span.start, end: span.end, from: true, to: true, boxes: span.boxes}, span)
}

func (b *planner) count(i int) error {
	b.parts[i].visited++
	if n := b.parts[i].visited; n > b.limit {
		return &TooManyError{Part: &b.index.Key[i], Parts: i, Spans: n, Limit: b.limit}
	}
	return nil
}

// emit adds the span of v below prefix, which holds the first depth parts.
func (b *planner) emit(depth int, prefix []byte, v interval, planned partSpan) error {
	f := foundSpan{depth: depth, offset: len(prefix), part: v, skip: planned.skip, skipBack: planned.skipBack}
	f.Start = b.slab.concat(prefix, v.start)
	if v.end != nil {
		f.End = b.slab.concat(prefix, v.end)
	} else {
		f.End = b.slab.end(prefix)
	}
	if len(f.Start) == 0 {
		f.Start = nil
	}
	b.found = append(b.found, f)
	return nil
}

// choice is an interval of a part and the columns that are known within it.
type choice struct {
	interval
	known []boundColumn
}

// choices returns the intervals that part i is bound to where the known columns have their values.
func (b *planner) choices(i int, known []boundColumn) (choices []choice, bound bool) {
	p := &b.index.Key[i]
	part := &b.parts[i]
	if !part.seen {
		b.bindOwn(p, part)
	}
	if !part.own {
		return b.derive(p, known)
	}
	name := identity(p)
	have := valueOf(known, name)
	choices = make([]choice, 0, len(part.intervals))
	for _, v := range part.intervals {
		c := choice{interval: v, known: known}
		switch {
		case !v.point:
		case have == nil && v.value != nil && part.told:
			c.known = append(slices.Clip(known), boundColumn{name, v.value})
		case have != nil && !value.Equal(have, v.value):
			continue
		}
		choices = append(choices, c)
	}
	return choices, true
}

func (b *planner) bindOwn(p *schema.KeyPart, part *boundPart) {
	part.seen = true
	own := b.ownBounds(p)
	if len(own) == 0 {
		return
	}
	binder := binder{part: p, nulls: b.index.KeepNulls, slab: &b.slab}
	part.own, part.intervals, part.told = true, binder.bindAll(own), b.tells(p)
	b.exact = b.exact && !binder.inexact
	b.nulls = b.nulls || slices.ContainsFunc(part.intervals, func(v interval) bool { return v.point && v.value == nil })
}

// tells reports whether the values of a part matter to those behind it.
func (b *planner) tells(p *schema.KeyPart) bool {
	name, behind := identity(p), false
	for i := range b.index.Key {
		q := &b.index.Key[i]
		if behind && (q.Computed() || identity(q) == name) {
			return true
		}
		behind = behind || p == q
	}
	return false
}

// identity is the name of a visible part as the argument of another: its column or, if it is computed, its own name.
func identity(p *schema.KeyPart) string {
	if p.Computed() {
		return p.Name
	}
	return p.Column()
}

// ownBounds returns the bounds on a part's name and, if it is plain, its column. The hidden part has none.
func (b *planner) ownBounds(p *schema.KeyPart) []Bound {
	if p.Hidden {
		return nil
	}
	own := b.bounds(p.Name)
	if column := p.Column(); column != "" && column != p.Name {
		own = slices.Concat(own, b.bounds(column))
	}
	return own
}

func valueOf(known []boundColumn, column string) value.Value {
	for i := range known {
		if known[i].column == column {
			return known[i].value
		}
	}
	return nil
}

// plan sorts what was found.
func (b *planner) plan() Plan {
	slices.SortStableFunc(b.found, func(x, y foundSpan) int { return bytes.Compare(x.Start, y.Start) })
	hidden := hiddenParts(b.index)
	p := Plan{index: b.index, Used: max(0, b.used-hidden), Points: b.used > hidden, Nulls: b.nulls}
	p.Exact = b.exact
	p.own = make([]bool, len(b.parts)-hidden)
	for i := range p.own {
		p.own[i] = b.parts[hidden+i].own
	}
	found := b.found[:0] // never longer than what was looked at
	p.Spans = make([]Span, 0, len(b.found))
	for _, f := range b.found {
		p.Points = p.Points && f.depth == b.used
		if last := len(found) - 1; last >= 0 && found[last].touches(&f) {
			found[last].join(f)
			p.Spans[last].End = found[last].End
			continue
		} else if last >= 0 && found[last].overlaps(&f) {
			p.clash = true
		}
		found = append(found, f)
		p.Spans = append(p.Spans, f.Span)
	}
	p.Skip, p.SkipBack = skips(found)
	p.Curves = curves(b.index, found)
	p.Estimate = b.estimate(found)
	return p
}

// touches reports whether f and g, which starts no earlier, are one span. Neighbouring points stay apart, so that they
// can be looked up.
func (f *foundSpan) touches(g *foundSpan) bool {
	if f.skip != nil || g.skip != nil {
		return false
	}
	if f.End == nil || bytes.Compare(f.End, g.Start) > 0 {
		return true
	}
	return bytes.Equal(f.End, g.Start) && !(f.point() && g.point())
}

// overlaps reports whether g, which starts no earlier, begins inside f.
func (f *foundSpan) overlaps(g *foundSpan) bool {
	return f.End == nil || bytes.Compare(f.End, g.Start) > 0
}

// join makes one span of f and g, which starts no earlier and touches it.
func (f *foundSpan) join(g foundSpan) {
	if !endBefore(f.End, g.End) {
		return
	}
	if bytes.Equal(f.Start, g.Start) {
		*f = g // all of it
		return
	}
	if f.joined == nil {
		f.joined = []foundSpan{*f}
	}
	f.joined = append(f.joined, g)
	f.End, f.part.point = g.End, false
}

func (f *foundSpan) point() bool { return f.offset > 0 && f.part.start == nil || f.part.point }

// skips returns functions that skip by the rules of the span in which a key lies.
func skips(found []foundSpan) (skip, skipBack func(key, dst []byte) (next []byte, in, ok bool)) {
	if !slices.ContainsFunc(found, func(f foundSpan) bool { return f.skip != nil }) {
		return nil, nil
	}
	at := func(key, dst []byte, back bool) (next []byte, in, ok bool) {
		i, exact := slices.BinarySearchFunc(found, key,
			func(f foundSpan, key []byte) int { return bytes.Compare(f.Start, key) })
		if !exact {
			i--
		}
		if i < 0 || found[i].offset > len(key) {
			return dst, false, false
		}
		f := &found[i]
		rule := f.skip
		if back {
			rule = f.skipBack
		}
		if rule == nil {
			return dst, true, false
		}
		return rule(key[f.offset:], append(dst, key[:f.offset]...))
	}
	skip = func(key, dst []byte) ([]byte, bool, bool) { return at(key, dst, false) }
	skipBack = func(key, dst []byte) ([]byte, bool, bool) { return at(key, dst, true) }
	return skip, skipBack
}
