// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Amount is about how much a region holds.
type Amount struct {
	Rows  int64
	Bytes int64 // of items, as DynamoDB counts them
	// Least says that there are more: nobody can estimate how many.
	Least bool

	middle middle // of the entries, if they were all counted
}

// measuredEntries is the number of entries that are counted in all, and how many at least in each region where no size
// tells the rest.
const (
	measuredEntries = 50_000
	measuredEach    = 200
)

// Measure returns about how much each region of an index holds: exactly for up to some 50,000 entries, and by the
// engine's sizes of ranges where there are more. sizeOf may be nil: then what was counted is the least there is.
func Measure(ctx context.Context, from kv.Snapshot, x *record.Index, regions []Region,
	sizeOf func(kv.Range) int64) ([]Amount, error) {
	measured, counted, err := countThrough(ctx, from, x, regions)
	if err != nil || counted == nil {
		return measured, err
	}
	var rows, itemBytes int64
	for i := range measured {
		rows, itemBytes = rows+measured[i].Rows, itemBytes+measured[i].Bytes
	}
	size := int64(0)
	if sizeOf != nil {
		size = sizeOf(kv.Range{Start: x.Prefix, End: counted})
	}
	if size <= 0 {
		return countEach(ctx, from, x, regions)
	}
	for i := range regions {
		within := x.Span(regions[i].Start, regions[i].End)
		if bytes.Compare(within.Start, counted) < 0 && within.End != nil && bytes.Compare(within.End, counted) <= 0 {
			continue // counted whole
		}
		share := float64(sizeOf(within)) / float64(size)
		measured[i] = Amount{Rows: max(measured[i].Rows, int64(share*float64(rows))),
			Bytes: max(measured[i].Bytes, int64(share*float64(itemBytes)))}
	}
	return measured, nil
}

// countThrough counts the entries of all regions. counted is nil, or the key at which it gave up.
func countThrough(ctx context.Context, from kv.Snapshot, x *record.Index, regions []Region) (measured []Amount,
	counted []byte, err error) {
	measured = make([]Amount, len(regions))
	walk := from.Scan(ctx, x.Range(), false)
	at := 0
	for n := 0; walk.Next(); n++ {
		if n == measuredEntries {
			counted = slices.Clone(walk.Key())
			break
		}
		for at < len(regions)-1 && bytes.Compare(walk.Key()[len(x.Prefix):], regions[at].End) >= 0 {
			at++
		}
		measured[at].Rows++
		measured[at].middle.add(walk.Key()[len(x.Prefix):])
		measured[at].Bytes += int64(value.Row(walk.Value()).Size())
	}
	return measured, counted, walk.Close()
}

// countEach counts in each region its share of the entries that are counted at all.
func countEach(ctx context.Context, from kv.Snapshot, x *record.Index, regions []Region) ([]Amount, error) {
	most := max(measuredEach, measuredEntries/len(regions))
	measured := make([]Amount, len(regions))
	for i := range regions {
		m := &measured[i]
		walk := from.Scan(ctx, x.Span(regions[i].Start, regions[i].End), false)
		for walk.Next() {
			if m.Rows == int64(most) {
				m.Least, m.middle = true, middle{}
				break
			}
			m.Rows++
			m.middle.add(walk.Key()[len(x.Prefix):])
			m.Bytes += int64(value.Row(walk.Value()).Size())
		}
		if err := walk.Close(); err != nil {
			return nil, err
		}
	}
	return measured, nil
}

// evenly returns the keys that cut the entries of an index into so many regions of about the same size; none if there
// are fewer entries.
func evenly(ctx context.Context, from kv.Snapshot, x *record.Index, count int, sizeOf func(kv.Range) int64) ([][]byte,
	error) {
	keys, err := query.Boundaries(ctx, from, x, count-1, sizeOf)
	if len(keys) < count-1 {
		keys = nil
	}
	return keys, err
}

// middleKeys is the number of keys that are kept to know the middle one.
const middleKeys = 64

// middle finds about the middle one of keys that come in order.
type middle struct {
	keys   [][]byte // one of so many
	stride int
	seen   int
}

func (m *middle) add(key []byte) {
	if len(m.keys) == middleKeys {
		for i := range middleKeys / 2 {
			m.keys[i] = m.keys[2*i]
		}
		m.keys, m.stride = m.keys[:middleKeys/2], 2*m.stride
	}
	m.stride = max(1, m.stride)
	if m.seen%m.stride == 0 {
		m.keys = append(m.keys, slices.Clone(key))
	}
	m.seen++
}

// key is nil if there are fewer than two keys.
func (m *middle) key() []byte {
	if len(m.keys) < 2 {
		return nil
	}
	return m.keys[len(m.keys)/2]
}

// requestsAsked is the number of requests a second a region has at least whose requests are looked at.
const requestsAsked = 1

// divider is the relative key at which a region would be split now: one that divides its requests, or else its middle;
// nil if neither is known.
func (k *Keeper) divider(x *record.Index, r *Region, size *Amount, rate Rate) []byte {
	if rate.requests() >= requestsAsked {
		if keys, verdict := Divide(k.Requests(x, r.Start, r.End)); verdict == Divides {
			return keys[0]
		}
	}
	return size.middle.key()
}

// requestsWanted is the number of requests for a region that are taken from the trail of its index, if it has left as
// many in recentMS milliseconds.
const (
	requestsWanted = 256
	recentMS       = 10 * 60 * 1000
)

// OfHeat is the Traffic that a map of heat has counted; nil for nil.
func OfHeat(m *heat.Map) Traffic {
	if m == nil {
		return nil
	}
	return trafficCounter{m}
}

type trafficCounter struct{ m *heat.Map }

func (c trafficCounter) Rates(ranges []kv.Range) []Rate {
	rates := make([]Rate, len(ranges))
	for i, of := range c.m.RatesOf(ranges) {
		rates[i] = Rate{Reads: of.Reads, Writes: of.Writes}
	}
	return rates
}

// Requests goes back through the trail, a column after another, until there are requests enough.
func (c trafficCounter) Requests(r kv.Range) []Request {
	object, ok := heat.ObjectOf(r.Start)
	if !ok {
		return nil
	}
	history, ok := c.m.History(object)
	if !ok {
		return nil
	}
	var columns [][]Request
	count := 0
	moments := history.Moments
	for i := len(moments) - 1; i >= 0 && count < requestsWanted &&
		moments[len(moments)-1].To-moments[i].From <= recentMS; i-- {
		one := requestsOf(&moments[i], r)
		columns, count = append(columns, one), count+len(one)
	}
	slices.Reverse(columns)
	return slices.Concat(columns...)
}

// requestsOf returns a column's requests to a range: reads and writes in turn, in proportion to their numbers.
func requestsOf(m *heat.Moment, r kv.Range) []Request {
	read, written := m.Read, m.Written
	// Reads that found nothing are counted, but leave no keys.
	if len(read) > 0 && len(written) > 0 && m.Reads+m.Writes > 0 {
		each := max(m.Reads/float64(len(read)), m.Writes/float64(len(written))) // requests that a key stands for
		read, written = thin(read, m.Reads/each), thin(written, m.Writes/each)
	}
	list := make([]Request, 0, len(read)+len(written))
	for i, j := 0, 0; i < len(read) || j < len(written); {
		if j >= len(written) || i < len(read) && i*len(written) <= j*len(read) {
			list, i = append(list, Request{Key: read[i]}), i+1
		} else {
			list, j = append(list, Request{Key: written[j], Write: true}), j+1
		}
	}
	return slices.DeleteFunc(list, func(one Request) bool {
		return bytes.Compare(one.Key, r.Start) < 0 || r.End != nil && bytes.Compare(one.Key, r.End) >= 0
	})
}

// thin keeps so many of the keys, evenly.
func thin(keys [][]byte, wanted float64) [][]byte {
	n := min(len(keys), int(wanted+0.5))
	kept := make([][]byte, 0, n)
	for i := range n {
		kept = append(kept, keys[i*len(keys)/n])
	}
	return kept
}
