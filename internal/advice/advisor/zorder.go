// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/bitorder"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

const (
	boundMin    = 0.2 // share of the queries that must bind an attribute of a Z-order index
	boundOften  = 0.5
	excludesMin = 0.5 // share of the rows that a bound must exclude, on average
	membersMax  = 6   // attributes that can all get leading bits
)

// member is one attribute's part in a group of queries.
type member struct {
	column   *column
	bound    float64 // share of the queries, by rate, that bind it
	excludes float64 // share of the rows that its bounds exclude, by rate, when it is bound
	exact    float64 // share of its bounds that are =
}

func (m member) belongs() bool { return m.bound >= boundMin && m.excludes >= excludesMin }

// zorderCandidates proposes curves over the attributes that the badly served queries bind: for all of them, and within
// the partitions of each attribute that most of them give exactly.
func (s *study) zorderCandidates(bad []*query) []*candidate {
	total := 0.0
	exact := map[string]float64{}
	for _, q := range bad {
		total += q.Rate
		for _, b := range q.Bounds {
			if b.Operator == design.Equal && s.keyable(b.Attribute) && design.ParsePart(b.Attribute).Function == "" {
				exact[b.Attribute] += q.Rate
			}
		}
	}
	var list []*candidate
	for _, partition := range append([]string{""}, slices.Sorted(maps.Keys(exact))...) {
		if partition != "" && exact[partition] < boundOften*total {
			continue
		}
		group := slices.DeleteFunc(slices.Clone(bad),
			func(q *query) bool { return partition != "" && !q.equal(partition) })
		list = append(list, s.curves(partition, group)...)
	}
	return list
}

// curves proposes bit orders for one group of queries.
func (s *study) curves(partition string, group []*query) []*candidate {
	members := s.members(partition, group)
	var dropped []string
	var all, often []member
	for _, m := range members {
		switch {
		case !m.belongs():
			dropped = append(dropped, fmt.Sprintf("%s (bound in %.0f %% of the queries, excludes %.0f %%)",
				m.column.name, 100*m.bound, 100*m.excludes))
		case len(all) < membersMax:
			all = append(all, m)
			if m.bound >= boundOften {
				often = append(often, m)
			}
		}
	}
	var list []*candidate
	for _, set := range [][]member{all, often} {
		if len(set) < 2 && (partition != "" || len(set) < 1 || set[0].exact > 0) {
			continue
		}
		if c := s.curve(partition, set, group); c != nil {
			c.leftOut(dropped)
			list = append(list, c)
		}
	}
	return list
}

// curve makes the candidate of one set of attributes: round robin, in the order in which the learned bit order comes to
// them, or the learned order itself, which the key's name spells out, where that reads a tenth less.
func (s *study) curve(partition string, set []member, group []*query) *candidate {
	learned := s.greedy(set, partition, group)
	sorted := make([]member, 0, len(set))
	places := make([]byte, len(set))
	for _, a := range learned {
		if !slices.ContainsFunc(sorted, func(m member) bool { return m.column == set[a].column }) {
			places[a] = byte(len(sorted))
			sorted = append(sorted, set[a])
		}
	}
	for i := range learned {
		learned[i] = places[learned[i]]
	}
	plain := s.newCurveCandidate(partition, sorted, nil)
	better := s.newCurveCandidate(partition, sorted, learned)
	if plain == nil || better == nil {
		return plain
	}
	plain.path.entries = s.entriesOf(plain.key, plain.path.whole)
	better.path.entries = plain.path.entries
	before, after := s.rateOf(plain, group), s.rateOf(better, group)
	if after >= before*(1-gainMin) || len(better.key[len(better.key)-1]) > keyNameBytesMax ||
		s.hasCurve(columnsOf(sorted)) {
		return plain
	}
	better.extra = append(better.extra, report.Figure{Name: "saved by the bit order, compared with bits in turn",
		Value: 1 - after/before, Unit: "%"})
	return better
}

// hasCurve reports whether an index has all the columns on its curve: another one that only differs in the order of its
// bits is not worth its writes.
func (s *study) hasCurve(columns []*column) bool {
	return slices.ContainsFunc(s.Table.Indexes, func(x design.Index) bool {
		last := design.ParsePart(x.Key[len(x.Key)-1])
		return last.Function == "zorder" &&
			!slices.ContainsFunc(columns, func(c *column) bool { return !slices.Contains(last.Attributes(), c.name) })
	})
}

// rateOf returns the cost of a group of queries on a candidate, per second.
func (s *study) rateOf(c *candidate, group []*query) float64 {
	sum := 0.0
	for _, q := range group {
		sum += q.Rate * s.priceOf(q, &c.path).cost
	}
	return sum
}

func columnsOf(set []member) []*column {
	list := make([]*column, len(set))
	for i, m := range set {
		list[i] = m.column
	}
	return list
}

// leftOut names the attributes that queries bind and that don't belong on the curve.
func (c *candidate) leftOut(dropped []string) {
	if len(dropped) > 0 {
		c.extra = append(c.extra, report.Figure{Name: "left out", Text: strings.Join(dropped, ", ")})
	}
}

// members weighs the attributes that the queries bind, the most useful first.
func (s *study) members(partition string, group []*query) []member {
	total := 0.0
	found := map[string]*member{}
	for _, q := range group {
		total += q.Rate
		for _, b := range q.Bounds {
			c := s.columns[b.Attribute]
			if c == nil || b.Attribute == partition || !b.Narrows() || c.seen == 0 || !weavable(c.kind) {
				continue
			}
			m := found[b.Attribute]
			if m == nil {
				m = &member{column: c}
				found[b.Attribute] = m
			}
			m.bound += q.Rate
			m.excludes += q.Rate * (1 - s.narrows(q, b.Attribute))
			if b.Operator == design.Equal {
				m.exact += q.Rate
			}
		}
	}
	var list []member
	for _, name := range slices.Sorted(maps.Keys(found)) {
		m := *found[name]
		m.excludes /= m.bound
		m.exact /= m.bound
		m.bound /= total
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(a, b member) int {
		return int(math.Copysign(1, b.bound*b.excludes-a.bound*a.excludes))
	})
	return list
}

// weavable reports whether values of a type can be put on a curve.
func weavable(kind string) bool { return kind == "N" || kind == "S" || kind == "B" || kind == "BOOL" }

// newCurveCandidate is the candidate whose first bits have the given owners; the others go round.
func (s *study) newCurveCandidate(partition string, set []member, owners []byte) *candidate {
	columns := columnsOf(set)
	key := design.Key{spellCurve(columns, owners)}
	if partition != "" {
		key = design.Key{partition, key[0]}
	}
	c := s.newCandidate("zorder-index", key)
	c.curve = true
	if s.layoutOf(&c.path).columns == nil {
		return nil
	}
	for _, m := range set {
		c.extra = append(c.extra, report.Figure{Name: m.column.name + " is bound in", Value: m.bound, Unit: "%"},
			report.Figure{Name: m.column.name + " excludes", Value: m.excludes, Unit: "%"})
	}
	return c
}

// greedy learns a bit order for the first bits, log2(leaves)+4 of them: more don't steer which leaves are read.
func (s *study) greedy(set []member, partition string, group []*query) []byte {
	entries := s.items
	if partition != "" {
		entries /= s.columns[partition].distinct
	}
	widths := widthsOf(columnsOf(set))
	length := int(math.Ceil(math.Log2(math.Max(2, entries/leafEntries)))) + 4
	exact := make([]float64, len(set))
	for i, m := range set {
		exact[i] = m.exact
	}
	return bitorder.Learn(s.trainingBoxes(set, group), widths, length, exact)
}

// trainingBoxes are the boxes that a bit order is made for.
func (s *study) trainingBoxes(set []member, group []*query) []bitorder.WeightedBox {
	columns := columnsOf(set)
	var list []bitorder.WeightedBox
	for _, q := range group {
		if q.judges {
			continue
		}
		places := s.places(q, columns, 0, s.boxesPerQuery())
		for _, at := range places {
			list = append(list,
				bitorder.WeightedBox{Corners: boxOf(columns, at), Weight: q.Rate / float64(len(places))})
		}
	}
	return list
}

// spellCurve writes the key attribute of a Z-order index whose first bits have the given owners.
func spellCurve(columns []*column, owners []byte) string {
	var list []codec.Attribute
	for _, c := range columns {
		var numbers []float64
		for _, v := range c.sorted {
			numbers = append(numbers, v.Number)
		}
		list = append(list, bitorder.Declare(c.name, c.kind, numbers))
	}
	order := ""
	if len(owners) > 0 {
		order = "; order=" + zorder.OrderText(owners)
	}
	return "zorder(" + codec.Format(list) + order + ")"
}
