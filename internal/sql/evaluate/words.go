// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"math"

	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// WordsOf is the field of a search index that serves a MATCH.
type WordsOf struct {
	Database, Table, Index string
	Field                  int // its place in the index's key
	Analyzer               string
}

// WordsScope is a Scope that knows search indexes. Errors: 1191.
type WordsScope interface {
	WordsOf(columns []*tree.Column) (WordsOf, error)
}

// Ranking is a MATCH by whose scores rows come, and the score of the row at hand.
type Ranking struct {
	Of      WordsOf
	Text    string
	Boolean bool
	Score   float64
}

// Scorers prepares scores. Sessions have it that can run MATCH.
type Scorers interface {
	Scorer(of WordsOf, q *search.Query) (*search.Scorer, error)
}

// matchCall is MATCH (columns) AGAINST (against).
type matchCall struct {
	key
	columns []node
	against node
	boolean bool
	of      WordsOf
}

// wordQuery is the state of a matching in one execution.
type wordQuery struct {
	query  *search.Query
	scorer *search.Scorer
	ranked bool // rows come by its scores, which Context.Ranked has
}

func (c *compiler) match(e *tree.Call) (typedNode, error) {
	n, err := c.matching(e)
	return typedNode{n, datum.Type{Base: datum.Double}, false}, err
}

func (c *compiler) matching(e *tree.Call) (*matchCall, error) {
	columns, against, boolean := e.Match()
	n := &matchCall{boolean: boolean}
	scope, ok := c.scope.(WordsScope)
	if !ok {
		return nil, fault.New(fault.NoFullText)
	}
	var named []*tree.Column
	for _, column := range columns {
		one, err := c.compile(column)
		if err != nil {
			return nil, err
		}
		n.columns = append(n.columns, one.node)
		named = append(named, column.(*tree.Column))
	}
	operand, err := c.compile(against)
	if err != nil {
		return nil, err
	}
	if !operand.constant {
		return nil, fault.Message(fault.WrongArguments,
			"Incorrect arguments to AGAINST: the query must be the same for all rows")
	}
	n.against = operand.node
	n.of, err = scope.WordsOf(named)
	return n, err
}

// queryOf returns the query of the execution; nil for NULL.
func (n *matchCall) queryOf(x *Context) (*wordQuery, error) {
	if c := x.findCell(&n.key); c != nil {
		return c.state.(*wordQuery), nil
	}
	d, err := n.against.value(x)
	if err != nil {
		return nil, err
	}
	state := &wordQuery{}
	if !d.IsNull() {
		if state.query, err = ParseWords(n.of.Analyzer, x.TextOf(d), n.boolean); err != nil {
			return nil, err
		}
		r := x.Ranked
		state.ranked = r != nil && r.Of == n.of && r.Boolean == n.boolean && r.Text == state.query.String()
	}
	x.keep(cell{of: &n.key, state: state})
	return state, nil
}

// ParseWords reads the query of a MATCH. Errors: 1235, 1064.
func ParseWords(analyzer string, text []byte, boolean bool) (*search.Query, error) {
	a, err := search.Open(analyzer)
	if err != nil {
		return nil, fault.Message(fault.NotSupported, "%s", err)
	}
	mode := search.Natural
	if boolean {
		mode = search.Boolean
	}
	q, err := search.Parse(a, string(text), mode)
	if err != nil {
		return nil, fault.Message(fault.WrongArguments, "Incorrect arguments to AGAINST: %s", err)
	}
	return q, nil
}

// document is the words of the row; nil if it has no text.
func (n *matchCall) document(x *Context, q *search.Query) (*search.Document, error) {
	var texts [][]byte
	for _, column := range n.columns {
		d, err := column.value(x)
		if err != nil {
			return nil, err
		}
		if !d.IsNull() {
			texts = append(texts, x.TextOf(d))
		}
	}
	if len(texts) == 0 {
		return nil, nil
	}
	return q.Analyzer.Document(texts...), nil
}

func (n *matchCall) value(x *Context) (datum.Datum, error) {
	state, err := n.queryOf(x)
	if err != nil || state.query == nil {
		return datum.Float64(0), err
	}
	if state.ranked {
		return datum.Float64(max(x.Ranked.Score, math.SmallestNonzeroFloat64)), nil
	}
	if state.scorer == nil {
		scorers, ok := x.Session.(Scorers)
		if !ok {
			return datum.Null, fault.New(fault.NoFullText)
		}
		if state.scorer, err = scorers.Scorer(n.of, state.query); err != nil {
			return datum.Null, err
		}
	}
	d, err := n.document(x, state.query)
	if err != nil || d == nil {
		return datum.Float64(0), err
	}
	score, ok := state.scorer.Score(d)
	if !ok {
		return datum.Float64(0), nil
	}
	return datum.Float64(max(score, math.SmallestNonzeroFloat64)), nil
}

func (n *matchCall) truth(x *Context) (truth, error) {
	state, err := n.queryOf(x)
	if err != nil || state.query == nil {
		return no, err
	}
	d, err := n.document(x, state.query)
	return when(d != nil && state.query.Matches(d)), err
}

// highlightCall is HIGHLIGHT (column, before, after) of a MATCH that the statement has.
type highlightCall struct {
	column, before, after node
	match                 *matchCall
}

// highlight compiles HIGHLIGHT, to which the statement's MATCH of the column was added as an argument.
func (c *compiler) highlight(e *tree.Call) (typedNode, error) {
	if len(e.Arguments) < 3 || len(e.Arguments) > 4 {
		return typedNode{}, fault.New(fault.ParameterCount, e.Name)
	}
	if len(e.Arguments) == 3 {
		return typedNode{}, fault.Message(fault.WrongArguments,
			"Incorrect arguments to HIGHLIGHT: WHERE has no MATCH of the column whose words could be marked")
	}
	operands, err := c.all(e.Arguments[:3]...)
	if err != nil {
		return typedNode{}, err
	}
	n := &highlightCall{column: operands[0].node, before: operands[1].node, after: operands[2].node}
	n.match, err = c.matching(e.Arguments[3].(*tree.Call))
	return typedNode{n, operands[0].t, false}, err
}

func (n *highlightCall) value(x *Context) (datum.Datum, error) {
	d, err := n.column.value(x)
	if err != nil || d.IsNull() {
		return datum.Null, err
	}
	text := x.TextOf(d)
	before, err := n.before.value(x)
	if err != nil || before.IsNull() {
		return datum.Null, err
	}
	start := string(x.TextOf(before))
	after, err := n.after.value(x)
	if err != nil || after.IsNull() {
		return datum.Null, err
	}
	state, err := n.match.queryOf(x)
	if err != nil || state.query == nil {
		return d, err
	}
	return datum.Text(state.query.Highlight(nil, text, start, string(x.TextOf(after)))), nil
}
