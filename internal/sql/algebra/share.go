// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"github.com/weftdb/weft/internal/sql/tree"
)

// Shares of rows that conditions are expected to accept where nothing is known of the columns.
const (
	rest       = 0.3 // a range, and whatever else
	equalShare = 0.1
)

// share is the share of rows that a condition is expected to accept. list has further conditions that hold.
func (r *region) share(e tree.Expression, list []condition) float64 {
	switch e := e.(type) {
	case *tree.Binary:
		switch e.Operator {
		case tree.And:
			return r.share(e.Left, list) * r.share(e.Right, list)
		case tree.Or:
			return 1 - (1-r.share(e.Left, list))*(1-r.share(e.Right, list))
		case tree.Equal, tree.NullSafeEqual:
			return r.equals(e, list)
		case tree.NotEqual:
			return 1 - r.equals(e, list)
		}
	case *tree.Unary:
		if e.Operator == tree.Not {
			return 1 - r.share(e.X, list)
		}
	case *tree.In:
		share := min(0.5, equalShare*float64(len(e.List)))
		if e.Not {
			return 1 - share
		}
		return share
	case *tree.Like:
		if e.Not {
			return 1 - equalShare
		}
		return equalShare
	}
	return rest
}

func (r *region) equals(e *tree.Binary, list []condition) float64 {
	share := equalShare
	for _, side := range [...]tree.Expression{e.Left, e.Right} {
		if c, ok := side.(*tree.Column); ok {
			if n := r.distinct(c, list); n > 0 {
				share = min(share, 1/n)
			}
		}
	}
	return share
}

// distinct is about the number of values a column has: those of the smallest key that it is compared with, or that it
// is; 0: not known.
func (r *region) distinct(c *tree.Column, list []condition) (n float64) {
	n = r.keys(c)
	for _, conditions := range [...][]condition{r.conditions, list} {
		for _, one := range conditions {
			b, ok := one.e.(*tree.Binary)
			if !ok || b.Operator != tree.Equal {
				continue
			}
			x, isX := b.Left.(*tree.Column)
			y, isY := b.Right.(*tree.Column)
			if !isX || !isY {
				continue
			}
			if y.Table == c.Table && y.Name == c.Name {
				x, y = y, x
			}
			if x.Table != c.Table || x.Name != c.Name {
				continue
			}
			if keys := r.keys(y); keys > 0 && (n == 0 || keys < n) {
				n = keys
			}
		}
	}
	return n
}

// keys is the number of rows the table has whose whole key a column is; 0: none.
func (s *scope) keys(c *tree.Column) float64 {
	l := s.leafOf(c)
	if l == nil || l.table == nil {
		return 0
	}
	if key := l.table.Descriptor.Primary.Visible(); len(key) != 1 || key[0].Column() != c.Name {
		return 0
	}
	return l.entries()
}

// matches is the share of all pairs of rows of two sides that equalities accept. Of columns that are not known, the
// larger side has as many values as rows.
func (r *region) matches(list []condition, larger float64) float64 {
	share, known := 1.0, map[float64]bool{}
	for _, c := range list {
		b, ok := c.e.(*tree.Binary)
		if !ok || b.Operator != tree.Equal {
			continue
		}
		column, ok := b.Left.(*tree.Column)
		if !ok {
			continue
		}
		if n := r.distinct(column, list); n > 0 && !known[n] { // the same number twice: columns that are all equal
			share, known[n] = share/n, true
		}
	}
	if len(known) == 0 {
		return 1 / larger
	}
	return share
}
