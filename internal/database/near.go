// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/zorder/codec"
)

// Near asks for items in the order of their distance from a point: see Query.Near.
type Near = query.Near

// nearQuery checks a Query for distances and names its index.
func (p Pinned) nearQuery(q *Query) (*Query, error) {
	if q.After != nil || q.Segments > 1 || q.Reverse || q.Cells != nil || q.ExaminedMax > 0 || q.BytesMax > 0 ||
		p.table.Cells != nil {
		return nil, invalid(p.name(), "a query for the nearest items is one page of a table without rules of cells: leave out After, Segments, Reverse, Cells and limits")
	}
	named := *q
	if q.AnyIndex {
		x := p.nearIndex(q)
		if x == nil {
			return nil, &Error{Kind: KindInvalid, Table: p.name(), Err: query.ErrNear,
				Detail: "no index contains all items with these attributes"}
		}
		named.AnyIndex, named.Index, named.Fetch = false, x.Name, true
	}
	if q.Near.Rows == 0 {
		near := *q.Near
		if path, _, err := p.choosePath(context.Background(), p.Descriptor(), &Query{Index: named.Index},
			true); err == nil {
			near.Rows = path.Rows
		}
		named.Near = &near
	}
	return &named, nil
}

// nearIndex is a Z-order index that has every item with the columns of the distance.
func (p Pinned) nearIndex(q *Query) *schema.Index {
	for x := range p.Descriptor().Declared() {
		if !x.State.Readable() || x.Partial || x.Lenient || slices.Contains(q.Ignore, x.Name) {
			continue
		}
		if part := x.Key[0]; part.Function == schema.ZOrder && holdsAll(x, q.Near.Columns) {
			return x
		}
	}
	return nil
}

// holdsAll reports whether the first part of an index is a Z-order over all columns, and only items that lack one of
// these can be missing in it.
func holdsAll(x *schema.Index, columns []string) bool {
	part := &x.Key[0]
	for _, column := range columns {
		if !slices.ContainsFunc(part.Args, func(a schema.Argument) bool { return a.Column == column }) {
			return false
		}
	}
	if x.KeepNulls {
		return !slices.ContainsFunc(part.Curve.Codecs,
			func(c *codec.Codec) bool { return c.Attribute().Nulls != codec.NullsFirst })
	}
	for i, a := range part.Args {
		if part.Curve.Codecs[i].Attribute().Nulls != codec.NullsFirst && !slices.Contains(columns, a.Column) {
			return false
		}
	}
	return len(x.Key) == 1
}
