// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// unnestMax bounds how many times a statement is planned once more with joins in the place of queries in expressions.
const unnestMax = 16

// unnestGain is the factor by which lookups have to cost more for a join to take their place where it is only guessed
// how many rows ask: few rows may be read by lookups, and all are by the join.
const unnestGain = 4

// finish compiles the upper part of a SELECT, whose names are resolved, and plans what is below it: with one lookup for
// each combination of the outer values of its queries in expressions, or with joins in their place if that costs less.
func (s *scope) finish(from *item, read *tree.Select) (*Block, error) {
	leaves, kept := len(s.leaves), len(s.query.Spools)
	b, err := s.block(from, read)
	if err != nil || from == nil {
		return b, err
	}
	queries := s.unnestable(read)
	if len(queries) == 0 || s.unnested >= unnestMax || s.Only != nil && *s.Only == Loop {
		return b, nil
	}
	s.unnested++
	all, spools, uses := slices.Clone(s.leaves), len(s.query.Spools), len(s.query.Subqueries)
	s.leaves = s.leaves[:leaves]
	if joined := s.unnest(b, queries, from, read); joined != nil {
		// nothing is left in expressions that may read what was planned before
		if s.query.drop(queries); len(s.query.Subqueries) == uses {
			s.query.Spools = slices.Delete(s.query.Spools, kept, spools)
		}
		return joined, nil
	}
	s.leaves, s.query.Spools, s.query.Subqueries = all, s.query.Spools[:spools], s.query.Subqueries[:uses]
	return b, nil
}

// drop forgets the places of use of queries that have become joins.
func (q *Query) drop(queries map[*tree.Select]*inner) {
	for i := range q.Subqueries {
		for _, in := range queries {
			if q.Subqueries[i].Nested == in.nested {
				q.Subqueries[i] = Subquery{}
			}
		}
	}
}

// unnestable are the queries in the expressions of a SELECT that are one row of aggregates for each combination of
// values of this FROM alone.
func (s *scope) unnestable(read *tree.Select) map[*tree.Select]*inner {
	found := map[*tree.Select]*inner{}
	for e := range expressions(read) {
		tree.Walk(e, func(e tree.Expression) bool {
			sub, ok := e.(*tree.Subquery)
			if !ok {
				return true
			}
			q, ok := sub.Query.(*tree.Select)
			if !ok || q.With != nil || q.Distinct || len(q.GroupBy) > 0 || q.Having != nil || len(q.Windows) > 0 ||
				q.Limit != nil || q.Offset != nil || len(q.List) != 1 {
				return true
			}
			in := s.nested[q]
			if in != nil && !in.nested.Volatile && len(in.depends) > 0 &&
				!slices.ContainsFunc(in.depends,
					func(d dependency) bool { return d.of != s.frame || d.column == nil }) {
				found[q] = in
			}
			return true
		})
	}
	return found
}

// expressions returns the expressions of a SELECT over the rows of its FROM.
func expressions(read *tree.Select) func(yield func(tree.Expression) bool) {
	return func(yield func(tree.Expression) bool) {
		list := append([]tree.Expression{read.Where, read.Having}, read.GroupBy...)
		for _, one := range read.List {
			list = append(list, one.Expression)
		}
		for _, one := range read.OrderBy {
			list = append(list, one.By)
		}
		for _, e := range list {
			if e != nil && !yield(e) {
				return
			}
		}
	}
}

// unnest plans a SELECT with joins in the place of queries. nil if that can't be, or costs no less than b.
func (s *scope) unnest(b *Block, queries map[*tree.Select]*inner, from *item, read *tree.Select) *Block {
	values := map[tree.Query]tree.Expression{}
	for q := range queries {
		if len(s.leaves) >= tablesMax {
			return nil
		}
		g, err := s.compileGrouped(q)
		if err != nil || g == nil { // what is wrong with a query is told where it is looked up
			delete(queries, q)
			continue
		}
		from = &item{kind: Left, left: from, right: &item{leaf: g.leaf}, on: g.on}
		values[q] = g.value
	}
	if len(values) == 0 {
		return nil
	}
	joined, err := s.block(from, replaceQueries(read, values))
	forced := s.Only != nil && *s.Only == Hash
	if err != nil || !forced && gain(b.From)*s.costOf(joined, read, values) >= s.costOf(b, read, nil) {
		return nil
	}
	for i := range b.Select.Columns {
		if b.Select.Columns[i].Type != joined.Select.Columns[i].Type {
			return nil
		}
	}
	joined.Select.Columns = b.Select.Columns
	return joined
}

// gain is 1 where all rows of a table ask.
func gain(n Node) float64 {
	for f, ok := n.(*Filter); ok; f, ok = n.(*Filter) {
		n = f.Of
	}
	if scan, ok := n.(*Scan); ok && len(scan.Source.Conjuncts) == 0 {
		return 1
	}
	return unnestGain
}

// replaceQueries is a SELECT with expressions in the place of queries.
func replaceQueries(read *tree.Select, values map[tree.Query]tree.Expression) *tree.Select {
	each := func(e tree.Expression) tree.Expression {
		return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
			if sub, ok := e.(*tree.Subquery); ok {
				return values[sub.Query]
			}
			return nil
		})
	}
	now := *read
	now.List, now.GroupBy, now.OrderBy = slices.Clone(read.List), slices.Clone(read.GroupBy), slices.Clone(read.OrderBy)
	for i := range now.List {
		now.List[i].Expression = each(now.List[i].Expression)
	}
	for i := range now.GroupBy {
		now.GroupBy[i] = each(now.GroupBy[i])
	}
	for i := range now.OrderBy {
		now.OrderBy[i].By = each(now.OrderBy[i].By)
	}
	now.Where, now.Having = each(read.Where), each(read.Having)
	return &now
}

// costOf returns the cost of a block with the queries of its select list, except those that have been replaced.
func (s *scope) costOf(b *Block, read *tree.Select, replaced map[tree.Query]tree.Expression) float64 {
	rows, cost := estimateOf(b.From)
	for _, one := range read.List {
		tree.Walk(one.Expression, func(e tree.Expression) bool {
			q := tree.QueryOf(e)
			if in := s.nested[q]; in != nil && replaced[q] == nil {
				_, each := in.nested.Block.estimate()
				cost += s.combinations(in.depends, rows) * each
			}
			return true
		})
	}
	if streams := b.Select.Groups == nil && len(b.Select.Order) == 0 && !b.Select.Distinct &&
		len(b.Select.Windows) == 0; streams && b.Most > 0 && replaced == nil {
		cost *= min(1, b.Most/max(rows, 1))
	}
	return cost
}

// testCost returns the cost of testing the rows of a part with a condition that has queries in it.
func (s *scope) testCost(p part, c *condition) float64 {
	if c.each == 0 {
		return 0
	}
	return s.combinations(c.depends, p.rows) * c.each
}

// combinations is about the number of combinations of outer values that so many rows of the frame have.
func (s *scope) combinations(depends []dependency, rows float64) float64 {
	r := &region{scope: s}
	for _, e := range s.equalities() {
		r.conditions = append(r.conditions, condition{e: e})
	}
	values := 1.0
	for _, d := range depends {
		if d.of != s.frame || d.column == nil {
			continue
		}
		n := r.distinct(d.column, nil)
		if n == 0 {
			return rows
		}
		values *= n
	}
	return min(rows, values)
}

// groupedQuery is a query of aggregates as a derived table with a row for each combination of the values by which the
// rows around find theirs.
type groupedQuery struct {
	leaf  *leaf
	on    []tree.Expression
	value tree.Expression // of the query, where the derived table's columns are NULL if the query has no rows
}

// correlation is an equality of a query's own expression with a column of the query around.
type correlation struct {
	own   tree.Expression
	outer *tree.Column
	by    tree.Operator
}

// compileGrouped compiles a query for each value of its outer columns at once. nil if those are not just compared with
// its own columns.
func (s *scope) compileGrouped(q *tree.Select) (*groupedQuery, error) {
	hints, allows := s.hints, s.allows
	s.hints, s.allows = append(slices.Clone(s.hints), q.Hints...), s.allows || q.AllowFiltering
	defer func() { s.hints, s.allows = hints, allows }()
	n := &nest{of: s, within: s.outer}
	sub := s.newScope(n, s.with)
	it, err := sub.from(q)
	if err != nil || len(n.depends) > 0 {
		return nil, err
	}
	read, err := sub.rewrite(q)
	if err != nil {
		return nil, err
	}
	keys, where := sub.correlations(conjuncts(read.Where, nil), n)
	item := read.List[0].Expression
	if len(keys) == 0 || !isClosed(item, n) ||
		slices.ContainsFunc(where, func(e tree.Expression) bool { return !isClosed(e, n) }) {
		return nil, nil
	}
	above := *read
	above.List, above.GroupBy, above.OrderBy, above.Where = nil, nil, nil, all(where)
	add := func(e tree.Expression) string {
		name := fmt.Sprint("c", len(above.List))
		above.List = append(above.List, tree.SelectItem{Expression: e, Alias: name})
		return name
	}
	for _, k := range keys {
		add(k.own)
		above.GroupBy = append(above.GroupBy, k.own)
	}
	value, ok := rewriteAggregates(item, add)
	if !ok {
		return nil, nil
	}
	b, err := sub.finish(it, &above)
	if err != nil {
		return nil, err
	}
	b.Exact = true
	return s.asJoined(b, keys, value), nil
}

// asJoined makes a leaf of a grouped query.
func (s *scope) asJoined(b *Block, keys []correlation, value func(of *leaf) tree.Expression) *groupedQuery {
	var columns []result.Column
	for i := range b.Visible {
		columns = append(columns, result.Column{Name: b.Select.Columns[i].Name, Type: b.Select.Items[i].Program.Type()})
	}
	l := s.addLeaf("", "grouped subquery", columns)
	node := &Derived{Alias: l.name, Block: b}
	if s.outer != nil { // the same each time that this query is run again
		node.Block, node.Spool = nil, s.spool(l.name, b, nil)
	}
	l.node = func() (Node, error) {
		node.To = l.to()
		return node, nil
	}
	g := &groupedQuery{leaf: l, value: value(l)}
	for i, k := range keys {
		g.on = append(g.on, &tree.Binary{Operator: k.by, Left: k.outer,
			Right: &tree.Column{Table: l.name, Name: columns[i].Name}})
	}
	return g
}

// correlations parts conditions into equalities with columns of the query around, which hash alike, and others.
func (s *scope) correlations(list []tree.Expression, n *nest) (keys []correlation, rest []tree.Expression) {
	for _, e := range list {
		if k, ok := s.correlation(e, n); ok {
			keys = append(keys, k)
		} else {
			rest = append(rest, e)
		}
	}
	return keys, rest
}

func (s *scope) correlation(e tree.Expression, n *nest) (k correlation, ok bool) {
	b, isBinary := e.(*tree.Binary)
	if !isBinary || b.Operator != tree.Equal && b.Operator != tree.NullSafeEqual {
		return k, false
	}
	for _, pair := range [...][2]tree.Expression{{b.Left, b.Right}, {b.Right, b.Left}} {
		p, isParameter := pair[1].(*tree.Parameter)
		at := slices.IndexFunc(n.depends, func(d dependency) bool { return isParameter && d.parameter == p.Index })
		if at < 0 || !isClosed(pair[0], n) || len(evaluate.Columns(pair[0])) == 0 {
			continue
		}
		own, err := s.program(pair[0], "where clause")
		if d := n.depends[at]; err == nil && hashes(own.Type(), s.typeOf(d.parameter)) {
			return correlation{own: pair[0], outer: d.column, by: b.Operator}, true
		}
	}
	return k, false
}

// isClosed reports whether an expression has neither values of the query around nor queries in it.
func isClosed(e tree.Expression, n *nest) bool {
	closed := true
	tree.Walk(e, func(e tree.Expression) bool {
		p, ok := e.(*tree.Parameter)
		closed = closed && tree.QueryOf(e) == nil &&
			!(ok && slices.ContainsFunc(n.depends, func(d dependency) bool { return d.parameter == p.Index }))
		return closed
	})
	return closed
}

// rewriteAggregates adds the aggregates of a query's only item to a select list; value computes the item of them. ok is
// false if it has none, others than these, or columns beside them. Without rows, COUNT is 0 and the others NULL, as the
// columns of a table are that has no row to join.
func rewriteAggregates(item tree.Expression, add func(tree.Expression) string) (value func(of *leaf) tree.Expression,
	ok bool) {
	calls := evaluate.Aggregates(item)
	names := make([]string, len(calls))
	for i, call := range calls {
		switch call.Name {
		case "count", "sum", "avg", "min", "max":
		default:
			return nil, false
		}
		if call.Distinct { // the values of all groups at once may be more than memory has room for
			return nil, false
		}
		names[i] = add(call)
	}
	at := func(e tree.Expression) int {
		call, ok := e.(*tree.Call)
		return slices.IndexFunc(calls, func(other *tree.Call) bool {
			return ok && call.Over == nil &&
				evaluate.Same(call, other)
		})
	}
	bare := tree.Rebuild(item, func(e tree.Expression) tree.Expression {
		if at(e) >= 0 {
			return &tree.Literal{}
		}
		return nil
	})
	if len(calls) == 0 || len(evaluate.Columns(bare)) > 0 || !isSteady(bare) {
		return nil, false
	}
	return func(of *leaf) tree.Expression {
		return tree.Rebuild(item, func(e tree.Expression) tree.Expression {
			i := at(e)
			if i < 0 {
				return nil
			}
			column := &tree.Column{Table: of.name, Name: names[i]}
			if calls[i].Name == "count" {
				return &tree.Call{Name: "coalesce",
					Arguments: []tree.Expression{column, &tree.Literal{Value: datum.Int(0)}}}
			}
			return column
		})
	}, true
}
