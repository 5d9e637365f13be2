// SPDX-License-Identifier: Apache-2.0

package access

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/zorder/codec"
)

// Unusable is an index that has a column of a query's condition but can't answer the query, with the reason.
type Unusable struct{ Index, Why string }

// FindUnusable lists the indexes that can't answer a query, of those that have a column of its condition or that the
// query names.
func FindUnusable(t *schema.Table, q Query, s Statistics) (list []Unusable) {
	c := newChooser(t, &q, s)
	for _, x := range c.all[1:] {
		if why := c.objection(x); why != "" && (x.Name == q.Index || c.concerns(x)) {
			list = append(list, Unusable{x.Name, why})
		}
	}
	return list
}

// concerns reports whether a condition is on a column of x.
func (c *chooser) concerns(x *schema.Index) bool {
	return slices.ContainsFunc(c.conjuncts,
		func(one conjunct) bool { return one.constrained && isIn(x, one.constraint.name) }) ||
		slices.ContainsFunc(c.disjunctions, func(d disjunction) bool { return allName(d.branches, x) })
}

// objection is why x can't answer; "" if it can.
func (c *chooser) objection(x *schema.Index) string {
	switch {
	case !x.State.Readable():
		return "it is " + x.State.String() + "; wait until it is active"
	case slices.Contains(c.query.Ignore, x.Name):
		return "the query excludes it"
	case !c.holdsAll(x):
		return c.lacks(x)
	}
	return ""
}

// lacks says which rows x may have no entry for.
func (c *chooser) lacks(x *schema.Index) string {
	complete := c.statistics.Indexes[x.ID].Complete
	for i := range x.Visible() {
		p := &x.Visible()[i]
		if c.holdsPart(x, i, complete) {
			continue
		}
		for j := range p.Args {
			column := p.Args[j].Column
			curved := p.Function == schema.ZOrder && p.Curve.Codecs[j].Attribute().Nulls == codec.NullsFirst && complete
			if column != "" && !curved && len(c.bounds(column)) == 0 {
				return "it has no entry for rows without a value of " + column +
					", which the condition does not rule out; bind " + column + " by =, IN or a range"
			}
		}
		return "it may have no entry for rows whose values of " + p.Name +
			" can't be its keys, which the condition does not rule out"
	}
	return "it does not contain all rows"
}
