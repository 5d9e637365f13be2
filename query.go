// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"errors"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/query"
)

// Query describes a walk over a table or one of its indexes. The zero Query walks the whole table in the order of
// its key. Where bounds the walk, and Index or AnyIndex say over what. An item from an index that holds only some
// attributes lacks the others, unless Fetch, or AnyIndex, reads it back from the table; Wanted spares that where
// the index has what is needed.
type Query struct {
	// Index names the index to walk. "" is the table itself, unless AnyIndex is set.
	Index string
	// AnyIndex lets the database choose the cheapest index for Where.
	AnyIndex bool
	// Where bounds the walk as far as the index's key allows; the rest of it filters. Computed key parts are named
	// as they were declared.
	Where Condition
	// Filter drops items after they were read and counted.
	Filter Condition
	// Reverse walks in descending order.
	Reverse bool
	// After is the place to go on: Next or the LastKey of an earlier page. nil starts at the beginning.
	After PageKey
	// Fetch reads items back from the table where the index does not hold all their attributes. AnyIndex does, too;
	// see Wanted.
	Fetch bool
	// ExaminedMax and BytesMax end the page after so many entries, or after the item with which it exceeds so many
	// item bytes; 0 = no limit.
	ExaminedMax int
	BytesMax    int
	// Segment of Segments is the part of a parallel scan to walk, page by page; Table.Scan is simpler. The first page
	// of a segment costs a look for its borders. Boundaries is the result of Cursor.Boundaries of the page before; 0
	// at first.
	Segment, Segments int
	Boundaries        uint64
	// Cells asks a table with CellRules for versions of its cells: the cursor shows an item once for each rank of
	// its versions. nil: items as they are now.
	Cells *CellSelect
	// Near puts items in the order of their distance from a point. nil: items in the order of keys.
	Near *Near
	// Search asks for the items whose words match a query, the best first. Such a walk has one page, without
	// Reverse, After and Segments, unless the order of keys is wanted. nil: items in the order of keys.
	Search *Search
	// Wanted names the attributes that are needed of each item; nil: all. With AnyIndex, items are read back only
	// where the index does not hold them.
	Wanted []string
	// Order is the order in which items come; it sets Reverse. A walk doesn't sort: an order that Index doesn't
	// have, or none with AnyIndex, is refused with the index that would have it. nil: the order of the key that is
	// walked.
	Order []Ordering
	// Limit ends the page after so many items; 0: no limit.
	Limit int
	// Next, if not nil, is set at the end of a loop over Table.Query, also of one that was left early, to what
	// After is for the items that follow; to nil if there are none.
	Next *PageKey
}

// Ordering is an attribute by which items are wanted in order.
type Ordering struct {
	Attribute  string
	Descending bool
}

// Near asks for items in the order of their distance from a point, the nearest first; equally far ones come in the
// order of the primary key. The distance is Euclid's, over attributes that hold numbers. Such a walk has one page,
// without Reverse, After, Segments and Cells.
type Near struct {
	// Attributes are in the Z-order part with which the index's key begins.
	Attributes []string
	// To is the point: a number for each attribute.
	To []float64
	// Missing puts items without a number in one of the attributes first, as far as the index has them. Default:
	// they are left out.
	Missing bool
}

// Search is a query in words.
type Search struct {
	// Attributes are those whose words are searched. A search index must have Words of just these.
	Attributes []string
	// Text is the query. In natural language any of its words will do; with Boolean it has operators: +must -not
	// "phrase" prefix* word~1 (a b c)@2.
	Text    string
	Boolean bool
	// KeyOrder gives items in the order of the table's key, page by page, instead of the best first.
	KeyOrder bool
	// Wait waits until an asynchronous search index has followed all that was committed before. Otherwise such an
	// index answers as far as it has. A view and a transaction don't wait: they show a moment that is over.
	Wait bool
}

func (q *Query) internal() (database.Query, error) {
	for _, c := range []*Condition{&q.Where, &q.Filter} {
		if c.err != nil {
			return database.Query{}, c.err
		}
	}
	if q.Limit < 0 {
		return database.Query{}, errors.New("a negative Limit: leave it out for no limit")
	}
	in := database.Query{
		Index: q.Index, AnyIndex: q.AnyIndex, Where: q.Where.condition, Filter: q.Filter.condition,
		Reverse: q.Reverse, After: value.Row(q.After), Fetch: q.Fetch, ExaminedMax: q.ExaminedMax, BytesMax: q.BytesMax,
		Segment: q.Segment, Segments: q.Segments, Boundaries: q.Boundaries, Wanted: q.Wanted, Limit: q.Limit,
		Cells: q.Cells.internal(),
	}
	if q.Near != nil {
		in.Near = &query.Near{Columns: q.Near.Attributes, To: q.Near.To, Missing: q.Near.Missing}
	}
	if s := q.Search; s != nil {
		in.Search = &database.SearchText{Columns: s.Attributes, Text: s.Text, Boolean: s.Boolean, KeyOrder: s.KeyOrder}
		in.Wait = s.Wait
	}
	for _, o := range q.Order {
		in.Order = append(in.Order, access.Ordering{Column: o.Attribute, Descending: o.Descending})
	}
	return in, nil
}

// PageKey is the place at which a page ended. It is an item's key attributes in their stored bytes, and can be
// kept: a Query with the same Index, Where and Reverse goes on there at any time.
type PageKey []byte
