// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"context"
	"encoding/binary"
	"maps"
	"time"

	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

const (
	// wordCounted is up to how many entries of a word, or documents, are counted; longer lists are extrapolated by the
	// engine's sizes.
	wordCounted = 100_000
	// wordsKept is the number of words that are remembered.
	wordsKept = 10_000
	// countKept is the time for which a count is given again, for each entry that was counted, and countKeptMost the
	// time at most.
	countKept     = time.Millisecond
	countKeptMost = time.Minute
)

// wordID is a list of entries: of a word, or of all documents of a field.
type wordID struct {
	field  indexID
	number uint32
	word   string
	all    bool
}

// wordCount is the number of entries a list has, and the sum of the lengths of its documents if it is that of all.
type wordCount struct {
	entries, length float64
	until           time.Time
}

// Corpus returns what is known of all documents of a field, for the words of a query: exact up to some 100,000 entries
// each, a minute old at most.
func (b *Book) Corpus(ctx context.Context, l *Look, from kv.Snapshot, field *record.Field,
	q *search.Query) (search.Corpus, error) {
	id := wordID{field: l.id(field.Index), number: field.Number, all: true}
	all, err := b.countWord(ctx, l, from, id, field.Side)
	if err != nil {
		return search.Corpus{}, err
	}
	corpus := search.Corpus{Documents: all.entries, MeanLength: all.length / max(all.entries, 1),
		Frequencies: map[string]float64{}}
	id.all = false
	q.Root.Leaves(func(n *search.Node) {
		if n.Kind != search.Word && n.Kind != search.Phrase {
			return
		}
		words, _ := n.Parts()
		for _, word := range words {
			if id.word = string(word); err != nil || corpus.Frequencies[id.word] > 0 {
				continue
			}
			var one wordCount
			one, err = b.countWord(ctx, l, from, id, field.WordPrefix(nil, word, true))
			corpus.Frequencies[id.word] = one.entries
		}
	})
	return corpus, err
}

// countWord counts the entries of a list, unless that was done a moment ago.
func (b *Book) countWord(ctx context.Context, l *Look, from kv.Snapshot, id wordID, prefix []byte) (wordCount, error) {
	b.mu.Lock()
	known, ok := b.words[id]
	b.mu.Unlock()
	if ok && l.Now.Before(known.until) {
		return known, nil
	}
	end, _ := order.PrefixEnd(nil, prefix)
	whole := kv.Range{Start: prefix, End: end}
	walk := from.Scan(ctx, whole, false)
	defer walk.Close()
	c := wordCount{}
	for walk.Next() {
		if c.entries == wordCounted {
			factor, _ := l.share(whole, kv.Range{Start: prefix, End: walk.Key()})
			c.entries, c.length = c.entries*factor, c.length*factor
			break
		}
		c.entries++
		if id.all {
			length, _ := binary.Uvarint(walk.Value())
			c.length += float64(length)
		}
	}
	c.until = l.Now.Add(min(countKeptMost, time.Duration(min(c.entries, wordCounted))*countKept))
	b.putWord(id, c, l.Now)
	return c, walk.Close()
}

func (b *Book) putWord(id wordID, c wordCount, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.words == nil {
		b.words = map[wordID]wordCount{}
	}
	if len(b.words) >= wordsKept {
		maps.DeleteFunc(b.words, func(_ wordID, known wordCount) bool { return !now.Before(known.until) })
	}
	if len(b.words) < wordsKept {
		b.words[id] = c
	}
}
