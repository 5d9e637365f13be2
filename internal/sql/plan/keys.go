// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"github.com/weftdb/weft/internal/data/value"
)

// keysMax is the number at which counting keys ends: beyond any setting.
const keysMax = 1 << 40

// keys is the number of whole primary keys the conditions name; ok is false if they don't name whole ones.
func (c *chooser) keys() (n int, ok bool) {
	n, ok = c.product(1, nil)
	for i := range c.limits {
		tuples, columns := c.tuples(&c.limits[i])
		if planned := tuples <= alternativesMax || tuples > c.settings.MultiGetKeysMax; tuples > 0 && planned {
			if fewer, whole := c.product(tuples, columns); whole {
				n, ok = min(n, fewer), true
			}
		}
	}
	return n, ok
}

// product is the number of keys if n tuples of some columns go with every value of each other column. Without ok it is
// keysMax.
func (c *chooser) product(n int, tuple []string) (keys int, ok bool) {
	primary := &c.source.Table.Descriptor.Primary
	for i := range primary.Key {
		p := &primary.Key[i]
		column := p.Column()
		if p.Hidden || column == "" && c.argumentsBound(primary, p) || slices.Contains(tuple, column) {
			continue
		}
		count, bound := c.points[column]
		if !bound {
			return keysMax, false
		}
		n = min(n*max(count, 1), keysMax)
	}
	return n, true
}

// tuples is the number of tuples of values of columns of the primary key a limit names, and those columns; 0 if it does
// not.
func (c *chooser) tuples(l *limit) (n int, columns []string) {
	if l.tuples > 0 {
		for i := range l.columns {
			if !c.source.isPrimary(l.columns[i].column.name) {
				return 0, nil
			}
			columns = append(columns, l.columns[i].column.name)
		}
		return l.tuples, columns
	}
	for i := range l.columns {
		if one := &l.columns[i]; one.isPoints && c.source.isPrimary(one.column.name) {
			columns = append(columns, one.column.name)
		}
	}
	if len(l.alternatives) == 0 || len(columns) < 2 {
		return 0, nil
	}
	return tuplesOf(l.alternatives, columns), columns
}

// tuplesOf is the number of tuples of columns in alternatives that each name values of all of them.
func tuplesOf(alternatives []limit, columns []string) (n int) {
	seen := map[string]bool{}
	for i := range alternatives {
		tuples, single := 1, ""
		for _, column := range columns {
			points := alternatives[i].pointsOf(column)
			tuples = min(tuples*max(len(points), 1), keysMax)
			for _, v := range points {
				single += string(v) + "\xff"
			}
		}
		if tuples > 1 {
			n = min(n+tuples, keysMax)
		} else if !seen[single] {
			seen[single] = true
			n++
		}
	}
	return n
}

// pointsOf are the values that a limit says a column may have.
func (l *limit) pointsOf(column string) []value.Value {
	for i := range l.columns {
		if one := &l.columns[i]; one.isPoints && one.column.name == column {
			return one.points
		}
	}
	return nil
}
