// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// where returns a query's condition in the planner's form. Values matter for curves alone, whose attributes lie at some
// places of the sample; others are made up, since the query's shares say what they keep.
func (s *study) where(q *query, p *path, at []span) expr.Condition {
	list, joined := s.joined(q, p)
	columns := s.layoutOf(p).columns
	for _, b := range q.Bounds {
		if slices.Contains(joined, b.Attribute) || p.implies(b) {
			continue
		}
		low, high := s.madeUpValues(b.Attribute)
		if i := slices.IndexFunc(columns, func(c *column) bool { return c.name == b.Attribute }); i >= 0 {
			low, high = columns[i].ends(at[i])
		}
		list = append(list, conditionOf(b, low, high))
	}
	if len(q.Any) > 0 {
		or := &expr.Or{}
		for _, b := range q.Any {
			low, high := s.madeUpValues(b.Attribute)
			or.List = append(or.List, conditionOf(b, low, high))
		}
		list = append(list, or)
	}
	return expr.Conjunction(list...)
}

// implies reports whether every item that has an entry passes a bound.
func (p *path) implies(b design.Bound) bool {
	if p.mark != nil && b.Attribute == p.mark.Attribute {
		return true
	}
	return b.Operator == design.Exists && !p.whole && slices.ContainsFunc(p.key,
		func(part design.Part) bool { return slices.Contains(part.Attributes(), b.Attribute) })
}

// conditionOf is a bound with its values.
func conditionOf(b design.Bound, low, high value.Value) expr.Condition {
	path, first := &expr.Path{Name: b.Attribute}, &expr.Literal{Value: low}
	switch b.Operator {
	case design.Equal:
		return &expr.Compare{Op: expr.Equal, A: path, B: first}
	case design.Prefix:
		return &expr.BeginsWith{X: path, Prefix: first}
	case design.Exists:
		return &expr.Exists{Path: *path}
	case design.Contains:
		return &expr.Contains{X: path, Member: first}
	}
	return &expr.Between{X: path, Low: first, High: &expr.Literal{Value: high}}
}

// joined are the conditions on parts that join attributes, which clients of DynamoDB's API name in place of these
// attributes: a beginning, or the whole.
func (s *study) joined(q *query, p *path) (list []expr.Condition, attributes []string) {
	for _, part := range p.key {
		if part.Function != "concat" || s.Table.SQL {
			continue
		}
		text, bound, names := []byte{}, design.Equal, []string{}
		for _, a := range part.Args {
			b, ok := q.bound(a.Attribute)
			if a.Attribute != "" && (!ok || b.Operator != design.Equal) {
				if ok && b.Narrows() && s.joins(b) {
					names = append(names, a.Attribute)
				}
				bound = design.Prefix
				break
			}
			if text = append(text, a.Literal...); a.Attribute != "" {
				low, _ := s.madeUpValues(a.Attribute)
				text, names = append(text, low.Bytes()...), append(names, a.Attribute)
			}
		}
		if len(names) > 0 {
			text := value.AppendString(nil, text)
			list = append(list, conditionOf(design.Bound{Attribute: part.Name, Operator: bound}, text, text))
			attributes = append(attributes, names...)
		}
	}
	return list, attributes
}

// madeUpValues are two values that an attribute might have.
func (s *study) madeUpValues(attribute string) (low, high value.Value) {
	if c := s.columns[attribute]; c != nil && c.kind == "BOOL" {
		return value.AppendBool(nil, true), value.AppendBool(nil, true)
	}
	switch kind := s.keyType(attribute); kind {
	case "N":
		return valueOf(design.Number("1")), valueOf(design.Number("2"))
	default:
		return valueOf(design.Value{Type: kind, Text: "x"}), valueOf(design.Value{Type: kind, Text: "y"})
	}
}

// ends are the first and the last value at some places.
func (c *column) ends(at span) (low, high value.Value) {
	return valueOf(c.sorted[min(at.from, c.seen-1)]), valueOf(c.sorted[max(min(at.to, c.seen)-1, 0)])
}
