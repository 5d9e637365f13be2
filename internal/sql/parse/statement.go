// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// statement reads the statement that the current word starts.
func (p *parser) statement() tree.Statement {
	switch p.at.Word {
	case "select":
		return p.selects()
	case "insert", "upsert", "replace":
		return p.insert()
	case "update":
		return p.update()
	case "delete":
		return p.delete()
	case "create":
		return p.create()
	case "alter":
		return p.alter()
	case "drop":
		return p.drop()
	case "truncate":
		p.advance()
		p.accept("table")
		return &tree.TruncateTable{Table: p.table()}
	case "build":
		return p.buildIndex()
	case "show":
		return p.show()
	case "describe", "desc", "explain":
		return p.explain()
	case "use":
		p.advance()
		return &tree.Use{Database: p.anyName("a database's name")}
	case "(", "with", "table", "values":
		return p.query()
	}
	return p.sessionStatement()
}

// query hands on what starts as a query, but is no SELECT.
func (p *parser) query() tree.Statement {
	switch p.at.Word {
	case "with":
		p.handsOn("a common table expression")
	case "table", "values":
		p.handsOn("a table value constructor")
	default:
		if next := p.peek().Word; next == "select" || next == "(" || next == "with" {
			p.handsOn("a query in brackets")
		}
		p.advance()
		p.expected("SELECT")
	}
	return nil
}

// sessionStatement reads statements about the session, transactions and the server.
func (p *parser) sessionStatement() tree.Statement {
	switch p.at.Word {
	case "begin", "start", "commit", "rollback", "savepoint", "release":
		return p.transaction()
	case "set":
		return p.set()
	case "kill":
		return p.kill()
	case "prepare", "execute", "deallocate":
		return p.prepared()
	case "lock", "unlock", "flush", "analyze":
		return p.nothing()
	case "rename":
		p.advance()
		p.expect("table")
		alter := &tree.AlterTable{Table: p.table(), Actions: []tree.AlterAction{&tree.RefusedAlter{What: "RENAME"}}}
		p.skip()
		return alter
	case "call", "grant", "revoke", "handler", "do":
		p.handsOn(strings.ToUpper(p.at.Word))
	case "load", "import", "optimize", "check", "checksum", "repair", "xa", "reset", "purge", "help", "handle", "change", "signal", "resignal":
		p.refuse("the statement " + strings.ToUpper(p.at.Word) + " is not supported")
	case "offline":
		p.refuse("OFFLINE TABLE is not needed: DROP TABLE and TRUNCATE TABLE work at once")
	}
	p.expected("a statement such as SELECT, UPSERT, UPDATE, DELETE, CREATE, ALTER, DROP, SHOW or EXPLAIN")
	return nil
}

// skip reads everything up to the end of the statement.
func (p *parser) skip() {
	for p.at.Kind != token.End && !p.is(";") {
		p.advance()
	}
}

// explain reads DESCRIBE t [column] and EXPLAIN .. statement.
func (p *parser) explain() tree.Statement {
	p.advance()
	e := &tree.Explain{}
	p.acceptAny("extended", "partitions")
	switch {
	case p.accept("analyze"):
		e.Analyze = true
	case p.is("plan") && p.peek().Kind == token.Word:
		p.advance()
		if !p.accepts("with", "type") {
			p.accepts("without", "implementation")
		}
	}
	if p.is("format") && p.peek().Word == "=" {
		p.advance()
		p.advance()
		e.Format = strings.ToLower(p.word("TREE, JSON or TRADITIONAL"))
	}
	p.accept("for")
	switch p.at.Word {
	case "select", "insert", "upsert", "replace", "update", "delete":
		e.Of = p.statement()
		return e
	case "(", "with", "table", "values":
		e.Of = p.query()
		return e
	}
	if !p.isName() && !p.is("table") {
		p.expected("a statement to explain or a table's name")
		return nil
	}
	d := &tree.Describe{Table: p.table()}
	switch {
	case p.at.Kind == token.Text:
		d.Column = p.text("a column")
	case p.at.Kind != token.End && !p.is(";"):
		d.Column = p.name("a column")
	}
	return d
}

// word reads a name, keyword, string or number as a text.
func (p *parser) word(what string) string {
	switch p.at.Kind {
	case token.Text:
		return p.text(what)
	case token.Word, token.Quoted:
		return p.anyName(what)
	case token.Integer, token.Decimal, token.Float:
		text := p.sourceOf(p.at)
		p.advance()
		return text
	}
	p.expected(what)
	return ""
}
