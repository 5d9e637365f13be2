// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/data/expr"
)

// Limits of one expression.
const (
	textBytesMax    = 4096 // before names are put in
	operatorsMax    = 300  // signs, keywords and functions
	inOperandsMax   = 100
	pathElementsMax = 32
	indexMax        = 1<<31 - 1
	// nestingMax is how deep parentheses and functions may nest. As each useful pair of them holds an operator or is a
	// function's, what nests deeper breaks another limit, too; this one keeps the parser's stack small until that is
	// found out.
	nestingMax = operatorsMax + 20
)

// parser reads one expression. A syntax fault sets failed and makes the rest of the text invisible, so that every loop
// ends; any other fault is noted, and parsing goes on with stand-ins in the tree. A tree is handed out only if there
// was no fault.
type parser struct {
	kind      Kind
	lexer     lexer
	current   token
	previous  token // the one in front of current, for error texts
	known     *Substitutions
	steps     []expr.Step // of the path being read
	order     [4]keyword  // of an update's sections
	operators int
	nesting   int

	failed  bool
	rank    rank // of the message; 0: no fault but perhaps failed
	leaf    rank // how many comparisons and functions of a condition were read
	message string
}

// begin reads the first token. It returns false if the text can't be parsed at all.
func (p *parser) begin() bool {
	if len(p.lexer.text) == 0 {
		p.abort("The expression can not be empty;")
		return false
	}
	if len(p.lexer.text) > textBytesMax {
		text := "Expression size has exceeded the maximum allowed size;"
		if p.kind != UpdateActions {
			text += " expression size: " + strconv.Itoa(len(p.lexer.text))
		}
		p.abort(text)
		return false
	}
	if p.known == nil {
		p.known = &Substitutions{}
	}
	p.current = p.lexer.next()
	p.previous = token{start: p.current.start, end: p.current.start}
	return true
}

// end checks what can be checked only when the whole text is read.
func (p *parser) end() error {
	if p.current.kind != tokenEnd {
		p.unexpected()
	}
	if p.operators > operatorsMax {
		p.note(faultLimit, "The expression contains too many operators; operator count: ", strconv.Itoa(p.operators))
	}
	return p.failure()
}

// abort ends the parsing with a fault that comes before all others.
func (p *parser) abort(message string) {
	if p.failed {
		return
	}
	p.failed = true
	p.message = message
	p.lexer.at = len(p.lexer.text)
	p.current = token{}
}

func (p *parser) text(t token) string { return p.lexer.text[t.start:t.end] }

func (p *parser) advance() {
	if p.failed {
		return
	}
	p.previous = p.current
	p.current = p.lexer.next()
}

// accept steps over a token of the given kind if it is the current one.
func (p *parser) accept(kind tokenKind) bool {
	if p.current.kind != kind {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(kind tokenKind) {
	if !p.accept(kind) {
		p.unexpected()
	}
}

func (p *parser) acceptKeyword(word keyword) bool {
	if p.current.keyword != word {
		return false
	}
	p.advance()
	return true
}

// enter counts a pair of parentheses that opens; leave one that closes.
func (p *parser) enter() {
	p.nesting++
	if p.nesting > nestingMax {
		p.abort(redundantText)
	}
}

func (p *parser) leave() { p.nesting-- }

const redundantText = "The expression has redundant parentheses;"

// isKeyword reports whether the current token is a keyword of the language that is parsed.
func (p *parser) isKeyword() bool {
	switch k := p.current.keyword; p.kind {
	case Projection:
		return false
	case UpdateActions:
		return k >= keywordSet
	default:
		return k != keywordNone && k < keywordSet
	}
}

// path reads a document path.
func (p *parser) path() expr.Path {
	path := expr.Path{Name: p.pathName()}
	p.readSteps(&path)
	return path
}

// deeper reads what leads further from a path in parentheses: (a.b).c is a.b.c.
func (p *parser) deeper(o expr.Operand) expr.Operand {
	path, ok := o.(*expr.Path)
	if ok && (p.current.kind == tokenDot || p.current.kind == tokenOpenIndex) {
		p.readSteps(path)
	}
	return o
}

// readSteps adds the steps that follow to those of a path.
func (p *parser) readSteps(path *expr.Path) {
	p.steps = append(p.steps[:0], path.Steps...)
	for !p.failed {
		switch {
		case p.accept(tokenDot):
			p.steps = append(p.steps, expr.Step{Field: p.pathName(), Index: -1})
			continue
		case p.accept(tokenOpenIndex):
			p.steps = append(p.steps, expr.Step{Index: p.index()})
			p.expect(tokenCloseIndex)
			continue
		}
		break
	}
	if len(p.steps) > 0 {
		path.Steps = slices.Clone(p.steps)
	}
	if elements := len(path.Steps) + 1; elements > pathElementsMax {
		p.note(faultLimit, "The document path has too many nesting levels; nesting levels: ", strconv.Itoa(elements))
	}
}

// pathName reads one name of a path: a #name or a word that is not reserved. A keyword is a fault of syntax even behind
// a dot.
func (p *parser) pathName() string {
	text := p.text(p.current)
	switch p.current.kind {
	case tokenWord:
		if p.isKeyword() {
			p.unexpected()
			return ""
		}
		if IsReserved(text) {
			p.note(faultReserved, "Attribute name is a reserved keyword; reserved keyword: ", text)
		}
	case tokenName:
		name, ok := p.known.names.use(text)
		if !ok {
			p.note(faultNames, "An expression attribute name used in the document path is not defined; attribute name: ", text)
		}
		text = name
	default:
		p.unexpected()
		return ""
	}
	p.advance()
	return text
}

func (p *parser) index() int {
	text := p.text(p.current)
	if p.current.kind != tokenNumber {
		p.unexpected()
		return 0
	}
	p.advance()
	n, err := strconv.Atoi(text)
	if err != nil || n > indexMax { // from memory
		p.note(faultLimit, "List index is not within the allowable range; index: [", text, "]")
		return 0
	}
	return n
}

// literal reads a :value.
func (p *parser) literal() *expr.Literal {
	text := p.text(p.current)
	if p.current.kind != tokenValue {
		p.unexpected()
		return p.known.nodes.literals.take(expr.Literal{})
	}
	p.advance()
	v, ok := p.known.values.use(text)
	if !ok {
		p.note(faultValues, "An expression attribute value used in expression is not defined; attribute value: ", text)
	}
	return p.known.nodes.literals.take(expr.Literal{Value: v})
}

// operand reads an operand; parenthesized says that it stands in parentheses of its own.
func (p *parser) operand() (o expr.Operand, parenthesized bool) {
	if p.accept(tokenOpen) {
		p.enter()
		o, parenthesized = p.operand()
		if parenthesized {
			p.note(faultParentheses, redundantText)
		}
		p.expect(tokenClose)
		p.leave()
		return p.deeper(o), true
	}
	t := p.simple()
	if t.condition != nil {
		p.noteMisuse(t.function)
	}
	return t.operand, false
}

// term is something that was read and may be a condition or an operand. Of a function, the operand is always set, if
// only by a stand-in, so that it can be used in the wrong way.
type term struct {
	condition     expr.Condition
	operand       expr.Operand
	function      string // its name, if it is a function's call
	parenthesized bool
}

// simple reads a path, a :value or a function's call.
func (p *parser) simple() term {
	switch {
	case p.current.kind == tokenValue:
		return term{operand: p.literal()}
	case p.current.kind == tokenWord && p.startsCall():
		return p.call()
	}
	return term{operand: p.known.nodes.paths.take(p.path())}
}

// startsCall reports whether an opening parenthesis follows the current token.
func (p *parser) startsCall() bool {
	rest := p.lexer.text[p.lexer.at:]
	for len(rest) > 0 && isSpace(rest[0]) {
		rest = rest[1:]
	}
	return len(rest) > 0 && rest[0] == '(' && !p.isKeyword()
}

func (p *parser) noteMisuse(function string) {
	p.note(faultMisused, "The function is not allowed to be used this way in an expression; function: ", function)
}
