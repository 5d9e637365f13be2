// SPDX-License-Identifier: Apache-2.0

// Package statistics counts and samples the entries of indexes, and remembers for some minutes what it found, so that
// paths can be chosen by their costs.
//
// Knows: about how many entries an index has, keys between which they lie evenly, how old that knowledge is.
// Never: conditions, what a path costs, protocols.
package statistics

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Estimate is roughly how much an index holds.
type Estimate struct {
	Rows  int64
	Bytes int64 // of items, as DynamoDB counts them
}

const (
	// estimateCounted is up to how many entries are counted; a longer index is extrapolated from them by the engine's
	// sizes. Where these don't tell, because most of it is in memory, the next so many are counted as well.
	estimateCounted = 50_000
	// estimateFresh is the time for which an estimate is given again without a new look.
	estimateFresh = 5 * time.Second
)

// Rounded leaves two digits of a number of rows or entries that is above those that are counted: it is estimated then,
// anew at each look, and the same wherever it is shown.
func Rounded(n int64) int64 {
	unit := int64(1)
	for n > estimateCounted && n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// Book remembers what was found of each index. The zero value is ready. It is safe for concurrent use.
type Book struct {
	mu      sync.Mutex
	made    map[indexID]dated
	sampled map[indexID]separators
	known   map[*record.Table]knownTable // of queries a moment ago
	words   map[wordID]wordCount
	lists   map[string]drawn // by the prefix of their entries
	cleared time.Time        // when what is too old to be used was last forgotten
}

// indexID is an index, or a field of a search index.
type indexID struct {
	table, index uint32
	field        uint32 // its number and 1; 0: the whole index
	column       string // of a field for all columns of a pattern
}

type dated struct {
	Estimate
	at time.Time
}

// Look is a look at the indexes of one table.
type Look struct {
	Table *record.Table
	Store kv.Store
	Now   time.Time
	// SizeOf estimates the bytes of a range; nil if nobody can.
	SizeOf func(kv.Range) int64
	// Starts returns where the regions of an index begin; nil if nobody knows.
	Starts func(from kv.Snapshot, x *record.Index) ([][]byte, error)
}

func (l *Look) id(x *record.Index) indexID { return indexID{table: l.Table.Schema.ID, index: x.ID} }

// Estimate returns about how many entries an index has: exact up to some 50,000, a few seconds old at most.
func (b *Book) Estimate(ctx context.Context, l *Look, x *record.Index) (Estimate, error) {
	id := l.id(x)
	// to count nothing again costs nothing
	if known, ok := b.get(id); ok && l.Now.Sub(known.at) < estimateFresh && known.Rows > 0 {
		return known.Estimate, nil
	}
	reader, err := l.Store.Read(ctx)
	if err != nil {
		return Estimate{}, err
	}
	defer reader.Close()
	estimate, err := l.count(ctx, reader, x)
	if err == nil {
		b.put(id, dated{estimate, l.Now})
	}
	return estimate, err
}

func (b *Book) get(id indexID) (dated, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.made[id]
	return known, ok
}

func (b *Book) put(id indexID, known dated) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.made == nil {
		b.made = map[indexID]dated{}
	}
	b.made[id] = known
	clear(b.known)
	b.forget(known.at)
}

// forget drops what is too old to be used, now and then: the indexes may be gone. The caller holds mu.
func (b *Book) forget(now time.Time) {
	if now.Sub(b.cleared) < statisticsKept {
		return
	}
	b.cleared = now
	maps.DeleteFunc(b.made, func(_ indexID, known dated) bool { return now.Sub(known.at) >= statisticsKept })
	maps.DeleteFunc(b.sampled, func(_ indexID, known separators) bool { return now.Sub(known.at) >= statisticsKept })
}

func (l *Look) count(ctx context.Context, from kv.Snapshot, x *record.Index) (e Estimate, err error) {
	walk := from.Scan(ctx, x.Range(), false)
	defer walk.Close()
	for walk.Next() {
		if e.Rows > 0 && e.Rows%estimateCounted == 0 {
			share, known := l.share(x.Range(), kv.Range{Start: x.Prefix, End: walk.Key()})
			if known || l.SizeOf == nil {
				return e.scaled(share), nil
			}
		}
		e.Rows++
		if x.Search { // its entries hold no items
			e.Bytes += int64(len(walk.Key()) - len(x.Prefix) + len(walk.Value()))
		} else {
			e.Bytes += int64(value.Row(walk.Value()).Size())
		}
	}
	return e, walk.Close()
}

// scaled extrapolates from the counted part of an index to the whole.
func (e Estimate) scaled(factor float64) Estimate {
	return Estimate{Rows: int64(float64(e.Rows) * factor), Bytes: int64(float64(e.Bytes) * factor)}
}

// share is the ratio of a range's size to that of a part of it, by the engine's sizes. known is false if these don't
// tell, as of what is not in files yet; then share is 1.
func (l *Look) share(whole, part kv.Range) (share float64, known bool) {
	if l.SizeOf == nil {
		return 1, false
	}
	counted, all := l.SizeOf(part), l.SizeOf(whole)
	if counted <= 0 || all < counted {
		return 1, false
	}
	return float64(all) / float64(counted), true
}

// Reset forgets everything.
func (b *Book) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made, b.sampled, b.known, b.words, b.lists = nil, nil, nil, nil, nil
}
