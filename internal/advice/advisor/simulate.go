// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"hash/fnv"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// The simulated load: the rows of the sample are written in some minutes, in the order of an attribute that grows if
// there is one, and read by values of the first part of the key, of which some are far more frequent than others.
const (
	simulatedMinutes = 20
	simulatedBands   = 32
	simulatedRows    = 4096

	simulatedBandsMin = 4
	cellEntries       = 4 // entries for each minute and band

	zipf      = 0.99
	curveBits = 16    // of a value's place within a curve
	golden    = 40503 // 2^16 divided by the golden ratio: its multiples are spread evenly
)

// simulate shows where in the order of a key the load would go; nil if too few values are known.
func (s *study) simulate(p *path) *report.Heat {
	rows := s.entriesInOrder(p)
	h := &report.Heat{Minutes: simulatedMinutes, Bands: simulatedBands}
	// a coarse picture of few entries tells more
	for h.Bands > simulatedBandsMin && h.Minutes*h.Bands*cellEntries > len(rows) {
		if h.Bands >= h.Minutes {
			h.Bands /= 2
		} else {
			h.Minutes /= 2
		}
	}
	if len(rows) < h.Minutes*h.Bands {
		return nil
	}
	h.Written, h.Read = make([]int, h.Minutes*h.Bands), make([]int, h.Minutes*h.Bands)
	place := func(time, rank int) int { return time*h.Minutes/len(rows)*h.Bands + rank*h.Bands/len(rows) }
	for rank, time := range s.timesOf(rows) {
		h.Written[place(time, rank)]++
	}
	for time, rank := range readsOf(rows) {
		h.Read[place(time, rank)]++
	}
	h.HottestWritten, h.HottestRead = hottest(h, h.Written), hottest(h, h.Read)
	return h
}

// readsOf is which entry is read at each time.
func readsOf(rows []entry) (ranks []int) {
	starts := firstParts(rows)
	total, weights := 0.0, make([]float64, len(starts))
	for i := range starts {
		total += 1 / math.Pow(float64(i*golden%len(starts))+1, zipf) // the frequent ones lie anywhere
		weights[i] = total
	}
	for i := range rows {
		at, _ := slices.BinarySearch(weights, total*float64(i*golden%(1<<curveBits))/(1<<curveBits))
		end := len(rows)
		if at+1 < len(starts) {
			end = starts[at+1]
		}
		ranks = append(ranks, starts[at]+i%(end-starts[at]))
	}
	return ranks
}

// hottest is the share of a minute's requests that go to the busiest band, on average.
func hottest(h *report.Heat, counts []int) float64 {
	sum := 0.0
	for minute := range h.Minutes {
		most, all := 0, 0
		for _, n := range counts[minute*h.Bands : (minute+1)*h.Bands] {
			most, all = max(most, n), all+n
		}
		sum += float64(most) / float64(max(1, all))
	}
	return sum / float64(h.Minutes)
}

// entry is a row of the sample with the places of its values in the order of a key.
type entry struct {
	row   int
	codes []int
}

// entriesInOrder lists the rows that have an entry under the key, in its order.
func (s *study) entriesInOrder(p *path) (list []entry) {
	parts := append(slices.Clone(p.key), s.paths[0].key...)
	for row := range min(s.rows, simulatedRows) {
		e, whole := entry{row: row}, true
		for i, part := range parts {
			code, ok := s.codesOf(e.codes, part, row)
			whole = whole && (ok || p.whole || i >= len(p.key))
			e.codes = code
			if i == 0 && p.hashed {
				e.codes[0] = int(bits.Reverse32(uint32(e.codes[0]) * 0x9e3779b1))
			}
		}
		if whole {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return slices.Compare(a.codes, b.codes) })
	return list
}

// codesOf appends where the row lies in the order of a part of a key. ok is false if it lacks an attribute of it.
func (s *study) codesOf(dst []int, p design.Part, row int) (codes []int, ok bool) {
	var places []int
	ok = true
	for _, name := range p.Attributes() {
		place, c := -1, s.columns[name]
		switch {
		case c == nil || c.seen == 0 && !c.rare:
			place = evenly(name, row)
		case row < len(c.values) && c.values[row].Type != "":
			place = c.place(row)
		}
		ok = ok && place >= 0
		places = append(places, place)
	}
	if len(places) == 0 { // literals alone
		places = []int{0}
	}
	switch p.Function {
	case "desc":
		return append(dst, -places[0]), ok
	case "hash8", "hash32", "hash64":
		return append(dst, int(uint32(places[0])*0x9e3779b1)), ok
	case "reverse":
		return append(dst, int(bits.Reverse32(uint32(places[0])))), ok
	case "zorder":
		return append(dst, interleave(places, max(1, s.rows))), ok
	}
	return append(dst, places...), ok
}

// evenly makes a place up for an attribute of which no value is known.
func evenly(name string, row int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash takes all
	return int((h.Sum32() ^ uint32(row)*0x9e3779b1) % distinctDefault)
}

// interleave takes the bits of places in turn, the highest first.
func interleave(places []int, rows int) (code int) {
	each := min(curveBits, 62/len(places))
	for bit := each - 1; bit >= 0; bit-- {
		for _, place := range places {
			code = code<<1 | max(0, place)<<each/rows>>bit&1
		}
	}
	return code
}

// timesOf is when each row is written: its place in the order of the first attribute that grows, or of the sample.
func (s *study) timesOf(rows []entry) []int {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	names := slices.Sorted(maps.Keys(s.columns))
	at := slices.IndexFunc(names, func(name string) bool { return s.grows(s.columns[name]) != "" })
	slices.SortStableFunc(order, func(a, b int) int {
		if at >= 0 {
			if c := s.columns[names[at]]; c.values[rows[a].row].Type != "" && c.values[rows[b].row].Type != "" {
				return c.place(rows[a].row) - c.place(rows[b].row)
			}
		}
		return rows[a].row - rows[b].row
	})
	times := make([]int, len(rows))
	for time, rank := range order {
		times[rank] = time
	}
	return times
}

// firstParts lists where rows with another first value begin.
func firstParts(rows []entry) (starts []int) {
	for i := range rows {
		if i == 0 || rows[i].codes[0] != rows[i-1].codes[0] {
			starts = append(starts, i)
		}
	}
	return starts
}
