// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

// Put stores an item, replacing one with the same key. If conditions are given, all must be true of the item as it was;
// otherwise the error is of KindConditionFailed.
func (t *Table) Put(ctx context.Context, item Document, conditions ...expr.Condition) error {
	_, err := t.WriteDocument(ctx, item, &Write{Op: OpPut, Condition: govalue.All(conditions...)})
	return err
}

// Delete removes the item with the given key; an absent one is no error.
func (t *Table) Delete(ctx context.Context, key Document, conditions ...expr.Condition) error {
	_, err := t.WriteDocument(ctx, key, &Write{Op: OpDelete, Condition: govalue.All(conditions...)})
	return err
}

// Update changes the item with the given key, making one if there is none, and returns it as it is then.
func (t *Table) Update(ctx context.Context, key Document, update *expr.Update, conditions ...expr.Condition) (Item,
	error) {
	return t.WriteDocument(ctx, key, &Write{Op: OpUpdate, Update: update, Condition: govalue.All(conditions...),
		NeedNew: true})
}

// WriteDocument does a write whose Row is given as a Document, and returns the item as it is then if w.NeedNew is set.
func (t *Table) WriteDocument(ctx context.Context, document Document, w *Write) (Item, error) {
	p, err := t.Pin()
	if err != nil {
		return Item{}, err
	}
	defer p.Release()
	if w.Row, err = document.AppendRow(nil, p.Names()); err != nil {
		return Item{}, err
	}
	var result WriteResult
	if err := p.Write(ctx, w, &result); err != nil || !w.NeedNew {
		return Item{}, err
	}
	return t.item(result.New)
}

func (t *Table) item(row value.Row) (Item, error) {
	p, err := t.Pin() // the write may have given names numbers
	if err != nil {
		return Item{}, err
	}
	defer p.Release()
	return Item{Row: row, Names: p.Names()}, nil
}

// Get returns the item with the given key; ok is false if there is none.
func (t *Table) Get(ctx context.Context, key Document) (item Item, ok bool, err error) {
	p, err := t.Pin()
	if err != nil {
		return Item{}, false, err
	}
	defer p.Release()
	row, err := key.AppendRow(nil, p.Names())
	if err != nil {
		return Item{}, false, err
	}
	found, ok, err := p.Get(ctx, row, nil)
	return Item{Row: found, Names: p.Names()}, ok, err
}

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

// Documents walks a Query to its end and calls visit for each item. visit ends the walk early by returning false.
func (t *Table) Documents(ctx context.Context, q Query, visit func(Document) bool) error {
	c, err := t.Query(ctx, q)
	if err != nil {
		return err
	}
	defer c.Close()
	for c.Next() && visit(c.Item().Document()) {
	}
	return c.Close()
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
