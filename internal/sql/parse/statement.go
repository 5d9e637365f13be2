// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// statement reads the statement that the current word starts.
func (p *parser) statement() tree.Statement {
	switch p.At.Word {
	case "select":
		return p.queryStatement()
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
		p.Advance()
		p.Accept("table")
		return &tree.TruncateTable{Table: p.table()}
	case "build":
		return p.buildIndex()
	case "show":
		return p.show()
	case "describe", "desc", "explain":
		return p.explains()
	case "use":
		p.Advance()
		return &tree.Use{Database: p.AnyName("a database's name")}
	case "(", "table", "values":
		return p.queryStatement()
	case "with":
		return p.withStatement()
	}
	return p.sessionStatement()
}

// queryStatement reads a statement that is a query.
func (p *parser) queryStatement() tree.Statement {
	return p.intoTargets(p.query())
}

// intoTargets is a query by itself, or SELECT .. INTO.
func (p *parser) intoTargets(q tree.Query) tree.Statement {
	targets := p.assignees
	p.assignees = nil
	switch {
	case q == nil:
		return nil
	case targets != nil:
		return &tree.SelectInto{Query: q, Targets: targets}
	}
	return q
}

// withStatement reads a statement that begins with common table expressions.
func (p *parser) withStatement() tree.Statement {
	with := p.with()
	switch p.At.Word {
	case "update":
		s := p.update()
		s.With = with
		return s
	case "delete":
		s := p.delete()
		s.With = with
		return s
	}
	return p.intoTargets(p.queryWith(with))
}

// sessionStatement reads statements about the session, transactions and the server.
func (p *parser) sessionStatement() tree.Statement {
	switch p.At.Word {
	case "begin", "start", "commit", "rollback", "savepoint", "release":
		return p.transaction()
	case "set":
		return p.set()
	case "kill":
		return p.kill()
	case "prepare", "execute", "deallocate":
		return p.readPrepare()
	case "lock", "unlock", "flush":
		return p.nothing()
	case "analyze", "check", "checksum", "optimize", "repair":
		return p.maintain()
	case "xa":
		p.Refuse("XA transactions are not supported: use BEGIN and COMMIT on one connection")
	case "rename":
		p.Advance()
		if p.Is("user") {
			p.Refuse("RENAME USER is not supported: create another user with the same roles, and drop this one")
		}
		if !p.Accept("tables") {
			p.Expect("table")
		}
		r := &tree.RenameTable{}
		for more := true; more; more = p.More() {
			r.From = append(r.From, p.table())
			p.Expect("to")
			r.To = append(r.To, p.table())
		}
		return r
	case "grant", "revoke":
		return p.grant()
	case "load":
		p.Refuse("LOAD DATA is not supported, and the server reads no files, neither its own nor those of a client (LOCAL): send rows by INSERT or UPSERT")
	case "get":
		p.Refuse("GET DIAGNOSTICS is not supported: SHOW WARNINGS and SHOW ERRORS have the code and the message of each " +
			"condition")
	case "call", "handler", "import", "reset", "purge", "help", "change", "signal", "resignal":
		p.Refuse("the statement " + strings.ToUpper(p.At.Word) + " is not supported")
	case "do":
		p.Advance()
		q := &tree.Select{}
		for more := true; more; more = p.More() {
			q.List = append(q.List, tree.SelectItem{Expression: p.expression()})
		}
		return &tree.SelectInto{Query: q}
	case "offline":
		p.Refuse("OFFLINE TABLE is not needed: DROP TABLE and TRUNCATE TABLE work at once")
	}
	p.Expected("a statement such as SELECT, UPSERT, UPDATE, DELETE, CREATE, ALTER, DROP, SHOW or EXPLAIN")
	return nil
}

// explains reads DESCRIBE t [column] and EXPLAIN .. statement.
func (p *parser) explains() tree.Statement {
	p.Advance()
	e := &tree.Explain{}
	if p.Peek().Kind == token.Word {
		p.AcceptAny("extended", "partitions")
	}
	switch {
	case p.Accept("analyze"):
		e.Analyze = true
	case p.Is("plan") && p.Peek().Kind == token.Word:
		p.Advance()
	}
	if mark := p.Reader; p.Accepts("with", "type") && (p.Is("as") || p.Is("(")) {
		p.Reader = mark // a common table expression has that name
	}
	p.Accepts("without", "implementation")
	if p.Is("format") && p.Peek().Word == "=" {
		p.Advance()
		p.Advance()
		const formats = "TREE, JSON or TRADITIONAL"
		at := p.At
		switch e.Format = strings.ToLower(p.Word(formats)); e.Format {
		case "tree", "json", "traditional":
		default:
			p.At = at
			p.Expected(formats)
		}
	}
	p.Accept("for")
	switch p.At.Word {
	case "select", "insert", "upsert", "replace", "update", "delete", "(", "with", "table", "values":
		e.Of = p.statement()
		if into, ok := e.Of.(*tree.SelectInto); ok {
			e.Of = into.Query
		}
		return e
	}
	if !p.IsName() && !p.Is("table") {
		p.Expected("a statement to explain or a table's name")
		return nil
	}
	d := &tree.Describe{Table: p.table()}
	switch {
	case p.At.Kind == token.Text:
		d.Column = p.Text("a column")
	case p.At.Kind != token.End && !p.Is(";"):
		d.Column = p.Name("a column")
	}
	return d
}
