// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/tree"
)

// shows maps the words behind SHOW to the kind of tree.Show. Longer ones stand before those that they start with. //
// immutable
var shows = [...]struct{ words, what string }{
	{"create table", "create table"}, {"create view", "create view"}, {"create database", "create database"},
	{"create schema", "create database"},
	{"full tables", "full tables"}, {"extended full tables", "full tables"}, {"extended tables", "tables"},
	{"full columns", "full columns"}, {"full fields", "full columns"}, {"full processlist", "full processlist"},
	{"extended full columns", "full columns"}, {"extended columns", "columns"},
	{"databases", "databases"}, {"schemas", "databases"}, {"tables", "tables"}, {"columns", "columns"},
	{"fields", "columns"},
	{"index progress", "index"}, {"index", "index"}, {"indexes", "index"}, {"keys", "keys"},
	{"table variables", "table variables"}, {"system variables", "system variables"},
	{"variables", "variables"}, {"table status", "table status"}, {"status", "status"}, {"processlist", "processlist"},
	{"regions", "regions"}, {"estimated rows", "estimated rows"}, {"warnings", "warnings"}, {"errors", "errors"},
	{"storage engines", "engines"},
	{"engines", "engines"}, {"collation", "collation"}, {"character set", "character set"},
	{"charset", "character set"}, {"grants", "grants"},
	{"plugins", "plugins"}, {"privileges", "privileges"}, {"triggers", "triggers"}, {"events", "events"},
	{"procedure status", "procedure status"}, {"function status", "function status"}, {"open tables", "open tables"},
	{"master status", "master status"}, {"binary log status", "master status"}, {"slave status", "slave status"},
	{"replica status", "slave status"},
	{"slave hosts", "slave hosts"}, {"replicas", "slave hosts"},
}

// show reads SHOW ..
func (p *parser) show() tree.Statement {
	p.Advance()
	s := &tree.Show{}
	if p.AcceptAny("session", "local") == "" {
		s.Global = p.Accept("global")
	}
	if p.Accepts("count", "(", "*", ")") {
		if word := p.AcceptAny("warnings", "errors"); word != "" {
			s.What = "count " + word
			return s
		}
		p.Expected("WARNINGS or ERRORS")
		return nil
	}
	for _, show := range shows {
		if p.Accepts(strings.Fields(show.words)...) {
			s.What = show.what
			p.showTail(s)
			return s
		}
	}
	switch p.At.Word {
	case "engine":
		p.Advance()
		if name := p.Word("the name of an engine"); strings.EqualFold(name, "innodb") && p.Accept("status") {
			s.What = "engine innodb status"
			return s
		}
		p.Refuse("SHOW ENGINE .. is not supported, but for SHOW ENGINE INNODB STATUS")
	case "create":
		p.Refuse("SHOW CREATE of another kind is not supported")
	case "profile", "profiles", "binary", "binlog", "master", "slave", "slaves", "replica", "replicas", "relaylog",
		"function", "procedure":
		p.Refuse("SHOW " + strings.ToUpper(p.At.Word) + " is not supported")
	}
	p.Expected("what to show, such as TABLES, COLUMNS, INDEX, CREATE TABLE or VARIABLES")
	return nil
}

// showTail reads what follows the kind.
func (p *parser) showTail(s *tree.Show) {
	switch s.What {
	case "create table", "create view":
		s.Table = p.table()
		return
	case "create database":
		p.ifNotExists()
		s.Database = p.AnyName("a database's name")
		return
	case "columns", "full columns", "index", "keys", "regions", "estimated rows":
		p.showTable(s)
	case "master status", "slave status", "slave hosts":
		return
	case "warnings", "errors":
		if p.Accept("limit") {
			p.count()
			if p.Accept(",") {
				p.count()
			}
		}
		return
	case "grants":
		if p.Accept("for") {
			s.User = p.user()
		}
		if p.Is("using") {
			p.Refuse("USING is not supported: all roles of a user are active")
		}
		return
	case "table variables":
		if p.AcceptAny("from", "in") != "" {
			s.Table = p.showName()
		}
	default:
		if p.AcceptAny("from", "in") != "" {
			s.Database = p.AnyName("a database's name")
		}
	}
	if p.Accept("like") {
		pattern := p.Text("a pattern in quotes")
		s.Like = &pattern
	} else if p.Accept("where") {
		s.Where = p.expression()
	}
}

// showTable reads FROM t [FROM database].
func (p *parser) showTable(s *tree.Show) {
	if p.AcceptAny("from", "in", "for", "of") == "" && s.What != "regions" {
		p.Expected("FROM")
		return
	}
	s.Table = p.showName()
	if p.AcceptAny("from", "in") != "" {
		s.Table.Database = p.AnyName("a database's name")
	}
	s.Database = s.Table.Database
}

// showName reads a table's name, of any database.
func (p *parser) showName() tree.Name {
	n := tree.Name{Name: p.AnyName("a table's name")}
	if p.Accept(".") {
		n.Database, n.Name = n.Name, p.AnyName("a table's name")
	}
	return n
}
