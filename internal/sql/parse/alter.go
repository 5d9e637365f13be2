// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// alter reads ALTER ..
func (p *parser) alter() tree.Statement {
	p.advance()
	switch p.at.Word {
	case "table":
		p.advance()
		return p.alterTable()
	case "index":
		p.advance()
		return p.alterIndex()
	case "system":
		p.advance()
		p.expect("set")
		s := &tree.AlterSystem{Name: p.dottedName()}
		p.expect("=")
		s.Value = p.settingValue()
		return s
	case "database", "schema":
		p.refuse("ALTER DATABASE is not supported")
	case "view", "user", "event", "procedure", "function", "algorithm", "definer":
		p.handsOn("ALTER " + strings.ToUpper(p.at.Word))
	}
	p.expected("TABLE, INDEX or SYSTEM")
	return nil
}

// dottedName reads a name with points in it.
func (p *parser) dottedName() string {
	name := p.anyName("a name")
	for p.accept(".") {
		name += "." + p.anyName("a name")
	}
	return name
}

// alterTable reads ALTER TABLE t action, ..
func (p *parser) alterTable() tree.Statement {
	s := &tree.AlterTable{Table: p.table()}
	for {
		switch word := p.acceptAny("enable", "disable"); {
		case word != "" && p.accept("keys"):
			return &tree.Nothing{What: "alter table " + word + " keys"}
		case word != "":
			p.expected("KEYS")
		}
		s.Actions = append(s.Actions, p.alterAction()...)
		if !p.more() {
			return s
		}
	}
}

// alterAction reads one action, or the columns of ADD (a int, b int).
func (p *parser) alterAction() []tree.AlterAction {
	switch {
	case p.accept("add"):
		return p.addAction()
	case p.accept("drop"):
		return []tree.AlterAction{p.dropAction()}
	case p.accept("set"):
		return []tree.AlterAction{p.setOptions()}
	case p.accept("compact"):
		if p.at.Kind == token.Word || p.at.Kind == token.Text {
			p.word("a data centre")
		}
		return []tree.AlterAction{&tree.Compact{}}
	case p.isName() && p.peek().Word == "=", p.at.Kind == token.Text:
		return []tree.AlterAction{p.setOptions()}
	}
	return []tree.AlterAction{p.refusedAction()}
}

// setOptions reads 'NAME' = 'value', .. as far as it goes.
func (p *parser) setOptions() tree.AlterAction {
	s := &tree.SetOptions{}
	for {
		s.Options = append(s.Options, p.option())
		next := p.peek()
		if !p.is(",") || next.Kind != token.Text && (next.Kind != token.Quoted && next.Kind != token.Word || p.second() != "=") {
			return s
		}
		p.advance()
	}
}

// second returns the token after next.
func (p *parser) second() string {
	ahead := p.lexer
	ahead.Next()
	return ahead.Next().Word
}

// addAction reads what follows ADD.
func (p *parser) addAction() []tree.AlterAction {
	switch p.at.Word {
	case "primary":
		return p.refusedAs("ADD PRIMARY KEY")
	case "index", "key", "unique", "fulltext", "spatial":
		return p.refusedAs("ADD INDEX")
	case "constraint", "foreign", "check":
		return p.refusedAs("ADD CONSTRAINT")
	case "partition":
		return p.refusedAs("ADD PARTITION")
	}
	p.accept("column")
	if p.is("(") {
		var actions []tree.AlterAction
		p.list(func() { actions = append(actions, &tree.AddColumn{Column: p.columnDefinition()}) })
		return actions
	}
	a := &tree.AddColumn{IfNotExists: p.ifNotExists()}
	a.Column = p.columnDefinition()
	if !p.accept("first") && p.accept("after") {
		p.name("a column")
	}
	return []tree.AlterAction{a}
}

// dropAction reads what follows DROP.
func (p *parser) dropAction() tree.AlterAction {
	switch p.at.Word {
	case "primary":
		return p.refusedAs("DROP PRIMARY KEY")[0]
	case "index", "key":
		return p.refusedAs("DROP INDEX")[0]
	case "constraint", "foreign", "check":
		return p.refusedAs("DROP CONSTRAINT")[0]
	case "partition":
		return p.refusedAs("DROP PARTITION")[0]
	}
	p.accept("column")
	d := &tree.DropColumn{IfExists: p.ifExists()}
	d.Name = p.name("a column")
	p.acceptAny("cascade", "restrict")
	return d
}

// refusedAction reads an action of MySQL's that the dialect lacks.
func (p *parser) refusedAction() tree.AlterAction {
	word := p.at.Word
	switch word {
	case "modify", "change", "alter":
		p.advance()
		p.accept("column")
		r := &tree.RefusedAlter{What: strings.ToUpper(word) + " COLUMN", Column: p.name("a column")}
		p.skipAction()
		return r
	case "rename":
		p.advance()
		switch p.acceptAny("column", "index", "key") {
		case "column":
			r := &tree.RefusedAlter{What: "RENAME COLUMN", Column: p.name("a column")}
			p.skipAction()
			return r
		case "index", "key":
			return p.refusedAs("RENAME INDEX")[0]
		}
		return p.refusedAs("RENAME")[0]
	case "map", "unmap":
		return p.refusedAs(strings.ToUpper(word) + " DYNAMIC COLUMN")[0]
	case "convert", "order", "engine", "discard", "import", "truncate", "coalesce", "reorganize", "partition", "force", "lock", "algorithm", "default":
		return p.refusedAs(strings.ToUpper(word))[0]
	}
	p.expected("ADD, DROP, SET or COMPACT")
	return nil
}

// refusedAs skips the rest of an action.
func (p *parser) refusedAs(what string) []tree.AlterAction {
	p.skipAction()
	return []tree.AlterAction{&tree.RefusedAlter{What: what}}
}

// skipAction reads up to the comma before the next action.
func (p *parser) skipAction() {
	for depth := 0; p.at.Kind != token.End && !p.is(";"); p.advance() {
		switch p.at.Word {
		case "(":
			depth++
		case ")":
			depth--
		case ",":
			if depth == 0 {
				return
			}
		}
	}
}

// alterIndex reads ALTER INDEX i ON t action.
func (p *parser) alterIndex() tree.Statement {
	s := &tree.BuildIndex{Index: p.name("an index's name")}
	p.expect("on")
	s.Table = p.table()
	switch p.acceptAny("disable", "disabled", "enable", "enabled", "rebuild", "build", "active", "inactive") {
	case "disable", "disabled", "inactive":
		s.Alter = "DISABLED"
	case "enable", "enabled", "rebuild", "build", "active":
		s.Alter = "REBUILD"
	default:
		p.expected("DISABLED or REBUILD")
	}
	return s
}

// buildIndex reads BUILD INDEX [i] ON t.
func (p *parser) buildIndex() tree.Statement {
	p.expect("build", "index")
	s := &tree.BuildIndex{}
	if p.isName() {
		s.Index = p.name("an index's name")
	}
	p.expect("on")
	s.Table = p.table()
	p.acceptAny("async", "sync")
	return s
}

// drop reads DROP ..
func (p *parser) drop() tree.Statement {
	p.advance()
	switch p.at.Word {
	case "table", "tables":
		p.advance()
		s := &tree.DropTable{IfExists: p.ifExists()}
		for {
			s.Tables = append(s.Tables, p.table())
			if !p.more() {
				break
			}
		}
		p.acceptAny("restrict", "cascade")
		return s
	case "index":
		p.advance()
		s := &tree.DropIndex{IfExists: p.ifExists(), Index: p.name("an index's name")}
		p.expect("on")
		s.Table = p.table()
		return s
	case "database", "schema":
		p.advance()
		return &tree.DropDatabase{IfExists: p.ifExists(), Database: p.anyName("a database's name")}
	case "prepare":
		return p.prepared()
	case "temporary":
		p.refuse("temporary tables are not supported")
	case "view", "procedure", "function", "trigger", "event", "user", "role":
		p.handsOn("DROP " + strings.ToUpper(p.at.Word))
	}
	p.expected("TABLE, INDEX or DATABASE")
	return nil
}
