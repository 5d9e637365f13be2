// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// create reads CREATE ..
func (p *parser) create() tree.Statement {
	p.advance()
	replace := p.accepts("or", "replace")
	switch p.at.Word {
	case "table":
		return p.createTable()
	case "database", "schema":
		return p.createDatabase()
	case "index", "unique", "fulltext", "spatial":
		return p.createIndex()
	case "temporary":
		p.refuse("temporary tables are not supported")
		return nil
	case "view", "algorithm", "definer", "sql", "procedure", "function", "trigger", "event", "user", "role":
		p.handsOn("CREATE " + strings.ToUpper(p.at.Word))
		return nil
	}
	if replace {
		p.expected("VIEW")
	}
	p.expected("TABLE, INDEX or DATABASE")
	return nil
}

func (p *parser) ifNotExists() bool { return p.is("if") && p.accepts("if", "not", "exists") }

func (p *parser) ifExists() bool { return p.is("if") && p.accepts("if", "exists") }

func (p *parser) createDatabase() tree.Statement {
	p.advance()
	s := &tree.CreateDatabase{IfNotExists: p.ifNotExists(), Database: p.anyName("a database's name")}
	if p.accept("with") {
		p.list(func() { s.Options = append(s.Options, p.option()) })
	}
	s.Options = append(s.Options, p.tableOptions()...)
	return s
}

// createTable reads CREATE TABLE.
func (p *parser) createTable() tree.Statement {
	p.expect("table")
	s := &tree.CreateTable{IfNotExists: p.ifNotExists(), Table: p.table()}
	if p.accept("like") {
		like := p.table()
		s.Like = &like
		return s
	}
	if p.is("as") || p.is("select") || p.is("(") && subquery(p.peek()) {
		p.handsOn("CREATE TABLE .. AS SELECT")
	}
	if p.is("(") && p.peek().Word == "like" {
		p.expect("(", "like")
		like := p.table()
		s.Like = &like
		p.expect(")")
		return s
	}
	p.list(func() { p.tableElement(s) })
	if p.accept("with") {
		p.list(func() { s.Options = append(s.Options, p.option()) })
	}
	s.Options = append(s.Options, p.tableOptions()...)
	switch p.at.Word {
	case "partition":
		p.refusePartition()
	case "as", "select", "ignore", "replace":
		p.handsOn("CREATE TABLE .. AS SELECT")
	}
	return s
}

func (p *parser) refusePartition() {
	p.refuse("PARTITION BY is not supported: a table is split into regions along its primary key by itself; NUMREGIONS or SPLITKEYS in WITH (..) say where to begin")
}

// tableElement reads a column, a key or an index of CREATE TABLE.
func (p *parser) tableElement(s *tree.CreateTable) {
	at := p.at.Start
	named := p.accept("constraint")
	if named && p.isName() {
		p.name("a constraint's name")
	}
	switch p.at.Word {
	case "primary":
		p.expect("primary", "key")
		if len(s.PrimaryKey) > 0 {
			p.expected("one PRIMARY KEY")
		}
		p.using()
		s.PrimaryKey = p.keyElements()
		p.using()
	case "key", "index", "unique", "fulltext", "spatial":
		s.Indexes = append(s.Indexes, p.tableIndex(at))
	case "foreign":
		p.refuse("FOREIGN KEY is not supported")
	case "check":
		p.refuse("CHECK is not supported")
	default:
		if named {
			p.expected("PRIMARY KEY or UNIQUE")
		}
		s.Columns = append(s.Columns, p.columnDefinition())
	}
}

// using reads USING BTREE and USING HASH, which change nothing.
func (p *parser) using() {
	if p.is("using") {
		if next := p.peek().Word; next == "btree" || next == "hash" {
			p.advance()
			p.advance()
		}
	}
}

// columnDefinition reads a column's name, type and attributes.
func (p *parser) columnDefinition() tree.ColumnDefinition {
	c := tree.ColumnDefinition{At: p.at.Start, Name: p.name("a column's name")}
	c.Type = p.columnType()
	for p.columnAttribute(&c) {
		p.attributes(&c.Type)
	}
	return c
}

func (p *parser) columnAttribute(c *tree.ColumnDefinition) bool {
	switch {
	case p.accept("not"):
		p.expect("null")
		c.NotNull = true
	case p.accept("null"):
		c.NotNull = false
	case p.accept("default"):
		c.Default = p.unary()
	case p.accept("comment"):
		c.Comment = p.text("a comment in quotes")
	case p.accept("auto_increment"):
		c.AutoIncrement = true
	case p.is("primary") || p.is("key"):
		p.accept("primary")
		p.expect("key")
		c.PrimaryKey = true
	case p.is("on"):
		p.refuse("ON UPDATE is not supported: name the column in the statement")
	case p.is("unique"):
		p.refuse("UNIQUE is not supported: the primary key alone is unique")
	case p.is("generated") || p.is("as"):
		p.refuse("generated columns are not supported")
	case p.is("references") || p.is("check") || p.is("constraint"):
		p.refuse(strings.ToUpper(p.at.Word) + " is not supported")
	case p.accepts("visible"), p.accepts("column_format"):
	default:
		return false
	}
	return true
}

// keyElements reads the elements of a key or an index, in brackets.
func (p *parser) keyElements() (elements []tree.KeyElement) {
	p.list(func() { elements = append(elements, p.keyElement()) })
	return elements
}

// keyElement reads column [ASC | DESC] and function(columns) [ASC | DESC].
func (p *parser) keyElement() tree.KeyElement {
	e := tree.KeyElement{At: p.at.Start}
	switch {
	case p.accept("*"):
		e.Column = "*"
	case p.at.Kind == token.Text:
		e.Column = p.text("a column")
	case p.isName() || p.is("reverse"):
		e.Column = p.name("a column of the key")
	case p.is("("):
		p.refuse("keys of expressions are not supported, except hash8, hash32, hash64, reverse and zorder")
	default:
		p.name("a column of the key")
	}
	if p.is("(") {
		p.keyFunction(&e)
	}
	e.Descending = p.acceptAny("asc", "desc") == "desc"
	return e
}

// keyFunction reads the arguments of a function in a key. Those of a search index, such as c(type=text), are read and dropped.
func (p *parser) keyFunction(e *tree.KeyElement) {
	inner := p.lexer
	first, second := inner.Next(), inner.Next()
	switch {
	case first.Kind == token.Integer:
		p.refuse("the key holds whole columns: drop the length behind " + e.Column)
	case second.Word == "=":
		for !p.is(")") && p.at.Kind != token.End {
			p.advance()
		}
		p.expect(")")
	default:
		e.Function, e.Column = strings.ToLower(e.Column), ""
		p.list(func() { e.Arguments = append(e.Arguments, p.name("a column of the key")) })
	}
}

// tableIndex reads {KEY | INDEX} [name] .. of CREATE TABLE.
func (p *parser) tableIndex(at int) tree.IndexDefinition {
	i := tree.IndexDefinition{At: at}
	p.indexStart(&i)
	p.acceptAny("key", "index")
	if p.isName() {
		i.Name = p.name("an index's name")
	}
	p.indexKind(&i)
	i.Key = p.keyElements()
	p.indexTail(&i)
	return i
}

// indexStart reads UNIQUE, FULLTEXT and SPATIAL.
func (p *parser) indexStart(i *tree.IndexDefinition) {
	switch p.at.Word {
	case "unique":
		p.advance()
		i.Unique = true
	case "fulltext":
		p.refuse("FULLTEXT indexes are not supported")
	case "spatial":
		p.refuse("SPATIAL indexes are not supported: an index with ZORDER(x, y) serves boxes")
	}
}

// indexKind reads USING KV, SEARCH, COLUMNAR and ZORDER. zorder says that the columns are to be wrapped.
func (p *parser) indexKind(i *tree.IndexDefinition) (zorder bool) {
	if !p.accept("using") {
		return false
	}
	switch p.acceptAny("kv", "search", "columnar", "btree", "hash", "zorder") {
	case "search":
		i.Kind = tree.IndexSearch
	case "columnar":
		i.Kind = tree.IndexColumnar
	case "zorder":
		return true
	case "":
		p.expected("KV, SEARCH, COLUMNAR or ZORDER")
	}
	return false
}

// indexTail reads what follows the key of an index, in any order.
func (p *parser) indexTail(i *tree.IndexDefinition) {
	for {
		switch {
		case p.accept("include"):
			p.list(func() { i.Include = append(i.Include, p.name("a column")) })
		case p.accept("async"):
			i.Async, i.Sync = true, false
		case p.accept("sync"):
			i.Sync, i.Async = true, false
		case p.is("with") && p.peek().Word == "(":
			p.advance()
			p.list(func() { i.Options = append(i.Options, p.option()) })
		case p.accept("comment"):
			p.accept("=")
			i.Options = append(i.Options, tree.Option{Name: "COMMENT", Value: p.text("a comment in quotes")})
		case p.is("using"):
			p.indexKind(i)
		case p.is("partition"):
			p.refuse("PARTITION BY is not supported: an index is split into regions by itself")
		case p.accept("visible"):
		default:
			return
		}
	}
}

// createIndex reads CREATE INDEX.
func (p *parser) createIndex() tree.Statement {
	s := &tree.CreateIndex{Index: tree.IndexDefinition{At: p.at.Start}}
	p.indexStart(&s.Index)
	p.expect("index")
	s.IfNotExists = p.ifNotExists()
	if p.isName() {
		s.Index.Name = p.name("an index's name")
	}
	zorder := p.indexKind(&s.Index)
	p.expect("on")
	s.Table = p.table()
	zorder = p.indexKind(&s.Index) || zorder
	s.Index.Key = p.keyElements()
	if zorder {
		p.wrap(&s.Index)
	}
	p.indexTail(&s.Index)
	return s
}

// wrap makes the columns of USING ZORDER one element.
func (p *parser) wrap(i *tree.IndexDefinition) {
	e := tree.KeyElement{Function: "zorder", At: i.At}
	for _, k := range i.Key {
		if k.Function != "" || k.Descending {
			p.expected("columns only behind USING ZORDER")
			return
		}
		e.Arguments = append(e.Arguments, k.Column)
	}
	i.Key = []tree.KeyElement{e}
}

// option reads NAME = value, where the value may be any constant.
func (p *parser) option() tree.Option {
	o := tree.Option{Name: strings.ToUpper(p.word("an option's name"))}
	p.accept("=")
	o.Value = p.optionValue()
	return o
}

func (p *parser) optionValue() string {
	if p.is("(") {
		var values []string
		p.list(func() { values = append(values, p.optionValue()) })
		return strings.Join(values, ",")
	}
	if p.accept("-") {
		return "-" + p.word("a value")
	}
	return p.word("a value")
}

// tableOptions reads MySQL's options behind CREATE TABLE, with commas between them or not.
func (p *parser) tableOptions() (options []tree.Option) {
	for {
		start := p.at
		p.accept(",")
		p.accept("default")
		switch {
		case p.accepts("character", "set"), p.accept("charset"):
			options = append(options, p.namedOption("CHARSET"))
		case p.accept("collate"):
			options = append(options, p.namedOption("COLLATE"))
		case p.accepts("data", "directory"), p.accepts("index", "directory"):
			options = append(options, p.namedOption("DIRECTORY"))
		case p.isName() && !p.is("partition") && p.valueFollows():
			options = append(options, p.option())
		default:
			if p.at.Start != start.Start {
				p.expected("an option")
			}
			return options
		}
	}
}

// valueFollows says whether the current name is that of an option: = or a value comes next.
func (p *parser) valueFollows() bool {
	next := p.peek()
	return next.Word == "=" || next.Kind == token.Text || next.Kind == token.Integer || next.Kind == token.Word && next.Word == ""
}

func (p *parser) namedOption(name string) tree.Option {
	p.accept("=")
	return tree.Option{Name: name, Value: p.optionValue()}
}
