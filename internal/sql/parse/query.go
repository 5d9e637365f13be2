// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// hints reads the hints behind a verb, which is the current token, and the verb.
func (p *parser) hints() (hints []tree.Hint) {
	for {
		start, end, ok := p.Lexer.Hints()
		if !ok {
			break
		}
		inner := &parser{Reader: p.Part(start, end)}
		hints = append(hints, inner.hintList()...)
	}
	p.Advance()
	return hints
}

// hintList reads the hints of one comment. A hint that is not of the dialect's form is skipped: it may be another
// server's.
func (p *parser) hintList() (hints []tree.Hint) {
	p.Advance()
	for p.At.Kind != token.End {
		if p.At.Kind != token.Word {
			p.Advance()
			continue
		}
		h := tree.Hint{Name: strings.ToLower(p.SourceOf(p.At))}
		p.Advance()
		if p.Accept("(") {
			h.Argument = p.hintArgument()
		}
		hints = append(hints, h)
	}
	return hints
}

// hintArgument reads up to the closing bracket: the value of a single string or number, else the text as it is.
func (p *parser) hintArgument() string {
	start, first := p.At.Start, p.At
	for n := 0; p.At.Kind != token.End; n++ {
		if p.Is(")") {
			argument := p.Source[start:p.Before]
			switch {
			case n == 0:
				argument = ""
			case n == 1 && first.Kind == token.Text:
				argument = string(token.Literal(p.Lexer.Text, first, false).Bytes())
			case n == 1 && first.Kind == token.Quoted:
				argument = p.NameOf(first)
			}
			p.Advance()
			return argument
		}
		p.Advance()
	}
	return ""
}

// block reads SELECT .. up to ORDER BY, which may be that of a UNION.
func (p *parser) block() *tree.Select {
	s := &tree.Select{Hints: p.hints(), Loose: p.Lexer.Mode&token.LooseGroups != 0}
	for {
		word := p.AcceptAny("distinct", "distinctrow", "all", "high_priority", "straight_join", "sql_no_cache",
			"sql_cache", "sql_small_result",
			"sql_big_result", "sql_buffer_result", "sql_calc_found_rows")
		if word == "" {
			break
		}
		s.Distinct = s.Distinct || strings.HasPrefix(word, "distinct")
		s.Straight = s.Straight || word == "straight_join"
		s.CountsFound = s.CountsFound || word == "sql_calc_found_rows"
	}
	s.List = listed(p, make([]tree.SelectItem, 0, 4), p.selectItem)
	p.into()
	if p.Accept("from") && !p.Accept("dual") {
		p.from(s)
	}
	p.into()
	p.clauses(s)
	p.weighGroups(s)
	return p.distinctBy(s)
}

// into reads INTO @a, @b of a SELECT, which stands behind its list or at its end.
func (p *parser) into() {
	if !p.Is("into") {
		return
	}
	if p.depth > 0 || p.assignees != nil {
		p.Expected("INTO only once, in the outermost query")
	}
	p.Advance()
	if p.Is("outfile") || p.Is("dumpfile") {
		p.Refuse("SELECT .. INTO " + strings.ToUpper(p.At.Word) +
			" is not supported, since the server writes no files: let the client keep the rows")
	}
	p.assignees = listed(p, nil, p.assignee)
}

// assignee reads a variable of the session.
func (p *parser) assignee() tree.Variable {
	v := p.variable()
	if v.System {
		p.Expected("a variable of the session such as @a")
	}
	return v
}

// selectItem reads one element of a select list.
func (p *parser) selectItem() (item tree.SelectItem) {
	first, start := p.At, p.At.Start
	item.Expression = p.star()
	if item.Expression == nil {
		item.Expression = p.expression()
	}
	item.Text = strings.TrimSpace(p.Source[start:max(start, p.Before)])
	switch e := item.Expression.(type) {
	case *tree.Literal, *tree.Parameter:
		if first.Kind == token.Text { // its first part, if it has several
			item.Text = string(token.Literal(p.Lexer.Text, first, false).Bytes())
		}
	case *tree.Call:
		if e.Name == "name_const" && len(e.Arguments) == 2 {
			if name, ok := e.Arguments[0].(*tree.Literal); ok {
				item.Text = string(name.Value.AppendText(nil))
			}
		}
	}
	if n := len(p.collated); n > 0 && p.collated[n-1].of == item.Expression {
		item.Alias = item.Text // a column's name alone would be that of the column
	}
	switch {
	case p.Accept("as"):
		if p.At.Kind == token.Text {
			item.Alias = p.Text("an alias")
		} else {
			item.Alias = p.Name("an alias")
		}
	case p.At.Kind == token.Text:
		item.Alias = p.Text("an alias")
	case p.IsName() && !p.isSuffix():
		item.Alias = p.BareAlias()
	}
	return item
}

// star reads * and t.*, or nothing.
func (p *parser) star() tree.Expression {
	if p.Accept("*") {
		return &tree.Star{}
	}
	if !p.IsName() {
		return nil
	}
	ahead := p.Lexer
	if ahead.Next().Word != "." {
		return nil
	}
	next := ahead.Next()
	if next.Kind == token.Word || next.Kind == token.Quoted { // database.t.*
		if ahead.Next().Word != "." {
			return nil
		}
		next = ahead.Next()
	}
	if next.Word != "*" {
		return nil
	}
	s := &tree.Star{}
	for !p.Accept("*") && p.At.Kind != token.End {
		s.Database, s.Table = s.Table, p.NameOf(p.At)
		p.Advance()
		p.Expect(".")
	}
	return s
}

// tableAlias reads [AS] alias. ALLOW FILTERING is no alias.
func (p *parser) tableAlias() string {
	if p.Accept("as") {
		if p.At.Kind == token.Text {
			return p.Text("an alias")
		}
		return p.Name("an alias")
	}
	if !p.IsName() || p.isSuffix() || p.isJoin() {
		return ""
	}
	return p.BareAlias()
}

// isSuffix reports whether ALLOW FILTERING comes next.
func (p *parser) isSuffix() bool { return p.Is("allow") && p.Peek().Word == "filtering" }

// indexHint reads USE | FORCE | IGNORE {INDEX | KEY} [FOR ..] (names).
func (p *parser) indexHint(t *tree.TableName) {
	names := &t.ForceIndex
	if p.AcceptAny("use", "force", "ignore") == "ignore" {
		names = &t.IgnoreIndex
	}
	if p.AcceptAny("index", "key") == "" {
		p.Expected("INDEX")
	}
	if p.Accept("for") {
		if p.AcceptAny("join") == "" && !p.Accepts("order", "by") && !p.Accepts("group", "by") {
			p.Expected("JOIN, ORDER BY or GROUP BY")
		}
	}
	p.Expect("(")
	for !p.Is(")") && p.At.Kind != token.End {
		if p.Accept("primary") {
			*names = append(*names, "PRIMARY")
		} else {
			*names = append(*names, p.Name("an index's name"))
		}
		if !p.More() {
			break
		}
	}
	p.Expect(")")
}

// clauses reads what follows the tables of a SELECT.
func (p *parser) clauses(s *tree.Select) {
	if p.Accept("where") {
		s.Where = p.expression()
	}
	if p.Accepts("group", "by") {
		s.GroupBy = listed(p, s.GroupBy, p.expression)
		p.weighAll(s.GroupBy)
		if p.Is("with") {
			p.Expect("with", "rollup")
			s.Rollup = true
		}
	}
	if p.Accept("having") {
		s.Having = p.expression()
	}
	if p.Accept("window") {
		p.windows(s)
	}
}

// suffixes reads ALLOW FILTERING and FOR UPDATE, in any order.
func (p *parser) suffixes(s *tree.Select) {
	for {
		switch {
		case p.Accept("allow"):
			p.Expect("filtering")
			s.AllowFiltering = true
			if s.Limit == nil {
				p.limit(&s.Limit, &s.Offset)
			}
		case p.Accept("for"):
			p.lock(s)
		case p.Accept("lock"):
			p.Expect("in")
			p.Expect("share")
			p.Expect("mode")
			s.ForUpdate, s.ForShare = true, true
		default:
			return
		}
	}
}

// lock reads FOR UPDATE | SHARE [OF tables] [NOWAIT | SKIP LOCKED] behind its FOR.
func (p *parser) lock(s *tree.Select) {
	if s.ForShare = p.Accept("share"); !s.ForShare {
		p.Expect("update")
	}
	s.ForUpdate = true
	if p.Accept("of") {
		s.Of = listed(p, s.Of, func() string { return p.Name("a table") })
	}
	switch p.AcceptAny("nowait", "skip") {
	case "nowait":
		s.NoWait = true
	case "skip":
		p.Expect("locked")
		s.SkipLocked = true
	}
}

// orders reads the elements of ORDER BY.
func (p *parser) orders() []tree.Order {
	return listed(p, nil, func() tree.Order {
		o := tree.Order{By: p.expression()}
		p.weigh(&o.By)
		o.Descending = p.AcceptAny("asc", "desc") == "desc"
		return o
	})
}

// limit reads LIMIT n [OFFSET m] and LIMIT m, n.
func (p *parser) limit(limit, offset *tree.Expression) {
	if !p.Accept("limit") {
		return
	}
	*limit = p.count()
	switch {
	case p.Accept("offset"):
		*offset = p.count()
	case p.Accept(","):
		*offset, *limit = *limit, p.count()
	}
}

// count reads a number of rows.
func (p *parser) count() tree.Expression {
	if p.At.Kind != token.Integer && p.At.Kind != token.Placeholder {
		p.Expected("a number of rows")
		return nil
	}
	if _, err := strconv.ParseUint(p.SourceOf(p.At), 10, 64); err != nil && p.At.Kind == token.Integer {
		p.Expected("a number of rows that has 64 bits at most")
		return nil
	}
	return p.primary()
}
