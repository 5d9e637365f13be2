// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"context"
	"slices"

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
