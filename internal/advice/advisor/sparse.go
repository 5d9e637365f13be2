// SPDX-License-Identifier: Apache-2.0

package advisor

import "github.com/weftdb/weft/internal/advice/advisor/design"

import "github.com/weftdb/weft/internal/advice/advisor/report"

import "fmt"

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
