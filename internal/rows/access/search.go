// SPDX-License-Identifier: Apache-2.0

package access

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/index/search"
)

// ErrNoField says that a condition has nothing that the search index a Query names could find rows by.
var ErrNoField = errors.New("access: the condition asks for nothing that the search index holds; compare one of its columns, or leave the choice of the index open")

// Search is how a search index finds the rows that can meet a condition. It gives keys of rows, in their order.
type Search struct {
	Index *schema.Index
	Root  *SearchNode
	// Checks are the conditions that Root guarantees only if all its lists could be put in order: where one was too
	// long, they have to be checked on the rows. nil: none.
	Checks expr.Condition
}

// SearchKind is the kind of a SearchNode.
type SearchKind uint8

// The kinds of nodes.
const (
	SearchWords  SearchKind = iota // rows whose words match a query
	SearchValues                   // rows with some values
	SearchAll                      // rows that all of List find and none of Without
	SearchAny                      // rows that one of List finds
)

// SearchNode finds rows.
type SearchNode struct {
	Kind SearchKind
	List []*SearchNode
	// Without are nodes of a SearchAll whose rows are left out. All of them are exact. A SearchAll without List begins
	// with every row of the table.
	Without []*SearchNode
	Field   int           // of SearchWords and SearchValues: its place in the index's key
	Column  string        // of SearchValues: the one that is meant of a field for all columns of a pattern
	Query   *search.Query // of SearchWords
	// Spans are the keys of a SearchValues, without the field's prefix. Side says that rows whose value can't stand in
	// a key belong to it, too.
	Spans []indexkey.Span
	Side  bool
	// Exact says that the node finds the rows that meet its condition, and no others.
	Exact bool
	// Rows is about the number of rows the node finds, and Entries how many entries are read for them.
	Rows, Entries float64

	asked      bool             // a SearchWords that is a condition itself
	points     bool             // the Spans are single values
	bounds     []indexkey.Bound // of SearchValues, until it has Spans
	conditions []expr.Condition // of a member of a SearchAll: those that it stands for
}

// Shares of a table that conditions are guessed to leave, where nothing is known.
const (
	wordShare   = 0.01
	phraseShare = 0.001
)

// searchPath is the path through a search index. ok is false if the condition has nothing that it could find rows by.
func (c *chooser) searchPath(x *schema.Index) (p Path, ok bool) {
	p, ok, err := c.path(&c.table.Primary)
	if err != nil || !ok || p.Point {
		return p, false
	}
	b := searchBuilder{chooser: c, index: x, rows: cmp.Or(c.statistics.Rows, 100_000), changing: c.table.Cells != nil ||
		x.Async != nil}
	var list []expr.Condition
	for i := range c.conjuncts {
		list = append(list, c.conjuncts[i].condition)
	}
	root, exact := b.all(list)
	if root == nil || x.Async != nil && c.query.Index != x.Name && !root.isAsked() {
		return p, false
	}
	p.Search = &Search{Index: x, Root: root, Checks: expr.Conjunction(exact...)}
	p.Filter = expr.Conjunction(slices.DeleteFunc(expr.Conjuncts(p.Filter),
		func(one expr.Condition) bool { return slices.Contains(exact, one) })...)
	c.estimateSearch(&p)
	return p, true
}

// estimateSearch fills in the cost of a path through a search index: its entries, and the rows that are looked up.
func (c *chooser) estimateSearch(p *Path) {
	all := cmp.Or(c.statistics.Rows, 100_000)
	root := p.Search.Root
	within := min(1, max(p.Rows, 1)/all) // the share of the table that the key's bounds leave
	p.Rows = max(1, root.Rows*within)
	p.Bytes = p.Rows * cmp.Or(c.statistics.Bytes/all, 200)
	p.seeks = float64(root.leaves())
	p.Covering = false // each row is looked up
	p.price()
	p.Cost += entryCost*root.Entries + c.lookUps(p, all) - readBackCost*p.Rows
}

// entryCost is the cost of an entry of a search index, which is read without its row.
const entryCost = 0.5

// lookUps is the cost of looking up the rows that were found. They come in the order of the table's key, so that many
// of them lie in one block. A query that only counts looks up none.
func (c *chooser) lookUps(p *Path, all float64) float64 {
	if c.query.Wanted != nil && len(c.query.Wanted) == 0 && p.Filter == nil && !c.query.Drops {
		return 0
	}
	const block = 32 // rows
	blocks := all / block * (1 - math.Pow(1-min(1, p.Rows/all), block))
	return entryCost*p.Rows + readBackCost*blocks
}

// isAsked reports whether a query asks for words: only then, or by its name, an index is used that may be behind, since
// everything else can be had exactly.
func (n *SearchNode) isAsked() bool {
	return n.asked || slices.ContainsFunc(n.List, (*SearchNode).isAsked)
}

// leaves counts the lists that are read.
func (n *SearchNode) leaves() (count int) {
	if n.Kind == SearchWords || n.Kind == SearchValues {
		return 1
	}
	for _, one := range slices.Concat(n.List, n.Without) {
		count += one.leaves()
	}
	return count
}

// searchBuilder makes nodes of conditions.
type searchBuilder struct {
	*chooser
	index *schema.Index
	rows  float64
	// changing says that rows may differ from their entries, as time passes or since the index is behind: no node is
	// exact.
	changing bool
	// whole keeps lists that cost more than they save: only the opposite of an exact node can be had, whatever is known
	// of its lists.
	whole bool
}

// all is the node of conditions that all hold; nil if none of them can be found. exact holds the conditions that it
// guarantees.
func (b *searchBuilder) all(list []expr.Condition) (n *SearchNode, exact []expr.Condition) {
	n = &SearchNode{Kind: SearchAll, Exact: true, Rows: b.rows}
	for _, condition := range list {
		one, not := b.node(condition)
		if one == nil {
			n.Exact = false
			continue
		}
		one.conditions = []expr.Condition{condition}
		switch same := slices.IndexFunc(n.List, one.isMergeable); {
		case not:
			n.Without = append(n.Without, one)
		case same >= 0:
			n.List[same].merge(one)
		default:
			n.List = append(n.List, one)
		}
	}
	n.List = slices.DeleteFunc(n.List, func(one *SearchNode) bool {
		return one.Kind == SearchValues && !b.bind(one) &&
			n.inexact()
	})
	if len(n.List)+len(n.Without) == 0 {
		return nil, nil
	}
	b.reduce(n)
	for _, one := range slices.Concat(n.List, n.Without) {
		if n.Exact = n.Exact && one.Exact; one.Exact {
			exact = append(exact, one.conditions...)
		}
	}
	if len(n.List) == 1 && len(n.Without) == 0 {
		only := *n.List[0]
		only.Exact = only.Exact && n.Exact
		return &only, exact
	}
	return n, exact
}

// inexact notes that a condition is not part of a conjunction's node.
func (n *SearchNode) inexact() bool {
	n.Exact = false
	return true
}

// isMergeable reports whether two nodes are bounds on the same field that were not bound to spans yet.
func (n *SearchNode) isMergeable(other *SearchNode) bool {
	return n.Kind == SearchValues && other.Kind == SearchValues && n.Field == other.Field && n.Column == other.Column &&
		n.Spans == nil && other.Spans == nil
}

func (n *SearchNode) merge(other *SearchNode) {
	n.bounds, n.conditions = append(n.bounds, other.bounds...), append(n.conditions, other.conditions...)
	n.Exact = n.Exact && other.Exact
}

// worth is the multiple of the best node's rows that another list may have to be read whole for it.
const worth = 4

// reduce estimates a conjunction, and leaves out lists that would have to be read whole for more rows than the others
// leave: they are checked on the rows.
func (b *searchBuilder) reduce(n *SearchNode) {
	slices.SortStableFunc(n.List, func(x, y *SearchNode) int { return cmp.Compare(x.Rows, y.Rows) })
	kept := n.List[:0]
	for _, one := range n.List {
		if !b.whole && len(kept) > 0 && !one.InOrder() && one.Entries > worth*n.Rows {
			n.Exact = false
			continue
		}
		kept = append(kept, one)
		n.Rows *= one.Rows / b.rows
		n.Entries += min(one.Entries, worth*max(n.Rows, kept[0].Rows))
	}
	n.List = kept
	for _, one := range n.Without {
		n.Entries += min(one.Entries, n.Rows)
	}
	if len(n.List) == 0 {
		n.Entries += n.Rows
	}
	if len(n.List)+len(n.Without) > 1 {
		entries := n.Entries
		b.look(n)
		n.Entries = entries
	}
	n.Rows = max(n.Rows, 1)
}

// look replaces the guess about a node by the figures of the index's lists.
func (b *searchBuilder) look(n *SearchNode) {
	if b.statistics.Lists == nil {
		return
	}
	if rows, entries, ok := b.statistics.Lists.Rows(b.index, n); ok {
		n.Rows, n.Entries = rows, entries
	}
}

// InOrder reports whether a node's rows come in the order of their keys as they are read.
func (n *SearchNode) InOrder() bool {
	switch n.Kind {
	case SearchValues:
		return n.points && len(n.Spans) <= streamsMax
	case SearchWords:
		return true
	}
	return !slices.ContainsFunc(n.List, func(one *SearchNode) bool { return !one.InOrder() })
}

// streamsMax is the number of values of a field that are read side by side.
const streamsMax = 64

// node is the node of a condition, or of its opposite if not is set; nil if it can't be found.
func (b *searchBuilder) node(condition expr.Condition) (n *SearchNode, not bool) {
	switch c := condition.(type) {
	case *expr.And:
		n, _ = b.all(c.List)
		return n, false
	case *expr.Or:
		if n = b.leaf(condition); n == nil {
			n = b.any(c.List)
		}
		return n, false
	case *expr.Not:
		before := b.whole
		b.whole = true
		n, not = b.node(c.Of)
		b.whole = before
		return b.opposite(n, not)
	case *expr.Exists:
		n, not = b.node(&expr.NotExists{Path: c.Path})
		return b.opposite(n, not)
	case *expr.Compare:
		if c.Op == expr.NotEqual {
			n, not = b.node(&expr.Compare{Op: expr.Equal, A: c.A, B: c.B})
			return b.opposite(n, not)
		}
	case *expr.Matches:
		return b.words(c), false
	case *expr.Contains:
		return b.infix(c), false
	}
	return b.leaf(condition), false
}

// opposite is the opposite of a node, if that is known exactly.
func (b *searchBuilder) opposite(n *SearchNode, not bool) (*SearchNode, bool) {
	if n == nil || n.Kind == SearchValues && !b.bind(n) || !n.Exact {
		return nil, false
	}
	return n, !not
}

// any is the node of alternatives; nil unless all of them can be found.
func (b *searchBuilder) any(list []expr.Condition) *SearchNode {
	n := &SearchNode{Kind: SearchAny, Exact: true}
	for _, condition := range list {
		one, not := b.node(condition)
		if one == nil || one.Kind == SearchValues && one.Spans == nil && !b.bind(one) {
			return nil
		}
		if not {
			one = &SearchNode{Kind: SearchAll, Without: []*SearchNode{one}, Exact: true, Rows: b.rows, Entries: b.rows}
		}
		if one.Kind == SearchAny {
			n.List = append(n.List, one.List...)
		} else {
			n.List = append(n.List, one)
		}
		n.Exact = n.Exact && one.Exact
		n.Rows, n.Entries = min(b.rows, n.Rows+one.Rows), n.Entries+one.Entries
	}
	if len(n.List) == 0 {
		return nil
	}
	b.look(n)
	return n
}

// leaf is the node of a bound on one field, which bind completes; nil for other conditions.
func (b *searchBuilder) leaf(condition expr.Condition) *SearchNode {
	k, ok := constrain(condition)
	if !ok {
		return nil
	}
	field := slices.IndexFunc(b.index.Key, func(p schema.KeyPart) bool { return p.Column() == k.name })
	if field < 0 && !admitsNull(&k.bound) { // a field for columns of a pattern holds no nulls
		field = slices.IndexFunc(b.index.Key, func(p schema.KeyPart) bool { return p.Covers(k.name) })
	}
	if field < 0 {
		return nil
	}
	return &SearchNode{Kind: SearchValues, Field: field, Column: k.name, bounds: []indexkey.Bound{k.bound},
		Exact: k.exact() && !b.changing}
}

// admitsNull reports whether rows without a value lie within a bound.
func admitsNull(b *indexkey.Bound) bool {
	return b.Kind == indexkey.IsNull || b.Kind == indexkey.Any &&
		slices.ContainsFunc(b.Union, func(one indexkey.Bound) bool { return admitsNull(&one) })
}

// bind finds the spans of a node's bounds.
func (b *searchBuilder) bind(n *SearchNode) bool {
	if n.Spans != nil {
		return true
	}
	alone := b.index.FieldIndex(n.Field, n.Column)
	name := alone.Key[0].Column()
	plan, err := indexkey.Bind(&alone, func(of string) []indexkey.Bound {
		if of != name {
			return nil
		}
		return n.bounds
	}, b.query.PointsMax)
	if err != nil || plan.Used == 0 {
		return false
	}
	n.Spans = append([]indexkey.Span{}, plan.Spans...)
	n.Exact = n.Exact && plan.Guarantees(name)
	if slices.ContainsFunc(n.bounds, func(one indexkey.Bound) bool { return !isInKeys(&one, &alone) }) {
		n.Side, n.Exact = true, false
	}
	known := indexkey.Statistics{Rows: b.rows}
	if lists := b.statistics.Lists; lists != nil && !plan.Points {
		if values, ok := lists.Values(b.index, n.Field, n.Column); ok {
			known = values
		}
	}
	e := plan.Estimate(known)
	n.Rows, n.Entries = e.Rows, e.Rows
	n.points, n.bounds = plan.Points, nil
	b.look(n)
	return true
}

// isInKeys reports whether every value within a bound, and null, can stand in the key of a field.
func isInKeys(b *indexkey.Bound, alone *schema.Index) bool {
	switch b.Kind {
	case indexkey.IsNull:
		return true
	case indexkey.Any:
		return !slices.ContainsFunc(b.Union, func(one indexkey.Bound) bool { return !isInKeys(&one, alone) })
	}
	return leavesKeys(b, alone, 0, false)
}

// words is the node of a query in words; nil if no field has the words of its columns as it reads them.
func (b *searchBuilder) words(c *expr.Matches) *SearchNode {
	query, ok := c.Query.(*search.Query)
	if !ok {
		return nil
	}
	for i := range b.index.Key {
		if p := &b.index.Key[i]; p.Function == schema.Words && p.Analyzer == query.Analyzer.Name() &&
			areColumns(p, c.Paths) {
			n := &SearchNode{Kind: SearchWords, Field: i, Query: query, Exact: !b.changing, asked: true}
			n.Rows, n.Entries = b.wordRows(query.Root)
			b.look(n)
			return n
		}
	}
	return nil
}

// areColumns reports whether paths are the columns of a field, in any order.
func areColumns(p *schema.KeyPart, paths []expr.Path) bool {
	if len(p.Args) != len(paths) {
		return false
	}
	return !slices.ContainsFunc(paths, func(path expr.Path) bool {
		return !path.IsTopLevel() || !slices.ContainsFunc(p.Args,
			func(a schema.Argument) bool { return a.Column == path.Name })
	})
}

// wordRows guesses how many rows match a query, and how many entries are read for them.
func (b *searchBuilder) wordRows(n *search.Node) (rows, entries float64) {
	switch n.Kind {
	case search.Word:
		return b.rows * wordShare, b.rows * wordShare
	case search.Phrase:
		return b.rows * phraseShare, b.rows * wordShare
	case search.Prefix, search.Fuzzy:
		return b.rows * wordShare * 2, b.rows * wordShare * 4
	}
	least := math.Inf(1)
	for _, m := range n.Must {
		r, e := b.wordRows(m)
		least, entries = min(least, r), entries+e
	}
	if len(n.Must) > 0 {
		return least / float64(len(n.Must)), min(entries, worth*least)
	}
	for _, m := range n.Should {
		r, e := b.wordRows(m)
		rows, entries = rows+r, entries+e
	}
	return min(rows, b.rows), entries
}

// infix is the node of a text that a column has somewhere, which a field of its trigrams finds, and more.
func (b *searchBuilder) infix(c *expr.Contains) *SearchNode {
	name, ok := attribute(c.X)
	part, isLiteral := literal(c.Member)
	if !ok || !isLiteral || part.Kind() != value.String {
		return nil
	}
	for i := range b.index.Key {
		p := &b.index.Key[i]
		if p.Function != schema.Words || !strings.HasPrefix(p.Analyzer, "trigram/") || len(p.Args) != 1 ||
			p.Args[0].Column != name {
			continue
		}
		analyzer, err := search.Open(p.Analyzer)
		if err != nil {
			return nil
		}
		query := search.All(analyzer, part.Bytes())
		if len(query.Root.Must) == 0 {
			return nil
		}
		n := &SearchNode{Kind: SearchWords, Field: i, Query: query}
		n.Rows, n.Entries = b.wordRows(query.Root)
		b.look(n)
		return n
	}
	return nil
}

// Lines describes the search: the index, then a line for each step, with steps below indented.
func (s *Search) Lines() []string { return s.Root.lines([]string{s.Index.Name}, s.Index, "  ") }

func (n *SearchNode) lines(list []string, x *schema.Index, indent string) []string {
	switch n.Kind {
	case SearchWords:
		return append(list, fmt.Sprintf("%swords of %s that match %q, about %.0f rows", indent, x.Key[n.Field].Name,
			n.Query, n.Rows))
	case SearchValues:
		alone := x.FieldIndex(n.Field, n.Column)
		text := indent + alone.Key[0].Name + " in"
		for i, span := range n.Spans {
			if i == spansShown {
				text += fmt.Sprintf(" and %d more", len(n.Spans)-spansShown)
				break
			}
			text += " " + string(indexkey.AppendSpan(nil, &alone, span))
		}
		return append(list, fmt.Sprintf("%s, about %.0f rows", text, n.Rows))
	case SearchAny:
		list = append(list, indent+"any of")
	default:
		list = append(list, indent+map[bool]string{true: "all rows", false: "all of"}[len(n.List) == 0])
	}
	for _, one := range n.List {
		list = one.lines(list, x, indent+"  ")
	}
	if len(n.Without) > 0 {
		list = append(list, indent+"but not")
		for _, one := range n.Without {
			list = one.lines(list, x, indent+"  ")
		}
	}
	return list
}
