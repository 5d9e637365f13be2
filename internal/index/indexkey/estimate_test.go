// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"testing"

	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/zorder"
)

// ranked is the cities on a curve over the ranks of three attributes.
type ranked struct {
	plan *zorder.Plan
	rows [][]uint64
	keys [][]byte // in order
}

func rankCities(t *testing.T) *ranked {
	plan, err := zorder.RoundRobin(16, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	r := &ranked{plan: plan}
	var values [3][]float64
	err = cities.Each(func(c cities.City) error {
		for i, text := range []string{c.Lat, c.Lon, strconv.FormatInt(c.Population, 10)} {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			values[i] = append(values[i], v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.rows = make([][]uint64, len(values[0]))
	for _, column := range values {
		sorted := slices.Sorted(slices.Values(column))
		for j, v := range column {
			r.rows[j] = append(r.rows[j], uint64(sort.SearchFloat64s(sorted, v)<<16/len(sorted)))
		}
	}
	for _, codes := range r.rows {
		key, err := plan.AppendKey(nil, codes...)
		if err != nil {
			t.Fatal(err)
		}
		r.keys = append(r.keys, key)
	}
	slices.SortFunc(r.keys, bytes.Compare)
	return r
}

// window is a box around a random city that leaves so large a share of the codes of some attributes.
func (r *ranked) window(t *testing.T, random *rand.Rand, share float64, bound int) *zorder.Boxes {
	row, first := r.rows[random.IntN(len(r.rows))], random.IntN(3)
	low, high := []uint64{0, 0, 0}, []uint64{0xFFFF, 0xFFFF, 0xFFFF}
	half := uint64(math.Pow(share, 1/float64(bound)) * 0x8000)
	for k := range bound {
		i := (first + k) % 3
		low[i], high[i] = row[i]-min(row[i], half), min(row[i]+half, 0xFFFF)
	}
	box, err := r.plan.Box(low, high)
	if err != nil {
		t.Fatal(err)
	}
	return box.Union()
}

// walk is the number of entries a walk over boxes looks at, and how often it seeks. It steps over misses before it
// seeks, over one more where stepping reached the next candidate, and over one fewer where it did not: one to 16.
func (r *ranked) walk(boxes *zorder.Boxes) (looked, seeks float64) {
	at, patience := r.find(0, boxes.Low()), 5
	for seeks = 1; at < len(r.keys); {
		next, in, ok := boxes.Next(nil, r.keys[at])
		if !ok {
			break
		}
		switch target := r.find(at, next); {
		case in:
			looked++
			at++
		case target-at <= patience:
			looked += float64(target - at)
			at, patience = target, min(patience+1, 16)
		default:
			looked += float64(patience + 1)
			at, patience = target, max(patience-1, 1)
			seeks++
		}
	}
	return looked, seeks
}

// find is the first key from a place on that is not below another.
func (r *ranked) find(from int, key []byte) int {
	return from + sort.Search(len(r.keys)-from, func(i int) bool { return bytes.Compare(r.keys[from+i], key) >= 0 })
}

// TestEstimateBySeparators holds estimates of boxes against walks: they may be off by 2 at the median, and by 4 in one
// of ten, however few of the index's keys are known.
func TestEstimateBySeparators(t *testing.T) {
	r := rankCities(t)
	for _, part := range []int{32, 128, 512, 1024} {
		g := guesser{Statistics: Statistics{Rows: float64(len(r.keys))}}
		for i := part; i < len(r.keys); i += part {
			g.Separators = append(g.Separators, r.keys[i])
		}
		for _, share := range []float64{0.0001, 0.001, 0.01, 0.1} {
			random := rand.New(rand.NewPCG(uint64(part), 1))
			var offRows, offSeeks []float64
			for i := range 180 {
				boxes := r.window(t, random, share, 1+i%3)
				rows, seeks := g.sampled(boxes, g.Separators, 0)
				looked, sought := r.walk(boxes)
				offRows, offSeeks = append(offRows, off(rows, looked)), append(offSeeks, off(seeks, sought))
			}
			for name, list := range map[string][]float64{"entries": offRows, "seeks": offSeeks} {
				slices.Sort(list)
				if half, most := list[len(list)/2], list[len(list)*9/10]; half > 2 || most > 4 {
					t.Errorf("one key of %d known, boxes of %g %%: %s are off by %.2f at the median and %.2f in one of ten", part, share*100, name, half, most)
				}
			}
		}
	}
}

// off is the factor between two counts of at least one.
func off(a, b float64) float64 {
	a, b = max(a, 1), max(b, 1)
	return max(a/b, b/a)
}
