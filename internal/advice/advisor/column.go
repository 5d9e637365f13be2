// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"cmp"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"math"
	"slices"
	"sort"
	"strings"
)

// column holds the facts about one attribute from the sample and the declarations.
type column struct {
	name     string
	kind     string         // the most frequent type; "" if nothing is known
	present  float64        // share of the items that have it, in the type kind
	distinct float64        // estimated number of values in the table
	seen     int            // items of the sample that have it
	values   []design.Value // by row of the sample; Type "" where absent
	places   []int32        // see place
	sorted   []design.Value // the values of the sample in order, with repetitions
	declared design.Attribute
	rare     bool // a sample of many rows has none
	assumed  bool // nothing is known but that a query names it
}

const (
	distinctDefault = 1000 // of an attribute that is neither declared nor in the sample
	rangeDefault    = 0.1  // share kept by a range of which nothing is known
	prefixDefault   = 0.01 // share kept by a prefix of which nothing is known
	sampledMin      = 1000 // rows of a sample from which an attribute that none of them has is rare
)

// newColumn gathers the values of an attribute.
func newColumn(name string, rows []design.Row, declared design.Attribute) *column {
	c := &column{name: name, declared: declared, values: make([]design.Value, len(rows))}
	counts := map[string]int{}
	for i, row := range rows {
		if at := slices.IndexFunc(row, func(f design.Field) bool { return f.Name == name }); at >= 0 {
			c.values[i] = row[at].Value
			counts[row[at].Value.Type]++
		}
	}
	for kind, n := range counts {
		if n > counts[c.kind] || n == counts[c.kind] && (c.kind == "" || kind < c.kind) {
			c.kind = kind
		}
	}
	for i, v := range c.values {
		if v.Type == c.kind && v.Type != "" {
			c.sorted = append(c.sorted, v)
		} else {
			c.values[i] = design.Value{}
		}
	}
	slices.SortFunc(c.sorted, design.Value.Compare)
	c.seen = len(c.sorted)
	return c
}

// settle computes the figures from the sorted values and the declaration. rows is the size of the sample, sampled the
// same or 0 if the sample is made up.
func (c *column) settle(rows, sampled int, items float64) {
	if c.declared.Type != "" {
		c.kind = c.declared.Type
	}
	c.assumed = c.seen == 0 && c.declared == design.Attribute{}
	switch {
	case c.declared.Present > 0:
		c.present = c.declared.Present
	case c.seen > 0:
		c.present = float64(c.seen) / float64(rows)
	case sampled >= sampledMin: // a real sample of many rows, and none has it
		c.present, c.rare, c.assumed = 1/float64(sampled), true, false
	default:
		c.present = 1
	}
	switch {
	case c.declared.Distinct > 0:
		c.distinct = c.declared.Distinct
	case c.seen > 0:
		c.distinct = estimateDistinct(c.sorted, c.present*items)
	case c.kind == "BOOL":
		c.distinct = 2
	default:
		c.distinct = distinctDefault
	}
	c.distinct = math.Max(1, math.Min(c.distinct, math.Max(1, c.present*items)))
}

// estimateDistinct guesses how many values a table of items has from a sorted sample of it: values seen more than once
// are all there are of the frequent ones; each value seen once stands for sqrt(items/sample) others. A sample without
// any repetition is taken for unique.
func estimateDistinct(sorted []design.Value, items float64) float64 {
	different, once := 0, 0
	for i := 0; i < len(sorted); {
		j := i + 1
		for j < len(sorted) && sorted[j].Compare(sorted[i]) == 0 {
			j++
		}
		if different++; j == i+1 {
			once++
		}
		i = j
	}
	if once == len(sorted) {
		return math.Max(items, float64(once))
	}
	growth := math.Sqrt(math.Max(1, items/float64(len(sorted))))
	return float64(different-once) + growth*float64(once)
}

// span returns the positions in c.sorted of the values that a bound keeps.
func (c *column) span(b design.Bound) (from, to int) {
	from, to = 0, len(c.sorted)
	low, high := b.Low, b.High
	if b.Operator == design.Equal {
		high = low
	}
	if low.Type != "" {
		from = sort.Search(len(c.sorted), func(i int) bool { return c.sorted[i].Compare(low) >= 0 })
	}
	switch {
	case b.Operator == design.Prefix:
		to = sort.Search(len(c.sorted), func(i int) bool {
			return c.sorted[i].Compare(low) > 0 && !strings.HasPrefix(c.sorted[i].Text, low.Text)
		})
	case high.Type != "":
		to = sort.Search(len(c.sorted), func(i int) bool { return c.sorted[i].Compare(high) > 0 })
	}
	return from, max(from, to)
}

// keeps is the share of all items that a bound lets pass. known is false if it is a default.
func (c *column) keeps(b design.Bound) (share float64, known bool) {
	least := 1 / math.Max(1, c.distinct) * c.present
	switch {
	case b.Keeps > 0:
		return math.Min(b.Keeps, c.present), true
	case b.Operator == design.Exists:
		return c.present, true
	case b.Operator == design.Contains:
		return c.contains(b.Low)
	case (b.Low.Type != "" || b.High.Type != "") && c.seen > 0:
		if from, to := c.span(b); to > from {
			return float64(to-from) / float64(c.seen) * c.present, true
		}
		return least, true
	case b.Operator == design.Equal:
		return least, !c.assumed
	case b.Operator == design.Prefix:
		return prefixDefault * c.present, c.rare
	}
	return rangeDefault * c.present, c.rare
}

// contains is keeps for a text that others have somewhere; of members of sets nothing is known.
func (c *column) contains(part design.Value) (share float64, known bool) {
	if part.Type != "S" || c.kind != "S" || c.seen == 0 {
		return rangeDefault * c.present, c.rare
	}
	having := 0.0
	for i := range c.sorted {
		if strings.Contains(c.sorted[i].Text, part.Text) {
			having++
		}
	}
	having = cmp.Or(having, 0.5) // rarer than one item of the sample
	return having / float64(c.seen) * c.present, true
}

// top returns the most frequent value of the sample, and its share of the items that have the attribute.
func (c *column) top() (v design.Value, share float64) {
	best := 0
	for i := 0; i < len(c.sorted); {
		j := i + 1
		for j < len(c.sorted) && c.sorted[j].Compare(c.sorted[i]) == 0 {
			j++
		}
		if j-i > best {
			best, v = j-i, c.sorted[i]
		}
		i = j
	}
	if c.seen == 0 {
		return v, 1 / c.distinct
	}
	return v, float64(best) / float64(c.seen)
}

// bytes returns the mean and the greatest size of the values in the sample.
func (c *column) bytes() (mean float64, most int) {
	total := 0
	for _, v := range c.sorted {
		total += v.Bytes
		most = max(most, v.Bytes)
	}
	if c.seen == 0 {
		return 8, 8
	}
	return float64(total) / float64(c.seen), most
}
