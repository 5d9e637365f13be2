// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"slices"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/sql/fault"
)

// ignored are the indexes that may not be used.
func (c *chooser) ignored() []string {
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

// planBest finds the cheapest plan.
func (c *chooser) planBest(query *weft.Query) (weft.Plan, error) {
	if force := c.source.hints.force; len(force) > 0 {
		return c.planForced(query, force)
	}
	best, err := c.pinned.Plan(*query)
	if err != nil {
		return best, err
	}
	if len(c.wanted) == 0 && best.Kind == weft.PlanFull && !best.Index.IsPrimary() && !c.anyOrder {
		// No condition has led to the index: rows come as the key orders them.
		query.AnyIndex, query.Index, query.Fetch = false, "", true
		return c.pinned.Plan(*query)
	}
	return best, nil
}

func isComplete(x *weft.Index) bool {
	return x.State == schema.Active && x.KeepNulls && !x.Partial && !x.Lenient
}

// planForced uses one of some indexes, if it holds all rows that are asked for.
func (c *chooser) planForced(query *weft.Query, force []string) (best weft.Plan, err error) {
	table := c.source.Table.Descriptor
	found := false
	for _, name := range force {
		x, ok := table.Index(name)
		if !ok {
			return best, fault.New(fault.NoSuchIndex, name, c.source.Table.Name)
		}
		other := *query
		other.AnyIndex, other.Index, other.Fetch = false, name, true
		if !x.IsPrimary() && !isComplete(x) {
			other = *query // whether it has all rows that are wanted depends on the condition
		}
		plan, err := c.pinned.Plan(other)
		if err != nil {
			if isBusy(err) {
				continue
			}
			return best, err
		}
		if !found || plan.Cost < best.Cost {
			best, *query, found = plan, other, true
		}
	}
	if !found {
		return c.pinned.Plan(*query)
	}
	return best, nil
}

func isBusy(err error) bool {
	failed, ok := errors.AsType[*weft.Error](err)
	return ok && failed.Kind == weft.KindBusy
}
