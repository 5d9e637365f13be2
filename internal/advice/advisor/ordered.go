// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
)

// separator stands between the attributes of a template.
const separator = "#"

// orderedCandidates proposes keys for a query that gives some attribute exactly: that one is the partition key, the
// others and at most one range or order follow, joined if they are several.
func (s *study) orderedCandidates(q *query) []*candidate {
	equal := s.equalities(q)
	var list []*candidate
	for i, partition := range equal {
		rest := append(slices.Clone(equal[:i]), equal[i+1:]...)
		list = append(list, s.orderedKey(design.Key{partition}, rest, ""))
		for _, tail := range s.tails(q) {
			if tail != partition {
				list = append(list, s.orderedKey(design.Key{partition}, rest, tail))
			}
		}
	}
	if len(equal) > 1 && !s.Table.SQL {
		for _, tail := range s.tails(q) {
			list = append(list, s.newCandidate("template-index", design.Key{design.Concat(separator, equal...), tail}))
		}
	}
	return slices.DeleteFunc(list, func(c *candidate) bool { return c == nil })
}

// orderedKey appends the sort key to a key: one attribute as it is, several as a template. It returns nil for a
// template that would end in a number, since numbers joined as text are out of order.
func (s *study) orderedKey(key design.Key, equal []string, tail string) *candidate {
	names := slices.Clone(equal)
	if tail != "" {
		names = append(names, tail)
	}
	switch {
	case s.Table.SQL:
		return s.newCandidate("ordered-index", append(key, names...))
	case len(names) == 0:
		return s.newCandidate("ordered-index", key)
	case len(names) == 1:
		return s.newCandidate("ordered-index", append(key, names[0]))
	case tail != "" && s.columns[tail].kind == "N":
		return nil
	}
	return s.newCandidate("template-index", append(key, design.Concat(separator, names...)))
}

// mirroredCandidates proposes the reverse of a template that is a sort key already: time#name in addition to name#time.
func (s *study) mirroredCandidates(q *query) []*candidate {
	var list []*candidate
	for _, p := range s.paths {
		if len(p.key) != 2 || p.key[1].Function != "concat" || !s.binds(q, p.key[0]) {
			continue
		}
		names := p.key[1].Attributes()
		if len(names) != 2 {
			continue
		}
		first, _ := q.bound(names[0])
		second, _ := q.bound(names[1])
		if first.Operator == "" && second.Operator != "" && s.joins(second) {
			c := s.newCandidate("template-index",
				design.Key{p.key[0].Name, design.Concat(separatorOf(p.key[1]), names[1], names[0])})
			c.mirror = true
			list = append(list, c)
		}
	}
	return list
}

// separatorOf is the literal between the first two attributes of a template.
func separatorOf(p design.Part) string {
	for _, a := range p.Args {
		if a.Literal != "" {
			return a.Literal
		}
	}
	return separator
}
