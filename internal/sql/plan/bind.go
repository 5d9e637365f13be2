// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Execution holds the inputs of one execution.
type Execution struct {
	// Pinned is the version of the table that the statement was compiled for.
	Pinned database.Pinned
	// Context holds the parameters and the clock.
	Context  *evaluate.Context
	Settings Settings
	// Explain is set where nothing will be read: all accesses are walks that can be described, and inefficient ones are
	// marked, not refused.
	Explain bool
}

// Need says how many of a source's rows are needed and in which order.
type Need struct {
	Order []database.Ordering
	// Group are the columns whose equal values should stand together.
	Group []string
	// RowsMax is the number of rows that are wanted; negative: all.
	RowsMax int
	// AnyOrder says that it does not matter in which order rows come where no Order is wanted. Else it is that of the
	// key, or of the index that WHERE bounds.
	AnyOrder bool
	// Whole asks for all attributes of the rows, not just the slots.
	Whole bool
	// near is the distance that rows are wanted in the order of; nil: another order.
	near *nearOrder
	// ranked is the conjunct by whose scores rows are wanted, the best first, counted from 1; 0: another order.
	ranked   int
	rankedBy *constant // the query that must be that of the conjunct; nil: any
	// position is the place to go on, on the index that it names; nil: the beginning.
	position []byte
}

// constant is an expression with one value in an execution.
type constant struct {
	value     datum.Datum
	parameter int               // from 1; 0: none
	program   *evaluate.Program // nil: none
}

// binder is the work of Bind.
type binder struct {
	context *evaluate.Context
	err     error
}

func (b *binder) value(c *constant) datum.Datum {
	switch {
	case c.parameter > 0:
		if c.parameter > len(b.context.Parameters) {
			return datum.Null
		}
		return b.context.Parameters[c.parameter-1]
	case c.program != nil:
		d, err := c.program.Value(b.context)
		if err != nil && b.err == nil {
			b.err = err
		}
		return d
	}
	return c.value
}

// isSame reports whether two constants have the same text in the execution.
func (b *binder) isSame(x, y *constant) bool {
	one, other := b.value(x), b.value(y)
	return one.IsNull() == other.IsNull() && string(b.context.TextOf(one)) == string(b.context.TextOf(other))
}

// valueFor is value, in the form in which a column's rows hold it: an instant, if clocks of other zones show other
// times.
func (b *binder) valueFor(column *column, c *constant) datum.Datum {
	d := b.value(c)
	if column.sql.IsTemporal() {
		d = b.context.Written(d)
	}
	if column.sql.Variety == datum.Zoned {
		return b.context.Instant(d)
	}
	return d
}

// constant compiles an expression without columns.
func (s *Source) constant(e tree.Expression) (c constant, ok bool) {
	switch e := e.(type) {
	case *tree.Literal:
		return constant{value: e.Value}, true
	case *tree.Parameter:
		return constant{parameter: e.Index + 1}, true
	}
	if !IsConstant(e) {
		return c, false
	}
	program, err := evaluate.Compile(e, s.scope("where clause"))
	return constant{program: program}, err == nil
}

// Bind finds how the rows of an execution are reached. Errors: refusals (8008), 1176, and those of expressions and of
// package database.
func (s *Source) Bind(x *Execution, need *Need, access *Access) error {
	*access = Access{Sorted: true, Grouped: true, builder: access.builder, key: access.key, value: access.value,
		residual: access.residual}
	b := binder{context: x.Context}
	if s.point != nil && s.hints.cells == nil && !x.Explain && s.bindPoint(&b, x.Pinned, access) {
		return cmp.Or(b.err, access.goOn(x.Pinned, need.position))
	}
	settings := x.Settings.WithDefaults()
	if x.Explain {
		settings.Inefficient = WarnInefficient
	}
	c := chooser{source: s, force: s.hints.force, pinned: x.Pinned, settings: &settings, wanted: need.Order,
		groups: need.Group, rowsMax: need.RowsMax, anyOrder: need.AnyOrder, parameters: x.Context.Parameters,
		ranked: need.ranked - 1, session: x.Context.Session}
	c.limits = make([]limit, len(s.predicates))
	for i, p := range s.predicates {
		if c.limits[i] = p.bind(&b); c.limits[i].never && b.err == nil {
			break // nothing is found whatever the others say, which may have no value
		}
	}
	if b.err != nil {
		return b.err
	}
	if !need.Whole {
		c.columns = s.names
		if c.columns == nil {
			c.columns = []string{}
		}
	}
	if need.rankedBy != nil && c.ranked >= 0 && !b.isSame(need.rankedBy, &s.predicates[c.ranked].(*matches).against) {
		c.ranked = -1
	}
	if need.near != nil {
		c.near = need.near.bind(&b, need.RowsMax)
	}
	if b.err != nil {
		return b.err
	}
	c.judged = s.observedCondition(x)
	if need.position != nil {
		at, err := x.Pinned.IndexAt(need.position)
		if err != nil {
			return wrongCursor("it names no place in this table, or on an index that is gone")
		}
		c.force = []string{at}
	}
	if err := c.choose(access); err != nil {
		return err
	}
	return access.goOn(x.Pinned, need.position)
}

// Point is the key of the only row that can match, where WHERE is an equality on the whole key; nil: it is none. access
// is scratch, in which the key stands.
func (s *Source) Point(x *Execution, access *Access) value.Row {
	b := binder{context: x.Context}
	access.Point = nil
	if s.point == nil || s.hints.cells != nil || !s.bindPoint(&b, x.Pinned, access) || b.err != nil {
		return nil
	}
	return access.Point
}

// bindPoint makes the key of the only row that can match. It returns false if the row has to be found another way.
func (s *Source) bindPoint(b *binder, pinned database.Pinned, access *Access) bool {
	p := s.point
	residual := append(access.residual[:0], p.rest...)
	access.builder.Reset(pinned.Names())
	for i, c := range p.columns {
		d := b.valueFor(c, &p.values[i])
		if d.IsNull() {
			access.Class, access.Residual = Nothing, nil
			return true
		}
		v, exact, ok := c.appendStored(access.value[:0], d)
		if !ok {
			return false
		}
		if !exact {
			residual = append(residual, p.conjuncts[i])
		}
		access.value = v
		if err := access.builder.Set(p.names[i], v); err != nil {
			return false
		}
	}
	access.key = access.builder.AppendTo(access.key[:0])
	access.Class, access.Keys, access.Point = Get, 1, value.Row(access.key)
	access.Residual, access.residual = residual, residual
	return true
}

// appendStored appends the one stored value of the column that equals d, if there is just one, in the form in which
// rows hold it.
func (c *column) appendStored(dst []byte, d datum.Datum) (v value.Value, exact, ok bool) {
	switch {
	case d.Kind() == datum.KindText && c.key == schema.String:
		return value.AppendString(dst, d.Bytes()), true, true
	case d.Kind() == datum.KindInt && c.sql.Base == datum.BigInt && c.key == schema.Int:
		return value.AppendInt(dst, d.Int()), true, true
	case c.key == schema.Timestamp && d.Kind() == datum.KindTimestamp && d.Int()%c.sql.TimeUnit() == 0 &&
		c.fits(d.Int()/c.sql.TimeUnit()):
		return value.AppendTimestamp(dst, d.Int()/c.sql.TimeUnit()), true, true
	}
	l := c.compare(tree.Equal, d)
	if l.never || len(l.columns) != 1 || !l.columns[0].isPoints || len(l.columns[0].points) != 1 {
		return nil, false, false
	}
	v = l.columns[0].points[0]
	if !c.holds(v.Kind()) {
		return nil, false, false // such as 1.5 for a column of integers: nothing equals it
	}
	return append(dst, v...), l.exact, true
}

// holds reports whether the column stores values of a kind.
func (c *column) holds(kind value.Kind) bool {
	declared, ok := kindOf(c.key)
	return ok && kind == declared
}
