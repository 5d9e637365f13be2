// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

const (
	surplusShare = 0.5 // share of an entry that nobody asks for, from which it matters
	surplusBytes = 100 // the same in bytes
)

// wideProjections advises on indexes that copy attributes which no query through them asks for.
func wideProjections(s *study) []report.Finding {
	if s.madeUp {
		return nil
	}
	var findings []report.Finding
	for i, k := range s.keys()[1:] {
		wanted, known := s.wantedOf(i + 1)
		if projection := k.index.Projection; !known || projection != "" && projection != "ALL" {
			continue
		}
		total, needed := 0.0, 0.0
		for _, name := range slices.Sorted(maps.Keys(s.columns)) {
			c := s.columns[name]
			mean, _ := c.bytes()
			bytes := (mean + float64(len(name))) * float64(c.seen) / float64(s.rows)
			total += bytes
			if wanted[name] {
				needed += bytes
			}
		}
		if surplus := total - needed; surplus < surplusBytes || surplus < surplusShare*total {
			continue
		}
		findings = append(findings, s.wideProjection(k, wanted, needed/total))
	}
	return findings
}

// wantedOf collects the attributes that the queries through an index need, keys included. known is false if there are
// no such queries, or if one takes whole items.
func (s *study) wantedOf(path int) (wanted map[string]bool, known bool) {
	wanted = map[string]bool{}
	for _, q := range s.shapes {
		if q.best != path {
			continue
		}
		if known = q.Wanted != nil; !known {
			return nil, false
		}
		for _, name := range q.Wanted {
			wanted[name] = true
		}
		for _, b := range q.Bounds {
			wanted[b.Attribute] = true
		}
	}
	for _, name := range append(s.Table.Key.Attributes(), s.Table.Indexes[path-1].Key.Attributes()...) {
		wanted[name] = true
	}
	return wanted, known
}

func (s *study) wideProjection(k namedKey, wanted map[string]bool, share float64) report.Finding {
	var include []string
	keys := append(s.Table.Key.Attributes(), k.index.Key.Attributes()...)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if !slices.Contains(keys, name) {
			include = append(include, name)
		}
	}
	f := report.Finding{Severity: report.Advice, Rule: "wide-projection", Subject: k.subject}
	f.Problem = fmt.Sprintf("The index copies whole items, and its queries ask for %.0f %% of their bytes.", 100*share)
	f.Remedy = "Make it again with the projection KEYS_ONLY."
	if len(include) > 0 {
		f.Remedy = "Make it again with the projection INCLUDE of " + strings.Join(include, ", ") + "."
	}
	before := s.cost(k)
	f.Before, f.After = &before, &report.Cost{Writes: before.Writes, Bytes: before.Bytes * share}
	return f
}

const (
	sparseShare = 0.5 // an index of fewer items than this is called sparse
	markShare   = 0.2 // a value that fewer items have is worth an attribute of its own
	markValues  = 10  // an attribute with more values is no flag
)

// sparseCandidates proposes keys of attributes that most items lack: the index holds only the items that matter.
func (s *study) sparseCandidates(q *query) []*candidate {
	var list []*candidate
	var equal []string
	for _, b := range q.Bounds {
		if b.Operator == design.Equal && s.keyable(b.Attribute) && s.columns[b.Attribute].present >= 1 {
			equal = append(equal, b.Attribute)
		}
	}
	for _, b := range q.Bounds {
		c := s.columns[b.Attribute]
		switch {
		case c == nil:
		case c.present < sparseShare && s.keyable(b.Attribute):
			list = append(list, s.sparseKeys(equal, b.Attribute, q.OrderBy)...)
		case b.Operator == design.Equal && b.Low.Type != "" && c.distinct <= markValues &&
			q.keeps[b.Attribute] <= markShare && (!s.keyable(b.Attribute) || len(equal) <= 1):
			list = append(list, s.markCandidate(q, b, equal))
		}
	}
	return list
}

// sparseKeys puts the attribute behind an exact one, if there is one, or at the front.
func (s *study) sparseKeys(equal []string, name, order string) []*candidate {
	var list []*candidate
	if order == name || order == "" || !s.keyable(order) {
		order = ""
	}
	for _, partition := range equal {
		list = append(list, s.newCandidate("sparse-index", design.Key{partition, name}))
	}
	key := design.Key{name}
	if order != "" {
		key = append(key, order)
	}
	return append(list, s.newCandidate("sparse-index", key))
}

// markName names the attribute that marks the items of a sparse index.
func markName(attribute string) string { return attribute + "_mark" }

// markCandidate proposes an attribute that only the items with a rare value carry.
func (s *study) markCandidate(q *query, b design.Bound, equal []string) *candidate {
	mark := markName(b.Attribute)
	key := design.Key{mark}
	for _, name := range equal {
		if name != b.Attribute {
			key = design.Key{name, mark}
			break
		}
	}
	if s.columns[mark] == nil {
		s.columns[mark] = &column{name: mark, kind: "S", present: q.keeps[b.Attribute], distinct: 1}
	}
	c := s.newCandidate("sparse-index", key)
	c.path.entries = s.items * q.keeps[b.Attribute]
	c.path.mark = &b
	content := "a text such as the time since when"
	if q.OrderBy != "" && s.keyable(q.OrderBy) {
		content = "a copy of " + q.OrderBy
		c.path.key[len(key)-1].Alias = q.OrderBy
	}
	c.note = fmt.Sprintf("Give items with %s = %s an attribute %s with %s, and remove it when that ends.", b.Attribute,
		b.Low, mark, content)
	c.extra = []report.Figure{{Name: "items with " + b.Attribute + " = " + b.Low.String(), Value: q.keeps[b.Attribute],
		Unit: "%"}}
	return c
}
