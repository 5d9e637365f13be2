// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// mergedPostings is the entries of several words, in the order of their rows, with what they hold.
type mergedPostings struct {
	sortedKeys
	entries []postedEntry // in the order of gathered.keys, which has each row once
	entry   int           // of entries: none before it is of a row at or behind the one at hand
}

type postedEntry struct {
	key     []byte
	posting search.Posting
}

// gatherPostings collects the entries of some ranges of a field of words; nil if they are too many, or after an error.
func (f *finder) gatherPostings(field *record.Field, ranges []kv.Range) *mergedPostings {
	p := &mergedPostings{sortedKeys: sortedKeys{f: f}}
	for _, r := range ranges {
		walk := f.from.Scan(f.ctx, r, false)
		f.counts.Seeks++
		for f.err == nil && walk.Next() {
			f.counts.Postings++
			var key []byte
			if key, f.err = field.Rest(walk.Key()[len(field.Prefix):]); f.err != nil {
				break
			}
			const entryOverhead = 72 // of slices
			if f.room -= len(key) + len(walk.Value()) + entryOverhead; f.room < 0 {
				break
			}
			p.entries = append(p.entries, postedEntry{bytes.Clone(key), bytes.Clone(walk.Value())})
		}
		f.err = cmp.Or(f.err, walk.Close())
		if f.err != nil || f.room < 0 {
			return nil
		}
	}
	slices.SortFunc(p.entries, func(a, b postedEntry) int { return f.compare(a.key, b.key) })
	for _, e := range p.entries {
		p.keys = append(p.keys, e.key)
	}
	p.keys = slices.CompactFunc(p.keys, bytes.Equal)
	return p
}

// appendPlaces appends where one of the words stands in the row at hand, ascending.
func (p *mergedPostings) appendPlaces(dst []uint32) (_ []uint32, err error) {
	at := p.keys[p.at]
	for p.entry < len(p.entries) && p.f.compare(p.entries[p.entry].key, at) < 0 {
		p.entry++
	}
	for i := p.entry; i < len(p.entries) && bytes.Equal(p.entries[i].key, at); i++ {
		if dst, err = p.entries[i].posting.Places(dst); err != nil {
			return dst, err
		}
	}
	slices.Sort(dst)
	return dst, nil
}
