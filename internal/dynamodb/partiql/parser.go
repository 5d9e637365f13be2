// SPDX-License-Identifier: Apache-2.0

package partiql

import (
	"cmp"
	"math"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/expression"
)

// nestingMax is how deep parentheses, lists, maps and calls of a statement may stand inside one another.
const nestingMax = 100

// Texts about statements that are none.
const (
	malformed       = "Statement wasn't well formed, can't be processed: "
	leftover        = malformed + "Unexpected token after expression"
	unexpectedTerm  = malformed + "Unexpected term"
	noIdentifier    = malformed + "Expected identifier for simple path"
	noFrom          = malformed + "Expected FROM after SELECT list"
	aliased         = "Aliasing is not supported"
	parameterCount  = "Number of parameters in request and statement don't match."
	pathUnexpected  = "Unexpected path component at "
	existsElsewhere = "EXISTS() must contain a single item read with additional condition"
)

// parser reads one statement. A fault of syntax sets failed and hides the rest of the text, so that every loop ends;
// another fault is noted, and is told if no fault of syntax follows.
type parser struct {
	text       string
	tokens     []token
	at         int
	parameters []value.Value
	taken      int // of the parameters
	nesting    int
	builder    expression.Builder

	failed bool
	fault  error
}

// TableOf returns the name behind the first FROM, INTO or UPDATE of a text, which need be no whole statement: that of
// its table. It is "" where there is none.
func TableOf(text string) string {
	tokens, _ := scan(make([]token, 0, 32), text)
	for p := (parser{text: text, tokens: tokens}); p.at < len(tokens)-1; p.advance() {
		if p.is("FROM") || p.is("INTO") || p.is("UPDATE") {
			p.advance()
			return p.name()
		}
	}
	return ""
}

// Parse reads a statement. parameters are the values of its question marks, in their order. The error is an
// *expression.Error.
func Parse(text string, parameters []value.Value) (*Statement, error) {
	if len(text) > math.MaxInt32 {
		return nil, &expression.Error{Message: malformed}
	}
	tokens, ok := scan(make([]token, 0, 32), text)
	if !ok {
		return nil, &expression.Error{Message: malformed}
	}
	p := parser{text: text, tokens: tokens, parameters: parameters}
	s := &Statement{}
	p.statement(s)
	p.accept(';')
	p.end()
	if p.fault == nil && p.taken != len(parameters) {
		p.note(parameterCount)
	}
	return s, p.fault
}

func (p *parser) current() token { return p.tokens[p.at] }

// word is the text of the current token, if that is a name without quotes.
func (p *parser) word() string {
	if t := p.current(); t.kind == tokenWord {
		return p.text[t.start:t.end]
	}
	return ""
}

func (p *parser) advance() {
	if p.at < len(p.tokens)-1 {
		p.at++
	}
}

// accept steps over a token of a kind if it is the current one.
func (p *parser) accept(kind tokenKind) bool {
	if p.current().kind != kind {
		return false
	}
	p.advance()
	return true
}

// is reports whether the current token is a keyword, in any case of letters.
func (p *parser) is(keyword string) bool { return strings.EqualFold(p.word(), keyword) }

func (p *parser) acceptKeyword(keyword string) bool {
	if !p.is(keyword) {
		return false
	}
	p.advance()
	return true
}

// follows is the kind of the token behind the current one.
func (p *parser) follows() tokenKind {
	if p.at+1 < len(p.tokens) {
		return p.tokens[p.at+1].kind
	}
	return tokenEnd
}

// fail ends the parsing with a fault that comes before those that were noted.
func (p *parser) fail(message string) {
	if p.failed {
		return
	}
	p.failed, p.fault = true, &expression.Error{Message: message}
	p.at = len(p.tokens) - 1
}

// note keeps a fault unless there is one.
func (p *parser) note(message string) { p.noteError(&expression.Error{Message: message}) }

func (p *parser) noteError(err error) {
	p.fault = cmp.Or(p.fault, err)
}

func (p *parser) expect(kind tokenKind) {
	if !p.accept(kind) {
		p.fail(leftover)
	}
}

func (p *parser) expectKeyword(keyword, message string) {
	if !p.acceptKeyword(keyword) {
		p.fail(message)
	}
}

// end wants nothing to follow.
func (p *parser) end() {
	if p.current().kind == tokenEnd {
		return
	}
	if p.is("LIMIT") || p.is("GROUP") {
		p.fail("Unsupported clause: " + strings.ToUpper(p.word()) + " at " + p.here())
	}
	p.fail(leftover)
}

// here is the position of the current token.
func (p *parser) here() string { return position(p.text, p.current()) }

// enter counts something that opens, and leave what closes.
func (p *parser) enter() bool {
	if p.nesting++; p.nesting > nestingMax {
		p.fail(malformed)
	}
	return !p.failed
}

func (p *parser) leave() { p.nesting-- }

// statement reads a statement of any verb.
func (p *parser) statement(s *Statement) {
	switch {
	case p.acceptKeyword("SELECT"):
		p.selectItems(s)
	case p.acceptKeyword("INSERT"):
		p.insert(s)
	case p.acceptKeyword("UPDATE"):
		s.Verb = Update
		p.target(s)
		p.refuseAlias()
		p.update(s)
		p.where(s)
		p.returning(s)
	case p.acceptKeyword("FROM"):
		s.Verb = Update
		p.target(s)
		p.refuseAlias()
		p.where(s)
		p.update(s)
		p.returning(s)
	case p.acceptKeyword("DELETE"):
		s.Verb = Delete
		p.expectKeyword("FROM", noIdentifier)
		p.target(s)
		p.refuseAlias()
		p.where(s)
		p.returning(s)
	case p.is("EXISTS") && p.follows() == '(':
		p.exists(s)
	default:
		p.fail(unexpectedTerm)
	}
}

// exists reads EXISTS(SELECT ..).
func (p *parser) exists(s *Statement) {
	p.advance()
	p.advance()
	if !p.acceptKeyword("SELECT") {
		p.fail(existsElsewhere)
	}
	p.selectItems(s)
	s.Verb = Exists
	p.expect(')')
}

// selectItems reads what stands behind SELECT.
func (p *parser) selectItems(s *Statement) {
	if !p.accept('*') {
		for s.Columns = append(s.Columns, p.column(1)); p.accept(','); {
			s.Columns = append(s.Columns, p.column(len(s.Columns)+1))
		}
	}
	p.expectKeyword("FROM", noFrom)
	p.target(s)
	p.refuseAlias()
	p.where(s)
	if p.is("ORDER") && p.follows() == tokenWord {
		p.advance()
		p.expectKeyword("BY", leftover)
		for s.Order = append(s.Order, p.order()); p.accept(','); {
			s.Order = append(s.Order, p.order())
		}
	}
}

// column reads a column, the number n of a SELECT. It is called by its last name; an element of a list by its number.
func (p *parser) column(n int) Column {
	if !p.isName() || p.follows() == '(' {
		p.noteUnexpectedPath()
		return Column{}
	}
	c := Column{Path: p.path()}
	c.Name = columnName(&c.Path, n)
	if p.acceptKeyword("AS") || p.isName() && !p.is("FROM") {
		p.note(aliased)
		p.advance()
	}
	return c
}

// noteUnexpectedPath refuses what is no path in a projection, and steps over it.
func (p *parser) noteUnexpectedPath() {
	if k := p.current().kind; k == tokenEnd || k == ',' || p.is("FROM") {
		p.fail(unexpectedTerm)
		return
	}
	p.note(pathUnexpected + p.here())
	open := 0
	for p.current().kind != tokenEnd && (open > 0 || p.current().kind != ',' && !p.is("FROM")) {
		switch p.current().kind {
		case '(', '[', '{', tokenOpenBag:
			open++
		case ')', ']', '}', tokenCloseBag:
			open--
		}
		p.advance()
	}
}

func (p *parser) order() Order {
	path := p.path()
	if len(path.Steps) > 0 {
		p.note("Variable reference " + path.Name + " in ORDER BY clause must be part of the primary key")
	}
	o := Order{Name: path.Name, Descending: p.acceptKeyword("DESC")}
	if !o.Descending {
		p.acceptKeyword("ASC")
	}
	return o
}

// target reads the name of a table and perhaps of an index.
func (p *parser) target(s *Statement) {
	s.Table = p.name()
	if p.accept('.') {
		s.Index = p.name()
	}
}

// clauses are the keywords that may follow a target. // immutable
var clauses = [...]string{"WHERE", "ORDER", "SET", "REMOVE", "RETURNING", "VALUE", "GROUP", "LIMIT", "HAVING", "UNION",
	"JOIN", "LEFT", "INNER", "CROSS"}

// refuseAlias refuses a second name of a table, with AS or without.
func (p *parser) refuseAlias() {
	if !p.isName() {
		return
	}
	for _, clause := range clauses {
		if p.is(clause) {
			return
		}
	}
	p.fail(aliased)
}

func (p *parser) where(s *Statement) {
	if p.acceptKeyword("WHERE") {
		s.Where = p.condition()
	}
}

// insert reads what stands behind INSERT.
func (p *parser) insert(s *Statement) {
	s.Verb = Insert
	p.expectKeyword("INTO", unexpectedTerm)
	p.target(s)
	p.expectKeyword("VALUE", leftover)
	if p.current().kind == '?' {
		s.Item = attributesOf(p.parameter())
		return
	}
	p.expect('{')
	p.members('}', func() {
		name := p.key()
		s.Item = append(s.Item, Attribute{name, p.value(nil, "", 0)})
	})
}

func attributesOf(v value.Value) (list []Attribute) {
	for e := v.Elements(); e.Next() && e.Name() != nil; {
		list = append(list, Attribute{string(e.Name()), e.Value()})
	}
	return list
}

// returning reads RETURNING.
func (p *parser) returning(s *Statement) {
	if !p.acceptKeyword("RETURNING") {
		return
	}
	part, time := strings.ToUpper(p.word()), ""
	p.advance()
	time = strings.ToUpper(p.word())
	p.advance()
	if part == "MODIFIED" {
		part = "UPDATED"
	} else if part != "ALL" {
		p.fail(unexpectedTerm)
	}
	if time != "OLD" && time != "NEW" || !p.accept('*') {
		p.fail(unexpectedTerm)
	}
	s.Returning = Returning(part + "_" + time)
	if s.Verb == Delete && s.Returning != "ALL_OLD" {
		p.note("Only RETURNING ALL OLD * is supported by DELETE")
	}
}

// isName reports whether the current token is a name.
func (p *parser) isName() bool {
	k := p.current().kind
	return k == tokenWord || k == tokenQuoted
}

// name reads a name.
func (p *parser) name() string {
	t := p.current()
	if !p.isName() {
		p.fail(noIdentifier)
		return ""
	}
	p.advance()
	text := p.text[t.start:t.end]
	if t.kind == tokenQuoted {
		return content(text)
	}
	return text
}

// path reads a document path.
func (p *parser) path() expr.Path {
	path := expr.Path{Name: p.name()}
	for !p.failed {
		switch {
		case p.accept('.'):
			if w := p.word(); p.current().kind != tokenQuoted && (w == "" || isReserved(w)) {
				p.fail(malformed + "Invalid path dot component")
			}
			path.Steps = append(path.Steps, expr.Step{Field: p.name(), Index: -1})
			continue
		case p.accept('['):
			path.Steps = append(path.Steps, p.element())
			p.expect(']')
			continue
		}
		break
	}
	return path
}
