// SPDX-License-Identifier: Apache-2.0

package heatmap

import (
	"bytes"
	"slices"
)

// Measure is one of the things that are counted.
type Measure int

// The measures, in the order in which columns hold them.
const (
	Reads        Measure = iota // requests that read an entry
	Writes                      // requests that wrote one
	ReadBytes                   // keys and values read
	WrittenBytes                // keys and values written
	Measures
)

// Entries are reads and writes together, which no column holds: pictures add them up.
const Entries Measure = -1

// String is the measure's name, as /api/heat takes it.
func (m Measure) String() string {
	if m == Entries {
		return "entries"
	}
	return [Measures]string{"reads", "writes", "readBytes", "writtenBytes"}[m]
}

// Rows is one column while it is worked on: bucket i holds the keys from Borders[i], included, to Borders[i+1],
// excluded; the last has no end. Borders ascend, and the first is empty: the buckets cover all keys. There are as many
// values of each measure as borders.
type Rows struct {
	Borders [][]byte
	Values  [Measures][]float64
}

// NewRows makes a column of zeros. The borders are kept, not copied.
func NewRows(borders [][]byte) Rows {
	r := Rows{Borders: borders}
	for m := range r.Values {
		r.Values[m] = make([]float64, len(borders))
	}
	return r
}

// Find returns the bucket that holds key.
func Find(borders [][]byte, key []byte) int {
	i, found := slices.BinarySearchFunc(borders, key, bytes.Compare)
	if !found {
		i--
	}
	return max(i, 0)
}

// Requests is how hot bucket i is: its reads and writes.
func (r *Rows) Requests(i int) float64 { return r.Values[Reads][i] + r.Values[Writes][i] }

// AddShared adds another column, whose buckets' counts are shared out evenly where r has more borders. Borders that r
// lacks are lost.
func (r *Rows) AddShared(other *Rows) {
	r.add(other, func(int) float64 { return 1 })
}

// AddLike is AddShared, but a bucket's counts are shared out as r's own are.
func (r *Rows) AddLike(other *Rows) {
	own := make([]float64, len(r.Borders))
	for i := range own {
		own[i] = r.Requests(i)
	}
	r.add(other, func(i int) float64 { return own[i] })
}

// add shares out by weight(i), the weight of bucket i; evenly where there is none.
func (r *Rows) add(other *Rows, weight func(i int) float64) {
	for i := range other.Borders {
		first := Find(r.Borders, other.Borders[i])
		end := len(r.Borders)
		if i+1 < len(other.Borders) {
			next, _ := slices.BinarySearchFunc(r.Borders, other.Borders[i+1], bytes.Compare)
			end = max(first+1, next)
		}
		for m := range r.Values {
			if v := other.Values[m][i]; v != 0 {
				share(r.Values[m][first:end], v, func(j int) float64 { return weight(first + j) })
			}
		}
	}
}

func share(values []float64, v float64, weight func(j int) float64) {
	total := 0.0
	for j := range values {
		total += weight(j)
	}
	for j := range values {
		if total == 0 {
			values[j] += v / float64(len(values))
		} else {
			values[j] += v * weight(j) / total
		}
	}
}

// Union returns the borders of all lists in order, each once.
func Union(lists ...[][]byte) [][]byte {
	all := slices.Concat(lists...)
	slices.SortFunc(all, bytes.Compare)
	return slices.CompactFunc(all, bytes.Equal)
}

// Merge adds columns up over all their borders.
func Merge(columns []Rows) Rows {
	lists := make([][][]byte, len(columns))
	for i := range columns {
		lists[i] = columns[i].Borders
	}
	merged := NewRows(Union(lists...))
	for i := range columns {
		merged.AddShared(&columns[i])
	}
	return merged
}

// Same reports whether the buckets that begin at two neighbouring borders may become one.
type Same func(a, b []byte) bool

// Compress merges neighbours until there are at most bucketsMax buckets: the threshold under which neighbours merge is
// the least that does it. heat(i) is the heat of bucket i. Buckets that same keeps apart merge only if there is no
// other way.
func (r *Rows) Compress(bucketsMax int, same Same, heat func(i int) float64) {
	if len(r.Borders) <= bucketsMax {
		return
	}
	heats, joins := make([]float64, len(r.Borders)), make([]bool, len(r.Borders))
	low, high := 0.0, 0.0
	for i := range heats {
		heats[i] = heat(i)
		high += heats[i]
		joins[i] = i > 0 && same(r.Borders[i-1], r.Borders[i])
	}
	if count(heats, joins, high) > bucketsMax {
		for i := range joins {
			joins[i] = i > 0
		}
	}
	if count(heats, joins, 0) <= bucketsMax {
		high = 0
	}
	for range 48 {
		if middle := (low + high) / 2; count(heats, joins, middle) <= bucketsMax {
			high = middle
		} else {
			low = middle
		}
	}
	r.join(heats, joins, high)
}

// count is the number of buckets if neighbours merged up to the threshold.
func count(heats []float64, joins []bool, threshold float64) int {
	buckets, sum := 0, 0.0
	for i, h := range heats {
		if i > 0 && joins[i] && sum+h <= threshold {
			sum += h
			continue
		}
		buckets, sum = buckets+1, h
	}
	return buckets
}

func (r *Rows) join(heats []float64, joins []bool, threshold float64) {
	kept, sum := 0, 0.0
	for i, h := range heats {
		if i > 0 && joins[i] && sum+h <= threshold {
			sum += h
			for m := range r.Values {
				r.Values[m][kept-1] += r.Values[m][i]
			}
			continue
		}
		r.Borders[kept] = r.Borders[i]
		for m := range r.Values {
			r.Values[m][kept] = r.Values[m][i]
		}
		kept, sum = kept+1, h
	}
	r.Borders = r.Borders[:kept]
	for m := range r.Values {
		r.Values[m] = r.Values[m][:kept]
	}
}
