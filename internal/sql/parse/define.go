// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// create reads CREATE ..
func (p *parser) create() tree.Statement {
	p.Advance()
	replace := p.Accepts("or", "replace")
	switch p.At.Word {
	case "table":
		if replace {
			p.Refuse("CREATE OR REPLACE TABLE is not supported: use DROP TABLE IF EXISTS first")
		}
		return p.createTable()
	case "database", "schema":
		return p.createDatabase()
	case "index", "unique", "fulltext", "spatial":
		return p.createIndex()
	case "temporary":
		p.Expect("temporary")
		st := p.createTable().(*tree.CreateTable)
		st.Temporary = true
		return st
	case "view", "algorithm", "definer", "sql":
		return p.createView(replace)
	case "user", "role":
		if replace {
			p.Refuse("CREATE OR REPLACE is not supported for users and roles: drop it first")
		}
		return p.changeUsers("create")
	}
	p.absent("CREATE")
	if replace {
		p.Expected("VIEW")
	}
	p.Expected("TABLE, INDEX or DATABASE")
	return nil
}

// absent refuses to create, alter or drop what the dialect has nothing of.
func (p *parser) absent(verb string) {
	switch p.At.Word {
	case "procedure", "function", "trigger", "event":
		p.Refuse(verb + " " + strings.ToUpper(p.At.Word) + " is not supported")
	}
}

func (p *parser) ifNotExists() bool { return p.Is("if") && p.Accepts("if", "not", "exists") }

func (p *parser) ifExists() bool { return p.Is("if") && p.Accepts("if", "exists") }

func (p *parser) createDatabase() tree.Statement {
	p.Advance()
	s := &tree.CreateDatabase{IfNotExists: p.ifNotExists(), Database: p.AnyName("a database's name")}
	s.Options = p.databaseOptions()
	return s
}

func (p *parser) databaseOptions() (options []tree.Option) {
	options = p.tableOptions()
	if p.Accept("with") {
		p.List(func() { options = append(options, p.option()) })
	}
	return append(options, p.tableOptions()...)
}

// alterDatabase reads ALTER DATABASE, whose options may be those of CREATE DATABASE or stand behind SET, as in ALTER
// TABLE.
func (p *parser) alterDatabase() tree.Statement {
	p.Advance()
	s := &tree.AlterDatabase{Database: p.AnyName("a database's name")}
	if p.Accept("set") {
		s.Options = listed(p, nil, p.option)
	} else {
		s.Options = p.databaseOptions()
	}
	if len(s.Options) == 0 {
		p.Expected("SET 'INSERT_MODE' = 'upsert', 'error' or 'table'")
	}
	return s
}

// createTable reads CREATE TABLE.
func (p *parser) createTable() tree.Statement {
	p.Expect("table")
	s := &tree.CreateTable{IfNotExists: p.ifNotExists(), Table: p.table()}
	if p.Accept("like") {
		like := p.table()
		s.Like = &like
		return s
	}
	if p.startsRows() || p.Is("(") && subquery(p.Peek()) {
		p.rowsOf(s)
		return s
	}
	if p.Is("(") && p.Peek().Word == "like" {
		p.Expect("(", "like")
		like := p.table()
		s.Like = &like
		p.Expect(")")
		return s
	}
	p.List(func() { p.tableElement(s) })
	if p.Accept("with") {
		p.List(func() { s.Options = append(s.Options, p.option()) })
	}
	s.Options = append(s.Options, p.tableOptions()...)
	switch {
	case p.Is("partition"):
		p.refusePartition()
	case p.startsRows() || p.Is("("):
		p.rowsOf(s)
	}
	return s
}

// startsRows reports whether CREATE TABLE goes on with the query whose rows the table gets.
func (p *parser) startsRows() bool {
	switch p.At.Word {
	case "as", "select", "ignore", "replace":
		return true
	}
	return false
}

// rowsOf reads [IGNORE | REPLACE] [AS] query.
func (p *parser) rowsOf(s *tree.CreateTable) {
	s.Rule = tree.DuplicateError
	switch p.AcceptAny("ignore", "replace") {
	case "ignore":
		s.Rule = tree.DuplicateIgnore
	case "replace":
		s.Rule = tree.ReplaceRow
	}
	p.Accept("as")
	s.Query = p.query()
}

func (p *parser) refusePartition() {
	p.Refuse("PARTITION BY is not supported: a table is split into regions by its primary key automatically; use NUMREGIONS or SPLITKEYS in WITH (..) to pre-split it")
}

// tableElement reads a column, a key or an index of CREATE TABLE.
func (p *parser) tableElement(s *tree.CreateTable) {
	at := p.At.Start
	name, named := p.constraintName()
	switch p.At.Word {
	case "primary":
		p.Expect("primary", "key")
		if len(s.PrimaryKey) > 0 {
			p.Expected("one PRIMARY KEY")
		}
		p.using()
		s.PrimaryKey = p.keyElements()
		p.using()
	case "key", "index", "unique", "fulltext", "spatial":
		if next := p.Peek().Word; p.Is("key") && tree.Reserved(next) && bases[next] != datum.Untyped {
			p.Name("a column's name")
		}
		index := p.tableIndex(at)
		if index.Name == "" && index.Unique {
			index.Name = name
		}
		s.Indexes = append(s.Indexes, index)
	case "foreign":
		s.ForeignKeys = append(s.ForeignKeys, p.foreignKey(name))
	case "check":
		s.Checks = append(s.Checks, p.check(name))
	default:
		if named {
			p.Expected("PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK")
		}
		s.Columns = append(s.Columns, p.columnDefinition())
	}
}

// using reads USING BTREE and USING HASH, which change nothing.
func (p *parser) using() {
	if p.Is("using") {
		if next := p.Peek().Word; next == "btree" || next == "hash" {
			p.Advance()
			p.Advance()
		}
	}
}

// columnDefinition reads a column's name, type and attributes.
func (p *parser) columnDefinition() tree.ColumnDefinition {
	c := tree.ColumnDefinition{At: p.At.Start, Name: p.Name("a column's name")}
	// BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE
	serial := p.At.Kind == token.Word && strings.EqualFold(p.SourceOf(p.At), "serial")
	if serial {
		p.Advance()
		c.Type, c.NotNull, c.AutoIncrement, c.Unique = datum.Type{Base: datum.BigIntUnsigned}, true, true, true
	} else {
		c.Type = p.columnType()
	}
	for p.columnAttribute(&c) {
		p.attributes(&c.Type, 0)
	}
	if serial && c.PrimaryKey {
		c.Unique = false // the primary key says so
	}
	return c
}

func (p *parser) columnAttribute(c *tree.ColumnDefinition) bool {
	switch {
	case p.Accept("not"):
		p.Expect("null")
		c.NotNull = true
	case p.Accept("null"):
		c.NotNull = false
	case p.Accept("default"):
		c.Default = p.unary()
	case p.Accept("comment"):
		c.Comment = p.Text("a comment in quotes")
	case p.Accept("auto_increment"):
		c.AutoIncrement = true
	case p.Is("primary") || p.Is("key"):
		p.Accept("primary")
		p.Expect("key")
		c.PrimaryKey = true
	case p.Accepts("on", "update"):
		c.OnUpdate = p.unary()
	case p.Accept("unique"):
		p.Accept("key")
		c.Unique = true
	case p.Is("generated") || p.Is("as"):
		p.readGenerated(c)
	case p.Is("references"):
		c.References = &tree.ForeignKey{Columns: []string{c.Name}}
		p.reference(c.References)
	case p.Is("check") || p.Is("constraint"):
		name, _ := p.constraintName()
		c.Checks = append(c.Checks, p.check(name))
	case p.Accepts("visible"), p.Accepts("column_format"):
	default:
		return false
	}
	return true
}

// keyElements reads the elements of a key or an index, in brackets.
func (p *parser) keyElements() (elements []tree.KeyElement) {
	p.List(func() { elements = append(elements, p.keyElement()) })
	return elements
}

// keyElement reads column [ASC | DESC] and function(columns) [ASC | DESC].
func (p *parser) keyElement() tree.KeyElement {
	e := tree.KeyElement{At: p.At.Start}
	switch {
	case p.Accept("*"):
		e.Column = "*"
	case p.At.Kind == token.Text && p.At.End > p.At.Start+2:
		e.Column = p.Text("a column")
	case p.callsJSON():
		e.Expression = p.expression()
	case p.IsName() || p.Is("reverse"):
		e.Column = p.Name("a column of the key")
	case p.Is("("):
		p.Expect("(")
		e.Expression = p.expression()
		p.weigh(&e.Expression)
		p.Expect(")")
	default:
		p.Name("a column of the key")
	}
	if strings.EqualFold(e.Column, "z") && p.Accepts("-", "order") { // Z-ORDER(a, b)
		e.Column = "zorder"
	}
	if p.Is("(") && e.Expression == nil {
		p.keyFunction(&e)
	}
	e.Descending = p.AcceptAny("asc", "desc") == "desc"
	return e
}

// callsJSON reports whether a function of JSON begins here, which stands in a key without brackets around it.
func (p *parser) callsJSON() bool {
	inner := p.Lexer
	return p.IsName() && strings.HasPrefix(strings.ToLower(string(p.Lexer.Text[p.At.Start:p.At.End])), "json_") &&
		inner.Next().Word == "("
}

// keyFunction reads the arguments of a function in a key, or the options of a column of a search index, such as
// c(type=text).
func (p *parser) keyFunction(e *tree.KeyElement) {
	inner := p.Lexer
	first, second := inner.Next(), inner.Next()
	switch {
	case first.Kind == token.Integer:
		p.Advance()
		e.Prefix = p.Number("a length", lengthMax)
		p.Expect(")")
	case second.Word == "=":
		p.List(func() {
			o := tree.Option{Name: strings.ToLower(p.Word("an option's name"))}
			p.Expect("=")
			o.Value = p.optionValue()
			e.Options = append(e.Options, o)
		})
	default:
		e.Function, e.Column = strings.ToLower(e.Column), ""
		p.List(func() { e.Arguments = append(e.Arguments, p.Name("a column of the key")) })
	}
}

// tableIndex reads {KEY | INDEX} [name] .. of CREATE TABLE.
func (p *parser) tableIndex(at int) tree.IndexDefinition {
	i := tree.IndexDefinition{At: at}
	p.indexStart(&i)
	p.AcceptAny("key", "index")
	if p.IsName() {
		i.Name = p.Name("an index's name")
	}
	zorder := p.indexKind(&i)
	i.Key = p.keyElements()
	if zorder {
		p.wrap(&i)
	}
	p.indexTail(&i)
	return i
}

// indexStart reads UNIQUE, FULLTEXT and SPATIAL.
func (p *parser) indexStart(i *tree.IndexDefinition) {
	switch p.At.Word {
	case "unique":
		p.Advance()
		i.Unique = true
	case "fulltext":
		p.Advance()
		i.Kind = tree.IndexFullText
	case "spatial":
		p.Refuse("SPATIAL indexes are not supported: an index with ZORDER(x, y) serves boxes")
	}
}

// indexKind reads USING KV, SEARCH, COLUMNAR and ZORDER. zorder says that the columns are to be wrapped.
func (p *parser) indexKind(i *tree.IndexDefinition) (zorder bool) {
	if !p.Accept("using") {
		return false
	}
	switch p.AcceptAny("kv", "search", "columnar", "btree", "hash", "zorder") {
	case "search":
		i.Kind = tree.IndexSearch
	case "columnar":
		i.Kind = tree.IndexColumnar
	case "zorder":
		return true
	case "":
		p.Expected("KV, SEARCH, COLUMNAR or ZORDER")
	}
	return false
}

// indexTail reads what follows the key of an index, in any order.
func (p *parser) indexTail(i *tree.IndexDefinition) {
	for {
		switch {
		case p.Accept("include"):
			p.List(func() { i.Include = append(i.Include, p.Name("a column")) })
		case p.Accept("async"):
			i.Async, i.Sync = true, false
		case p.Accept("sync"):
			i.Sync, i.Async = true, false
		case p.Is("with") && strings.EqualFold(p.SourceOf(p.Peek()), "parser"):
			p.Advance()
			p.Advance()
			i.Options = append(i.Options,
				tree.Option{Name: "PARSER", Value: strings.ToLower(p.Word("a parser's name"))})
		case p.Is("with") && p.Peek().Word == "(":
			p.Advance()
			p.List(func() { i.Options = append(i.Options, p.option()) })
		case p.Accept("comment"):
			p.Accept("=")
			i.Options = append(i.Options, tree.Option{Name: "COMMENT", Value: p.Text("a comment in quotes")})
		case p.Is("using"):
			p.indexKind(i)
		case p.Is("partition") && i.Kind == tree.IndexSearch:
			i.Options = append(i.Options, tree.Option{Name: "PARTITION BY", Value: p.partitioning()})
		case p.Is("partition"):
			p.Refuse("PARTITION BY is not supported: regions of an index split automatically")
		case p.Accept("visible"):
		default:
			return
		}
	}
}

// partitioning reads PARTITION BY hash(columns) [PARTITIONS n] and the like, which says how another engine spreads an
// index.
func (p *parser) partitioning() string {
	p.Expect("partition", "by")
	text := p.Word("a way to partition")
	p.List(func() { text += " " + p.Name("a column") })
	if strings.EqualFold(p.SourceOf(p.At), "partitions") {
		p.Advance()
		text += " " + p.Word("a number")
	}
	return text
}

// createIndex reads CREATE INDEX.
func (p *parser) createIndex() tree.Statement {
	s := &tree.CreateIndex{Index: tree.IndexDefinition{At: p.At.Start}}
	p.indexStart(&s.Index)
	p.Expect("index")
	s.IfNotExists = p.ifNotExists()
	if p.IsName() {
		s.Index.Name = p.Name("an index's name")
	}
	zorder := p.indexKind(&s.Index)
	p.Expect("on")
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
		if k.Function != "" || k.Expression != nil || k.Descending {
			p.Expected("columns only behind USING ZORDER")
			return
		}
		e.Arguments = append(e.Arguments, k.Column)
	}
	i.Key = []tree.KeyElement{e}
}

// option reads NAME = value, where the value may be any constant.
func (p *parser) option() tree.Option {
	o := tree.Option{Name: strings.ToUpper(p.Word("an option's name"))}
	p.Accept("=")
	o.Value = p.optionValue()
	return o
}

func (p *parser) optionValue() string {
	if p.Is("(") {
		var values []string
		p.List(func() { values = append(values, p.optionValue()) })
		return strings.Join(values, ",")
	}
	if p.Accept("-") {
		return "-" + p.Word("a value")
	}
	return p.Word("a value")
}

// tableOptions reads MySQL's options behind CREATE TABLE, with commas between them or not.
func (p *parser) tableOptions() (options []tree.Option) {
	for {
		start := p.At
		p.Accept(",")
		p.Accept("default")
		switch {
		case p.Accepts("character", "set"), p.Accept("charset"):
			options = append(options, p.readOption("CHARSET"))
			p.noteText(options[len(options)-1].Value)
		case p.Accept("collate"):
			p.Accept("=")
			options = append(options, tree.Option{Name: "COLLATE", Value: p.collationNamed()})
			p.noteText(options[len(options)-1].Value)
		case p.Accepts("data", "directory"), p.Accepts("index", "directory"):
			options = append(options, p.readOption("DIRECTORY"))
		case (p.IsName() || p.Is("union")) && !p.Is("partition") && p.valueFollows():
			options = append(options, p.option())
		default:
			if p.At.Start != start.Start {
				p.Expected("an option")
			}
			return options
		}
	}
}

// takesValue are options whose values may be words of the grammar, or lists. // immutable
var takesValue = map[string]bool{
	"ROW_FORMAT": true, "INSERT_METHOD": true, "UNION": true, "PACK_KEYS": true, "STATS_AUTO_RECALC": true,
	"STATS_PERSISTENT": true, "STORAGE": true, "TABLESPACE": true,
}

// valueFollows reports whether the current name names an option: = or a value comes next.
func (p *parser) valueFollows() bool {
	next := p.Peek()
	if takesValue[strings.ToUpper(p.SourceOf(p.At))] && (next.Kind == token.Word || next.Word == "(") {
		return true // a word of the grammar, such as DEFAULT
	}
	return next.Word == "=" || next.Kind == token.Text || next.Kind == token.Integer ||
		next.Kind == token.Word && next.Word == ""
}

func (p *parser) readOption(name string) tree.Option {
	p.Accept("=")
	return tree.Option{Name: name, Value: p.optionValue()}
}
