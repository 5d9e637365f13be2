// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Query describes a walk over a table or one of its indexes.
type Query struct {
	// Index names the index to walk. "" is the table itself, unless AnyIndex is set.
	Index string
	// AnyIndex lets the database choose the cheapest index for Where.
	AnyIndex bool
	// Where bounds the walk as far as the index's key allows; the rest of it filters. Computed key parts are named as
	// they were declared.
	Where expr.Condition
	// Filter drops items after they were read and counted.
	Filter expr.Condition
	// Reverse walks in descending order.
	Reverse bool
	// After is the key after which to go on: the LastKey of an earlier page, whole. nil starts at the beginning.
	After value.Row
	// Position is another way to name the key after which to go on: Cursor.Position of an earlier walk over the same
	// index.
	Position []byte
	// Fetch reads items back from the table where the index does not hold all their attributes. AnyIndex does, too; see
	// Wanted.
	Fetch bool
	// Fetched, if not nil, is called with the item bytes of each item read back.
	Fetched func(bytes int)
	// ExaminedMax and BytesMax end the page after so many entries, or after the item with which it exceeds so many item
	// bytes; 0 = no limit.
	ExaminedMax int
	BytesMax    int
	// Segment of Segments is the part of a parallel scan to walk. Boundaries is the result of Cursor.Boundaries of the
	// page before returned; 0 at first.
	Segment, Segments int
	Boundaries        uint64
	// Cells asks a table with CellRules for versions of its cells: the cursor shows an item once for each rank of its
	// versions, and Filter looks at each of these by itself. Such a walk is one over the table, whatever AnyIndex says.
	// nil: items as they are seen.
	Cells *cell.Select
	// Near puts items in the order of their distance from a point. AnyIndex then takes a Z-order index that has all
	// items with these columns. Such a walk has one page, without Reverse, After, Segments and Cells, and reads no
	// further than its caller goes on asking for items. nil: items as keys lie.
	Near *Near
	// Search asks for the items whose words match a query, the best first. It sets Rank and Index, and adds to Where.
	// nil: nobody searches.
	Search *SearchText
	// Rank puts items in the order of their scores, the best first. Index must name a search index, and Where ask for
	// what its query does. Such a walk has one page, without Reverse, After and Segments, and reads no further than its
	// caller goes on asking; Limit is the number of items it may want. nil: items as keys lie.
	Rank *search.Scorer
	// Wait lets the walk begin once asynchronous search indexes have followed what was committed before. Otherwise such
	// an index answers as far as it has. It counts with Pinned.Query alone: a view and a transaction show a moment that
	// is over.
	Wait bool
	// Wanted names the attributes that are needed of each item; nil: all. With AnyIndex, items are read back only where
	// the index does not hold them.
	Wanted []string
	// SpansMax is the number of spans of keys Where that may become; a condition that needs more leaves later key parts
	// to the filter. Default 1,000.
	SpansMax int
	// Order is the order in which items are wanted, and Limit how many will be read; 0: all. With AnyIndex, an index
	// that gives them in this order may be the cheaper one. A walk neither sorts nor ends by itself: Plan.Sorted
	// reports whether items come in the order, and Plan.Backwards whether with Reverse.
	Order []Ordering
	Limit int
	// AnyOrder says that items may come in any order: those that are read back come in the order of the table's keys,
	// many at a time, since they lie together so. Such a walk has one page.
	AnyOrder bool
	// Drops says that the caller drops items by conditions of its own, so that more than Limit have to be looked at.
	Drops bool
	// Ignore names indexes that AnyIndex must not take.
	Ignore []string
	// Plan is how this Query is to be answered, made of an equal one and the same Pinned: it is not planned again.
	Plan *Plan
	// within narrows the walk to a part of the index, for View.Split.
	within indexkey.Span
	// Judged is a condition that the caller judges by itself, beside Where and Filter. Options.Walked gets it; the
	// walk does not look at it.
	Judged expr.Condition
	// Quiet keeps the walk from Options.Walked, and what it reads from Options.Traffic: nobody asked it.
	Quiet bool
}

// Ordering is one column that items are wanted in the order of.
type Ordering = access.Ordering

// ErrOtherSegment is wrapped by the error of a parallel scan whose After lies in another segment.
var ErrOtherSegment = errors.New("the page key belongs to another segment of the scan, or to another number of segments")

// Counts is the work of a walk.
type Counts = query.Counts

// Cursor is a running Query over one snapshot. It is used by one goroutine and must be closed.
type Cursor struct {
	pin        Pinned
	owned      bool // Close releases pin
	reader     kv.Reader
	walk       *query.Cursor
	scan       query.Scan
	index      *record.Index
	boundaries uint64
	path       access.Path
	anyIndex   bool   // the index was chosen by its cost
	asked      *Query // for Options.Walked; nil once it was told
}

// Query starts a walk at a new snapshot of the latest commits. Errors: KindNotFound and KindBusy for the index,
// KindInvalid.
func (p Pinned) Query(ctx context.Context, q Query) (*Cursor, error) {
	if q.Quiet {
		ctx = OwnWork(ctx)
	}
	if q.Wait {
		if err := p.AwaitIndexes(ctx); err != nil {
			return nil, err
		}
	}
	c, err := p.walkLatest(ctx, &q)
	return c, wrap(p.name(), err)
}

// walkLatest starts a Query at the latest commits.
func (p Pinned) walkLatest(ctx context.Context, q *Query) (*Cursor, error) {
	if q.Segments <= 1 && q.Near == nil && p.table.Cells == nil { // nothing is read for the plan
		c, err := p.begin(ctx, nil, q, false, 0)
		if err != nil {
			return nil, err
		}
		if !c.scan.Fetch && c.scan.Search == nil && (!c.scan.ReadAhead || len(c.scan.Path.Spans) < 2) {
			c.walk = c.scan.Latest(ctx, p.db.store)
			return c, nil
		}
		if c.reader, err = p.db.store.Read(ctx); err != nil {
			return nil, err
		}
		c.walk = c.scan.Open(ctx, c.reader)
		return c, nil
	}
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	nowMS := int64(0)
	if p.table.Cells != nil {
		nowMS = p.db.nowMS()
	}
	c, err := p.walk(ctx, reader, q, false, nowMS)
	if err != nil {
		reader.Close()
		return nil, err
	}
	c.reader = reader
	return c, nil
}

// walk starts a Query at a snapshot that somebody else closes. old says that it may have been taken before p was; nowMS
// is the present, for a table with CellRules.
func (p Pinned) walk(ctx context.Context, from kv.Snapshot, q *Query, old bool, nowMS int64) (*Cursor, error) {
	c, err := p.begin(ctx, from, q, old, nowMS)
	if err == nil {
		c.walk = c.scan.Open(ctx, from)
	}
	return c, err
}

// begin is walk without opening the scan.
func (p Pinned) begin(ctx context.Context, from kv.Snapshot, q *Query, old bool, nowMS int64) (*Cursor, error) {
	if err := p.askWalk(ctx, q); err != nil {
		return nil, err
	}
	if q.Search != nil {
		var err error
		if q, err = p.searchQuery(ctx, from, q); err != nil {
			return nil, err
		}
	}
	if q.Rank != nil && (q.Reverse || q.After != nil || q.Position != nil || q.Segments > 1 || q.AnyIndex) {
		return nil, invalid(p.name(), "a ranked query is one page that a search index serves: name the index, and leave out Reverse, After and Segments")
	}
	if q.Near != nil {
		var err error
		if q, err = p.nearQuery(q); err != nil {
			return nil, err
		}
	}
	path, x, err := p.walkPath(ctx, from, q, old)
	if err == nil {
		err = p.checkSelect(q, x)
	}
	if err != nil {
		return nil, err
	}
	c := &Cursor{pin: p, index: x, path: path, anyIndex: q.AnyIndex}
	if p.db.options.Walked != nil && !q.Quiet {
		asked := *q
		c.asked = &asked
	}
	c.scan = query.Scan{
		Table: p.table, Index: x, Path: path.Scan, Keys: path.Class() == access.Get, Reverse: q.Reverse,
		Filter: expr.Both(path.Filter, q.Filter), Inner: path.Inner.And(q.Filter),
		Fetch: q.fetches(&path, x), AnyOrder: q.AnyOrder, Fetched: q.Fetched, ExaminedMax: q.ExaminedMax,
		BytesMax: q.BytesMax, NowMS: nowMS, Cells: q.Cells, Near: q.Near,
		First: q.first(), ReadAhead: p.db.gateway != nil,
	}
	if path.Search != nil {
		c.scan.Search, c.scan.Rank, c.scan.First = path.Search, q.Rank, q.Limit
		c.scan.GatherBytesMax = p.db.options.SearchBytesMax
		c.scan.Unread = q.Wanted != nil && len(q.Wanted) == 0
		c.scan.Searched, _ = p.table.IndexByID(path.Search.Index.ID)
	}
	// who counts what is read back is told of each row that the index leads to
	if c.scan.Fetch && q.Fetched == nil && p.table.Cells == nil {
		c.scan.EntryFilter, c.scan.Filter = query.PartFilter(x, c.scan.Filter)
	}
	if path.Points {
		c.scan.NearAfter = path.Bound
	}
	if q.After != nil {
		if c.scan.After, err = p.resumeKey(x, q.After); err != nil {
			return nil, err
		}
	}
	if q.Position != nil {
		if c.scan.After, err = p.positionKey(x, q.Position); err != nil {
			return nil, err
		}
	}
	if c.scan.Within, c.boundaries, err = p.segment(ctx, from, x, q); err != nil {
		return nil, err
	}
	if q.Segments > 1 && q.After != nil && !c.scan.Within.Contains(c.scan.After) {
		return nil, &Error{Kind: KindInvalid, Table: p.name(), Err: ErrOtherSegment}
	}
	return c, nil
}

// first is the number of items that are wanted at first; 0: not known.
func (q *Query) first() int {
	if q.Drops {
		return 0
	}
	return q.Limit
}

// fetches reports whether each item is read back from the table.
func (q *Query) fetches(path *access.Path, x *record.Index) bool {
	if x.IsPrimary() || x.Projection == schema.ProjectAll || path.Covering && q.Wanted != nil {
		return false
	}
	return q.Fetch || q.AnyIndex
}

// resumeKey is the relative key of the entry that a page key names.
func (p Pinned) resumeKey(x *record.Index, after value.Row) ([]byte, error) {
	key, err := p.table.AppendParts(nil, x, after)
	if err != nil || x.IsPrimary() {
		return key, err
	}
	return p.table.AppendParts(key, p.table.Primary, after)
}

// segment returns the part of an index that one worker of a parallel scan reads. version is what an earlier page
// returned, or 0.
func (p Pinned) segment(ctx context.Context, from kv.Snapshot, x *record.Index, q *Query) (span indexkey.Span,
	version uint64, err error) {
	if q.Segments <= 1 {
		return q.within, 0, nil
	}
	return p.db.slicer.Span(ctx, p.db.catalog, from, p.Descriptor().ID, x,
		query.Segment{Number: q.Segment, Of: q.Segments, Boundaries: q.Boundaries},
		p.db.options.Now(), p.sizer(ctx))
}

func (p Pinned) sizer(ctx context.Context) func(kv.Range) int64 {
	if !p.db.sizes {
		return nil
	}
	return func(r kv.Range) int64 {
		bytes, err := p.db.admin.ApproximateSize(ctx, r)
		if err != nil {
			return 0
		}
		return bytes
	}
}

// Next moves to the next item. After false, look at Close's error.
func (c *Cursor) Next() bool { return c.walk.Next() }

// Count walks to the end and returns the number of items, instead of Next. Then look at Close's error.
func (c *Cursor) Count() int64 { return c.walk.Count() }

// Row returns the current item's bytes, valid until the next Next or Close.
func (c *Cursor) Row() value.Row { return c.walk.Row() }

// Item returns the current item, valid until the next Next or Close.
func (c *Cursor) Item() Item { return Item{Row: c.walk.Row(), Names: c.pin.Names()} }

// Counts returns what the walk has done so far.
func (c *Cursor) Counts() Counts {
	counts := c.walk.Counts
	if c.path.Class() == access.Full {
		counts.Whole = 1
	}
	return counts
}

// NowMS is the time at which the walk sees cells, for a table with cell.Rules.
func (c *Cursor) NowMS() int64 { return c.scan.NowMS }

// More reports whether a limit ended the page although more entries follow.
func (c *Cursor) More() bool { return c.walk.More() }

// LastKey returns the key of the last entry examined, for Query.After; nil if none was. It holds the visible key parts
// of the index and of the table, and PageIndex where that is needed.
func (c *Cursor) LastKey() (value.Row, error) {
	if c.walk.Last() == nil {
		return nil, nil
	}
	return c.pageKey(slices.Clone(c.walk.Last()))
}

// Boundaries returns the version of the segment boundaries in use, for Query.Boundaries of the next page; 0 if it needs
// none.
func (c *Cursor) Boundaries() uint64 { return c.boundaries }

// Explain says in words which index is walked, how, and what is filtered.
func (c *Cursor) Explain() string { return c.path.Explain() }

// Close ends the walk and returns the error that ended it early, if any. Closing twice is no error.
func (c *Cursor) Close() error {
	err := c.walk.Close()
	c.report()
	if c.reader != nil {
		c.reader.Close()
	}
	if c.owned {
		c.owned = false
		c.pin.Release()
	}
	return wrap(c.pin.name(), err)
}

// Walk is a Query with its work, for Options.Walked. Its conditions must not be changed, and not be kept.
type Walk struct {
	Database      string
	Table, Index  string // the search index where one found the rows
	Where, Filter expr.Condition
	Judged        expr.Condition // Query.Judged
	Reverse       bool
	Limit         int // Query.ExaminedMax
	Counts        Counts
	Wanted        []string // Query.Wanted
	Cells         bool     // the table has CellRules: Counts.Dead may be more than 0
}

// report tells Options.Walked of a walk that has ended, once.
func (c *Cursor) report() {
	if c.asked == nil {
		return
	}
	q := c.asked
	c.asked = nil
	index := c.index.Name
	if c.path.Search != nil {
		index = c.path.Search.Index.Name
	}
	c.pin.db.options.Walked(&Walk{
		Database: c.pin.version.Table.Database, Table: c.pin.name(), Index: index, Where: q.Where, Filter: q.Filter,
		Reverse: q.Reverse, Limit: q.ExaminedMax, Counts: c.walk.Counts,
		Wanted: q.Wanted, Judged: q.Judged,
		Cells: c.pin.table.Cells != nil,
	})
}
