// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat/diagnosis"
	"github.com/weftdb/weft/internal/advice/heat/heatmap"
	"github.com/weftdb/weft/kv"
)

// Rates are the requests per second to a range.
type Rates struct{ Reads, Writes, ReadBytes, WrittenBytes float64 }

// Rates returns about how often the keys of r are asked for a second, from the last whole column and the one that is
// being counted. A bucket that reaches beyond r counts by the share of its sampled keys that lie in r.
func (m *Map) Rates(r kv.Range) Rates { return m.RatesOf([]kv.Range{r})[0] }

// RatesOf is Rates of many ranges.
func (m *Map) RatesOf(ranges []kv.Range) []Rates {
	m.mu.Lock()
	defer m.mu.Unlock()
	columns := m.recent(1)
	seconds := 0.0
	for i := range columns {
		seconds += float64(columns[i].To-columns[i].From) / 1000
	}
	rates := make([]Rates, len(ranges))
	if seconds == 0 {
		return rates
	}
	for i, r := range ranges {
		var sum [heatmap.Measures]float64
		for c := range columns {
			m.addRange(&sum, &columns[c].Rows, r)
		}
		rates[i] = Rates{sum[heatmap.Reads] / seconds, sum[heatmap.Writes] / seconds, sum[heatmap.ReadBytes] / seconds,
			sum[heatmap.WrittenBytes] / seconds}
	}
	return rates
}

// addRange adds what a column has of a range.
func (m *Map) addRange(sum *[heatmap.Measures]float64, rows *heatmap.Rows, r kv.Range) {
	for i := heatmap.Find(rows.Borders, r.Start); i < len(rows.Borders); i++ {
		if r.End != nil && bytes.Compare(rows.Borders[i], r.End) >= 0 && i > 0 {
			return
		}
		if rows.Requests(i) == 0 {
			continue
		}
		var end []byte
		if i+1 < len(rows.Borders) {
			end = rows.Borders[i+1]
		}
		share := m.share(kv.Range{Start: rows.Borders[i], End: end}, r)
		for measure := range sum {
			sum[measure] += share * rows.Values[measure][i]
		}
	}
}

// share returns the part of a bucket's requests that fall into r.
func (m *Map) share(bucket, r kv.Range) float64 {
	switch {
	case r.End != nil && bytes.Compare(bucket.Start, r.End) >= 0, bucket.End != nil &&
		bytes.Compare(bucket.End, r.Start) <= 0:
		return 0
	case bytes.Compare(bucket.Start, r.Start) >= 0 &&
		(r.End == nil || bucket.End != nil && bytes.Compare(bucket.End, r.End) <= 0):
		return 1
	}
	in, all := 0.0, 0.0
	for _, key := range m.sample(bucket) {
		all += key.Weight
		if contains(r, key.Key) {
			in += key.Weight
		}
	}
	if all == 0 {
		return 0
	}
	return in / all
}

func contains(r kv.Range, key []byte) bool {
	return bytes.Compare(key, r.Start) >= 0 && (r.End == nil || bytes.Compare(key, r.End) < 0)
}

// Request is a key that a request met; of look-ups, only those that found something.
type Request struct {
	Key    []byte
	Write  bool
	Weight float64 // for about how many requests it stands
}

// Sample returns a sample of the keys of r that requests met in the last one or two columns, in the order of the keys;
// a key that was met often stands in it often.
func (m *Map) Sample(r kv.Range) []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sample(r)
}

// sample is Sample; the caller holds mu.
func (m *Map) sample(r kv.Range) []Request {
	a := m.live.Load()
	var found []Request
	for i := a.find(r.Start); i < len(a.buckets) &&
		(r.End == nil || i == 0 || bytes.Compare(a.borders[i], r.End) < 0); i++ {
		b := &a.buckets[i]
		b.mu.Lock()
		for d := range b.now {
			for _, s := range [...]*sample{&b.now[d], &b.then[d]} {
				for _, k := range s.weighed() {
					if contains(r, k.key) {
						found = append(found, Request{k.key, direction(d) == write, k.weight})
					}
				}
			}
		}
		b.mu.Unlock()
	}
	slices.SortStableFunc(found, func(x, y Request) int { return bytes.Compare(x.Key, y.Key) })
	return found
}

// recent returns the last n whole columns, and the one that is being counted; the caller holds mu.
func (m *Map) recent(n int) []heatmap.Column {
	if m.column == 0 {
		return nil
	}
	columns := m.layers.Between(m.column-int64(n)*m.options.ColumnMS, m.column)
	return append(columns, m.unfinished())
}

// unfinished is the column that is being counted.
func (m *Map) unfinished() heatmap.Column {
	a := m.live.Load()
	rows := a.look()
	return heatmap.Column{From: m.column, To: max(m.now, m.column+1), Rows: m.refine(a, &rows)}
}

// Draw makes a picture of the requests from one time to another (Unix milliseconds; to <= 0: up to now) for the keys of
// r, with at most rowsMax rows.
func (m *Map) Draw(from, to int64, measure heatmap.Measure, r kv.Range, rowsMax int) heatmap.Matrix {
	m.mu.Lock()
	if to <= 0 {
		to = m.now + 1
	}
	columns := m.layers.Between(from, to)
	if m.column > 0 && to > m.column {
		columns = append(columns, m.unfinished())
	}
	m.mu.Unlock()
	return heatmap.Draw(columns, measure, r.Start, r.End, rowsMax, Same)
}

// History is the recorded load of one table or index.
type History struct {
	Object  Object
	Moments []Moment // oldest first; the last is not over yet. Those before the last 17 have totals alone
}

// Histories returns what is known of all tables and indexes, in the order of their ids.
func (m *Map) Histories() []History {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.column == 0 {
		return nil
	}
	now := m.unfinished()
	var all []History
	for id, o := range *m.objects.Load() {
		all = append(all, historyOf(id, o, &now))
	}
	slices.SortFunc(all, func(a, b History) int {
		return cmp.Or(cmp.Compare(a.Object.Table, b.Object.Table), cmp.Compare(a.Object.Index, b.Object.Index))
	})
	return all
}

func historyOf(id Object, o *object, now *heatmap.Column) History {
	last := o.moment()
	last.From, last.To = now.From, now.To
	last.Reads, last.Writes = id.requests(&now.Rows)
	return History{id, append(slices.Clone(o.history), last)}
}

// History is Histories for one table or index; ok is false if nothing is known of it.
func (m *Map) History(id Object) (h History, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := (*m.objects.Load())[id]
	if m.column == 0 || o == nil {
		return h, false
	}
	now := m.unfinished()
	return historyOf(id, o, &now), true
}

// ColumnMS is how wide the youngest columns are.
func (m *Map) ColumnMS() int64 { return m.options.ColumnMS }

// Bytes is the memory of the columns.
func (m *Map) Bytes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.layers.Bytes()
}

// Describe fills in the schema's part of a table or index: its names and key, and how to read one of its keys, of
// which it is handed the bytes after the object's own. ok is false if there is no such table any more.
type Describe func(id Object) (about diagnosis.Object, parts func(key []byte) []string, ok bool)

// Picture is the history as package diagnosis wants it.
func (h *History) Picture(describe Describe) (picture diagnosis.Object, ok bool) {
	picture, parts, ok := describe(h.Object)
	if !ok {
		return picture, false
	}
	first, _ := h.Object.Span()
	keyOf := func(key []byte) diagnosis.Key {
		if len(key) < len(first) {
			return diagnosis.Key{}
		}
		return diagnosis.Key{Bytes: string(key), Parts: parts(key[len(first):])}
	}
	keysOf := func(keys [][]byte) (list []diagnosis.Key) {
		for _, key := range keys {
			list = append(list, keyOf(key))
		}
		return list
	}
	for i := range h.Moments {
		m := &h.Moments[i]
		shown := diagnosis.Moment{From: m.From, To: m.To, Reads: m.Reads, Writes: m.Writes, Counted: m.Counted,
			Read: keysOf(m.Read), Written: keysOf(m.Written)}
		for d := range m.Tops {
			for _, t := range m.Tops[d] {
				shown.Tops[d] = append(shown.Tops[d], diagnosis.Top{Key: keyOf(t.Key), Count: t.Count, Over: t.Over})
			}
		}
		picture.Moments = append(picture.Moments, shown)
	}
	return picture, true
}
