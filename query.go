// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/query"
)

// Query describes a walk over a table or one of its indexes.
type Query struct {
	// Index names the index to walk. "" is the table itself, unless AnyIndex is set.
	Index string
	// AnyIndex lets the database choose the cheapest index for Where.
	AnyIndex bool
	// Where bounds the walk as far as the index's key allows; the rest of it filters. Computed key parts are named as they were declared.
	Where Condition
	// Filter drops items after they were read and counted.
	Filter Condition
	// Reverse walks in descending order.
	Reverse bool
	// After is where to go on: the LastKey of an earlier page. nil starts at the beginning.
	After PageKey
	// Fetch reads items back from the table where the index does not hold all their attributes. AnyIndex does, too; see Wanted.
	Fetch bool
	// ExaminedMax and BytesMax end the page after so many entries, or after the item with which it exceeds so many item bytes; 0 = no limit.
	ExaminedMax int
	BytesMax    int
	// Segment of Segments is the part of a parallel scan to walk. Boundaries is what Cursor.Boundaries of the page before returned; 0 at first.
	Segment, Segments int
	Boundaries        uint64
	// Cells asks a table with CellRules for versions of its cells: the cursor shows an item once for each rank of its versions. nil: items as they are now.
	Cells *CellSelect
	// Near puts items in the order of their distance from a point. nil: items in the order of keys.
	Near *Near
	// Search asks for the items whose words match a query, the best first. Such a walk has one page, without Reverse, After and Segments, unless the order of keys is
	// wanted. nil: nobody searches.
	Search *Search
	// Wanted names the attributes that are needed of each item; nil: all. With AnyIndex, items are read back only where the index does not hold them.
	Wanted []string
	// Order is the order in which items come; it sets Reverse. A walk doesn't sort: an order that Index doesn't have, or none with AnyIndex, is refused with
	// the index that would have it. nil: the order of the key that is walked.
	Order []Ordering
	// Limit ends the page after so many items; 0: no limit.
	Limit int
}

// Ordering is an attribute by which items are wanted in order.
type Ordering struct {
	Attribute  string
	Descending bool
}

// Near asks for items in the order of their distance from a point, the nearest first; equally far ones come in the order of the primary key. The distance is
// Euclid's, over attributes that hold numbers. Such a walk has one page, without Reverse, After, Segments and Cells.
type Near struct {
	// Attributes are in the Z-order part with which the index's key begins.
	Attributes []string
	// To is the point: a number for each attribute.
	To []float64
	// Missing puts items without a number in one of the attributes first, as far as the index has them. Default: they are left out.
	Missing bool
}

// Search is a query in words.
type Search struct {
	// Attributes are those whose words are searched. A search index must have Words of just these.
	Attributes []string
	// Text is the query. In natural language any of its words will do; with Boolean it has operators: +must -not "phrase" prefix* word~1 (a b c)@2.
	Text    string
	Boolean bool
	// KeyOrder gives items in the order of the table's key, page by page, instead of the best first.
	KeyOrder bool
	// Wait waits until an asynchronous search index has followed all that was committed before. Otherwise such an index answers as far as it has. A view and a
	// transaction don't wait: they show a moment that is over.
	Wait bool
}

func (q *Query) internal() (database.Query, error) {
	for _, c := range []*Condition{&q.Where, &q.Filter} {
		if c.err != nil {
			return database.Query{}, &database.Error{Kind: database.KindInvalid, Err: c.err}
		}
	}
	in := database.Query{
		Index: q.Index, AnyIndex: q.AnyIndex, Where: q.Where.condition, Filter: q.Filter.condition, Reverse: q.Reverse, After: value.Row(q.After), Fetch: q.Fetch,
		ExaminedMax: q.ExaminedMax, BytesMax: q.BytesMax, Segment: q.Segment, Segments: q.Segments, Boundaries: q.Boundaries, Wanted: q.Wanted, Limit: q.Limit,
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

// PageKey is the place at which a page ended. It is an item's key attributes in their stored bytes.
type PageKey []byte

// Cursor is a running Query over one snapshot. It is used by one goroutine and must be closed.
type Cursor struct {
	cursor *database.Cursor
	left   int     // items until Query.Limit; negative: there is no limit
	ended  bool    // it was met
	last   PageKey // the place of the item that met it
	more   bool    // there are items behind that
	err    error   // of last
}

func cursorOf(c *database.Cursor, limit int, err error) (*Cursor, error) {
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = -1
	}
	return &Cursor{cursor: c, left: limit}, nil
}

// Next moves to the next item. After false, look at Close's error.
func (c *Cursor) Next() bool {
	switch {
	case c.left < 0:
		return c.cursor.Next()
	case c.left > 0:
		c.left--
		return c.cursor.Next()
	case !c.ended: // one item further, to learn whether there are more
		key, err := c.cursor.LastKey()
		c.ended, c.last, c.err = true, PageKey(key), err
		c.more = c.cursor.Next() || c.cursor.More()
	}
	return false
}

// Item returns the current item, valid until the next Next or Close.
func (c *Cursor) Item() Item { return Item{c.cursor.Item()} }

// Score is how well the current item of a Search matches; 0 for other queries.
func (c *Cursor) Score() float64 { return c.cursor.Score() }

// More reports whether a limit ended the page although more entries follow.
func (c *Cursor) More() bool { return c.more || c.cursor.More() }

// LastKey returns the place of the last entry examined, for Query.After; nil if there was none.
func (c *Cursor) LastKey() (PageKey, error) {
	if c.ended {
		return c.last, c.err
	}
	key, err := c.cursor.LastKey()
	return PageKey(key), err
}

// Boundaries returns the version of the segment boundaries in use, for Query.Boundaries of the next page; 0 if it needs none.
func (c *Cursor) Boundaries() uint64 { return c.cursor.Boundaries() }

// Explain says in words which index is walked, how, and what is filtered.
func (c *Cursor) Explain() string { return c.cursor.Explain() }

// Counts is the work of a walk so far.
type Counts struct {
	Examined int64 // entries that were candidates: skipped ones are not counted
	Bytes    int64 // item bytes of the entries looked at
	Returned int64
	Fetched  int64 // items read back from the table
	Seeks    int64 // places where reading began anew
	Jumps    int64 // of these, the ones inside a span, over entries that can't match
	Skipped  int64 // entries stepped over without being candidates
	Postings int64 // entries of search indexes looked at; they are in none of the others
	Dead     int64 // entries of what was deleted or has expired; they are in none of the others but Bytes
	Whole    int64 // 1 if nothing bounds the walk: it is of the whole table or index, if no limit ends it
}

// Counts returns what the walk has done so far.
func (c *Cursor) Counts() Counts { return Counts(c.cursor.Counts()) }

// Close ends the walk and returns the error that ended it early, if any. Closing twice is no error.
func (c *Cursor) Close() error { return c.cursor.Close() }

// Explain says in words how a Query would be answered and about what that costs, without doing it.
func (t *Table) Explain(ctx context.Context, q Query) (string, error) {
	in, err := q.internal()
	if err != nil {
		return "", err
	}
	p, err := t.table.Pin()
	if err != nil {
		return "", err
	}
	defer p.Release()
	e, err := p.Explain(ctx, in)
	return e.Text(), err
}
