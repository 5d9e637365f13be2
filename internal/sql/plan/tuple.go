// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/tree"
)

// alternativesMax is the number of alternatives of a condition that are planned one by one; with more, the columns are.
// It is what package access looks at, and the default of multi_get_keys_max.
const alternativesMax = 2000

// bind returns the tuples as alternatives, and the values of each column on its own.
func (t *tuples) bind(b *binder) limit {
	var l limit
	points := make([][]value.Value, len(t.columns))
	seen := map[string]bool{}
	var alternatives []expr.Condition
	for _, row := range t.rows {
		one, state := t.one(b, row)
		if state == tupleUnknown {
			return limit{}
		}
		if state == tupleNever {
			continue
		}
		var key strings.Builder
		var conditions []expr.Condition
		for i := range one {
			points[i] = append(points[i], one[i].points[0])
			conditions = append(conditions, one[i].condition)
			key.Write(one[i].points[0])
			key.WriteByte(0xFF)
		}
		if !seen[key.String()] {
			seen[key.String()] = true
			alternatives = append(alternatives, expr.Conjunction(conditions...))
		}
	}
	if len(alternatives) == 0 {
		return never()
	}
	for i, c := range t.columns {
		l.columns = append(l.columns, c.anyOf(distinct(points[i]), false))
	}
	l.tuples = len(alternatives)
	if len(alternatives) == 1 {
		l.box = alternatives[0]
	} else if len(alternatives) <= alternativesMax {
		l.box = &expr.Or{List: alternatives}
	}
	return l
}

type tupleState uint8

const (
	tupleFound tupleState = iota
	tupleNever
	tupleUnknown
)

// one is a tuple of single values.
func (t *tuples) one(b *binder, row []constant) (list []columnLimit, state tupleState) {
	for i := range row {
		l := t.columns[i].compare(tree.Equal, b.valueFor(t.columns[i], &row[i]))
		switch {
		case l.never:
			return nil, tupleNever
		case len(l.columns) != 1 || !l.columns[0].isPoints || len(l.columns[0].points) != 1:
			return nil, tupleUnknown
		}
		list = append(list, l.columns[0])
	}
	return list, tupleFound
}

// bind returns (a > x), (a = x, b > y), .. and with equality (a = x, b = y) as alternatives, and the relation of the
// first column on its own.
func (a *after) bind(b *binder) limit {
	strict, loose := tree.Greater, tree.GreaterOrEqual
	if a.operator == tree.Less || a.operator == tree.LessOrEqual {
		strict, loose = tree.Less, tree.LessOrEqual
	}
	first := b.valueFor(a.columns[0], &a.values[0])
	if first.IsNull() {
		return never()
	}
	l := a.columns[0].compare(loose, first)
	l.exact, l.halves = false, false
	for i := range l.columns {
		l.columns[i].exact = false
	}
	if list := a.alternatives(b, strict); len(list) > 1 {
		l.box = &expr.Or{List: list}
	}
	return l
}

func (a *after) alternatives(b *binder, strict tree.Operator) (list []expr.Condition) {
	var equal []expr.Condition
	with := func(c ...expr.Condition) expr.Condition {
		return expr.Conjunction(append(append([]expr.Condition{}, equal...), c...)...)
	}
	for i, c := range a.columns {
		if c == nil {
			// No key has the column: what remains is judged row by row, where all before are equal.
			return append(list, with())
		}
		d := b.valueFor(c, &a.values[i])
		if d.IsNull() {
			return list // no relation to NULL is TRUE
		}
		beyond, same := c.compare(strict, d), c.compare(tree.Equal, d)
		if len(beyond.columns) != 1 || len(same.columns) != 1 || !same.columns[0].isPoints {
			if i == 0 {
				return nil
			}
			return append(list, with())
		}
		list = append(list, with(beyond.columns[0].condition))
		equal = append(equal, same.columns[0].condition)
	}
	if a.operator == tree.GreaterOrEqual || a.operator == tree.LessOrEqual {
		list = append(list, with())
	}
	return list
}
