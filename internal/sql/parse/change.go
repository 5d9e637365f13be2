// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// insert reads INSERT, UPSERT and REPLACE.
func (p *parser) insert() tree.Statement {
	verb := p.At.Word
	s := &tree.Insert{Hints: p.hints()}
	switch verb {
	case "replace":
		s.Rule = tree.ReplaceRow
	case "upsert":
		s.Rule = tree.Overwrite
	}
	if p.ignores("low_priority", "delayed", "high_priority") {
		s.Rule = tree.DuplicateIgnore
	}
	p.Accept("into")
	s.Into = p.table()
	if p.Is("partition") {
		p.Refuse("PARTITION is not supported: regions follow the primary key")
	}
	if p.Accept("set") {
		p.insertSet(s)
	} else {
		p.insertRows(s)
	}
	p.duplicates(s)
	return s
}

// ignores reads IGNORE among words without effect.
func (p *parser) ignores(words ...string) (ignore bool) {
	words = append(words, "ignore")
	for {
		switch p.AcceptAny(words...) {
		case "":
			return ignore
		case "ignore":
			ignore = true
		}
	}
}

// insertRows reads (columns) VALUES (..), (..).
func (p *parser) insertRows(s *tree.Insert) {
	if p.Is("(") {
		switch next := p.Peek(); {
		case subquery(next) || next.Word == "values" || next.Word == "(":
			p.insertQuery(s)
			return
		case next.Word == ")":
			p.Advance()
			p.Advance()
		default:
			p.List(func() { s.Columns = append(s.Columns, p.columnName()) })
		}
	}
	switch p.At.Word {
	case "select", "with", "table", "(":
		p.insertQuery(s)
		return
	}
	if p.AcceptAny("values", "value") == "" {
		p.Expected("VALUES")
		return
	}
	for {
		p.Accept("row")
		s.Rows = append(s.Rows, p.row(len(s.Columns)))
		if !p.More() {
			break
		}
	}
	if p.Accept("as") {
		p.rowAlias = p.Name("an alias of the row")
		if p.Is("(") {
			p.Refuse("column names after the row alias are not supported: write alias.column")
		}
	}
}

// insertQuery reads the query of INSERT .. SELECT.
func (p *parser) insertQuery(s *tree.Insert) {
	s.Query = p.query()
}

// columnName reads the name of a column of the only table; the table's own name before it is dropped.
func (p *parser) columnName() string {
	name := p.Name("a column")
	for range 2 {
		if p.Accept(".") {
			name = p.AnyName("a column")
		}
	}
	return name
}

// row reads the values of one row.
func (p *parser) row(columns int) []tree.Expression {
	row := make([]tree.Expression, 0, max(columns, 1))
	p.Expect("(")
	if p.Accept(")") {
		return nil
	}
	row = listed(p, row, p.expression)
	p.Expect(")")
	return row
}

// insertSet reads SET c = v, ..
func (p *parser) insertSet(s *tree.Insert) {
	var row []tree.Expression
	for _, a := range p.assignments() {
		s.Columns = append(s.Columns, a.Column)
		row = append(row, a.Value)
	}
	s.Rows = [][]tree.Expression{row}
}

// duplicates reads ON DUPLICATE KEY ..
func (p *parser) duplicates(s *tree.Insert) {
	if !p.Accept("on") {
		return
	}
	p.Expect("duplicate", "key")
	switch p.AcceptAny("ignore", "error", "update") {
	case "ignore":
		s.Rule = tree.DuplicateIgnore
	case "error":
		s.Rule = tree.DuplicateError
	case "update":
		s.Rule = tree.DuplicateUpdate
		s.Updates = p.assignments()
	default:
		p.Expected("UPDATE, IGNORE or ERROR")
	}
}

// assignments reads column = value, ..
func (p *parser) assignments() []tree.Assignment {
	return listed(p, nil, func() tree.Assignment {
		a := tree.Assignment{Column: p.Name("a column")}
		for range 2 {
			if p.Accept(".") {
				a.Table, a.Column = a.Column, p.AnyName("a column")
			}
		}
		if p.AcceptAny("=", ":=", "==") == "" {
			p.Expected("=")
		}
		a.Value = p.expression()
		return a
	})
}

// update reads UPDATE.
func (p *parser) update() *tree.Update {
	s := &tree.Update{Hints: p.hints()}
	s.Ignore = p.ignores("low_priority")
	s.Tables = p.tables()
	if t, ok := s.Tables.(*tree.TableName); ok && len(t.ForceIndex)+len(t.IgnoreIndex) == 0 {
		s.Table, s.Alias, s.Tables = t.Name, t.Alias, nil
	}
	p.Expect("set")
	s.Set = p.assignments()
	if p.Accept("where") {
		s.Where = p.expression()
	}
	if s.Tables == nil {
		s.OrderBy, s.Limit = p.changeTail()
	}
	return s
}

// changeTail reads ORDER BY and LIMIT of UPDATE and DELETE.
func (p *parser) changeTail() (orders []tree.Order, limit tree.Expression) {
	if p.Accepts("order", "by") {
		orders = p.orders()
	}
	if p.Accept("limit") {
		limit = p.count()
	}
	return orders, limit
}

// delete reads DELETE.
func (p *parser) delete() *tree.Delete {
	s := &tree.Delete{Hints: p.hints()}
	s.Ignore = p.ignores("low_priority", "quick")
	if !p.Is("from") && p.IsName() {
		p.targets(s, "from")
	} else {
		p.Expect("from")
		p.deleteFrom(s)
	}
	if p.Accept("where") {
		s.Where = p.expression()
	}
	if s.Tables == nil {
		s.OrderBy, s.Limit = p.changeTail()
	}
	return s
}

// deleteFrom reads what stands behind DELETE FROM: the only table, or targets with USING behind them.
func (p *parser) deleteFrom(s *tree.Delete) {
	if p.isTargets() {
		p.targets(s, "using")
		return
	}
	s.From = p.table()
	s.Alias = p.tableAlias()
}

// isTargets reports whether a comma, .* or USING stands behind a name.
func (p *parser) isTargets() bool {
	ahead := p.Lexer
	next := ahead.Next()
	for next.Word == "." {
		if ahead.Next().Word == "*" {
			return true
		}
		next = ahead.Next()
	}
	return next.Word == "," || next.Kind == token.Word && token.LookUp(p.Lexer.Text[next.Start:next.End]) == "using"
}

// targets reads the tables whose rows are deleted, and those that say which, behind a word.
func (p *parser) targets(s *tree.Delete, word string) {
	s.Targets = listed(p, s.Targets, p.target)
	p.Expect(word)
	s.Tables = p.tables()
}

// target reads a table's name with .* behind it, or without.
func (p *parser) target() (n tree.Name) {
	n.Name = p.Name("a table's name")
	for p.Accept(".") {
		switch {
		case p.Accept("*"):
			return n
		case n.Database != "":
			p.Expected("*")
		}
		n.Database, n.Name = n.Name, p.AnyName("a table's name")
	}
	return n
}
