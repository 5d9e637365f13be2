// SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
	"slices"
	"sort"

	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// How a list is read. An entry costs least when many are read together, but those that the walk leaps over are read in
// vain; a seek costs as much as some entries.
const (
	blockFirst = 8   // entries of the first block; one behind a seek has a single entry
	blockMost  = 256 // a block has twice as many as the one before, as long as enough of them are asked for:
	blockUsed  = 4   // one of so many
	// tryEvery is how often it is tried whether the next row is near the last one, once it was not.
	tryEvery = 16
	// stepsMax is the number of entries that are stepped over before a row is sought in a block.
	stepsMax = 4
)

// list is the rows of the entries of one value or word: their keys are a prefix and the row's key.
type list struct {
	f      *finder
	walk   kv.Cursor
	prefix []byte
	block  kv.Block
	entry  int // of block: the row at hand
	asked  int // of block: the entry behind the last one that was asked for
	used   int // how many of block were asked for
	begun  bool
	sought bool // block lies behind a seek
	far    bool // of the last block that was read without a seek, not enough was asked for
	tries  int  // to go on without a seek, since
	target []byte
}

// everything is all rows of the table.
func (f *finder) everything() stream { return f.list(f.table.Prefix, kv.BlockKeys) }

// list opens the list of a prefix. keep says whether its postings are wanted.
func (f *finder) list(prefix []byte, keep kv.BlockPart) *list {
	end, _ := order.PrefixEnd(nil, prefix)
	walk := f.from.Scan(f.ctx, kv.Range{Start: prefix, End: end}, f.reverse)
	f.walks = append(f.walks, walk)
	return &list{f: f, walk: walk, prefix: prefix, block: kv.Block{Keep: keep, Cut: len(prefix)}}
}

func (l *list) seek(key []byte) []byte {
	for !l.inBlock(key) {
		if !l.fill(key) {
			return nil
		}
	}
	return l.key()
}

func (l *list) next() []byte {
	if l.entry++; l.entry >= l.block.Len() && !l.fill(nil) {
		return nil
	}
	return l.key()
}

// key is the row at hand.
func (l *list) key() []byte {
	if l.entry >= l.asked {
		l.asked = l.entry + 1
		l.used++
	}
	return l.block.Key(l.entry)
}

// inBlock moves to the first row of the block that isn't before key, and reports whether there is one.
func (l *list) inBlock(key []byte) bool {
	for steps := 0; l.entry < l.block.Len() && !l.f.isAt(l.block.Key(l.entry), key); l.entry++ {
		if steps++; steps == stepsMax {
			l.leap(key)
		}
	}
	return l.entry < l.block.Len()
}

// leap moves to the last entry of the block that is before key, of those behind the one at hand.
func (l *list) leap(key []byte) {
	rest := l.block.Len() - l.entry - 1
	l.entry += sort.Search(rest, func(i int) bool { return l.f.isAt(l.block.Key(l.entry+1+i), key) })
}

// fill reads the next block, in which key may be; false: there is none.
func (l *list) fill(key []byte) bool {
	read := l.block.Len()
	if l.begun && read == 0 {
		return false
	}
	size := blockFirst
	switch l.sought = key != nil && l.isFar(); {
	case l.sought:
		size = 1
		l.target = append(append(l.target[:0], l.prefix...), key...)
		l.walk.Seek(l.target)
		l.f.counts.Seeks++
	case l.isDense():
		size = min(max(2*read, size), blockMost)
	}
	l.begun = true
	return l.read(size)
}

// isFar reports whether the next row that is asked for is likely to be farther than a seek is worth. Whether it is, is
// tried now and then.
func (l *list) isFar() bool {
	if !l.begun {
		return true
	}
	if !l.sought {
		l.far, l.tries = !l.isDense(), 0
	}
	l.tries++
	return l.far && l.tries%tryEvery != 0
}

// isDense reports whether enough of the block was asked for.
func (l *list) isDense() bool { return l.used*blockUsed >= l.block.Len() }

// read reads a block.
func (l *list) read(most int) bool {
	kv.ReadBlock(l.walk, &l.block, most)
	l.entry, l.asked, l.used = 0, 0, 0
	l.f.counts.Postings += int64(l.block.Len())
	return l.block.Len() > 0
}

// posting is the posting of the entry at hand.
func (l *list) posting() search.Posting { return search.Posting(l.block.Value(l.entry)) }

// count is the number of rows that lie in a span, of a list that nothing was asked of.
func (l *list) count(span indexkey.Span) (n int64) {
	r := kv.Range{Start: slices.Concat(l.prefix, span.Start)}
	if span.End != nil {
		r.End = slices.Concat(l.prefix, span.End)
	} else {
		r.End, _ = order.PrefixEnd(nil, l.prefix)
	}
	l.walk.Move(r)
	l.block.Keep = kv.BlockCount
	for l.read(blockMost) {
		n += int64(l.block.Len())
	}
	return n
}

// countFound counts the rows that are found and that are not read.
func (c *Cursor) countFound() (n int64) {
	if l := c.found.only(); l != nil {
		for _, span := range c.spans {
			n += l.count(span)
		}
	} else {
		for c.advance() != nil && (n%checkEvery != 0 || c.ctx.Err() == nil) {
			n++
		}
	}
	c.err = cmp.Or(c.found.err, c.ctx.Err())
	c.Counts.Examined += n
	c.Counts.Returned += n
	return n
}

// only is the list that has all rows that are found; nil if there is none.
func (f *finder) only() *list {
	switch root := f.root.(type) {
	case *list:
		return root
	case *word:
		return root.list
	}
	return nil
}
