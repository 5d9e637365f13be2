// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Rows that are the same by a collation are one in GROUP BY, DISTINCT and UNION: rows are grouped by what their texts
// have in common, and a group has the text of one of its rows.

// regrouped is a query with groups by collations.
type regrouped struct {
	items  []tree.SelectItem // as they were written
	names  []string          // the collation of each item; "" is none
	inside string            // the derived table whose rows are grouped, of DISTINCT and UNION; "" is none
}

// weight is what texts have in common that are equal by a collation.
func weight(e tree.Expression, collation string) tree.Expression {
	return &tree.Call{Name: "weight_string", Arguments: []tree.Expression{e, textLiteral(collation)}}
}

func anyValue(e tree.Expression) tree.Expression {
	return &tree.Call{Name: "any_value", Arguments: []tree.Expression{e}}
}

// collationsOf are the collations of a list's items; nil if none has one, or if it is not known how many they are.
func (p *parser) collationsOf(s *tree.Select) (names []string) {
	if g := p.regrouped[s]; g != nil {
		return g.names
	}
	for i := range s.List {
		if _, star := s.List[i].Expression.(*tree.Star); star {
			return nil
		}
		for _, c := range p.collated {
			if c.of == s.List[i].Expression {
				names = slices.Grow(names, len(s.List))[:len(s.List)]
				names[i] = c.collation
			}
		}
	}
	return names
}

// heed drops the notes about a list's collations.
func (p *parser) heed(s *tree.Select) {
	for i := range s.List {
		p.collationOf([]*tree.Expression{&s.List[i].Expression})
	}
}

// same reports whether two expressions are written alike.
func same(a, b tree.Expression) bool {
	return string(tree.AppendExpression(nil, a)) == string(tree.AppendExpression(nil, b))
}

// isPosition reports whether an expression is the number of an item of the list, from 0.
func isPosition(e tree.Expression, item int) bool {
	number, ok := e.(*tree.Literal)
	return ok && number.Value.Kind() == datum.KindInt && number.Value.Int() == int64(item)+1
}

// weighGroups lets items with a collation stand beside a GROUP BY of the same.
func (p *parser) weighGroups(s *tree.Select) {
	if len(p.collated) == 0 || len(s.GroupBy) == 0 || s.Rollup {
		return
	}
	g := &regrouped{items: slices.Clone(s.List), names: p.collationsOf(s)}
	for i, name := range g.names {
		for k := range s.GroupBy {
			item := &s.List[i].Expression
			if name != "" && isPosition(s.GroupBy[k], i) {
				s.GroupBy[k] = weight(*item, name)
			}
			if name != "" && same(s.GroupBy[k], weight(*item, name)) {
				p.collationOf([]*tree.Expression{item})
				*item = anyValue(*item)
				p.keep(s, g)
				break
			}
		}
	}
}

// distinctBy lets SELECT DISTINCT compare items by their collations.
func (p *parser) distinctBy(s *tree.Select) *tree.Select {
	if !s.Distinct || len(p.collated) == 0 {
		return s
	}
	names := p.collationsOf(s)
	if names == nil {
		return s
	}
	p.heed(s)
	s.Distinct = false
	whole := p.regroup(s, s.List, names)
	whole.CountsFound, whole.Loose, s.CountsFound = s.CountsFound, s.Loose, false
	return whole
}

// unionBy lets a UNION compare columns by the collations that one of its queries gives them.
func (p *parser) unionBy(set *tree.SetOperation) tree.Query {
	left, ok := set.Left.(*tree.Select)
	right, both := set.Right.(*tree.Select)
	if set.Kind != tree.Union || set.All || p.recursive || !ok || !both {
		return set
	}
	names, others := p.collationsOf(left), p.collationsOf(right)
	if names == nil && others == nil || len(left.List) != len(right.List) {
		return set
	}
	merged := make([]string, len(left.List))
	for i := range merged {
		if _, star := left.List[i].Expression.(*tree.Star); star {
			return set
		}
		if names != nil {
			merged[i] = names[i]
		}
		if others != nil {
			merged[i] = cmp.Or(merged[i], others[i])
		}
	}
	p.heed(left)
	p.heed(right)
	set.All = true
	return p.regroup(set, left.List, merged)
}

// regroup makes a query the groups of its rows by all columns.
func (p *parser) regroup(q tree.Query, items []tree.SelectItem, names []string) *tree.Select {
	g := &regrouped{items: slices.Clone(items), names: names, inside: "q"}
	whole, derived := &tree.Select{}, &tree.DerivedTable{Query: q, Alias: g.inside}
	for i, name := range names {
		item := tree.SelectItem{Expression: g.column(i), Alias: g.label(i), Text: items[i].Text}
		by := item.Expression
		if name != "" {
			by, item.Expression = weight(by, name), anyValue(by)
		}
		whole.List, whole.GroupBy = append(whole.List, item), append(whole.GroupBy, by)
		derived.Columns = append(derived.Columns, inner(i))
	}
	whole.Tables = derived
	p.keep(whole, g)
	return whole
}

func (p *parser) keep(s *tree.Select, g *regrouped) {
	if p.regrouped == nil {
		p.regrouped = map[*tree.Select]*regrouped{}
	}
	p.regrouped[s] = g
}

// inner is the name of a column of the derived table.
func inner(i int) string { return "c" + strconv.Itoa(i+1) }

func (g *regrouped) column(i int) tree.Expression {
	return &tree.Column{Table: g.inside, Name: inner(i)}
}

// label is the name of an item in the answer.
func (g *regrouped) label(i int) string {
	if c, ok := g.items[i].Expression.(*tree.Column); ok {
		return cmp.Or(g.items[i].Alias, c.Name)
	}
	return cmp.Or(g.items[i].Alias, g.items[i].Text)
}

// weighOrders lets ORDER BY sort by the collations of the items that it names, by their aliases or numbers.
func (p *parser) weighOrders(q tree.Query) {
	s, ok := q.(*tree.Select)
	if !ok {
		return
	}
	g := p.regrouped[s]
	if g == nil {
		g = &regrouped{items: s.List, names: p.collationsOf(s)}
	}
	for k := range s.OrderBy {
		for i := range g.names {
			if g.orders(&s.OrderBy[k].By, i) {
				p.collationOf([]*tree.Expression{&g.items[i].Expression})
				break
			}
		}
	}
}

// orders lets an element of ORDER BY that means an item sort by its collation. It reports whether it means the item.
func (g *regrouped) orders(by *tree.Expression, i int) bool {
	of, name := *by, ""
	if call, ok := of.(*tree.Call); ok {
		if text, collation, weighed := call.Weighed(); weighed {
			of, name = text, collation
		}
	}
	column, named := of.(*tree.Column)
	named = named && column.Table == "" && strings.EqualFold(column.Name, g.label(i))
	if !named && !isPosition(of, i) && (g.inside == "" || !same(of, g.items[i].Expression)) {
		return false
	}
	value := g.items[i].Expression
	if g.inside != "" {
		value = g.column(i)
	}
	switch name = cmp.Or(name, g.names[i]); {
	case name == "" && (named || isPosition(of, i)):
	case name == "":
		*by = value
	case g.inside != "" && name != g.names[i]:
		*by = weight(anyValue(value), name)
	default:
		*by = weight(value, name)
	}
	return true
}
