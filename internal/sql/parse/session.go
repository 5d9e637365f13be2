// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// transaction reads BEGIN, START TRANSACTION, COMMIT, ROLLBACK and savepoints.
func (p *parser) transaction() tree.Statement {
	switch word := p.AcceptAny("begin", "start", "commit", "rollback", "savepoint", "release"); word {
	case "begin":
		p.Accept("work")
		return &tree.Begin{}
	case "start":
		return p.start()
	case "savepoint":
		return &tree.Savepoint{Action: word, Name: p.Name("a savepoint's name")}
	case "release":
		p.Expect("savepoint")
		return &tree.Savepoint{Action: word, Name: p.Name("a savepoint's name")}
	case "rollback":
		p.Accept("work")
		if p.Accept("to") {
			p.Accept("savepoint")
			return &tree.Savepoint{Action: "rollback to", Name: p.Name("a savepoint's name")}
		}
		chain, release := p.chain()
		return &tree.Rollback{Chain: chain, Release: release}
	}
	p.Accept("work")
	chain, release := p.chain()
	return &tree.Commit{Chain: chain, Release: release}
}

// chain reads [AND [NO] CHAIN] [[NO] RELEASE].
func (p *parser) chain() (chain, release bool) {
	if p.Accept("and") {
		chain = !p.Accept("no")
		p.Expect("chain")
	}
	if p.Accept("no") {
		p.Expect("release")
	} else {
		release = !chain && p.Accept("release")
	}
	return chain, release
}

func (p *parser) start() tree.Statement {
	p.Expect("transaction")
	b := &tree.Begin{}
	if p.Is(";") || p.At.Kind == token.End {
		return b
	}
	for {
		switch {
		case p.Accepts("with", "consistent", "snapshot"):
			b.ConsistentSnapshot = true
		case p.Accepts("read", "only"):
			b.ReadOnly = true
		case p.Accepts("read", "write"):
			b.ReadWrite = true
		default:
			p.Expected("READ ONLY, READ WRITE or WITH CONSISTENT SNAPSHOT")
		}
		if !p.More() {
			return b
		}
	}
}

// set reads SET ..
func (p *parser) set() tree.Statement {
	p.Expect("set")
	switch next := p.Peek().Word; {
	case p.Is("password"):
		return p.setPassword()
	case p.Is("role") && next != "=" && next != ":=", p.Is("default") && next == "role":
		return p.setRole()
	}
	s := &tree.Set{}
	for {
		s.Assignments = append(s.Assignments, p.setVariables()...)
		if !p.More() {
			return s
		}
	}
}

// setVariables reads one assignment of SET, which may set several variables.
func (p *parser) setVariables() []tree.SetVariable {
	switch {
	case p.Is("names") && p.Peek().Word != "=":
		return p.setNames()
	case p.Is("charset") && p.Peek().Word != "=", p.Accepts("character", "set"):
		p.Accept("charset")
		return []tree.SetVariable{{Variable: tree.Variable{Name: "character_set", System: true},
			Value: p.settingValue()}}
	case p.Is("resource"):
		p.Refuse("SET RESOURCE GROUP is not supported")
	case p.At.Kind == token.Variable:
		v := p.variable()
		return []tree.SetVariable{{Variable: v, Value: p.readAssignment()}}
	}
	v, scope := tree.Variable{System: true}, ""
	if next := p.Peek(); next.Kind == token.Word {
		scope = p.AcceptAny("session", "local", "global", "persist", "persist_only")
		v.Global = scope == "global" || scope == "persist" || scope == "persist_only"
	}
	if p.Accept("transaction") {
		if scope == "" {
			return p.setTransaction(v.Global, "next_")
		}
		return p.setTransaction(v.Global, "")
	}
	splitScope(&v, strings.ToLower(p.readDottedName()))
	return []tree.SetVariable{{Variable: v, Value: p.readAssignment()}}
}

// readAssignment reads = value.
func (p *parser) readAssignment() tree.Expression {
	if p.AcceptAny("=", ":=") == "" {
		p.Expected("=")
	}
	return p.settingValue()
}

// settingValue reads a value of SET: a bare word is a text.
func (p *parser) settingValue() tree.Expression {
	if p.At.Kind == token.Text && p.Peek().Word == "collate" {
		return p.literal(false) // the collation is another variable's
	}
	if p.At.Kind == token.Word || p.At.Kind == token.Quoted {
		switch next := p.Peek(); {
		case p.Is("default") || p.Is("null") || p.Is("true") || p.Is("false"):
		case next.Kind == token.End, next.Word == ",", next.Word == ";", next.Word == "collate":
			return textLiteral(p.AnyName("a value"))
		case next.Word == "-" && p.At.Word == "": // a value such as utf8mb4-bin or a name with hyphens is no sum
			return p.expression()
		}
	}
	return p.expression()
}

func (p *parser) setNames() []tree.SetVariable {
	p.Expect("names")
	set := []tree.SetVariable{{Variable: tree.Variable{Name: "names", System: true}, Value: p.settingValue()}}
	if p.Accept("collate") {
		set = append(set, tree.SetVariable{Variable: tree.Variable{Name: "collation_connection", System: true},
			Value: p.settingValue()})
	}
	return set
}

// setTransaction reads SET TRANSACTION ISOLATION LEVEL x, READ ONLY.
func (p *parser) setTransaction(global bool, prefix string) (set []tree.SetVariable) {
	add := func(name, value string) {
		v := tree.Variable{Name: prefix + name, System: true, Global: global}
		set = append(set, tree.SetVariable{Variable: v, Value: textLiteral(value)})
	}
	for {
		switch {
		case p.Accepts("isolation", "level"):
			add("transaction_isolation", p.isolation())
		case p.Accepts("read", "only"):
			add("transaction_read_only", "ON")
		case p.Accepts("read", "write"):
			add("transaction_read_only", "OFF")
		default:
			p.Expected("ISOLATION LEVEL, READ ONLY or READ WRITE")
		}
		if !p.Is(",") {
			return set
		}
		p.Advance()
	}
}

func (p *parser) isolation() string {
	switch {
	case p.Accepts("repeatable", "read"):
		return "REPEATABLE-READ"
	case p.Accepts("read", "committed"):
		return "READ-COMMITTED"
	case p.Accepts("read", "uncommitted"):
		return "READ-UNCOMMITTED"
	case p.Accept("serializable"):
		return "SERIALIZABLE"
	}
	p.Expected("REPEATABLE READ, READ COMMITTED, READ UNCOMMITTED or SERIALIZABLE")
	return ""
}

// splitScope names a system variable, perhaps with its scope before it.
func splitScope(v *tree.Variable, name string) {
	v.Name = name
	scope, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		return
	}
	switch scope {
	case "session", "local":
		v.Name = rest
	case "global", "persist", "persist_only":
		v.Name, v.Global = rest, true
	}
}

// variable reads @a, @@a, @@session.a and @@global.a.
func (p *parser) variable() tree.Variable {
	if p.At.Kind != token.Variable {
		p.Expected("a variable such as @a")
		return tree.Variable{}
	}
	v := tree.Variable{Name: p.SourceOf(p.At)[1:]}
	if strings.HasPrefix(v.Name, "@") {
		v.System = true
		splitScope(&v, strings.ToLower(strings.ReplaceAll(v.Name[1:], "`", "")))
	} else if strings.ContainsAny(v.Name, "'\"`") {
		if v.Name[0] != '\'' && v.Name[0] != '"' {
			v.Name = strings.ReplaceAll(v.Name, "`", "")
		}
		v.Name = strings.Trim(v.Name, "'\"`")
	}
	if v.Name == "" {
		p.Expected("a variable's name behind @")
	}
	p.Advance()
	return v
}

// kill reads KILL [CONNECTION | QUERY] id.
func (p *parser) kill() tree.Statement {
	p.Expect("kill")
	k := &tree.Kill{}
	if p.Accept("query") {
		k.QueryOnly = true
	} else {
		p.Accept("connection")
	}
	k.ID = p.expression()
	return k
}

// readPrepare reads PREPARE, EXECUTE and DEALLOCATE.
func (p *parser) readPrepare() tree.Statement {
	switch p.AcceptAny("prepare", "execute", "deallocate") {
	case "prepare":
		s := &tree.Prepare{Name: p.Name("a statement's name")}
		p.Expect("from")
		if p.At.Kind != token.Text && p.At.Kind != token.Variable {
			p.Expected("a statement in quotes or a variable")
			return nil
		}
		s.Text = p.primary()
		return s
	case "execute":
		s := &tree.ExecutePrepared{Name: p.Name("a statement's name")}
		if p.Accept("using") {
			s.Using = listed(p, nil, p.variable)
		}
		return s
	}
	p.Expect("prepare")
	return &tree.Deallocate{Name: p.Name("a statement's name")}
}

// maintain reads ANALYZE, CHECK, CHECKSUM, OPTIMIZE or REPAIR TABLE, whose options mean nothing here.
func (p *parser) maintain() tree.Statement {
	m := &tree.Maintain{Verb: p.At.Word}
	p.Advance()
	p.AcceptAny("local", "no_write_to_binlog")
	if !p.Accept("tables") {
		p.Expect("table")
	}
	m.Tables = listed(p, nil, p.table)
	p.Skip()
	return m
}

// nothing reads statements that are right to do nothing here: there are no locks of tables to take, nothing to flush.
func (p *parser) nothing() tree.Statement {
	word := p.At.Word
	p.Advance()
	switch {
	case word == "flush":
	default:
		if p.AcceptAny("tables", "table") == "" {
			p.Expected("TABLES")
		}
		word += " tables"
	}
	p.Skip()
	return &tree.Nothing{What: word}
}
