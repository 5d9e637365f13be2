// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// countedMax is up to how many entries an index is counted through to cut it exactly; a larger one is cut by the
// engine's size estimates.
const countedMax = 500_000

// countedOnCluster is countedMax where the regions tell the rest, and each gateway counts for itself.
const countedOnCluster = 50_000

// probesMax bounds the look-ups spent on one cut of a large index.
const probesMax = 40

// Boundaries returns at most count relative keys, ascending, that cut the index into parts of about the same size.
// sizeOf estimates the bytes of a range; nil if nobody can.
func Boundaries(ctx context.Context, from kv.Snapshot, x *record.Index, count int,
	sizeOf func(kv.Range) int64) ([][]byte, error) {
	cuts, _, err := Sample(ctx, from, x, nil, count, sizeOf)
	return cuts, err
}

// Sample is Boundaries, and says how many entries the index has if it has counted them: entries is 0 if there are too
// many to count. A large index is cut where its regions begin, and these are cut further; starts may be nil.
func Sample(ctx context.Context, from kv.Snapshot, x *record.Index, starts [][]byte, count int,
	sizeOf func(kv.Range) int64) (cuts [][]byte, entries int64, err error) {
	ctx = heat.OwnWork(ctx)
	most := countedMax
	if sizeOf == nil && len(starts) > 0 {
		if len(starts) >= count {
			return thinned(starts, count), 0, nil
		}
		most = countedOnCluster
	}
	cuts, n, err := countedCuts(ctx, from, x, count, most)
	if err != nil {
		return nil, 0, err
	}
	if n < most {
		return cuts, int64(n), nil
	}
	if sizeOf == nil {
		return thinned(starts, count), 0, nil // none rather than some of the part that was counted
	}
	c := cutter{ctx: ctx, from: from, index: x, sizeOf: sizeOf, starts: starts}
	cuts, err = c.cuts(part{}, count)
	return cuts, 0, err
}

// cutBytesMin is the least number of bytes of a part that is worth a goroutine of its own.
const cutBytesMin = 1 << 20

// Cut returns at most count relative keys inside a span of an index, ascending, that cut it into parts of about the
// same size by the engine's estimates; none where there are none, or where the span is small. starts, which may be nil,
// are where the index's regions begin: it is cut there first, and there alone if nobody can estimate. It reads some
// dozens of keys for each other cut.
func Cut(ctx context.Context, from kv.Snapshot, x *record.Index, span indexkey.Span, starts [][]byte, count int,
	sizeOf func(kv.Range) int64) ([][]byte, error) {
	starts = inside(starts, span)
	if count < 1 {
		return nil, nil
	}
	if sizeOf == nil {
		return thinned(starts, count), nil
	}
	c := cutter{ctx: heat.OwnWork(ctx), from: from, index: x, sizeOf: sizeOf, bytesMin: cutBytesMin, starts: starts}
	return c.cuts(part{start: span.Start, end: span.End}, count)
}

// CutFinely is Cut for spans of any size.
func CutFinely(ctx context.Context, from kv.Snapshot, x *record.Index, span indexkey.Span, count int,
	sizeOf func(kv.Range) int64) ([][]byte, error) {
	c := cutter{ctx: heat.OwnWork(ctx), from: from, index: x, sizeOf: sizeOf}
	return c.cuts(part{start: span.Start, end: span.End}, count)
}

// countedCuts samples keys at a stride that doubles as the index turns out to be longer. n is the number of entries it
// has seen, at most so many.
func countedCuts(ctx context.Context, from kv.Snapshot, x *record.Index, count, most int) (cuts [][]byte, n int,
	err error) {
	walk := from.Scan(ctx, x.Range(), false)
	defer walk.Close()
	var sample [][]byte
	stride := 1
	for ; n < most && walk.Next(); n++ {
		if n%stride != 0 {
			continue
		}
		if sample = append(sample, bytes.Clone(walk.Key()[len(x.Prefix):])); len(sample) >= 8*(count+1) {
			sample, stride = everySecond(sample), stride*2
		}
	}
	return quantiles(sample, count), n, walk.Close()
}

func everySecond(sample [][]byte) [][]byte {
	for i := range len(sample) / 2 {
		sample[i] = sample[2*i]
	}
	return sample[:(len(sample)+1)/2]
}

// quantiles picks at most count keys evenly, never the first.
func quantiles(sample [][]byte, count int) [][]byte {
	var cuts [][]byte
	for i := 1; i <= count; i++ {
		if at := i * len(sample) / (count + 1); at > 0 {
			cuts = append(cuts, sample[at])
		}
	}
	return slices.CompactFunc(cuts, bytes.Equal)
}

// cutter halves the largest part again and again.
type cutter struct {
	ctx    context.Context
	from   kv.Snapshot
	index  *record.Index
	sizeOf func(kv.Range) int64
	// bytesMin is the number of bytes from which on a part is cut.
	bytesMin int64
	// starts are keys at which the whole is cut first.
	starts [][]byte
}

type part struct {
	start, end []byte // relative
	bytes      int64
}

func (c *cutter) cuts(whole part, count int) ([][]byte, error) {
	parts := c.first(whole, count)
	for len(parts) <= count {
		at := 0
		for i := range parts {
			if parts[i].bytes > parts[at].bytes {
				at = i
			}
		}
		if parts[at].bytes <= c.bytesMin {
			break
		}
		left, right, err := c.halve(parts[at])
		if err != nil {
			return nil, err
		}
		if right.start == nil {
			parts[at].bytes = 0 // one huge row: it can't be cut
			continue
		}
		parts = append(parts[:at], append([]part{left, right}, parts[at+1:]...)...)
	}
	keys := make([][]byte, 0, len(parts))
	for _, p := range parts[1:] {
		keys = append(keys, p.start)
	}
	return keys, nil
}

// halve looks for a key of the part with about half of its bytes on each side, by bisecting the byte strings between
// its ends.
func (c *cutter) halve(p part) (left, right part, err error) {
	low, high, err := c.ends(p)
	if err != nil || low == nil {
		return p, part{}, err
	}
	best, bestLeft := []byte(nil), int64(0)
	for range probesMax {
		key, err := c.firstAt(middle(low, high), p.end)
		if err != nil {
			return p, part{}, err
		}
		if key == nil || bytes.Compare(key, high) >= 0 {
			if high = middle(low, high); bytes.Compare(high, low) <= 0 {
				break
			}
			continue
		}
		if bytes.Equal(key, low) {
			break
		}
		size := c.sizeOf(c.index.Span(p.start, key))
		if best == nil || distance(size, p.bytes) < distance(bestLeft, p.bytes) {
			best, bestLeft = key, size
		}
		if size*2 < p.bytes {
			low = key
		} else {
			high = key
		}
	}
	if best == nil {
		return p, part{}, nil
	}
	return part{p.start, best, bestLeft}, part{best, p.end, max(p.bytes-bestLeft, 0)}, nil
}

// first returns the whole, cut where its regions begin; with more of these than parts are wanted, neighbours go
// together.
func (c *cutter) first(whole part, count int) []part {
	parts := make([]part, 1, len(c.starts)+1)
	parts[0] = part{start: whole.start}
	for _, key := range c.starts {
		parts[len(parts)-1].end = key
		parts = append(parts, part{start: key})
	}
	parts[len(parts)-1].end = whole.end
	total := int64(0)
	for i := range parts {
		parts[i].bytes = c.sizeOf(c.index.Span(parts[i].start, parts[i].end))
		total += parts[i].bytes
	}
	if len(parts) <= count+1 && (c.bytesMin == 0 || total > c.bytesMin) {
		return parts
	}
	share := max(total/int64(count+1), c.bytesMin)
	joined := parts[:1]
	for _, p := range parts[1:] {
		last := &joined[len(joined)-1]
		if last.bytes+p.bytes/2 < share || len(joined) == count+1 {
			last.end, last.bytes = p.end, last.bytes+p.bytes
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// inside returns the keys that cut a span.
func inside(keys [][]byte, span indexkey.Span) [][]byte {
	var list [][]byte
	for _, key := range keys {
		if (span.Start == nil || bytes.Compare(key, span.Start) > 0) &&
			(span.End == nil || bytes.Compare(key, span.End) < 0) {
			list = append(list, key)
		}
	}
	return list
}

// thinned returns at most count of the keys, evenly.
func thinned(keys [][]byte, count int) [][]byte {
	if len(keys) <= count {
		return append([][]byte{}, keys...)
	}
	list := make([][]byte, 0, count)
	for i := range count {
		list = append(list, keys[(2*i+1)*len(keys)/(2*count)])
	}
	return list
}

func distance(half, whole int64) int64 { return max(half*2-whole, whole-half*2) }

// ends returns the first and the last key of a part; low is nil if it has fewer than two.
func (c *cutter) ends(p part) (low, high []byte, err error) {
	if low, err = c.firstAt(p.start, p.end); err != nil || low == nil {
		return nil, nil, err
	}
	walk := c.from.Scan(c.ctx, c.index.Span(p.start, p.end), true)
	if walk.Next() {
		high = bytes.Clone(walk.Key()[len(c.index.Prefix):])
	}
	if bytes.Equal(low, high) {
		low = nil
	}
	return low, high, walk.Close()
}

// firstAt returns the first key of the index at or after start and before end; nil if there is none.
func (c *cutter) firstAt(start, end []byte) (key []byte, err error) {
	walk := c.from.Scan(c.ctx, c.index.Span(start, end), false)
	if walk.Next() {
		key = bytes.Clone(walk.Key()[len(c.index.Prefix):])
	}
	return key, walk.Close()
}

// middle returns a byte string about half way from low to high, which it must follow: the mean of the 8 bytes after
// what they share.
func middle(low, high []byte) []byte {
	shared := 0
	for shared < len(low) && shared < len(high) && low[shared] == high[shared] {
		shared++
	}
	a, b := window(low, shared), window(high, shared)
	mid := a + (b-a)/2
	key := bytes.Clone(high[:shared])
	for i := 7; i >= 0; i-- {
		key = append(key, byte(mid>>(8*i)))
	}
	return key
}

func window(key []byte, from int) (x uint64) {
	for i := from; i < from+8; i++ {
		x <<= 8
		if i < len(key) {
			x |= uint64(key[i])
		}
	}
	return x
}
