// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// hints reads the hints behind a verb, which is the current token, and the verb.
func (p *parser) hints() (hints []tree.Hint) {
	for {
		start, end, ok := p.lexer.Hints()
		if !ok {
			break
		}
		inner := &parser{lexer: token.Lexer{Text: p.lexer.Text[start:end]}, source: p.source[start:end]}
		hints = append(hints, inner.hintList()...)
	}
	p.advance()
	return hints
}

// hintList reads the hints of one comment. What is no hint of the dialect's form is skipped: it may be another server's.
func (p *parser) hintList() (hints []tree.Hint) {
	p.advance()
	for p.at.Kind != token.End {
		if p.at.Kind != token.Word {
			p.advance()
			continue
		}
		h := tree.Hint{Name: strings.ToLower(p.sourceOf(p.at))}
		p.advance()
		if p.accept("(") {
			h.Argument = p.hintArgument()
		}
		hints = append(hints, h)
	}
	return hints
}

// hintArgument reads up to the closing bracket: the value of a single string or number, else the text as it is.
func (p *parser) hintArgument() string {
	start, first := p.at.Start, p.at
	for n := 0; p.at.Kind != token.End; n++ {
		if p.is(")") {
			argument := p.source[start:p.before]
			switch {
			case n == 0:
				argument = ""
			case n == 1 && first.Kind == token.Text:
				argument = string(token.Literal(p.lexer.Text, first, false).Bytes())
			case n == 1 && first.Kind == token.Quoted:
				argument = p.nameOf(first)
			}
			p.advance()
			return argument
		}
		p.advance()
	}
	return ""
}

// selects reads a SELECT.
func (p *parser) selects() tree.Statement {
	s := &tree.Select{Hints: p.hints()}
	for {
		word := p.acceptAny("distinct", "distinctrow", "all", "high_priority")
		if word == "" {
			break
		}
		s.Distinct = s.Distinct || strings.HasPrefix(word, "distinct")
	}
	s.List = append(make([]tree.SelectItem, 0, 4), p.selectItem())
	for p.more() {
		s.List = append(s.List, p.selectItem())
	}
	if p.accept("from") && !p.accept("dual") {
		p.from(s)
	}
	p.into()
	p.clauses(s)
	return s
}

// into refuses SELECT .. INTO.
func (p *parser) into() {
	if p.is("into") {
		p.refuse("SELECT .. INTO is not supported")
	}
}

// selectItem reads one element of a select list.
func (p *parser) selectItem() (item tree.SelectItem) {
	start := p.at.Start
	item.Expression = p.star()
	if item.Expression == nil {
		item.Expression = p.expression()
	}
	item.Text = strings.TrimSpace(p.source[start:max(start, p.before)])
	if p.is("over") {
		p.handsOn("a window function")
	}
	switch {
	case p.accept("as"):
		if p.at.Kind == token.Text {
			item.Alias = p.text("an alias")
		} else {
			item.Alias = p.name("an alias")
		}
	case p.at.Kind == token.Text:
		item.Alias = p.text("an alias")
	case p.isName():
		item.Alias = p.name("an alias")
	}
	return item
}

// star reads * and t.*, or nothing.
func (p *parser) star() tree.Expression {
	if p.accept("*") {
		return &tree.Star{}
	}
	if !p.isName() {
		return nil
	}
	ahead := p.lexer
	if ahead.Next().Word != "." {
		return nil
	}
	next := ahead.Next()
	for next.Kind == token.Word || next.Kind == token.Quoted { // database.t.*
		if ahead.Next().Word != "." {
			return nil
		}
		next = ahead.Next()
	}
	if next.Word != "*" {
		return nil
	}
	s := &tree.Star{}
	for !p.accept("*") && p.at.Kind != token.End {
		s.Table = p.nameOf(p.at)
		p.advance()
		p.expect(".")
	}
	return s
}

// from reads the table behind FROM.
func (p *parser) from(s *tree.Select) {
	if p.is("(") {
		p.handsOn("a derived table")
	}
	if p.is("lateral") || p.at.Kind == token.Word && p.peek().Word == "(" {
		p.handsOn("a table function")
	}
	table := p.table()
	s.From = &table
	if p.is("partition") {
		p.refuse("PARTITION is not supported: regions follow the primary key")
	}
	s.Alias = p.tableAlias()
	for p.is("use") || p.is("force") || p.is("ignore") {
		p.indexHint(s)
	}
	p.refuseTables()
}

// tableAlias reads [AS] alias. ALLOW FILTERING is no alias.
func (p *parser) tableAlias() string {
	if p.accept("as") {
		if p.at.Kind == token.Text {
			return p.text("an alias")
		}
		return p.name("an alias")
	}
	if !p.isName() || p.is("allow") && p.peek().Word == "filtering" {
		return ""
	}
	return p.name("an alias")
}

// refuseTables hands on a second table.
func (p *parser) refuseTables() {
	switch p.at.Word {
	case ",":
		p.handsOn("several tables")
	case "join", "inner", "cross", "left", "right", "natural", "straight_join", "full":
		p.handsOn("a join")
	}
}

// indexHint reads USE | FORCE | IGNORE {INDEX | KEY} [FOR ..] (names).
func (p *parser) indexHint(s *tree.Select) {
	names := &s.ForceIndex
	if p.acceptAny("use", "force", "ignore") == "ignore" {
		names = &s.IgnoreIndex
	}
	if p.acceptAny("index", "key") == "" {
		p.expected("INDEX")
	}
	if p.accept("for") {
		if p.acceptAny("join") == "" && !p.accepts("order", "by") && !p.accepts("group", "by") {
			p.expected("JOIN, ORDER BY or GROUP BY")
		}
	}
	p.expect("(")
	for !p.is(")") && p.at.Kind != token.End {
		if p.accept("primary") {
			*names = append(*names, "PRIMARY")
		} else {
			*names = append(*names, p.name("an index's name"))
		}
		if !p.more() {
			break
		}
	}
	p.expect(")")
}

// clauses reads what follows the table of a SELECT.
func (p *parser) clauses(s *tree.Select) {
	if p.accept("where") {
		s.Where = p.expression()
	}
	if p.accepts("group", "by") {
		s.GroupBy = append(s.GroupBy, p.expression())
		for p.more() {
			s.GroupBy = append(s.GroupBy, p.expression())
		}
		if p.is("with") {
			p.refuse("WITH ROLLUP is not supported")
		}
	}
	if p.accept("having") {
		s.Having = p.expression()
	}
	if p.is("window") {
		p.handsOn("a window function")
	}
	if p.accepts("order", "by") {
		s.OrderBy = p.orders()
	}
	p.limit(s)
	p.into()
	p.suffixes(s)
	switch p.at.Word {
	case "union", "except", "intersect":
		p.handsOn(strings.ToUpper(p.at.Word))
	}
}

// suffixes reads ALLOW FILTERING and FOR UPDATE, in any order.
func (p *parser) suffixes(s *tree.Select) {
	for {
		switch {
		case p.accept("allow"):
			p.expect("filtering")
			s.AllowFiltering = true
			if s.Limit == nil {
				p.limit(s)
			}
		case p.accept("for"):
			if p.is("share") {
				p.refuse("FOR SHARE is not supported: use FOR UPDATE")
			}
			p.expect("update")
			s.ForUpdate = true
			if word := p.acceptAny("nowait", "skip"); word == "skip" {
				p.refuse("SKIP LOCKED is not supported: transactions wait for nobody")
			}
		case p.is("lock"):
			p.refuse("LOCK IN SHARE MODE is not supported: use FOR UPDATE")
		default:
			return
		}
	}
}

// orders reads the elements of ORDER BY.
func (p *parser) orders() (orders []tree.Order) {
	for {
		o := tree.Order{By: p.expression()}
		o.Descending = p.acceptAny("asc", "desc") == "desc"
		orders = append(orders, o)
		if !p.more() {
			return orders
		}
	}
}

// limit reads LIMIT n [OFFSET m] and LIMIT m, n.
func (p *parser) limit(s *tree.Select) {
	if !p.accept("limit") {
		return
	}
	s.Limit = p.count()
	switch {
	case p.accept("offset"):
		s.Offset = p.count()
	case p.accept(","):
		s.Offset, s.Limit = s.Limit, p.count()
	}
}

// count reads a number of rows.
func (p *parser) count() tree.Expression {
	if p.at.Kind != token.Integer && p.at.Kind != token.Placeholder {
		p.expected("a number of rows")
		return nil
	}
	return p.primary()
}
