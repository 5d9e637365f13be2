// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"

	"github.com/weftdb/weft/internal/index/indexkey"
)

// How many rows a round of a ranked walk finds: as many as are wanted, if that is known, then four times as many each
// time.
const (
	rankFirst = 100
	rankMost  = 64 << 10
)

// rankedWalk is the state of a walk in the order of scores, the best first; rows of one score come in the order of
// their keys. A round keeps the best rows of all that come after those of the rounds before, so memory is bounded
// however many there are.
type rankedWalk struct {
	best  bestRows
	next  int // of best, which is in order once a round is over
	size  int
	last  scoredRow // of the round before
	more  bool      // a round has begun, and not found all
	spans []indexkey.Span
}

// scoredRow is a row that was found.
type scoredRow struct {
	score float64
	key   []byte
}

// compareRows orders rows as they are wanted.
func compareRows(a, b scoredRow) int {
	if order := cmp.Compare(b.score, a.score); order != 0 {
		return order
	}
	return bytes.Compare(a.key, b.key)
}

// bestRows is a heap whose first row is the worst.
type bestRows []scoredRow

func (r bestRows) Len() int           { return len(r) }
func (r bestRows) Less(i, j int) bool { return compareRows(r[i], r[j]) > 0 }
func (r bestRows) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *bestRows) Push(x any)        { *r = append(*r, x.(scoredRow)) }
func (r *bestRows) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}

// nextRanked moves to the next best row.
func (c *Cursor) nextRanked() bool {
	if c.rank == nil {
		c.rank = &rankedWalk{size: min(max(c.scan.First, 1), rankMost), more: true, spans: c.spans}
		if c.scan.First <= 0 {
			c.rank.size = rankFirst
		}
	}
	r := c.rank
	if r.next == len(r.best) && r.more {
		c.round()
	}
	if c.err != nil || r.next == len(r.best) {
		return false
	}
	if c.scan.ReadAhead && c.ahead.next == len(c.ahead.keys) && !c.readRanked(r.best[r.next:]) {
		return false
	}
	r.next++
	c.last = append(c.last[:0], r.best[r.next-1].key...)
	if !c.readFound(c.last) { // it passed in the round, at the same snapshot
		return false
	}
	c.Counts.Bytes += int64(c.row.Size())
	c.Counts.Returned++
	return true
}

// round finds the best rows behind those of the round before.
func (c *Cursor) round() {
	r, first := c.rank, c.rank.best == nil
	if !first {
		r.last = r.best[len(r.best)-1]
		r.size = min(4*r.size, rankMost)
		if c.err = c.found.close(); c.err != nil {
			return
		}
		c.openFinder()
	}
	c.spans = r.spans
	r.best, r.next = make(bestRows, 0, min(r.size, rankFirst)), 0
	f := c.found
	for at := c.advance(); at != nil; at = c.advance() {
		c.last = append(c.last[:0], at...)
		if first {
			c.Counts.Examined++
		}
		row := scoredRow{key: c.last}
		if f.ranked != nil && bytes.Equal(f.ranked.seek(at), at) {
			row.score = f.ranked.score(f.scorer)
		}
		full := len(r.best) == r.size
		if !first && compareRows(row, r.last) <= 0 || full && compareRows(row, r.best[0]) >= 0 ||
			c.filters() && !c.readFound(c.last) {
			if c.err != nil {
				return
			}
			continue
		}
		row.key = bytes.Clone(row.key)
		if full {
			r.best[0] = row
			heap.Fix(&r.best, 0)
		} else {
			heap.Push(&r.best, row)
		}
		if len(r.best) == r.size && f.ranked != nil && f.root == stream(f.ranked) {
			f.ranked.leave(f.scorer, r.best[0].score)
		}
	}
	c.err = f.err
	r.more = len(r.best) == r.size
	slices.SortFunc(r.best, compareRows)
}

// filters reports whether rows have to be read to know that they belong to the answer.
func (c *Cursor) filters() bool {
	return c.scan.Filter != nil || c.checks != nil || c.cells != nil || c.scan.Searched.Async != nil
}

// Score is the score of the current row of a ranked walk; 0 for others.
func (c *Cursor) Score() float64 {
	if c.rank == nil || c.rank.next == 0 {
		return 0
	}
	return c.rank.best[c.rank.next-1].score
}
