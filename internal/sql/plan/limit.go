// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// limit is a necessary condition on a row for a predicate to be TRUE.
type limit struct {
	never bool // it is TRUE of no row
	// columns all hold, each of one column. None: nothing is known.
	columns []columnLimit
	// exact says that the predicate is TRUE wherever columns hold; halves, that it is if the other end of each half is
	// limited, too.
	exact, halves bool
	// box is an Or of conditions on several columns that says all that columns do, and more; nil: none.
	box expr.Condition
	// tuples is the number of tuples of single values that columns stand for together; 0: they don't.
	tuples int
	// alternatives are the branches that columns were joined from; none: columns were not joined.
	alternatives []limit
}

// columnLimit is a condition on one column.
type columnLimit struct {
	column    *column
	condition expr.Condition
	// isPoints says that points are the only values that meet the condition; they are distinct.
	isPoints bool
	points   []value.Value
	low      bool // a range with a lower end only
	high     bool // a range with an upper end only
	exact    bool // the condition is the predicate, no more and no less
	half     bool // it is, but for values beyond the range of the column at the end that is open
	null     bool // it wants the column to be missing
}

func never() limit { return limit{never: true, exact: true} }

func one(c columnLimit) limit {
	return limit{columns: []columnLimit{c}, exact: c.exact, halves: c.half}
}

func (unknown) bind(*binder) limit { return limit{} }

func (t *truth) bind(b *binder) limit {
	if is, null := b.value(&t.value).Truth(); null || is == t.not {
		return never()
	}
	return limit{exact: true}
}

func (c *comparison) bind(b *binder) limit {
	d := b.valueFor(c.column, &c.value)
	if c.operator == tree.NullSafeEqual && d.IsNull() {
		return (&isNull{column: c.column}).bind(b)
	}
	return c.column.compare(c.operator, d)
}

// compare returns the limit of column operator d.
func (c *column) compare(operator tree.Operator, d datum.Datum) limit {
	if d.IsNull() {
		return never()
	}
	if c.key == schema.Bool {
		return c.compareTruth(operator, d)
	}
	if operator == tree.NotEqual && !c.searched {
		return limit{}
	}
	r, ok := c.reach(d)
	if !ok {
		return limit{}
	}
	if operator == tree.NotEqual {
		return c.differs(r)
	}
	return one(c.relate(operator, r))
}

// compareTruth is compare for BOOLEAN columns, whose two values are tried.
func (c *column) compareTruth(operator tree.Operator, d datum.Datum) limit {
	var points []value.Value
	for _, x := range [...]bool{false, true} {
		if order, null := datum.Compare(datum.Bool(x), d); !null && operator.Holds(order) {
			points = append(points, value.AppendBool(nil, x))
		}
	}
	if len(points) == 0 {
		return never()
	}
	return one(c.anyOf(points, true))
}

// anyOf is a column that has one of some values, which must be distinct.
func (c *column) anyOf(points []value.Value, exact bool) columnLimit {
	l := columnLimit{column: c, isPoints: true, points: points, exact: exact}
	if len(points) == 1 {
		l.condition = c.is(expr.Equal, points[0])
		return l
	}
	in := &expr.In{X: c.attribute()}
	for _, v := range points {
		in.List = append(in.List, &expr.Literal{Value: v})
	}
	l.condition = in
	return l
}

func (c *column) is(operator expr.Comparison, v value.Value) expr.Condition {
	r := &relation{path: c.path(), literal: expr.Literal{Value: v}}
	r.compare = expr.Compare{Op: operator, A: &r.path, B: &r.literal}
	return &r.compare
}

// relation is a comparison in one piece: each execution makes some.
type relation struct {
	compare expr.Compare
	path    expr.Path
	literal expr.Literal
}

// relate is a column that stands in a relation to values within reach.
func (c *column) relate(operator tree.Operator, r reach) columnLimit {
	wide := !bytes.Equal(r.low, r.high)
	exact := r.exact && !wide
	l := columnLimit{column: c, exact: exact && !c.narrow(), half: exact && c.narrow() && c.dense()}
	switch operator {
	case tree.Less, tree.LessOrEqual:
		relation := expr.LessOrEqual
		if operator == tree.Less && !wide {
			relation = expr.Less
		}
		l.condition, l.high = c.is(relation, r.high), true
	case tree.Greater, tree.GreaterOrEqual:
		relation := expr.GreaterOrEqual
		if operator == tree.Greater && !wide {
			relation = expr.Greater
		}
		l.condition, l.low = c.is(relation, r.low), true
	default:
		if !wide {
			return c.anyOf([]value.Value{r.low}, r.exact)
		}
		l.condition, l.half = c.betweenCondition(r), false
	}
	return l
}

func (c *column) betweenCondition(r reach) expr.Condition {
	return &expr.Between{X: c.attribute(), Low: &expr.Literal{Value: r.low}, High: &expr.Literal{Value: r.high}}
}

func (m *membership) bind(b *binder) limit {
	var points []value.Value
	var wide []expr.Condition
	exact := true
	for i := range m.values {
		d := b.valueFor(m.column, &m.values[i])
		if d.IsNull() {
			continue
		}
		if m.column.key == schema.Bool {
			return limit{}
		}
		r, ok := m.column.reach(d)
		if !ok {
			return limit{}
		}
		exact = exact && r.exact
		if bytes.Equal(r.low, r.high) {
			points = append(points, r.low)
		} else {
			wide = append(wide, m.column.betweenCondition(r))
		}
	}
	if len(points)+len(wide) == 0 {
		return never()
	}
	points = distinct(points)
	if len(wide) == 0 {
		return one(m.column.anyOf(points, exact))
	}
	for _, v := range points {
		wide = append(wide, m.column.is(expr.Equal, v))
	}
	return one(columnLimit{column: m.column, condition: &expr.Or{List: wide}})
}

// distinct drops values that occur twice. Two kinds of number are one value.
func distinct(values []value.Value) []value.Value {
	if len(values) < 2 {
		return values
	}
	slices.SortFunc(values, func(a, b value.Value) int {
		if order, ok := value.Compare(a, b); ok {
			return order
		}
		return bytes.Compare(a, b)
	})
	return slices.CompactFunc(values, func(a, b value.Value) bool { return value.Equal(a, b) })
}

func (p *pattern) bind(b *binder) limit {
	d := b.value(&p.value)
	if d.IsNull() {
		return never()
	}
	c := p.column
	if d.Kind() != datum.KindText && d.Kind() != datum.KindBinary || c.key != schema.String && c.key != schema.Binary {
		return limit{}
	}
	prefix, rest := prefixOf(d.Bytes(), p.escape)
	encode := value.AppendString
	if c.key == schema.Binary {
		encode = value.AppendBinary
	}
	switch {
	case len(rest) == 0:
		return one(c.anyOf([]value.Value{encode(nil, prefix)}, true))
	case len(prefix) == 0:
		if parts := c.parts(rest, p.escape); parts != nil {
			return one(columnLimit{column: c, condition: parts})
		}
		return limit{}
	}
	starts := &expr.BeginsWith{X: c.attribute(), Prefix: &expr.Literal{Value: encode(nil, prefix)}}
	return one(columnLimit{column: c, condition: starts, exact: string(rest) == "%"})
}

// prefixOf is the text that every text of a pattern begins with, and the pattern from its first wildcard on.
func prefixOf(pattern []byte, escape rune) (prefix, rest []byte) {
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] == '%' || pattern[i] == '_':
			return prefix, pattern[i:]
		case rune(pattern[i]) == escape && i+1 < len(pattern):
			i++
			if pattern[i] != '%' && pattern[i] != '_' && rune(pattern[i]) != escape {
				return prefix, pattern[i-1:] // what this means is left to the matcher
			}
		case pattern[i] >= 0x80 && escape >= 0x80:
			return prefix, pattern[i:]
		}
		prefix = append(prefix, pattern[i])
	}
	return prefix, nil
}

func (m *isNull) bind(*binder) limit {
	c := m.column
	path := c.path()
	list := []expr.Condition{&expr.NotExists{Path: path}}
	if c.sql.Base != datum.JSONBase { // there it is JSON's null
		list = append(list, &expr.HasType{X: &path, Type: value.Null})
	}
	switch {
	case c.original:
	case !c.sure, c.narrow() && !c.dense():
		return limit{} // any value may read as NULL
	case c.narrow():
		least, most := c.bounds()
		list = append(list, c.is(expr.Less, value.AppendInt(nil, least)),
			c.is(expr.Greater, value.AppendInt(nil, most)))
	}
	return one(columnLimit{column: c, condition: &expr.Or{List: list}, exact: true, null: true})
}

func (list all) bind(b *binder) limit {
	whole, boxed := limit{exact: true, halves: true}, false
	var condition expr.Condition
	for _, p := range list {
		l := p.bind(b)
		if l.never {
			return l
		}
		if l.box != nil && !boxed {
			boxed, condition = true, whole.condition()
		}
		if boxed {
			condition = conjunctionOf(condition, l.condition())
		}
		if whole.columns == nil {
			whole.columns = slices.Grow(l.columns, len(list)-1)
		} else {
			whole.columns = append(whole.columns, l.columns...)
		}
		whole.exact, whole.halves = whole.exact && l.exact, whole.halves && (l.exact || l.halves)
	}
	if boxed {
		whole.box = condition
	}
	return whole
}

func (list anyOf) bind(b *binder) limit {
	alternatives := list.bindEach(b, make([]limit, 0, len(list)))
	switch len(alternatives) {
	case 0:
		return never()
	case 1:
		return alternatives[0]
	}
	return join(alternatives)
}

// bindEach appends the limits of the alternatives that may hold, those of nested disjunctions among them.
func (list anyOf) bindEach(b *binder, alternatives []limit) []limit {
	for _, p := range list {
		if nested, ok := p.(anyOf); ok {
			alternatives = nested.bindEach(b, alternatives)
		} else if l := p.bind(b); !l.never {
			alternatives = append(alternatives, l)
			if l.exact && l.columns == nil && l.box == nil {
				break // it holds whatever the others say, which may have no value
			}
		}
	}
	return alternatives
}

// join is the limit of alternatives: for each column that all of them limit, the union.
func join(alternatives []limit) (joined limit) {
	joined.alternatives = alternatives
	for _, first := range alternatives[0].columns {
		if slices.ContainsFunc(joined.columns, func(l columnLimit) bool { return l.column == first.column }) {
			continue
		}
		if l, ok := joinColumn(first.column, alternatives); ok {
			joined.columns = append(joined.columns, l)
		}
	}
	joined.exact = len(joined.columns) == 1 &&
		!slices.ContainsFunc(alternatives, func(a limit) bool { return !a.isOne() })
	if len(joined.columns) == 1 {
		joined.columns[0].exact = joined.exact
	}
	if joined.exact {
		return joined
	}
	boxes := make([]expr.Condition, 0, len(alternatives))
	for i := range alternatives {
		condition := alternatives[i].condition()
		if condition == nil {
			return limit{} // an alternative of which nothing is known
		}
		boxes = append(boxes, condition)
	}
	if len(boxes) <= alternativesMax {
		joined.box = &expr.Or{List: boxes}
	}
	return joined
}

// isOne reports whether the limit is exactly what it says of one column: a condition, or the two ends of a range.
func (l *limit) isOne() bool {
	switch len(l.columns) {
	case 1:
		return l.exact && l.columns[0].exact
	case 2:
		a, b := &l.columns[0], &l.columns[1]
		return (l.exact || l.halves) && a.column == b.column && (a.low && b.high || a.high && b.low)
	}
	return false
}

// condition is all that a limit says; nil: nothing.
func (l *limit) condition() expr.Condition {
	if l.box != nil {
		return l.box
	}
	if len(l.columns) == 1 {
		return l.columns[0].condition
	}
	list := make([]expr.Condition, 0, len(l.columns))
	for i := range l.columns {
		list = append(list, l.columns[i].condition)
	}
	return expr.Conjunction(list...)
}

// conjunctionOf returns the limit that holds if both do; nil is no limit.
func conjunctionOf(a, b expr.Condition) expr.Condition {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &expr.And{List: []expr.Condition{a, b}}
}

// joinColumn is the union of the alternatives' conditions on one column.
func joinColumn(c *column, alternatives []limit) (l columnLimit, ok bool) {
	l = columnLimit{column: c, isPoints: true}
	list := make([]expr.Condition, 0, len(alternatives))
	for i := range alternatives {
		condition, points, isPoints := alternatives[i].of(c)
		if condition == nil {
			return l, false
		}
		list = append(list, condition)
		l.isPoints = l.isPoints && isPoints
		l.points = append(l.points, points...)
	}
	if l.isPoints {
		return c.anyOf(distinct(l.points), false), true
	}
	l.points, l.condition = nil, &expr.Or{List: list}
	return l, true
}

// of returns a limit's bounds on a column: single values if it has them, else the two ends of a range, else its first
// bound.
func (l *limit) of(c *column) (condition expr.Condition, points []value.Value, isPoints bool) {
	var low, high, first *columnLimit
	for i := range l.columns {
		one := &l.columns[i]
		switch {
		case one.column != c:
			continue
		case one.isPoints:
			return one.condition, slices.Clone(one.points), true
		case one.low && low == nil:
			low = one
		case one.high && high == nil:
			high = one
		}
		first = cmp.Or(first, one)
	}
	switch {
	case low != nil && high != nil:
		ends := &struct {
			both expr.And
			list [2]expr.Condition
		}{list: [2]expr.Condition{low.condition, high.condition}} // in one piece
		ends.both.List = ends.list[:]
		return &ends.both, nil, false
	case first != nil:
		return first.condition, nil, false
	}
	return nil, nil, false
}
