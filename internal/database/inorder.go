// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
)

// Query walks the table or an index at one snapshot. The cursor must be closed; schema changes wait for it.
func (t *Table) Query(ctx context.Context, q Query) (*Cursor, error) {
	p, err := t.Pin()
	if err != nil {
		return nil, err
	}
	var c *Cursor
	if err = p.inOrder(&q); err == nil {
		c, err = p.Query(ctx, q)
	}
	if err != nil {
		p.Release()
		return nil, err
	}
	c.owned = true
	return c, nil
}

// inOrder makes a Query with Order one that walks in this order, or refuses it.
func (p Pinned) inOrder(q *Query) error {
	if len(q.Order) == 0 {
		return nil
	}
	if q.Near != nil || q.Search != nil && !q.Search.KeyOrder {
		return invalid(p.name(), "a query by distance or by words has an order of its own: leave Order out")
	}
	plan, err := p.Plan(*q)
	if err == nil && !plan.Sorted && q.AnyIndex {
		plan = p.sorted(q, plan)
	}
	if err != nil {
		return err
	}
	if !plan.Sorted {
		return invalid(p.name(), "no index has the items in this order: add one whose key holds the attributes that Where binds, and behind them %s; or name such an index, or set AnyIndex", orderText(q.Order))
	}
	q.Plan, q.Reverse = &plan, plan.Backwards
	return nil
}

// sorted is the cheapest plan that gives items in the order of q, which is made to name its index; other if there is
// none.
func (p Pinned) sorted(q *Query, other Plan) Plan {
	best, named := other, *q
	named.AnyIndex, named.Fetch = false, true
	compare := func(index string) {
		named.Index = index
		if plan, err := p.Plan(named); err == nil && plan.Sorted && (!best.Sorted || plan.Cost < best.Cost) {
			best, *q = plan, named
		}
	}
	compare("") // the table itself
	for x := range p.Descriptor().Declared() {
		compare(x.Name)
	}
	return best
}

func orderText(list []Ordering) string {
	texts := make([]string, len(list))
	for i, o := range list {
		if texts[i] = o.Column; o.Descending {
			texts[i] = "desc(" + o.Column + ")"
		}
	}
	return strings.Join(texts, ", ")
}

// Indexes returns a copy of the descriptions of the table's indexes.
func (t *Table) Indexes() ([]schema.Index, error) {
	p, err := t.Pin()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	var indexes []schema.Index
	for x := range p.Descriptor().Declared() {
		indexes = append(indexes, *x)
	}
	return indexes, nil
}
