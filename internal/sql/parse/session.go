// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// transaction reads BEGIN, START TRANSACTION, COMMIT, ROLLBACK and savepoints.
func (p *parser) transaction() tree.Statement {
	switch word := p.acceptAny("begin", "start", "commit", "rollback", "savepoint", "release"); word {
	case "begin":
		p.accept("work")
		return &tree.Begin{}
	case "start":
		return p.start()
	case "savepoint":
		return &tree.Savepoint{Action: word, Name: p.name("a savepoint's name")}
	case "release":
		p.expect("savepoint")
		return &tree.Savepoint{Action: word, Name: p.name("a savepoint's name")}
	case "rollback":
		p.accept("work")
		if p.accept("to") {
			p.accept("savepoint")
			return &tree.Savepoint{Action: "rollback to", Name: p.name("a savepoint's name")}
		}
		return &tree.Rollback{Chain: p.chain()}
	}
	p.accept("work")
	return &tree.Commit{Chain: p.chain()}
}

// chain reads [AND [NO] CHAIN] [[NO] RELEASE].
func (p *parser) chain() (chain bool) {
	if p.accept("and") {
		chain = !p.accept("no")
		p.expect("chain")
	}
	if p.accept("no") {
		p.expect("release")
	} else if p.is("release") {
		p.refuse("RELEASE is not supported: close the connection")
	}
	return chain
}

func (p *parser) start() tree.Statement {
	p.expect("transaction")
	b := &tree.Begin{}
	if p.is(";") || p.at.Kind == token.End {
		return b
	}
	for {
		switch {
		case p.accepts("with", "consistent", "snapshot"):
			b.ConsistentSnapshot = true
		case p.accepts("read", "only"):
			b.ReadOnly = true
		case p.accepts("read", "write"):
			b.ReadWrite = true
		default:
			p.expected("READ ONLY, READ WRITE or WITH CONSISTENT SNAPSHOT")
		}
		if !p.more() {
			return b
		}
	}
}

// set reads SET ..
func (p *parser) set() tree.Statement {
	p.expect("set")
	s := &tree.Set{}
	for {
		s.Assignments = append(s.Assignments, p.setVariables()...)
		if !p.more() {
			return s
		}
	}
}

// setVariables reads one assignment of SET, which may set several variables.
func (p *parser) setVariables() []tree.SetVariable {
	switch {
	case p.is("names") && p.peek().Word != "=":
		return p.setNames()
	case p.is("charset") && p.peek().Word != "=", p.accepts("character", "set"):
		p.accept("charset")
		return []tree.SetVariable{{Variable: tree.Variable{Name: "character_set", System: true}, Value: p.settingValue()}}
	case p.is("password") || p.is("role") || p.is("resource"):
		p.refuse("SET " + strings.ToUpper(p.at.Word) + " is not supported: users are kept by the server's own commands")
	case p.at.Kind == token.Variable:
		v := p.variable()
		return []tree.SetVariable{{Variable: v, Value: p.assigned()}}
	}
	v, scope := tree.Variable{System: true}, ""
	if next := p.peek(); next.Kind == token.Word {
		scope = p.acceptAny("session", "local", "global", "persist", "persist_only")
		v.Global = scope == "global" || p.wasGlobal()
	}
	if p.accept("transaction") {
		if scope == "" {
			return p.setTransaction(v.Global, "next_")
		}
		return p.setTransaction(v.Global, "")
	}
	v.Name = strings.ToLower(p.dottedName())
	return []tree.SetVariable{{Variable: v, Value: p.assigned()}}
}

// wasGlobal says whether the word just read was PERSIST, which sets the global value, too.
func (p *parser) wasGlobal() bool {
	return p.before >= 4 && strings.Contains(strings.ToLower(p.source[max(0, p.before-12):p.before]), "persist")
}

// assigned reads = value.
func (p *parser) assigned() tree.Expression {
	if p.acceptAny("=", ":=") == "" {
		p.expected("=")
	}
	return p.settingValue()
}

// settingValue reads a value of SET: a bare word is a text.
func (p *parser) settingValue() tree.Expression {
	if p.at.Kind == token.Word || p.at.Kind == token.Quoted {
		switch next := p.peek(); {
		case p.is("default") || p.is("null") || p.is("true") || p.is("false"):
		case next.Kind == token.End, next.Word == ",", next.Word == ";", next.Word == "collate":
			return textLiteral(p.anyName("a value"))
		case next.Word == "-" && p.at.Word == "": // a value such as utf8mb4-bin or a name with hyphens is no sum
			return p.expression()
		}
	}
	return p.expression()
}

func (p *parser) setNames() []tree.SetVariable {
	p.expect("names")
	set := []tree.SetVariable{{Variable: tree.Variable{Name: "names", System: true}, Value: p.settingValue()}}
	if p.accept("collate") {
		set = append(set, tree.SetVariable{Variable: tree.Variable{Name: "collation_connection", System: true}, Value: p.settingValue()})
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
		case p.accepts("isolation", "level"):
			add("transaction_isolation", p.isolation())
		case p.accepts("read", "only"):
			add("transaction_read_only", "ON")
		case p.accepts("read", "write"):
			add("transaction_read_only", "OFF")
		default:
			p.expected("ISOLATION LEVEL, READ ONLY or READ WRITE")
		}
		if !p.is(",") {
			return set
		}
		p.advance()
	}
}

func (p *parser) isolation() string {
	switch {
	case p.accepts("repeatable", "read"):
		return "REPEATABLE-READ"
	case p.accepts("read", "committed"):
		return "READ-COMMITTED"
	case p.accepts("read", "uncommitted"):
		return "READ-UNCOMMITTED"
	case p.accept("serializable"):
		return "SERIALIZABLE"
	}
	p.expected("REPEATABLE READ, READ COMMITTED, READ UNCOMMITTED or SERIALIZABLE")
	return ""
}

// variable reads @a, @@a, @@session.a and @@global.a.
func (p *parser) variable() tree.Variable {
	if p.at.Kind != token.Variable {
		p.expected("a variable such as @a")
		return tree.Variable{}
	}
	v := tree.Variable{Name: p.sourceOf(p.at)[1:]}
	if strings.HasPrefix(v.Name, "@") {
		v.System = true
		v.Name = strings.ToLower(strings.ReplaceAll(v.Name[1:], "`", ""))
		for _, scope := range [...]string{"session.", "local.", "global.", "persist.", "persist_only."} {
			if strings.HasPrefix(v.Name, scope) {
				v.Name, v.Global = v.Name[len(scope):], scope != "session." && scope != "local."
				break
			}
		}
	} else if strings.ContainsAny(v.Name, "'\"`") {
		v.Name = strings.Trim(v.Name, "'\"`")
	}
	if v.Name == "" {
		p.expected("a variable's name behind @")
	}
	p.advance()
	return v
}

// kill reads KILL [CONNECTION | QUERY] id.
func (p *parser) kill() tree.Statement {
	p.expect("kill")
	k := &tree.Kill{}
	if p.accept("query") {
		k.QueryOnly = true
	} else {
		p.accept("connection")
	}
	k.ID = p.expression()
	return k
}

// prepared reads PREPARE, EXECUTE and DEALLOCATE.
func (p *parser) prepared() tree.Statement {
	switch p.acceptAny("prepare", "execute", "deallocate", "drop") {
	case "prepare":
		s := &tree.Prepare{Name: p.name("a statement's name")}
		p.expect("from")
		if p.at.Kind != token.Text && p.at.Kind != token.Variable {
			p.expected("a statement in quotes or a variable")
			return nil
		}
		s.Text = p.primary()
		return s
	case "execute":
		s := &tree.ExecutePrepared{Name: p.name("a statement's name")}
		if p.accept("using") {
			for {
				s.Using = append(s.Using, p.variable())
				if !p.more() {
					break
				}
			}
		}
		return s
	}
	p.expect("prepare")
	return &tree.Deallocate{Name: p.name("a statement's name")}
}

// nothing reads statements that are right to do nothing here: there are no locks of tables to take, nothing to flush.
func (p *parser) nothing() tree.Statement {
	word := p.at.Word
	p.advance()
	switch {
	case word == "flush":
	case word == "analyze":
		p.acceptAny("local", "no_write_to_binlog")
		p.expect("table")
	default:
		if p.acceptAny("tables", "table") == "" {
			p.expected("TABLES")
		}
		word += " tables"
	}
	p.skip()
	return &tree.Nothing{What: word}
}
