// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// from reads what stands behind the FROM of a SELECT.
func (p *parser) from(s *tree.Select) {
	s.Tables = p.tables()
	if t, ok := s.Tables.(*tree.TableName); ok {
		s.From, s.Alias, s.ForceIndex, s.IgnoreIndex, s.Tables = &t.Name, t.Alias, t.ForceIndex, t.IgnoreIndex, nil
	}
}

// tables reads tables with commas and joins between them.
func (p *parser) tables() tree.TableExpression {
	outer := p.tablesRead
	p.tablesRead = 0
	e := p.tablesFrom(p.factor())
	p.tablesRead = outer
	return e
}

// tablesFrom reads the rest of tables of which the first was read.
func (p *parser) tablesFrom(first tree.TableExpression) tree.TableExpression {
	left := p.readJoins(first)
	for p.More() {
		left = &tree.Join{Left: left, Right: p.readJoins(p.factor())}
	}
	return left
}

// isJoin reports whether a join comes. FULL alone is a name.
func (p *parser) isJoin() bool {
	switch p.At.Word {
	case "join", "inner", "cross", "left", "right", "natural", "straight_join":
		return true
	case "full":
		next := p.Peek().Word
		return next == "join" || next == "outer"
	}
	return false
}

// chain is a row of joins as it is read. A condition belongs to the last join that has none yet, so that a JOIN b JOIN
// c ON x ON y is a JOIN (b JOIN c ON x) ON y. An inner join that gets none binds as a comma would, but from the left: a
// JOIN b JOIN c ON x is (a JOIN b) JOIN c ON x.
type chain struct {
	operands []operand
	pending  []*tree.Join // without a condition; each stands between two operands, the last one before the last
}

// operand is a table or joins of several. First is where the leftmost table of joins stands; nil for a table, or what
// is in brackets.
type operand struct {
	table tree.TableExpression
	first *tree.TableExpression
}

// readJoins reads the joins behind a table.
func (p *parser) readJoins(first tree.TableExpression) tree.TableExpression {
	if !p.isJoin() {
		return first
	}
	c := chain{operands: []operand{{table: first}}}
	for p.isJoin() {
		j := p.join()
		c.operands = append(c.operands, operand{table: p.factor()})
		if j.Natural {
			c.put(j)
			continue
		}
		c.pending = append(c.pending, j)
		for len(c.pending) > 0 && p.condition(c.pending[len(c.pending)-1]) {
			c.put(c.pop())
		}
	}
	for len(c.pending) > 0 {
		j := c.pop()
		if j.Kind != tree.InnerJoin {
			p.Expected("ON or USING")
		}
		c.putFirst(j)
	}
	return c.operands[0].table
}

// join reads the words of a join.
func (p *parser) join() *tree.Join {
	j := &tree.Join{Natural: p.Accept("natural")}
	switch p.AcceptAny("inner", "cross", "left", "right", "full", "straight_join") {
	case "straight_join":
		j.Straight = true
		if j.Natural {
			p.Expected("JOIN")
		}
		return j
	case "left":
		j.Kind = tree.LeftJoin
	case "right":
		j.Kind = tree.RightJoin
	case "full":
		j.Kind = tree.FullJoin
	}
	if j.Kind != tree.InnerJoin {
		p.Accept("outer")
	}
	p.Expect("join")
	return j
}

// condition reads ON or USING of a join. ON DUPLICATE KEY is an INSERT's.
func (p *parser) condition(j *tree.Join) bool {
	switch {
	case p.Is("on") && p.Peek().Word != "duplicate":
		p.Advance()
		j.On = p.expression()
	case p.Accept("using"):
		p.List(func() { j.Using = append(j.Using, p.Name("a column")) })
	default:
		return false
	}
	return true
}

func (c *chain) pop() *tree.Join {
	last := len(c.pending) - 1
	j := c.pending[last]
	c.pending = c.pending[:last]
	return j
}

// put joins the last two operands.
func (c *chain) put(j *tree.Join) {
	n := len(c.operands)
	left, right := c.operands[n-2], c.operands[n-1]
	j.Left, j.Right = left.table, right.table
	c.replace(j, left, &j.Left)
}

// putFirst joins the operand before the last one with the leftmost table of that.
func (c *chain) putFirst(j *tree.Join) {
	n := len(c.operands)
	left, right := c.operands[n-2], c.operands[n-1]
	if right.first == nil {
		c.put(j)
		return
	}
	j.Left, j.Right = left.table, *right.first
	*right.first = j
	c.replace(right.table, left, &j.Left)
}

// replace puts one operand in the place of the last two.
func (c *chain) replace(joined tree.TableExpression, left operand, first *tree.TableExpression) {
	if left.first != nil {
		first = left.first
	}
	c.operands = append(c.operands[:len(c.operands)-2], operand{joined, first})
}

// factor reads one table, or what stands in brackets in its place.
func (p *parser) factor() tree.TableExpression {
	p.tablesRead++
	if p.tablesRead > tablesMax {
		p.Expected("at most " + strconv.Itoa(tablesMax) + " tables in one FROM")
	}
	switch {
	case p.Is("("):
		e, q := p.inBrackets()
		if q != nil {
			return p.derived(q, false)
		}
		return e
	case p.Accept("lateral"):
		p.Expect("(")
		return p.derived(p.closes(p.readNested()), true)
	case p.Is("{"):
		return p.odbcJoin()
	case p.At.Kind == token.Word && p.Peek().Word == "(":
		p.Refuse("a table function such as " + strings.ToUpper(p.SourceOf(p.At)) + " is not supported")
	}
	return p.tableName()
}

// tableName reads a table's name, its alias and index hints.
func (p *parser) tableName() *tree.TableName {
	t := &tree.TableName{}
	t.Name = p.table()
	if p.Is("partition") {
		p.Refuse("PARTITION is not supported: regions follow the primary key")
	}
	t.Alias = p.tableAlias()
	for p.Is("use") || p.Is("force") || p.Is("ignore") {
		p.indexHint(t)
	}
	return t
}

// derived reads the alias of a query in brackets and the names of its columns.
func (p *parser) derived(q tree.Query, lateral bool) *tree.DerivedTable {
	d := &tree.DerivedTable{Query: q, Alias: p.tableAlias(), Lateral: lateral}
	if d.Alias != "" && p.Is("(") {
		p.List(func() { d.Columns = append(d.Columns, p.Name("a column")) })
	}
	return d
}

// inBrackets reads brackets in FROM, with tables in them or with a query.
func (p *parser) inBrackets() (tree.TableExpression, tree.Query) {
	p.Expect("(")
	if !p.enter() {
		return nil, nil
	}
	defer p.leave()
	if p.startsQuery() {
		return nil, p.closes(p.query())
	}
	var first tree.TableExpression
	if p.Is("(") {
		e, q := p.inBrackets()
		switch {
		case q != nil && (p.Is(")") || p.continuesQuery()):
			return nil, p.closes(p.queryFrom(q))
		case q != nil:
			e = p.derived(q, false)
		}
		first = e
	} else {
		first = p.factor()
	}
	e := p.tablesFrom(first)
	p.Expect(")")
	return e, nil
}

// odbcJoin reads {OJ joins}.
func (p *parser) odbcJoin() tree.TableExpression {
	p.Expect("{", "oj")
	if !p.enter() {
		return nil
	}
	defer p.leave()
	e := p.tablesFrom(p.factor())
	p.Expect("}")
	return e
}
