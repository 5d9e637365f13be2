// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"github.com/weftdb/weft"
)

// Ordering is one column that rows are ordered by.
type Ordering struct {
	Column     string
	Descending bool
}

// served says whether walking an index gives rows in a wanted order, and whether backwards. fixed says of a column that all rows have one value
// in it.
func served(table *weft.Descriptor, x *weft.Index, wanted []Ordering, fixed func(column string) bool) (ok, reverse bool) {
	if isFixed := func(o Ordering) bool { return fixed(o.Column) }; slices.ContainsFunc(wanted, isFixed) {
		wanted = slices.DeleteFunc(slices.Clone(wanted), isFixed)
	}
	if len(wanted) == 0 {
		return true, false
	}
	parts := x.Key
	if !x.IsPrimary() {
		parts = slices.Concat(x.Key, table.Primary.Key)
	}
	matched := 0
	for i := range parts {
		p := &parts[i]
		column := p.Column()
		switch {
		case matched == len(wanted):
			return true, reverse
		case p.Hidden || p.Computed():
			if !allFixed(table, x, p, fixed) {
				return false, false
			}
		case fixed(column), slices.ContainsFunc(wanted[:matched], func(o Ordering) bool { return o.Column == column }):
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

// allFixed says whether a computed part has one value in all rows.
func allFixed(table *weft.Descriptor, x *weft.Index, p *weft.KeyPart, fixed func(string) bool) bool {
	if p.Hidden {
		for _, partition := range x.Partition() {
			if column := partition.Column(); column == "" || !fixed(column) {
				return false
			}
		}
		return true
	}
	for i := range p.Args {
		column := p.Args[i].Column
		if column == "" || fixed(column) {
			continue
		}
		if inner := partNamed(table, x, column); inner == nil || !allFixed(table, x, inner, fixed) {
			return false
		}
	}
	return true
}

// partNamed is the computed part of that name that another one is computed from.
func partNamed(table *weft.Descriptor, x *weft.Index, name string) *weft.KeyPart {
	for i := range x.Key {
		if p := &x.Key[i]; p.Name == name && p.Computed() && !p.Hidden {
			return p
		}
	}
	return nil
}

// prefix is the wanted order that groups of equal columns need: any direction serves.
func groupsTogether(table *weft.Descriptor, x *weft.Index, columns []string, fixed func(string) bool) bool {
	left := map[string]bool{}
	for _, c := range columns {
		if !fixed(c) {
			left[c] = true
		}
	}
	parts := x.Key
	if !x.IsPrimary() {
		parts = slices.Concat(x.Key, table.Primary.Key)
	}
	for i := range parts {
		p := &parts[i]
		switch {
		case len(left) == 0:
			return true
		case p.Hidden || p.Computed():
			if !allFixed(table, x, p, fixed) {
				return false
			}
		case left[p.Column()]:
			delete(left, p.Column())
		case !fixed(p.Column()) && !slices.Contains(columns, p.Column()):
			return false
		}
	}
	return len(left) == 0
}
