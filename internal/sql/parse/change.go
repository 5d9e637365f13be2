// SPDX-License-Identifier: Apache-2.0

package parse

import "github.com/weftdb/weft/internal/sql/tree"

// insert reads INSERT, UPSERT and REPLACE.
func (p *parser) insert() tree.Statement {
	verb := p.at.Word
	s := &tree.Insert{Hints: p.hints()}
	if verb == "replace" {
		s.Rule = tree.ReplaceRow
	}
	for {
		word := p.acceptAny("low_priority", "delayed", "high_priority", "ignore")
		if word == "" {
			break
		}
		if word == "ignore" {
			s.Rule = tree.DuplicateIgnore
		}
	}
	p.accept("into")
	s.Into = p.table()
	if p.is("partition") {
		p.refuse("PARTITION is not supported: regions follow the primary key")
	}
	if p.accept("set") {
		p.insertSet(s)
	} else {
		p.insertRows(s)
	}
	p.duplicates(s)
	return s
}

// insertRows reads (columns) VALUES (..), (..).
func (p *parser) insertRows(s *tree.Insert) {
	if p.is("(") {
		switch next := p.peek(); {
		case next.Word == "select" || next.Word == "with" || next.Word == "(":
			p.handsOn("INSERT .. SELECT")
		case next.Word == ")":
			p.advance()
			p.advance()
		default:
			p.list(func() { s.Columns = append(s.Columns, p.columnName()) })
		}
	}
	switch p.at.Word {
	case "select", "with", "table", "(":
		p.handsOn("INSERT .. SELECT")
	}
	if p.acceptAny("values", "value") == "" {
		p.expected("VALUES")
		return
	}
	for {
		p.accept("row")
		s.Rows = append(s.Rows, p.row(len(s.Columns)))
		if !p.more() {
			break
		}
	}
	if p.accept("as") {
		p.rowAlias = p.name("an alias of the row")
		if p.is("(") {
			p.refuse("names of columns behind the alias of the row are not supported: write alias.column")
		}
	}
}

// columnName reads the name of a column of the only table; the table's own name before it is dropped.
func (p *parser) columnName() string {
	name := p.name("a column")
	for range 2 {
		if p.accept(".") {
			name = p.anyName("a column")
		}
	}
	return name
}

// row reads the values of one row.
func (p *parser) row(columns int) []tree.Expression {
	row := make([]tree.Expression, 0, max(columns, 1))
	p.expect("(")
	if p.accept(")") {
		return nil
	}
	for {
		row = append(row, p.expression())
		if !p.more() {
			break
		}
	}
	p.expect(")")
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
	if !p.accept("on") {
		return
	}
	p.expect("duplicate", "key")
	switch p.acceptAny("ignore", "error", "update") {
	case "ignore":
		s.Rule = tree.DuplicateIgnore
	case "error":
		s.Rule = tree.DuplicateError
	case "update":
		s.Rule = tree.DuplicateUpdate
		s.Updates = p.assignments()
	default:
		p.expected("UPDATE, IGNORE or ERROR")
	}
}

// assignments reads column = value, ..
func (p *parser) assignments() (assignments []tree.Assignment) {
	for {
		a := tree.Assignment{Column: p.columnName()}
		if p.acceptAny("=", ":=", "==") == "" {
			p.expected("=")
		}
		a.Value = p.expression()
		assignments = append(assignments, a)
		if !p.more() {
			return assignments
		}
	}
}

// update reads UPDATE.
func (p *parser) update() tree.Statement {
	s := &tree.Update{Hints: p.hints()}
	for p.acceptAny("low_priority", "ignore") != "" {
		continue
	}
	if p.is("(") {
		p.handsOn("a derived table")
	}
	s.Table = p.table()
	s.Alias = p.tableAlias()
	p.refuseTables()
	p.expect("set")
	s.Set = p.assignments()
	if p.accept("where") {
		s.Where = p.expression()
	}
	s.OrderBy, s.Limit = p.changeTail()
	return s
}

// changeTail reads ORDER BY and LIMIT of UPDATE and DELETE.
func (p *parser) changeTail() (orders []tree.Order, limit tree.Expression) {
	if p.accepts("order", "by") {
		orders = p.orders()
	}
	if p.accept("limit") {
		limit = p.count()
	}
	return orders, limit
}

// delete reads DELETE.
func (p *parser) delete() tree.Statement {
	s := &tree.Delete{Hints: p.hints()}
	for p.acceptAny("low_priority", "quick", "ignore") != "" {
		continue
	}
	if p.isName() {
		p.handsOn("DELETE of several tables")
	}
	p.expect("from")
	s.From = p.table()
	s.Alias = p.tableAlias()
	p.refuseTables()
	if p.is("using") {
		p.handsOn("DELETE of several tables")
	}
	if p.accept("where") {
		s.Where = p.expression()
	}
	s.OrderBy, s.Limit = p.changeTail()
	return s
}
