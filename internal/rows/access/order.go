// SPDX-License-Identifier: Apache-2.0

package access

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// Ordering is one column of the requested order of rows.
type Ordering struct {
	Column     string
	Descending bool
}

// isFixed reports whether all rows that meet the condition have one value in a column.
func (c *chooser) isFixed(column string) bool {
	return slices.ContainsFunc(c.conjuncts, func(one conjunct) bool {
		b := &one.constraint.bound
		return one.constrained && one.constraint.name == column &&
			(b.Kind == indexkey.Equal || b.Kind == indexkey.In) && len(b.Values) == 1
	})
}

// serves reports whether walking x gives rows in the wanted order, and whether backwards.
func (c *chooser) serves(x *schema.Index) (ok, reverse bool) {
	wanted := c.query.Order
	if fixed := func(o Ordering) bool { return c.isFixed(o.Column) }; slices.ContainsFunc(wanted, fixed) {
		wanted = slices.DeleteFunc(slices.Clone(wanted), fixed)
	}
	if len(wanted) == 0 {
		return true, false
	}
	matched, parts := 0, c.wholeKey(x)
	for i := range parts {
		p := &parts[i]
		column := p.Column()
		switch {
		case matched == len(wanted):
			return true, reverse
		case p.Hidden || p.Computed():
			if !c.areFixed(x, p) {
				return false, false
			}
		case c.isFixed(column), slices.ContainsFunc(wanted[:matched],
			func(o Ordering) bool { return o.Column == column }):
		case wanted[matched].Column != column:
			return false, false
		default:
			backwards := p.Descending != wanted[matched].Descending
			if matched > 0 && backwards != reverse {
				return false, false
			}
			reverse = backwards
			matched++
		}
	}
	return true, reverse // the whole key stands before what is left: no two rows are alike in it
}

// wholeKey is the key of an index's entries: that of the index, then the primary one.
func (c *chooser) wholeKey(x *schema.Index) []schema.KeyPart {
	if x.IsPrimary() {
		return x.Key
	}
	return slices.Concat(x.Key, c.table.Primary.Key)
}

// areFixed reports whether a computed part has one value in all rows.
func (c *chooser) areFixed(x *schema.Index, p *schema.KeyPart) bool {
	if p.Hidden {
		return !slices.ContainsFunc(x.Partition(),
			func(p schema.KeyPart) bool { return p.Column() == "" || !c.isFixed(p.Column()) })
	}
	for i := range p.Args {
		column := p.Args[i].Column
		if column == "" || c.isFixed(column) {
			continue
		}
		inner := slices.IndexFunc(x.Key,
			func(q schema.KeyPart) bool { return q.Name == column && q.Computed() && !q.Hidden })
		if inner < 0 || !c.areFixed(x, &x.Key[inner]) {
			return false
		}
	}
	return true
}

// Together reports whether rows that are equal in some columns stand one after the other on the path.
func (p *Path) Together(columns []string) bool {
	c, left := p.chooser, map[string]bool{}
	for _, column := range columns {
		if !c.isFixed(column) {
			left[column] = true
		}
	}
	parts := c.wholeKey(p.Index)
	for i := range parts {
		part := &parts[i]
		switch column := part.Column(); {
		case len(left) == 0:
			return true
		case part.Hidden || part.Computed():
			if !c.areFixed(p.Index, part) {
				return false
			}
		case left[column]:
			delete(left, column)
		case !c.isFixed(column) && !slices.Contains(columns, column):
			return false
		}
	}
	return len(left) == 0
}
