// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"fmt"
	"slices"

	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// region is the selection of a query: boxes of addresses, and the exact predicate.
type region struct {
	index *Index
	boxes *zorder.Boxes
	cases []map[int]check // by the attribute's place; an item passes if it passes one of them
}

// region binds the conditions of a query to the schema.
func (x *Index) region(q *Query) (region, error) {
	r := region{index: x}
	var boxes []*zorder.Box
	for _, where := range slices.Concat([]Where{q.Where}, q.Or) {
		checks, union, err := x.bind(where)
		if err != nil {
			return r, err
		}
		r.cases = append(r.cases, checks)
		for i := range union.Len() {
			boxes = append(boxes, union.Box(i))
		}
	}
	var err error
	r.boxes, err = zorder.Union(x.plan, boxes, 0)
	return r, err
}

// bind turns conditions that must all hold into a union of boxes.
func (x *Index) bind(where Where) (map[int]check, *zorder.Boxes, error) {
	checks := make(map[int]check, len(where))
	sets := make([][]zorder.Range, len(x.schema.Attributes))
	for name, condition := range where {
		i, ok := x.attributeOf[name]
		if !ok {
			return nil, nil, fmt.Errorf("%q is no attribute of the schema; bound it by Filter", name)
		}
		bound, err := condition.bind(x.schema.Attributes[i].Codec, 0)
		if err != nil {
			return nil, nil, fmt.Errorf("attribute %q: %w", name, err)
		}
		checks[i], sets[i] = bound, bound.ranges
	}
	boxes, err := x.plan.Product(sets, 0)
	return checks, boxes, err
}

// match reports whether an item that the server returned passes. An item without a bounded attribute, which must have
// been there when its address was made, is an error: the index does not project the attribute, or others have changed
// the item.
func (r *region) match(address []byte, item Item) (bool, error) {
	if !r.boxes.In(address) {
		return false, nil
	}
	for _, checks := range r.cases {
		pass := true
		for i, c := range checks {
			a := &r.index.schema.Attributes[i]
			v := item[a.Name]
			if v == nil && a.Codec.Attribute().Nulls == codec.NullsSkip {
				return false, fmt.Errorf(
					"%w: the server returned an item with an address but without %q: the index must project it, and writers must stamp items", ErrItem, a.Name)
			}
			pass = pass && c.match(v)
		}
		if pass {
			return true, nil
		}
	}
	return false, nil
}

// next is the next address inside the boxes from an address on, itself if it is inside.
func (r *region) next(address []byte, backward bool) (next []byte, in, ok bool) {
	if backward {
		return r.boxes.Prev(nil, address)
	}
	return r.boxes.Next(nil, address)
}
