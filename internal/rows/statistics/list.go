// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

const (
	// listCounted is the number of entries of a list that are counted. Of a longer one, it is looked whether rows that
	// lie evenly in the table have an entry.
	listCounted = 512
	// listLooks is the number of rows these are, and listLooksRemote how many where each look is a request.
	listLooks       = 256
	listLooksRemote = 32
	// drawnKeys is the number of rows of a list that stand for all of them.
	drawnKeys = 64
	// listKept is the time what was found of a list is used again, and listsKept of how many lists.
	listKept  = time.Minute
	listsKept = 4096
)

// Lists estimates how many rows the parts of a search find, for one planning: see access.Lists. It reads some hundred
// entries of each list of a search index that it knows nothing of yet. It is used by one goroutine and must be closed.
type Lists struct {
	ctx  context.Context
	book *Book
	look *Look
	from kv.Reader // nil: nothing was read yet
	rows float64   // of the table
	err  error     // from then on nothing is known
}

// ForQuery is Known for the plan of a query. If a search index may answer it, what its lists tell is known, too, until
// done is called.
func (b *Book) ForQuery(ctx context.Context, l *Look, searches bool) (known access.Statistics, done func()) {
	known = b.Known(l)
	if !searches {
		return known, func() {}
	}
	if known.Rows == 0 {
		if _, err := b.Estimate(ctx, l, l.Table.Primary); err != nil {
			return known, func() {} // as if nobody knew
		}
		known = b.Known(l)
	}
	lists := b.Lists(ctx, l, known.Rows)
	known.Lists = lists
	return known, lists.Close
}

// Lists begins to estimate searches in a table of so many rows.
func (b *Book) Lists(ctx context.Context, l *Look, rows float64) *Lists {
	return &Lists{ctx: ctx, book: b, look: l, rows: max(rows, 1)}
}

// Close ends the reading.
func (s *Lists) Close() {
	if s.from != nil {
		s.from.Close()
	}
}

// open begins to read; false: nothing can be read.
func (s *Lists) open() bool {
	if s.from == nil && s.err == nil {
		s.from, s.err = s.look.Store.Read(s.ctx)
	}
	return s.err == nil
}

// drawn is a sample of a list: the number of its entries, and the rows of some of them, which lie evenly among them.
// The keys are those of the table, without its prefix.
type drawn struct {
	entries float64
	keys    [][]byte
	whole   bool // keys has all rows
	until   time.Time
}

// list looks at the list of the entries that begin with a prefix, which is followed by the key of the row.
func (s *Lists) list(prefix []byte) drawn {
	b := s.book
	b.mu.Lock()
	known, ok := b.lists[string(prefix)]
	b.mu.Unlock()
	if ok && s.look.Now.Before(known.until) {
		return known
	}
	if !s.open() {
		return drawn{}
	}
	end, _ := order.PrefixEnd(nil, prefix)
	d := s.count(kv.Range{Start: prefix, End: end}, func(key []byte) ([]byte, error) { return key[len(prefix):], nil })
	if !d.whole {
		s.extrapolate(prefix, &d)
	}
	d.keys = evenly(d.keys, drawnKeys)
	d.whole = d.whole && float64(len(d.keys)) == d.entries
	if s.err == nil {
		d.until = s.look.Now.Add(listKept)
		b.putList(string(prefix), d, s.look.Now)
	}
	return d
}

func (b *Book) putList(prefix string, d drawn, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lists == nil {
		b.lists = map[string]drawn{}
	}
	if len(b.lists) >= listsKept {
		maps.DeleteFunc(b.lists, func(_ string, known drawn) bool { return !now.Before(known.until) })
	}
	if len(b.lists) >= listsKept {
		clear(b.lists)
	}
	b.lists[prefix] = d
}

// count counts the entries of a range, up to listCounted. rest is the key of an entry's row.
func (s *Lists) count(r kv.Range, rest func(key []byte) ([]byte, error)) (d drawn) {
	walk := s.from.Scan(s.ctx, r, false)
	defer walk.Close()
	for len(d.keys) < listCounted {
		if !walk.Next() {
			d.whole = true
			break
		}
		key, err := rest(walk.Key())
		if err != nil {
			s.err = err
			return drawn{}
		}
		d.keys = append(d.keys, bytes.Clone(key))
	}
	if err := walk.Close(); err != nil {
		s.err = err
	}
	d.entries = float64(len(d.keys))
	return d
}

// extrapolate estimates a list that is longer than what was counted of it.
func (s *Lists) extrapolate(prefix []byte, d *drawn) {
	cuts := s.cuts()
	if len(cuts) == 0 {
		end, _ := order.PrefixEnd(nil, prefix)
		whole := kv.Range{Start: prefix, End: end}
		factor, _ := s.look.share(whole, kv.Range{Start: prefix, End: slices.Concat(prefix, d.keys[len(d.keys)-1])})
		d.entries *= factor
		d.entries = min(d.entries, s.rows)
		return
	}
	looks := evenly(cuts, s.looks())
	var hits [][]byte
	s.have(prefix, looks, func(i int, _ []byte) { hits = append(hits, looks[i]) })
	one := s.rows / float64(len(looks)) // the rows that a hit stands for
	d.entries = one * float64(len(hits))
	const reliable, enough = 3, 16
	if len(hits) < reliable {
		least, most := max(one*float64(len(hits))/2, listCounted), max(one*float64(len(hits)+2), listCounted)
		d.entries = min(max(s.stretch(prefix, cuts, d.keys), least), most)
	}
	d.entries = min(max(d.entries, listCounted), s.rows)
	if len(hits) < enough {
		hits = append(hits, s.strewn(prefix, cuts)...)
	}
	if len(hits) >= enough {
		slices.SortFunc(hits, bytes.Compare)
		d.keys = slices.CompactFunc(hits, bytes.Equal)
	}
}

// looks is the number of single entries that are looked for.
func (s *Lists) looks() int {
	if _, shared := s.look.Store.(kv.Shared); shared {
		return listLooksRemote
	}
	return listLooks
}

// stretch extrapolates from the part of the table in which the first entries of a list lie to the one in which all do;
// 0: the former is too small to be seen.
func (s *Lists) stretch(prefix []byte, cuts, first [][]byte) (entries float64) {
	place := func(key []byte) float64 {
		at, _ := slices.BinarySearchFunc(cuts, key, bytes.Compare)
		return float64(at)
	}
	end, _ := order.PrefixEnd(nil, prefix)
	walk := s.from.Scan(s.ctx, kv.Range{Start: prefix, End: end}, true)
	defer walk.Close()
	if !walk.Next() {
		return 0
	}
	begin := place(first[0])
	whole := place(walk.Key()[len(prefix):]) - begin
	spread := place(first[len(first)-1]) - begin
	if spread < 1 {
		return 0
	}
	return float64(len(first)) * whole / spread
}

// strewn finds the entries behind some keys of the table.
func (s *Lists) strewn(prefix []byte, cuts [][]byte) (keys [][]byte) {
	end, _ := order.PrefixEnd(nil, prefix)
	walk := s.from.Scan(s.ctx, kv.Range{Start: prefix, End: end}, false)
	defer walk.Close()
	for _, cut := range evenly(cuts, s.looks()/2) {
		walk.Seek(slices.Concat(prefix, cut))
		if !walk.Next() {
			break
		}
		keys = append(keys, bytes.Clone(walk.Key()[len(prefix):]))
	}
	return keys
}

// have calls found for those of some rows that have an entry in a list, with what that holds.
func (s *Lists) have(prefix []byte, keys [][]byte, found func(i int, held []byte)) {
	if !s.open() || len(keys) == 0 {
		return
	}
	entries := make([][]byte, len(keys))
	for i, key := range keys {
		entries[i] = slices.Concat(prefix, key)
	}
	err := s.from.GetMany(s.ctx, entries, func(i int, held []byte, ok bool) error {
		if ok {
			found(i, held)
		}
		return nil
	})
	if err != nil {
		s.err = err
	}
}

// cuts are keys of rows that lie evenly in the table.
func (s *Lists) cuts() [][]byte {
	return s.separators(s.look.id(s.look.Table.Primary), s.look.Table.Primary, int64(s.rows)).keys
}

// separators are sampled keys of an index, or of a field of a search index.
func (s *Lists) separators(id indexID, x *record.Index, rows int64) separators {
	b := s.book
	b.mu.Lock()
	known, ok := b.sampled[id]
	b.mu.Unlock()
	if ok && known.fits(rows, s.look.Now) || !s.open() {
		return known
	}
	if s.err = b.sampleAs(s.ctx, s.look, s.from, id, x, rows); s.err != nil {
		return separators{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sampled[id]
}

// Values returns the statistics of a field's values: see access.Lists.
func (s *Lists) Values(x *schema.Index, field int, column string) (known indexkey.Statistics, ok bool) {
	compiled, ok := s.look.Table.IndexByID(x.ID)
	if !ok {
		return known, false
	}
	f := compiled.Field(field).Named(column)
	id := s.look.id(compiled)
	id.field, id.column = f.Number+1, column
	sampled := s.separators(id, f.Index, int64(s.rows))
	known = indexkey.Statistics{Rows: s.rows, Separators: sampled.keys}
	if sampled.counted > 0 {
		known.Rows = float64(sampled.counted)
	}
	return known, s.err == nil && len(sampled.keys) > 0
}

// evenly picks at most count of some keys.
func evenly(keys [][]byte, count int) [][]byte {
	if len(keys) <= count {
		return keys
	}
	picked := make([][]byte, count)
	for i := range picked {
		picked[i] = keys[(2*i+1)*len(keys)/(2*count)]
	}
	return picked
}
