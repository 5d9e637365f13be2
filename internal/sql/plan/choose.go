// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/sql/fault"
)

// ignoredIndexes are the indexes that may not be used.
func (c *chooser) ignoredIndexes() []string {
	h := &c.source.hints
	if !h.ignoreAll && len(h.force) == 0 {
		return h.ignore
	}
	var names []string
	for x := range c.source.Table.Descriptor.Declared() {
		if h.ignoreAll || slices.Contains(h.ignore, x.Name) || len(h.force) > 0 && !slices.Contains(h.force, x.Name) {
			names = append(names, x.Name)
		}
	}
	return names
}

// planBest finds the cheapest plan. bounds says that some plan reads a part of its index only.
func (c *chooser) planBest(query *database.Query) (best database.Plan, bounds bool, err error) {
	if len(c.force) > 0 {
		return c.planForced(query, c.force)
	}
	best, err = c.pinned.Plan(*query)
	if err != nil {
		return best, false, err
	}
	bounds = best.Bounds
	if len(c.wanted) == 0 && best.Class == access.Full && !best.Index.IsPrimary() && !c.anyOrder {
		// No condition has led to the index: rows come as the key orders them.
		query.AnyIndex, query.Index, query.Fetch = false, "", true
		best, err = c.pinned.Plan(*query)
	}
	return best, bounds, err
}

// planForced uses one of some indexes, if it holds all rows that are asked for. Errors: 1176, and 8008 if none does.
func (c *chooser) planForced(query *database.Query, force []string) (best database.Plan, bounds bool, err error) {
	var why string
	found := false
	for _, name := range force {
		if _, ok := c.source.Table.Descriptor.Index(name); !ok {
			return best, false, c.source.Table.UnknownIndex(fault.NoSuchIndex, name)
		}
		other := *query
		other.Index, other.Ignore = name, nil
		if objection := c.objection(&other); objection != "" {
			why = cmp.Or(why, "index '"+name+"' of table '"+c.source.Table.Name+"' can't serve this statement: "+
				objection+", or don't name the index")
			continue
		}
		other.AnyIndex, other.Fetch = false, true
		plan, err := c.pinned.Plan(other)
		if errors.Is(err, access.ErrNoField) {
			why = cmp.Or(why, "index '"+name+"' of table '"+c.source.Table.Name+
				"' finds words and values: compare one of its columns, or don't name the index")
			continue
		}
		if err != nil {
			return best, false, err
		}
		bounds = bounds || plan.Bounds
		if !found || plan.Cost < best.Cost {
			best, *query, found = plan, other, true
		}
	}
	if !found {
		return best, false, fault.New(fault.Refused, why)
	}
	return best, bounds, nil
}

// objection is why the index that a query names can't serve; "" if it can.
func (c *chooser) objection(query *database.Query) string {
	for _, x := range c.pinned.Unusable(*query) {
		if x.Index == query.Index {
			return x.Why
		}
	}
	return ""
}
