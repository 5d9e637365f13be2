// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
)

// study is a design with its sample counted. Rules read it.
type study struct {
	*design.Design
	items    float64
	itemSize float64 // mean, in bytes; 0 is unknown
	columns  map[string]*column
	rows     int
	madeUp   bool               // there is no sample: the values are made up
	shapes   []*query           // every shape with its prices, heaviest first
	exact    map[string]float64 // queries per second that give an attribute exactly
	paths    []path             // the table, then its indexes
	planned  [2]int             // indexes, and search indexes, that findings ask for
}

// query is a shape with its best path.
type query struct {
	design.Shape
	keeps    map[string]float64 // share of the items, by bound attribute
	anyKeeps float64            // share of the items that pass one of Any at least, at most; 1 without Any
	// entries that a search index of all attributes would read: those of the rarest condition
	found   float64
	matched float64  // items that pass all bounds
	assumed []string // attributes whose share is a default
	best    int      // position in study.paths of the path that is used
	price   price    // of the path that is used
	offer   price    // of the cheapest path that there is
	offerAt int      // its position in study.paths
	judges  bool     // kept out of what bit orders are made from
}

const (
	sampleMax     = 65536
	syntheticRows = 4096
)

// newStudy counts the design.
func newStudy(d *design.Design) *study {
	s := &study{Design: d, columns: map[string]*column{}, exact: map[string]float64{}}
	rows := d.Sample
	if len(rows) > sampleMax {
		rows = rows[:sampleMax]
	}
	s.items = cmp.Or(max(d.Table.Items, float64(len(rows))), 1e6)
	if s.madeUp = len(rows) == 0; s.madeUp {
		rows = design.Synthesize(d.Attributes, syntheticRows)
	}
	s.rows = len(rows)
	for _, name := range s.names(rows) {
		c := newColumn(name, rows, d.Attributes[name])
		c.settle(len(rows), len(d.Sample), s.items)
		s.columns[name] = c
	}
	s.itemSize = s.meanSize()
	s.paths = append(s.paths, s.tablePath())
	for i := range d.Table.Indexes {
		s.paths = append(s.paths, s.indexPath(&d.Table.Indexes[i]))
	}
	for _, x := range d.Table.Searches {
		s.paths = append(s.paths, path{index: x.Name, entries: s.items, fields: x.Key})
	}
	s.price()
	return s
}

// names lists every attribute that is named anywhere, in order.
func (s *study) names(rows []design.Row) []string {
	found := map[string]bool{}
	for _, row := range rows {
		for _, f := range row {
			found[f.Name] = true
		}
	}
	for name := range s.Attributes {
		found[name] = true
	}
	for _, name := range s.Table.Key.Attributes() {
		found[name] = true
	}
	for _, x := range s.Table.Indexes {
		for _, name := range x.Key.Attributes() {
			found[name] = true
		}
	}
	for _, shape := range s.Shapes {
		for _, b := range slices.Concat(shape.Bounds, shape.Any) {
			for _, name := range design.ParsePart(b.Attribute).Attributes() {
				found[name] = true
			}
		}
		if shape.OrderBy != "" {
			found[shape.OrderBy] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (s *study) meanSize() float64 {
	switch {
	case s.Sizes.Mean > 0:
		return s.Sizes.Mean
	case s.Table.Bytes > 0 && s.Table.Items > 0:
		return s.Table.Bytes / s.Table.Items
	case len(s.Sample) > 0:
		total := 0
		for _, row := range s.Sample {
			total += row.Bytes()
		}
		return float64(total) / float64(len(s.Sample))
	}
	return 0
}

// price finds the best path of every shape, and orders the shapes by their reads per second.
func (s *study) price() {
	for i, shape := range s.Shapes {
		if shape.Name == "" {
			shape.Name = shape.Describe()
		}
		q := &query{Shape: shape, keeps: map[string]float64{}}
		s.estimate(q)
		if q.Name == "" {
			q.Name = fmt.Sprintf("query %d", i+1)
		}
		for _, b := range q.Bounds {
			if b.Operator == design.Equal {
				s.exact[b.Attribute] += q.Rate
			}
		}
		s.route(q)
		s.shapes = append(s.shapes, q)
	}
	defer s.split()
	slices.SortStableFunc(s.shapes, func(a, b *query) int {
		return cmp.Compare(b.price.entries*b.Rate, a.price.entries*a.Rate)
	})
}

// splitMin is the number of queries it takes to learn a bit order from one half of them and to judge it by the other.
const splitMin = 64

// split keeps every other query for judging. Few queries are split by their boxes instead.
func (s *study) split() {
	for i, q := range s.shapes {
		q.judges = len(s.shapes) >= splitMin && i%2 == 1
	}
}

// estimate finds the share that each bound keeps. Unknown shares are taken from the number of items returned.
func (s *study) estimate(q *query) {
	product := 1.0
	for _, b := range q.Bounds {
		c := s.columns[b.Attribute]
		if c == nil { // a computed key attribute, named in the condition
			c = &column{name: b.Attribute, present: 1, distinct: distinctDefault, assumed: true}
		}
		share, known := c.keeps(b)
		q.keeps[b.Attribute] = share
		if !known {
			q.assumed = append(q.assumed, b.Attribute)
			continue
		}
		product *= share
	}
	if q.Returned > 0 && len(q.assumed) > 0 && q.Limit == 0 {
		rest := math.Max(math.Min(q.Returned/(s.items*product), 1), 1/s.items)
		each := math.Pow(rest, 1/float64(len(q.assumed)))
		for _, name := range q.assumed {
			q.keeps[name] = each
		}
		q.assumed = nil
	}
	q.anyKeeps = s.anyKeeps(q)
	rarest := q.anyKeeps
	q.matched = s.items * q.anyKeeps
	for _, b := range q.Bounds {
		q.matched *= q.keeps[b.Attribute]
		rarest = math.Min(rarest, q.keeps[b.Attribute])
	}
	q.found = math.Max(1, rarest*s.items)
	if q.Returned > 0 && q.Limit == 0 {
		q.matched = q.Returned
	}
}

// anyKeeps adds up the shares of the alternatives.
func (s *study) anyKeeps(q *query) float64 {
	if len(q.Any) == 0 {
		return 1
	}
	sum := 0.0
	for _, b := range q.Any {
		share, _ := s.columns[b.Attribute].keeps(b)
		sum += share
	}
	return math.Min(1, sum)
}

// bound returns what the query says of an attribute.
func (q *query) bound(name string) (design.Bound, bool) {
	for _, b := range q.Bounds {
		if b.Attribute == name {
			return b, true
		}
	}
	return design.Bound{}, false
}

func (q *query) equal(name string) bool {
	b, ok := q.bound(name)
	return ok && b.Operator == design.Equal
}
