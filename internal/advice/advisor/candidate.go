// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/data/schema"
)

// candidate is an index that might be made.
type candidate struct {
	rule   string
	key    design.Key
	path   path
	curve  bool   // a Z-order index
	note   string // what the program must do, besides making the index
	mirror bool   // the reverse of a template that is a key already
	extra  []report.Figure
}

// keyNameBytesMax is the longest name of a key attribute that DynamoDB allows. Computed keys are spelled in it.
const keyNameBytesMax = 255

// candidates lists indexes for the queries that are badly served: each kind of index has a file that proposes.
func (s *study) candidates(bad []*query) []*candidate {
	var list []*candidate
	for _, q := range bad {
		list = append(list, s.orderedCandidates(q)...)
		if !s.Table.SQL { // whose indexes are of several columns, and hold every row
			list = append(list, s.mirroredCandidates(q)...)
			list = append(list, s.sparseCandidates(q)...)
		}
		list = append(list, s.descendingCandidates(q)...)
	}
	list = append(list, s.zorderCandidates(bad)...)
	list = s.unlike(list)
	for _, c := range list {
		if c.path.entries < 0 {
			c.path.entries = s.entriesOf(c.key, c.path.whole)
		}
	}
	return list
}

// entriesOf is the number of entries an index has or would have.
func (s *study) entriesOf(key design.Key, whole bool) float64 {
	if whole {
		return s.items
	}
	return s.items * s.presentTogether(key.Attributes())
}

// unlike drops candidates that are there already.
func (s *study) unlike(list []*candidate) []*candidate {
	seen := map[string]bool{s.Table.Key.String(): true}
	for _, x := range s.Table.Indexes {
		seen[x.Key.String()] = true
		seen[curveOf(x.Key)] = true
	}
	return slices.DeleteFunc(list, func(c *candidate) bool {
		id := c.key.String()
		known := seen[id] || c.curve && seen[curveOf(c.key)] ||
			slices.ContainsFunc(c.key, func(name string) bool { return len(name) > keyNameBytesMax })
		seen[id] = true
		return known
	})
}

// curveOf tells Z-order keys apart by partition key and attributes, in whatever order and encoding; it is "curve" for
// other keys.
func curveOf(key design.Key) string {
	id := "curve"
	for _, p := range key.Parts() {
		names := p.Attributes()
		slices.Sort(names)
		if p.Function == "zorder" {
			return id + " " + strings.Join(names, ",")
		}
		id += " " + p.Name
	}
	return "curve"
}

// newCandidate prices nothing. How many entries the index would have is counted when it is known to be new.
func (s *study) newCandidate(rule string, key design.Key) *candidate {
	c := &candidate{rule: rule, key: key, path: path{key: key.Parts(), whole: s.Table.SQL, entries: -1}}
	if s.Table.SQL {
		c.path.projection = schema.ProjectKeys
	}
	return c
}

// keyable reports whether an attribute can stand in a key. An unknown one may.
func (s *study) keyable(name string) bool {
	c := s.columns[name]
	return c != nil && (c.kind == "" || c.kind == "S" || c.kind == "N" || c.kind == "B")
}

// equalities lists the attributes that the query gives exactly and that can be keys, the ones that most queries give
// first.
func (s *study) equalities(q *query) []string {
	var names []string
	for _, b := range q.Bounds {
		if b.Operator == design.Equal && s.keyable(b.Attribute) && design.ParsePart(b.Attribute).Function == "" {
			names = append(names, b.Attribute)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.exact[b], s.exact[a]), strings.Compare(a, b))
	})
	return names
}

// tails lists the attributes that can end a key: ranges, prefixes, and the order of the result.
func (s *study) tails(q *query) []string {
	var names []string
	for _, b := range q.Bounds {
		if (b.Operator == design.Range || b.Operator == design.Prefix) && s.keyable(b.Attribute) &&
			design.ParsePart(b.Attribute).Function == "" {
			names = append(names, b.Attribute)
		}
	}
	if q.OrderBy != "" && s.keyable(q.OrderBy) && !slices.Contains(names, q.OrderBy) && !q.equal(q.OrderBy) {
		names = append(names, q.OrderBy)
	}
	return names
}

// names lists attributes of the key that an item may lack.
func (s *study) optional(key design.Key) []string {
	var names []string
	for _, name := range key.Attributes() {
		if c := s.columns[name]; c != nil && c.present < 1 {
			names = append(names, name)
		}
	}
	return names
}

// keyType is the type that a key attribute is declared with.
func (s *study) keyType(name string) string {
	if t := s.Table.Types[name]; t != "" {
		return t
	}
	p := design.ParsePart(name)
	switch p.Function {
	case "concat":
		return "S"
	case "zorder", "hash8", "hash32", "hash64":
		return "B"
	}
	attribute := p.Args[0].Attribute
	if t := s.Table.Types[attribute]; t != "" {
		return t
	}
	if c := s.columns[attribute]; c != nil && (c.kind == "N" || c.kind == "B") {
		return c.kind
	}
	return "S"
}

// entryBytes is the size of one index entry of a projection of everything.
func (s *study) entryBytes(projection string) float64 {
	if projection == keysOnly {
		return math.Min(s.itemSize, 100)
	}
	return s.itemSize
}

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
