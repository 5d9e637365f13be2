// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat/heatmap"
)

const (
	requestsMin = 64  // requests of a bucket in a column from which it may be cut
	pieces      = 256 // about into how many pieces all requests of a column are cut
	piecesMax   = 32  // of one bucket
	alone       = 0.2 // a key with that share of a bucket's sample gets a bucket of its own
	borderMax   = 96  // bytes; longer borders are not made
)

// refine cuts a column's hot buckets at keys of its sample, and shares their counts out as the sample says. So a column
// is as fine as its own requests allow, whatever the buckets were before.
func (m *Map) refine(a *axis, rows *heatmap.Rows) heatmap.Rows {
	total := 0.0
	for i := range rows.Borders {
		total += rows.Requests(i)
	}
	cuts, samples := [][]byte(nil), make([][2][]weightedKey, len(a.buckets))
	for i := range a.buckets {
		samples[i] = a.buckets[i].keys()
		keys := slices.Concat(samples[i][read], samples[i][write])
		slices.SortFunc(keys, compareWeighed)
		cuts = append(cuts, objectCuts(keys)...)
		if requests := rows.Requests(i); requests >= requestsMin && requests*pieces >= total {
			cuts = append(cuts, cutsOf(keys, min(piecesMax, int(requests*pieces/total)))...)
		}
	}
	if len(cuts) == 0 {
		return *rows
	}
	fine := heatmap.NewRows(heatmap.Union(rows.Borders, cuts))
	for i := range a.buckets {
		share(&fine, rows, i, samples[i])
	}
	return fine
}

// keys copies the samples of this column.
func (b *bucket) keys() (keys [2][]weightedKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for d := range keys {
		keys[d] = b.now[d].weighed()
	}
	return keys
}

// objectCuts returns the beginnings and ends of the objects that the keys belong to.
func objectCuts(sorted []weightedKey) (cuts [][]byte) {
	var last Object
	for i, k := range sorted {
		id, ok := ObjectOf(k.key)
		if !ok || i > 0 && id == last {
			continue
		}
		first, end := id.Span()
		cuts, last = append(cuts, first, end), id
	}
	return cuts
}

// cutsOf cuts sorted keys into about n pieces of as many requests each; a key that is asked for very often becomes a
// piece of its own.
func cutsOf(sorted []weightedKey, n int) (cuts [][]byte) {
	total := sum(sorted)
	piece := 0.0
	for i := 0; i < len(sorted); {
		end := i + 1
		for end < len(sorted) && bytes.Equal(sorted[end].key, sorted[i].key) {
			end++
		}
		own := sum(sorted[i:end])
		switch {
		case end-i >= 4 && own >= alone*total:
			cuts = append(cuts, sorted[i].key, append(slices.Clone(sorted[i].key), 0))
			piece = 0
		case i > 0 && piece+own > total/float64(n):
			cuts = append(cuts, shortestAfter(sorted[i-1].key, sorted[i].key))
			piece = own
		default:
			piece += own
		}
		i = end
	}
	return slices.DeleteFunc(cuts, func(b []byte) bool { return len(b) > borderMax })
}

func sum(keys []weightedKey) (total float64) {
	for i := range keys {
		total += keys[i].weight
	}
	return total
}

// shortestAfter returns the shortest key after a and not after b.
func shortestAfter(a, b []byte) []byte {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return slices.Clone(b[:min(n+1, len(b))])
}

// share shares the counts of bucket i of rows out over its pieces in fine.
func share(fine, rows *heatmap.Rows, i int, samples [2][]weightedKey) {
	first := heatmap.Find(fine.Borders, rows.Borders[i])
	for m := range rows.Values {
		v := rows.Values[m][i]
		if v == 0 {
			continue
		}
		keys := samples[m%2] // reads and read bytes, writes and written bytes
		if len(keys) == 0 {  // look-ups that found nothing leave no keys; writes may say where they go
			keys = samples[1-m%2]
		}
		if len(keys) == 0 {
			fine.Values[m][first] += v
			continue
		}
		total := sum(keys)
		for _, k := range keys {
			fine.Values[m][heatmap.Find(fine.Borders, k.key)] += v * k.weight / total
		}
	}
}
