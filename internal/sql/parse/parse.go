// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"errors"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// depthMax bounds the nesting of expressions.
const depthMax = 64

// operatorsMax bounds the operators of one expression, and with it how deep its tree may lean to the left.
const operatorsMax = 200_000

// ErrLiterals is ParseFingerprinted's answer to a statement whose plan cannot be shared among texts: Parse it and don't cache its plan.
var ErrLiterals = errors.New("parse: the statement's plan depends on its literals: use Parse")

// Fingerprint is token.Fingerprint.
func Fingerprint(text, key []byte, parameters []datum.Datum) (newKey []byte, newParameters []datum.Datum, ok bool) {
	return token.Fingerprint(text, key, parameters)
}

// Split is token.Split.
func Split(text []byte) (statement, rest []byte, err error) { return token.Split(text) }

// parser reads one statement. The first thing that goes wrong ends it: the current token becomes the end, and every loop stops there.
type parser struct {
	lexer      token.Lexer
	source     string       // a copy of the statement: names are parts of it
	at         token.Token  // the token to be read next
	before     int          // where the last token ended
	depth      int          // of expressions
	operators  int          // of the expression
	parameters int          // how many ? were met
	takes      []token.Take // the literals that are parameters, of a fingerprinted statement
	taken      int          // how many of them were read
	rowAlias   string       // of INSERT .. VALUES .. AS alias
	failure    error
	relational string // why the statement is handed on
}

// Parse reads one statement, perhaps with a semicolon behind it. Placeholders become Parameters, numbered from 0. Errors are *fault.Error:
// fault.Syntax, fault.EmptyQuery, or fault.Unsupported for what is read only to be refused.
func Parse(text []byte) (tree.Statement, error) {
	p := &parser{lexer: token.Lexer{Text: text}, source: string(text)}
	return p.parse()
}

// ParseFingerprinted reads a statement that Fingerprint has accepted: the literals that it collects are Parameters, with the same numbers.
// ErrLiterals says that the plan must not be shared; so does every other error, whose message may name what is no literal any more: Parse then.
func ParseFingerprinted(text []byte) (tree.Statement, error) {
	takes, ok := token.Takes(text)
	if !ok {
		return nil, ErrLiterals
	}
	p := &parser{lexer: token.Lexer{Text: text}, source: string(text), takes: takes}
	statement, err := p.parse()
	if err != nil {
		return nil, err
	}
	if _, relational := statement.(*tree.Relational); relational || p.taken != len(takes) {
		return nil, ErrLiterals
	}
	return statement, nil
}

func (p *parser) parse() (tree.Statement, error) {
	p.advance()
	if p.at.Kind == token.End && p.failure == nil || p.at.Word == ";" {
		return nil, fault.New(fault.EmptyQuery)
	}
	start := p.at.Start
	statement := p.statement()
	if p.failure == nil && p.relational == "" {
		p.accept(";")
		if p.at.Kind != token.End {
			p.expected("the end of the statement")
		}
	}
	if p.relational != "" {
		return p.handOn(start)
	}
	if p.failure != nil {
		return nil, p.failure
	}
	return statement, nil
}

// advance reads the next token.
func (p *parser) advance() {
	p.before = p.at.End
	p.at = p.lexer.Next()
	switch p.at.Kind {
	case token.Word:
		p.at.Word = token.LookUp(p.lexer.Text[p.at.Start:p.at.End])
	case token.Bad:
		p.expected(p.lexer.Problem)
	}
}

// peek returns the token after the current one.
func (p *parser) peek() token.Token {
	ahead := p.lexer
	t := ahead.Next()
	if t.Kind == token.Word {
		t.Word = token.LookUp(p.lexer.Text[t.Start:t.End])
	}
	return t
}

// end makes the current token the end of the statement.
func (p *parser) end() {
	p.lexer.Close()
	p.at = token.Token{Kind: token.End, Start: len(p.lexer.Text), End: len(p.lexer.Text)}
}

// expected ends the statement with a syntax error at the current token.
func (p *parser) expected(what string) {
	if p.failure == nil && p.relational == "" {
		p.failure = token.SyntaxError(p.lexer.Text, p.at.Start, what)
	}
	p.end()
}

// refuse ends the statement with a reason: it is well-formed, but the dialect does not have it.
func (p *parser) refuse(reason string) {
	if p.failure == nil && p.relational == "" {
		p.failure = fault.New(fault.Unsupported, reason)
	}
	p.end()
}

// handsOn ends the statement: a relational engine may know it. Why is what was met.
func (p *parser) handsOn(why string) {
	if p.failure == nil && p.relational == "" {
		p.relational = why
	}
	p.end()
}

// is says whether the current token is a keyword or symbol.
func (p *parser) is(word string) bool { return p.at.Word == word }

// accept reads a keyword or symbol if it comes next.
func (p *parser) accept(word string) bool {
	if p.at.Word != word {
		return false
	}
	p.advance()
	return true
}

// accepts reads several keywords in a row, or none of them.
func (p *parser) accepts(sequence ...string) bool {
	mark := *p
	for _, word := range sequence {
		if !p.accept(word) {
			*p = mark
			return false
		}
	}
	return true
}

// acceptAny reads one of several keywords and returns it.
func (p *parser) acceptAny(choices ...string) string {
	for _, word := range choices {
		if p.accept(word) {
			return word
		}
	}
	return ""
}

// expect reads a keyword or symbol that must come next.
func (p *parser) expect(sequence ...string) {
	for _, word := range sequence {
		if !p.accept(word) {
			if word[0] >= 'a' {
				word = strings.ToUpper(word)
			}
			p.expected(word)
			return
		}
	}
}

// more reads a comma, if a list goes on.
func (p *parser) more() bool { return p.accept(",") }

// list reads elements with commas between them, in brackets.
func (p *parser) list(element func()) {
	p.expect("(")
	for {
		element()
		if !p.more() {
			break
		}
	}
	p.expect(")")
}

// sourceOf returns the text of a token, which aliases the parser's copy.
func (p *parser) sourceOf(t token.Token) string { return p.source[t.Start:t.End] }

// isName says whether the current token may be a name.
func (p *parser) isName() bool { return nameable(p.at) }

func nameable(t token.Token) bool {
	return t.Kind == token.Quoted || t.Kind == token.Word && (t.Word == "" || !tree.Reserved(t.Word))
}

// nameOf returns the name that a word or a name in backticks is.
func (p *parser) nameOf(t token.Token) string {
	name := p.sourceOf(t)
	if t.Kind != token.Quoted {
		return name
	}
	name = name[1 : len(name)-1]
	if !t.Plain {
		name = strings.ReplaceAll(name, "``", "`")
	}
	return name
}

// name reads a name; what says of what, for messages.
func (p *parser) name(what string) string {
	if !p.isName() {
		if p.at.Kind == token.Word {
			what += " (" + strings.ToUpper(p.at.Word) + " is reserved: put it in backticks)"
		}
		p.expected(what)
		return ""
	}
	name := p.nameOf(p.at)
	p.advance()
	return name
}

// anyName reads a name behind a point, where keywords need no backticks.
func (p *parser) anyName(what string) string {
	if p.at.Kind != token.Word && p.at.Kind != token.Quoted {
		p.expected(what)
		return ""
	}
	name := p.nameOf(p.at)
	p.advance()
	return name
}

// foreign are the databases that only the relational engine has. // immutable
var foreign = [...]string{"information_schema", "performance_schema", "mysql", "sys"}

// table reads the name of a table, perhaps with its database.
func (p *parser) table() tree.Name {
	if p.at.Word == "table" { // as in examples: SELECT * FROM table
		return tree.Name{Name: p.anyName("a table's name")}
	}
	n := tree.Name{Name: p.name("a table's name")}
	if p.accept(".") {
		n.Database, n.Name = n.Name, p.anyName("a table's name")
	}
	for _, database := range foreign {
		if strings.EqualFold(n.Database, database) {
			p.handsOn("the database " + database)
		}
	}
	return n
}

// text reads a string.
func (p *parser) text(what string) string {
	if p.at.Kind != token.Text {
		p.expected(what)
		return ""
	}
	value := string(token.Literal(p.lexer.Text, p.at, false).Bytes())
	p.advance()
	return value
}

// number reads a small integer that is part of the grammar, such as a length.
func (p *parser) number(what string, limit int) int {
	n, err := strconv.Atoi(p.sourceOf(p.at))
	if p.at.Kind != token.Integer || err != nil || n > limit {
		p.expected(what + ", at most " + strconv.Itoa(limit))
		return 0
	}
	p.advance()
	return n
}
