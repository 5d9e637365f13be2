// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"github.com/weftdb/weft/internal/database"
)

// Query walks the table or an index at one snapshot, in order:
//
//	for item, err := range table.Query(ctx, weft.Query{Where: weft.Attribute("country").Equal("JP")}) {
//		if err != nil {
//			return err
//		}
//		...
//	}
//
// The walk begins with the loop, and ends with it; changes of the table wait for it. Items stay valid. An error is
// the last thing that comes. In a transaction the walk sees its writes, and the loop must not write.
func (t *Table) Query(ctx context.Context, q Query) iter.Seq2[Item, error] {
	return t.items(ctx, q, true)
}

// items is Query, of items that stay valid if they are to.
func (t *Table) items(ctx context.Context, q Query, stay bool) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		c, err := t.Cursor(ctx, q)
		if err != nil {
			yield(Item{}, err)
			return
		}
		defer c.Close()
		broken := false
		for !broken && c.Next() {
			item := c.Item()
			if stay {
				item = item.Clone()
			}
			broken = !yield(item, nil)
		}
		if q.Next != nil {
			*q.Next, err = nil, nil
			if broken || c.More() {
				*q.Next, err = c.LastKey()
			}
		}
		if closed := c.Close(); closed != nil {
			err = closed
		}
		if err != nil && !broken {
			yield(Item{}, err)
		}
	}
}

// Cursor begins a Query and leaves its steps to the caller, for programs that read millions of items, or want to
// know what a walk has done. It must be closed; changes of the table wait for it.
func (t *Table) Cursor(ctx context.Context, q Query) (*Cursor, error) {
	if err := t.attached(); err != nil {
		return nil, err
	}
	in, err := q.internal()
	if err != nil {
		return nil, t.fault(err)
	}
	var c *database.Cursor
	if t.tx == nil {
		c, err = t.table.Query(ctx, in)
	} else {
		var p database.Pinned
		if p, err = t.pin(); err == nil {
			c, err = t.tx.tx.Walk(ctx, p, in)
		}
	}
	if err != nil {
		return nil, public(err)
	}
	if t.tx != nil {
		t.tx.walks++
	}
	left := q.Limit
	if left <= 0 {
		left = -1
	}
	return &Cursor{cursor: c, tx: t.tx, left: left}, nil
}

// Scan reads what a Query finds by several goroutines, each of which reads a part of the keys, all at one snapshot;
// workers is their number, 0 for one on each processor. They call visit at the same time, with items that are valid
// until it returns. An error of visit ends the scan, which returns it. A small table is read by one. Changes of the
// table wait for the end. Order, Limit, After, Near and Search are refused.
func (t *Table) Scan(ctx context.Context, q Query, workers int, visit func(Item) error) error {
	if err := t.outside(ctx, "Scan"); err != nil {
		return err
	}
	in, err := q.internal()
	switch {
	case err != nil:
		return t.fault(err)
	case q.Limit != 0 || len(q.Order) > 0 || q.After != nil || q.Near != nil || q.Search != nil || q.Segments > 1:
		return invalid(t.Name(), "a scan has no order, no limit and no pages: use Query")
	case workers <= 0:
		workers = runtime.GOMAXPROCS(0)
	}
	p, err := t.pin()
	if err != nil {
		return err
	}
	defer p.Release()
	view, err := t.db.db.View(ctx)
	if err != nil {
		return public(err)
	}
	defer view.Close()
	parts, err := view.Split(ctx, p, in, workers)
	if err != nil {
		return public(err)
	}
	return scanParts(ctx, parts, func(ctx context.Context, part database.Query) error {
		c, err := view.Query(ctx, p, part)
		if err != nil {
			return public(err)
		}
		defer c.Close()
		for c.Next() {
			if err := visit(Item{c.Item()}); err != nil {
				return err
			}
		}
		return public(c.Close())
	})
}

// scanParts reads the parts of a scan by goroutines, until one fails.
func scanParts(ctx context.Context, parts []database.Query, read func(context.Context, database.Query) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for _, part := range parts {
		group.Go(func() {
			if err := read(ctx, part); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// Cursor is a running Query over one snapshot. It is used by one goroutine and must be closed.
type Cursor struct {
	cursor *database.Cursor
	tx     *Tx     // whose walk it is; nil: none's, or closed
	left   int     // items until Query.Limit; negative: there is no limit
	ended  bool    // it was met
	last   PageKey // the place of the item that met it
	more   bool    // there are items behind that
	err    error   // of last
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
		return c.last, public(c.err)
	}
	key, err := c.cursor.LastKey()
	return PageKey(key), public(err)
}

// Boundaries returns the version of the segment boundaries in use, for Query.Boundaries of the next page; 0 if it
// needs none.
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
func (c *Cursor) Close() error {
	if c.tx != nil {
		c.tx.walks--
		c.tx = nil
	}
	return public(c.cursor.Close())
}

// Explain says in words how a Query would be answered and about what that costs, without doing it.
func (t *Table) Explain(ctx context.Context, q Query) (string, error) {
	in, err := q.internal()
	if err != nil {
		return "", t.fault(err)
	}
	p, err := t.pin()
	if err != nil {
		return "", err
	}
	defer p.Release()
	e, err := p.Explain(ctx, in)
	if err != nil {
		return "", public(err)
	}
	return e.Text(), nil
}
