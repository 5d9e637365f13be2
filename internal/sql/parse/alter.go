// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"cmp"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// alter reads ALTER ..
func (p *parser) alter() tree.Statement {
	p.Advance()
	switch p.At.Word {
	case "table":
		p.Advance()
		return p.alterTable()
	case "index":
		p.Advance()
		return p.alterIndex()
	case "system":
		p.Advance()
		p.Expect("set")
		s := &tree.AlterSystem{Name: p.readDottedName()}
		p.Expect("=")
		s.Value = p.settingValue()
		return s
	case "database", "schema":
		return p.alterDatabase()
	case "view", "algorithm", "definer", "sql":
		return p.alterView()
	case "user":
		return p.changeUsers("alter")
	}
	p.absent("ALTER")
	p.Expected("TABLE, INDEX or SYSTEM")
	return nil
}

// readDottedName reads a name with points in it.
func (p *parser) readDottedName() string {
	names := []string{p.AnyName("a name")}
	for p.Accept(".") {
		names = append(names, p.AnyName("a name"))
	}
	return strings.Join(names, ".")
}

// alterTable reads ALTER TABLE t action, ..
func (p *parser) alterTable() tree.Statement {
	s := &tree.AlterTable{Table: p.table()}
	if r := p.renamedTable(s.Table); r != nil {
		return r
	}
	for {
		switch word := p.AcceptAny("enable", "disable"); {
		case word != "" && p.Accept("keys"):
			return &tree.Nothing{What: "alter table " + word + " keys"}
		case word != "":
			p.Expected("KEYS")
		}
		switch index := p.indexAction(s.Table); {
		case index == nil:
			s.Actions = append(s.Actions, p.alterAction()...)
		case len(s.Actions) == 0 && !p.Is(","):
			return index
		default:
			s.Actions = append(s.Actions, index)
		}
		if !p.More() {
			return s
		}
	}
}

// renamedTable reads RENAME [TO | AS] name, which is no action beside others; nil: it is another one.
func (p *parser) renamedTable(from tree.Name) tree.Statement {
	switch p.Peek().Word {
	case "column", "index", "key":
		return nil
	}
	if !p.Accept("rename") {
		return nil
	}
	p.AcceptAny("to", "as")
	r := &tree.RenameTable{From: []tree.Name{from}, To: []tree.Name{p.table()}}
	if p.Is(",") {
		p.Refuse("RENAME can't stand beside other actions: use two statements")
	}
	return r
}

// indexAction reads MySQL's ADD INDEX i (..) and DROP INDEX i, which are CREATE INDEX and DROP INDEX in other words;
// nil if the action is another one.
func (p *parser) indexAction(table tree.Name) interface {
	tree.Statement
	tree.AlterAction
} {
	mark := p.Reader
	if p.Is("add") && p.Peek().Word == "constraint" { // ADD CONSTRAINT i UNIQUE (..)
		p.Advance()
		if name, _ := p.constraintName(); p.Is("unique") {
			index := p.tableIndex(p.At.Start)
			index.Name = cmp.Or(index.Name, name)
			return &tree.CreateIndex{Table: table, Index: index}
		}
		p.Reader = mark
	}
	switch next := p.Peek().Word; {
	case p.Is("add") && (next == "index" || next == "key" || next == "unique" || next == "fulltext" ||
		next == "spatial"):
		p.Advance()
		return &tree.CreateIndex{Table: table, Index: p.tableIndex(p.At.Start)}
	case p.Is("drop") && (next == "index" || next == "key"):
		p.Advance()
		p.Advance()
		return &tree.DropIndex{Table: table, IfExists: p.ifExists(), Index: p.Name("an index's name")}
	}
	return nil
}

// alterAction reads one action, or the columns of ADD (a int, b int).
func (p *parser) alterAction() []tree.AlterAction {
	switch {
	case p.Accept("add"):
		return p.addAction()
	case p.Accept("drop"):
		return []tree.AlterAction{p.dropAction()}
	case p.Accept("set"):
		return []tree.AlterAction{p.setOptions()}
	case p.Is("map"), p.Is("unmap"):
		return p.mapColumns()
	case p.Accept("compact"):
		if p.At.Kind == token.Word || p.At.Kind == token.Text {
			p.Word("a data centre")
		}
		return []tree.AlterAction{&tree.Compact{}}
	case p.IsName() && p.Peek().Word == "=", p.At.Kind == token.Text:
		return []tree.AlterAction{p.setOptions()}
	}
	return []tree.AlterAction{p.readRefusedAction()}
}

// mapColumns reads MAP DYNAMIC COLUMN family:qualifier type, .. and UNMAP DYNAMIC COLUMN family:qualifier, .. as far as
// the list goes.
func (p *parser) mapColumns() (actions []tree.AlterAction) {
	maps := p.Is("map")
	p.Advance()
	p.Expect("dynamic", "column")
	for {
		m := &tree.MapColumn{Name: p.familyName()}
		typed, ok := datum.MappedType(strings.ToUpper(p.SourceOf(p.At)))
		switch {
		case ok:
			p.Advance()
		case maps:
			p.Expected("HLONG, HINTEGER, HSHORT, HFLOAT, HDOUBLE, HSTRING or HBOOLEAN")
		}
		if maps {
			m.Type = typed
		}
		actions = append(actions, m)
		next := p.Peek()
		if !p.Is(",") || next.Kind != token.Quoted && !strings.Contains(p.SourceOf(next), ":") {
			return actions
		}
		p.Advance()
	}
}

// familyName reads family:qualifier, as one name or as two.
func (p *parser) familyName() string {
	name := p.Name("a column, written family:qualifier")
	if p.Accept(":") {
		name += ":" + p.AnyName("a qualifier")
	}
	return name
}

// setOptions reads 'NAME' = 'value', .. as far as it goes.
func (p *parser) setOptions() *tree.SetOptions {
	s := &tree.SetOptions{}
	for {
		s.Options = append(s.Options, p.option())
		next := p.Peek()
		if !p.Is(",") || next.Kind != token.Text &&
			(next.Kind != token.Quoted && next.Kind != token.Word || p.second().Word != "=") {
			return s
		}
		p.Advance()
	}
}

// second returns the token after next.
func (p *parser) second() token.Token {
	ahead := p.Lexer
	ahead.Next()
	return ahead.Next()
}

// addAction reads what follows ADD.
func (p *parser) addAction() []tree.AlterAction {
	switch p.At.Word {
	case "primary":
		return []tree.AlterAction{p.addPrimaryKey()}
	case "constraint", "foreign", "check":
		return []tree.AlterAction{p.addConstraint()}
	case "partition":
		return p.refuseAction("ADD PARTITION")
	}
	p.Accept("column")
	if p.Is("(") {
		var actions []tree.AlterAction
		p.List(func() { actions = append(actions, &tree.AddColumn{Column: p.columnDefinition()}) })
		return actions
	}
	a := &tree.AddColumn{IfNotExists: p.ifNotExists()}
	a.Column = p.columnDefinition()
	a.Place = p.place()
	return []tree.AlterAction{a}
}

// place reads FIRST or AFTER column.
func (p *parser) place() (place tree.Place) {
	if place.First = p.Accept("first"); !place.First && p.Accept("after") {
		place.After = p.Name("a column")
	}
	return place
}

// modifyColumn reads what follows MODIFY [COLUMN] or CHANGE [COLUMN].
func (p *parser) modifyColumn(named bool) tree.AlterAction {
	p.ifExists()
	m := &tree.ModifyColumn{}
	if named {
		m.Name = p.Name("a column")
	}
	m.Column = p.columnDefinition()
	if !named {
		m.Name = m.Column.Name
	}
	m.Place = p.place()
	return m
}

// alterDefault reads ALTER [COLUMN] name {SET DEFAULT value | DROP DEFAULT}.
func (p *parser) alterDefault() tree.AlterAction {
	p.Advance()
	if next := p.Peek().Word; p.Is("index") || p.Is("check") || p.Is("constraint") ||
		next == "set" && p.second().Word == "invisible" {
		return p.refuseAction("ALTER " + strings.ToUpper(p.At.Word))[0]
	}
	p.Accept("column")
	a := &tree.AlterDefault{Name: p.Name("a column")}
	if p.Accept("drop") {
		p.Expect("default")
		return a
	}
	p.Expect("set")
	p.Expect("default")
	a.Default = p.unary()
	return a
}

// dropAction reads what follows DROP.
func (p *parser) dropAction() tree.AlterAction {
	switch p.At.Word {
	case "primary":
		p.Expect("primary", "key")
		return &tree.DropPrimaryKey{}
	case "constraint", "foreign", "check":
		return p.dropConstraint()
	case "partition":
		return p.refuseAction("DROP PARTITION")[0]
	}
	p.Accept("column")
	d := &tree.DropColumn{IfExists: p.ifExists()}
	d.Name = p.Name("a column")
	p.AcceptAny("cascade", "restrict")
	return d
}

// readRefusedAction reads an action of MySQL's that the dialect lacks.
func (p *parser) readRefusedAction() tree.AlterAction {
	word := p.At.Word
	switch word {
	case "modify", "change":
		p.Advance()
		p.Accept("column")
		return p.modifyColumn(word == "change")
	case "alter":
		return p.alterDefault()
	case "rename":
		p.Advance()
		switch p.AcceptAny("column", "index", "key") {
		case "column":
			r := &tree.RenameColumn{From: p.Name("a column")}
			p.Expect("to")
			r.To = p.Name("a column")
			return r
		case "index", "key":
			r := &tree.RenameIndex{From: p.Name("an index")}
			p.Expect("to")
			r.To = p.Name("an index")
			return r
		}
		p.Refuse("RENAME can't stand beside other actions: use two statements")
		return nil
	case "convert", "order", "engine", "discard", "import", "truncate", "coalesce", "reorganize", "partition", "force",
		"lock", "algorithm", "default":
		return p.refuseAction(strings.ToUpper(word))[0]
	}
	p.Expected("ADD, DROP, SET or COMPACT")
	return nil
}

// refuseAction skips the rest of an action.
func (p *parser) refuseAction(what string) []tree.AlterAction {
	p.skipAction()
	return []tree.AlterAction{&tree.RefusedAlter{What: what}}
}

// skipAction reads up to the comma before the next action.
func (p *parser) skipAction() {
	for depth := 0; p.At.Kind != token.End && !p.Is(";"); p.Advance() {
		switch p.At.Word {
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
	p.ifExists()
	s := &tree.BuildIndex{Index: p.Name("an index's name")}
	p.Expect("on")
	s.Table = p.table()
	if p.Is("add") || p.Is("drop") {
		s.Alter = strings.ToUpper(p.AcceptAny("add", "drop"))
		p.AcceptAny("column", "columns")
		if p.Is("(") {
			s.Fields = p.keyElements()
		} else {
			s.Fields = []tree.KeyElement{p.keyElement()}
		}
		return s
	}
	if p.Accept("set") {
		s.Alter, s.Options = "SET", p.setOptions().Options
		return s
	}
	switch p.AcceptAny("disable", "disabled", "enable", "enabled", "rebuild", "build", "active", "inactive") {
	case "disable", "disabled", "inactive":
		s.Alter = "DISABLED"
	case "enable", "enabled", "rebuild", "build", "active":
		s.Alter = "REBUILD"
	default:
		p.Expected("ADD COLUMNS, DROP COLUMNS, SET, DISABLED or REBUILD")
	}
	return s
}

// buildIndex reads BUILD INDEX [i] ON t.
func (p *parser) buildIndex() tree.Statement {
	p.Expect("build", "index")
	s := &tree.BuildIndex{}
	if p.IsName() {
		s.Index = p.Name("an index's name")
	}
	p.Expect("on")
	s.Table = p.table()
	p.AcceptAny("async", "sync")
	return s
}

// drop reads DROP ..
func (p *parser) drop() tree.Statement {
	p.Advance()
	switch p.At.Word {
	case "table", "tables", "temporary":
		temporary := p.Accept("temporary")
		if p.AcceptAny("table", "tables") == "" {
			p.Expected("TABLE")
		}
		s := &tree.DropTable{Temporary: temporary, IfExists: p.ifExists()}
		s.Tables = listed(p, nil, p.table)
		p.AcceptAny("restrict", "cascade")
		return s
	case "index":
		p.Advance()
		s := &tree.DropIndex{IfExists: p.ifExists(), Index: p.Name("an index's name")}
		p.Expect("on")
		s.Table = p.table()
		return s
	case "database", "schema":
		p.Advance()
		return &tree.DropDatabase{IfExists: p.ifExists(), Database: p.AnyName("a database's name")}
	case "prepare":
		p.Advance()
		return &tree.Deallocate{Name: p.Name("a statement's name")}
	case "view":
		return p.dropView()
	case "user", "role":
		return p.changeUsers("drop")
	}
	p.absent("DROP")
	p.Expected("TABLE, INDEX or DATABASE")
	return nil
}
