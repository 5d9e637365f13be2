// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"bytes"
	"context"
	"slices"

	"github.com/tikv/client-go/v2/txnkv/txnsnapshot"
)

// Pages of a scan start at pageEntriesFirst entries and grow by pageGrowth up to pageEntriesMax, or to what made
// pageBytesMax in the page before.
const (
	pageEntriesFirst = 32
	pageGrowth       = 4
	pageEntriesMax   = 1024
	pageBytesMax     = 4 << 20
)

// pair is one entry of a page; both slices live as long as they're referred to.
type pair struct {
	key, value []byte // key without the prefix
}

// span is the keys k with low <= k < high, without the prefix. A nil high is the end of the store.
type span struct {
	low, high []byte
}

func (s span) empty() bool { return s.high != nil && bytes.Compare(s.low, s.high) >= 0 }

func (s span) holds(key []byte) bool {
	return bytes.Compare(key, s.low) >= 0 && (s.high == nil || bytes.Compare(key, s.high) < 0)
}

// aheadAfter is the number of pages of a walk after which each next page is asked for before the one at hand has been
// read: a reader of so much reads on, as a rule.
const aheadAfter = 3

// pages walks the stored entries of a span in one direction, a page at a time.
type pages struct {
	view    *view
	reverse bool

	page    []pair // entries in the direction of the walk
	index   int    // of the next entry in page
	fetched bool   // page and cover count
	cover   span   // all entries of cover are in page
	ahead   span   // what was not fetched yet
	size    int    // entries of the next page
	count   int    // of the pages fetched one after the other
	coming  scans  // the next page, which was asked for; nil: it wasn't
}

// place makes s the span to walk. The part that is in the page in memory isn't fetched again.
func (p *pages) place(s span) {
	if p.fetched && !p.reverse && p.cover.holds(s.low) {
		p.index, _ = slices.BinarySearchFunc(p.page, s.low,
			func(e pair, key []byte) int { return bytes.Compare(e.key, key) })
		return
	}
	if p.fetched && p.reverse && p.coversBelow(s.high) {
		p.index, _ = slices.BinarySearchFunc(p.page, s.high, func(e pair, key []byte) int {
			if key == nil || bytes.Compare(e.key, key) < 0 {
				return 1
			}
			return -1
		})
		return
	}
	*p = pages{view: p.view, reverse: p.reverse, ahead: s, size: pageEntriesFirst}
}

// coversBelow reports whether the entry just below high is in the page, or surely none is between.
func (p *pages) coversBelow(high []byte) bool {
	if high == nil {
		return p.cover.high == nil
	}
	return bytes.Compare(high, p.cover.low) > 0 && (p.cover.high == nil || bytes.Compare(high, p.cover.high) <= 0)
}

// peek returns the next entry without moving on.
func (p *pages) peek(ctx context.Context) (e pair, ok bool, err error) {
	for p.index >= len(p.page) {
		if p.ahead.empty() {
			return pair{}, false, nil
		}
		if err := p.fetch(ctx); err != nil {
			return pair{}, false, err
		}
	}
	return p.page[p.index], true, nil
}

// fetch gets the next page. Of a page that isn't full the end of the span is known.
func (p *pages) fetch(ctx context.Context) error {
	page, err := p.next(ctx)
	if err != nil {
		return err
	}
	p.page, p.index, p.fetched, p.cover = page, 0, true, p.ahead
	full := len(page) == p.size
	switch {
	case !full:
		p.ahead = span{high: []byte{}}
	case p.reverse:
		p.cover.low = page[len(page)-1].key
		p.ahead.high = p.cover.low
	default:
		p.cover.high = after(page[len(page)-1].key)
		p.ahead.low = p.cover.high
	}
	if full {
		p.size = nextSize(page)
	}
	if p.count++; p.count >= aheadAfter && !p.ahead.empty() {
		p.coming = p.view.begin(p.ahead, p.reverse, p.size)
	}
	return nil
}

// next gets the next page: the one that was asked for, or one that's asked for now.
func (p *pages) next(ctx context.Context) ([]pair, error) {
	coming := p.coming
	if p.coming = nil; coming == nil {
		return p.view.scan(ctx, p.ahead, p.reverse, p.size)
	}
	if err := p.view.check(ctx); err != nil {
		return nil, err
	}
	return p.view.await(ctx, coming)
}

// nextSize returns how many entries to ask for after page.
func nextSize(page []pair) int {
	total := 1
	for _, e := range page {
		total += len(e.key) + len(e.value)
	}
	return max(2, min(len(page)*pageGrowth, pageEntriesMax, len(page)*pageBytesMax/total))
}

// after returns the key that comes next after key.
func after(key []byte) []byte { return append(slices.Clip(bytes.Clone(key)), 0) }

// scan returns up to limit entries of s. The client's scanner knows no context: when ctx ends first, the request is
// left to end by itself.
func (v *view) scan(ctx context.Context, s span, reverse bool, limit int) ([]pair, error) {
	if err := v.check(ctx); err != nil {
		return nil, err
	}
	if ctx.Done() == nil {
		page, err := v.scanNow(s, reverse, limit)
		return page, v.store.readError(ctx, err)
	}
	return v.await(ctx, v.begin(s, reverse, limit))
}

// scans receives the answer of a scan that was begun.
type scans chan scanned

type scanned struct {
	page []pair
	err  error
}

// begin asks for entries without waiting for them.
func (v *view) begin(s span, reverse bool, limit int) scans {
	answers := make(scans, 1)
	go func() {
		page, err := v.scanNow(s, reverse, limit)
		answers <- scanned{page, err}
	}()
	return answers
}

// await waits for the answer, or for the end of ctx.
func (v *view) await(ctx context.Context, answers scans) ([]pair, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answers:
		return a.page, v.store.readError(ctx, a.err)
	}
}

// scanNow is scan without a context. It uses nothing that belongs to one goroutine.
func (v *view) scanNow(s span, reverse bool, limit int) ([]pair, error) {
	snapshot := v.snapshot()
	snapshot.SetScanBatchSize(limit)
	entries, err := v.iterate(snapshot, s, reverse)
	if err != nil {
		return nil, err
	}
	defer entries.Close()
	var page []pair
	for entries.Valid() {
		value, err := cutValue(entries.Value())
		if err != nil {
			return nil, err
		}
		key := entries.Key()
		page = append(page, pair{key: key[len(v.store.prefix):len(key):len(key)], value: value})
		if len(page) == limit {
			break
		}
		if err := entries.Next(); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// iterator is the client's scanner.
type iterator interface {
	Valid() bool
	Key() []byte
	Value() []byte
	Next() error
	Close()
}

// iterate opens a scanner on the first entry of s.
func (v *view) iterate(snapshot *txnsnapshot.KVSnapshot, s span, reverse bool) (iterator, error) {
	low, high := v.store.storedKey(s.low), v.store.storedEnd(s.high)
	if reverse {
		return snapshot.IterReverse(high, low)
	}
	return snapshot.Iter(low, high)
}
