// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// WordsOf finds the field that serves MATCH of some columns. Errors: 1191.
func (s *Source) WordsOf(columns []*tree.Column) (evaluate.WordsOf, error) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return WordsOf(s.Table, names)
}

// WordsOf finds the field of a table that serves MATCH of some columns. Errors: 1191.
func WordsOf(t *definition.Table, columns []string) (evaluate.WordsOf, error) {
	words, err := t.WordsOf(columns)
	return evaluate.WordsOf{Database: t.Database, Table: t.Name, Index: words.Index, Field: words.Field,
		Analyzer: words.Analyzer}, err
}

// WordsOf is evaluate.WordsScope's.
func (s originScope) WordsOf(columns []*tree.Column) (evaluate.WordsOf, error) {
	if words, ok := s.Origin.(evaluate.WordsScope); ok {
		return words.WordsOf(columns)
	}
	return evaluate.WordsOf{}, fault.New(fault.NoFullText)
}

// searchColumns tells columns what search indexes hold of them.
func searchColumns(t *definition.Table, columns map[string]*column) {
	for x := range t.Descriptor.Searches() {
		if x.State != schema.Active {
			continue
		}
		for i := range x.Key {
			if x.Key[i].Pattern {
				continue // see patternColumn
			}
			for _, a := range x.Key[i].Args {
				c := columns[a.Column]
				if c == nil {
					if c = newColumn(t, a.Column, a.Type); c == nil {
						continue
					}
					columns[c.name] = c
				}
				c.searched = c.searched || !x.Key[i].Computed()
				c.infix = c.infix || x.Key[i].Computed() && !x.Key[i].HasWordsOf([]string{a.Column}) &&
					len(x.Key[i].Args) == 1
			}
		}
	}
}

// patternColumn is a column that a search index holds by a pattern; nil for others.
func patternColumn(t *definition.Table, name string) *column {
	for x := range t.Descriptor.Searches() {
		for i := range x.Key {
			if x.State != schema.Active || !x.Key[i].Covers(name) {
				continue
			}
			if c := newColumn(t, name, x.Key[i].Type); c != nil && c.key == x.Key[i].Type {
				c.searched = true
				return c
			}
		}
	}
	return nil
}

// matches is MATCH (columns) AGAINST (against), or its opposite.
type matches struct {
	column  *column
	paths   []expr.Path
	of      evaluate.WordsOf
	against constant
	boolean bool
	not     bool
}

// readMatch reads MATCH; it bounds nothing if its columns are none that a search index holds.
func (r *reader) readMatch(call *tree.Call, not bool) predicate {
	columns, against, boolean := call.Match()
	m := &matches{boolean: boolean, not: not}
	var names []string
	for _, e := range columns {
		c := r.wordsColumn(e)
		if c == nil {
			return unknown{}
		}
		m.column, m.paths, names = c, append(m.paths, c.path()), append(names, c.name)
	}
	var ok bool
	if m.against, ok = r.constant(against); !ok || r.table == nil {
		return unknown{}
	}
	var err error
	if m.of, err = WordsOf(r.table, names); err != nil {
		return unknown{}
	}
	return m
}

// wordsColumn is the column that an expression is, of any type; else nil.
func (r *reader) wordsColumn(e tree.Expression) *column {
	if c := r.columnOf(e); c != nil {
		return c
	}
	named, ok := e.(*tree.Column)
	if !ok || r.table == nil {
		return nil
	}
	declared, ok := r.table.Column(named.Name)
	if !ok {
		return nil
	}
	return &column{name: named.Name, sql: declared.Type}
}

func (m *matches) bind(b *binder) limit {
	d := b.value(&m.against)
	if d.IsNull() {
		if m.not {
			return limit{exact: true}
		}
		return never()
	}
	query, err := evaluate.ParseWords(m.of.Analyzer, b.context.TextOf(d), m.boolean)
	if err != nil {
		b.err = cmp.Or(b.err, err)
		return limit{}
	}
	var condition expr.Condition = &expr.Matches{Paths: m.paths, Query: query}
	if m.not {
		condition = &expr.Not{Of: condition}
	}
	return one(columnLimit{column: m.column, condition: condition, exact: true})
}

// presence is column IS NOT NULL, of a column that a search index holds.
type presence struct{ column *column }

func (p *presence) bind(*binder) limit {
	return one(columnLimit{column: p.column, condition: p.column.hasValue()})
}

// hasValue is the condition that a column is not null.
func (c *column) hasValue() expr.Condition {
	path := c.path()
	return &expr.Not{Of: &expr.Or{List: []expr.Condition{&expr.NotExists{Path: path},
		&expr.HasType{X: &path, Type: value.Null}}}}
}

// differs is column <> value, of a column that a search index holds.
func (c *column) differs(r reach) limit {
	condition := c.hasValue()
	if r.exact && string(r.low) == string(r.high) {
		condition = &expr.And{List: []expr.Condition{condition, &expr.Not{Of: c.is(expr.Equal, r.low)}}}
	}
	return one(columnLimit{column: c, condition: condition})
}

// infixRunes is the number of characters a part of a pattern must have to be looked for.
const infixRunes = 3

// parts is the condition that a column has all texts of a pattern between its wildcards; nil if these are too short.
func (c *column) parts(pattern []byte, escape rune) expr.Condition {
	if !c.infix {
		return nil
	}
	var list []expr.Condition
	var part []byte
	take := func() {
		if utf8.RuneCount(part) >= infixRunes {
			list = append(list, &expr.Contains{X: c.attribute(),
				Member: &expr.Literal{Value: value.AppendString(nil, part)}})
		}
		part = part[:0]
	}
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case b == '%' || b == '_':
			take()
		case rune(b) == escape && i+1 < len(pattern):
			take() // what follows is not looked for
			i++
		default:
			part = append(part, b)
		}
	}
	take()
	return expr.Conjunction(list...)
}

// rankOf finds the MATCH of WHERE that rows are wanted in the order of, if at execution against has the same value
// there; -1: there is none.
func (s *Source) rankOf(e tree.Expression) (conjunct int, against *constant) {
	call, ok := e.(*tree.Call)
	if !ok || call.Name != "match" {
		return -1, nil
	}
	columns, text, boolean := call.Match()
	conjunct = slices.IndexFunc(s.predicates, func(p predicate) bool {
		m, ok := p.(*matches)
		return ok && !m.not && m.boolean == boolean && len(columns) == len(m.paths) &&
			!slices.ContainsFunc(m.paths, func(path expr.Path) bool { return !hasColumn(columns, path.Name) })
	})
	if value, ok := s.constant(text); ok && conjunct >= 0 {
		return conjunct, &value
	}
	return -1, nil
}

// naturalRank is the MATCH by whose scores rows come where nothing else was asked for, as in MySQL: the only one, in
// natural language; -1: none.
func (s *Source) naturalRank() int {
	found := -1
	for i, p := range s.predicates {
		if m, ok := p.(*matches); ok {
			if found >= 0 || m.boolean || m.not {
				return -1
			}
			found = i
		}
	}
	return found
}

// planRanked replaces the best plan by one whose rows come in the order of scores, unless that plan looks up single
// rows, which are sorted.
func (c *chooser) planRanked(found *Access, query *database.Query, best database.Plan) (database.Plan, error) {
	m := c.source.predicates[c.ranked].(*matches)
	var words *search.Query
	for _, l := range c.limits[c.ranked].columns {
		if condition, ok := l.condition.(*expr.Matches); ok {
			words, _ = condition.Query.(*search.Query)
		}
	}
	scorers, ok := c.session.(evaluate.Scorers)
	if words == nil || !ok || c.anyOrder && best.Class == access.Get {
		return best, nil
	}
	other := *query
	other.AnyIndex, other.Index, other.Order, other.Reverse, other.AnyOrder, other.Limit = false, m.of.Index, nil,
		false, false, max(c.rowsMax, 0)
	plan, err := c.pinned.Plan(other)
	if err != nil { // WHERE is a whole key, or the index is being built
		return best, nil
	}
	if other.Rank, err = scorers.Scorer(m.of, words); err != nil {
		return best, err
	}
	*query = other
	found.Ranked = &evaluate.Ranking{Of: m.of, Text: words.String(), Boolean: m.boolean}
	return plan, nil
}

// markMatches adds to each HIGHLIGHT of an expression the MATCH of WHERE that is about its column.
func (c *compiler) markMatches(e tree.Expression) tree.Expression {
	return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		call, ok := e.(*tree.Call)
		if !ok || call.Name != "highlight" || len(call.Arguments) != 3 {
			return nil
		}
		column, ok := call.Arguments[0].(*tree.Column)
		if !ok || c.statement.Where == nil {
			return nil
		}
		var match *tree.Call
		tree.Walk(c.statement.Where, func(e tree.Expression) bool {
			if m, ok := e.(*tree.Call); ok && m.Name == "match" && match == nil &&
				hasColumn(m.Arguments[:len(m.Arguments)-2], column.Name) {
				match = m
			}
			return true
		})
		if match == nil {
			return nil
		}
		marked := *call
		marked.Arguments = append(slices.Clone(call.Arguments), match)
		return &marked
	})
}
