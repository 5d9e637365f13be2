// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// How tightly operators bind, the loosest first.
const (
	bindNothing = iota
	bindOr
	bindXor
	bindAnd
	bindNot
	bindComparison
	bindPredicate // IN, BETWEEN, LIKE
	bindBitOr
	bindBitAnd
	bindShift
	bindSum
	bindProduct
	bindBitXor
)

// operatorOf returns the operator that a keyword or symbol is between two operands.
func operatorOf(word string) (operator tree.Operator, binds int) {
	switch word {
	case "=", "==":
		return tree.Equal, bindComparison
	case "and", "&&":
		return tree.And, bindAnd
	case "or", "||":
		return tree.Or, bindOr
	case "xor":
		return tree.Xor, bindXor
	case "<=>":
		return tree.NullSafeEqual, bindComparison
	case "<>", "!=":
		return tree.NotEqual, bindComparison
	case "<":
		return tree.Less, bindComparison
	case "<=":
		return tree.LessOrEqual, bindComparison
	case ">":
		return tree.Greater, bindComparison
	case ">=":
		return tree.GreaterOrEqual, bindComparison
	case "|":
		return tree.BitOr, bindBitOr
	case "&":
		return tree.BitAnd, bindBitAnd
	case "<<":
		return tree.ShiftLeft, bindShift
	case ">>":
		return tree.ShiftRight, bindShift
	case "+":
		return tree.Plus, bindSum
	case "-":
		return tree.Minus, bindSum
	case "*":
		return tree.Multiply, bindProduct
	case "/":
		return tree.Divide, bindProduct
	case "div":
		return tree.IntegerDivide, bindProduct
	case "%", "mod":
		return tree.Modulo, bindProduct
	case "^":
		return tree.BitXor, bindBitXor
	}
	return 0, bindNothing
}

// expression reads one expression.
func (p *parser) expression() tree.Expression {
	if p.depth == 0 {
		p.operators = 0
	}
	return p.binary(bindOr)
}

// enter counts one more level of nesting; leave ends it.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > depthMax {
		p.expected("an expression nested at most " + strconv.Itoa(depthMax) + " deep")
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// binary reads operands and the operators between them that bind at least as tightly as given. Chains are read in a loop, so that a long one
// takes no stack.
func (p *parser) binary(least int) tree.Expression {
	left := p.operand(least)
	for p.at.Word != "" {
		operator, binds := operatorOf(p.at.Word)
		if binds == bindNothing {
			next, ok := p.predicate(left, least)
			if !ok {
				return left
			}
			left = next
		} else if binds < least {
			return left
		} else {
			p.advance()
			if binds == bindComparison {
				p.quantifier()
			}
			left = &tree.Binary{Operator: operator, Left: left, Right: p.binary(binds + 1)}
		}
		p.operators++
		if p.operators > operatorsMax {
			p.expected("at most " + strconv.Itoa(operatorsMax) + " operators in one expression")
		}
	}
	return left
}

// operand reads the first operand, with NOT where it may stand.
func (p *parser) operand(least int) tree.Expression {
	if p.at.Word != "not" || least > bindNot {
		return p.unary()
	}
	p.advance()
	if !p.enter() {
		return nil
	}
	defer p.leave()
	return &tree.Unary{Operator: tree.Not, X: p.binary(bindNot)}
}

// quantifier hands on = ANY (SELECT ..).
func (p *parser) quantifier() {
	switch p.at.Word {
	case "any", "some", "all":
		if p.peek().Word == "(" {
			p.handsOn("a subquery")
		}
	}
}

// predicate reads IS, IN, BETWEEN, LIKE and REGEXP behind their operand; ok is false if none comes or if it binds too loosely.
func (p *parser) predicate(x tree.Expression, least int) (e tree.Expression, ok bool) {
	if p.at.Word == "is" && least <= bindComparison {
		p.advance()
		return p.isWhat(x), true
	}
	if least > bindPredicate {
		return nil, false
	}
	word := p.at.Word
	negated := word == "not"
	if negated {
		word = p.peek().Word
	}
	switch word {
	case "in", "between", "like", "regexp", "rlike":
	case "member":
		p.refuse("MEMBER OF is not supported: use json_contains")
		return nil, false
	default:
		return nil, false
	}
	if negated {
		p.advance()
	}
	p.advance()
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	switch word {
	case "in":
		return p.in(x, negated), true
	case "between":
		between := &tree.Between{X: x, Low: p.binary(bindBitOr), Not: negated}
		p.expect("and")
		between.High = p.binary(bindPredicate)
		return between, true
	}
	like := &tree.Like{X: x, Pattern: p.binary(bindBitOr), Not: negated, Regexp: word != "like"}
	if word == "like" && p.accept("escape") {
		p.escape(like)
	}
	return like, true
}

// escape reads the character behind ESCAPE. An empty one means that nothing escapes.
func (p *parser) escape(like *tree.Like) {
	const what = "one character in quotes"
	start := p.at
	runes := []rune(p.text(what))
	like.EscapeGiven = true
	switch {
	case len(runes) == 1:
		like.Escape = runes[0]
	case len(runes) > 1:
		p.at = start
		p.expected(what)
	}
}

func (p *parser) isWhat(x tree.Expression) tree.Expression {
	is := &tree.Is{X: x, Not: p.accept("not")}
	switch p.acceptAny("null", "true", "false", "unknown") {
	case "true":
		is.Kind = tree.IsTrue
	case "false":
		is.Kind = tree.IsFalse
	case "":
		p.expected("NULL, TRUE, FALSE or UNKNOWN")
	}
	return is
}

func (p *parser) in(x tree.Expression, negated bool) tree.Expression {
	in := &tree.In{X: x, Not: negated}
	if p.is("(") && subquery(p.peek()) {
		p.handsOn("a subquery")
	}
	p.list(func() { in.List = append(in.List, p.expression()) })
	return in
}

// subquery says whether a token behind an opening bracket starts a query.
func subquery(t token.Token) bool { return t.Word == "select" || t.Word == "with" || t.Word == "table" }

// unary reads an operand with its signs.
func (p *parser) unary() tree.Expression {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	switch p.at.Word {
	case "-":
		return p.negative()
	case "+":
		p.advance()
		return p.unary()
	case "~":
		p.advance()
		return &tree.Unary{Operator: tree.BitNot, X: p.unary()}
	case "!":
		p.advance()
		return &tree.Unary{Operator: tree.Not, X: p.unary()}
	case "binary":
		p.advance()
		return &tree.Cast{X: p.unary(), To: datum.Type{Base: datum.Varbinary}}
	}
	x := p.primary()
	for p.at.Word == "collate" {
		p.advance()
		p.collation()
	}
	return x
}

// negative reads what follows a minus; a number takes it over.
func (p *parser) negative() tree.Expression {
	if e, ok := p.takenHere(); ok {
		return e
	}
	p.advance()
	if p.at.Kind >= token.Integer && p.at.Kind <= token.Float && !p.isTaken() {
		return p.literal(true)
	}
	return &tree.Unary{Operator: tree.Minus, X: p.unary()}
}

// collation reads the name of a character set or collation, which changes nothing.
func (p *parser) collation() string {
	switch {
	case p.at.Kind == token.Text:
		return p.text("a collation")
	case p.at.Word == "binary" || p.at.Word == "default":
		return p.anyName("a collation")
	}
	return p.name("the name of a character set or a collation")
}

// isTaken says whether the current token starts a literal that is a parameter.
func (p *parser) isTaken() bool {
	return p.taken < len(p.takes) && p.takes[p.taken].Start == p.at.Start
}

// takenHere reads such a literal.
func (p *parser) takenHere() (e tree.Expression, ok bool) {
	if !p.isTaken() {
		return nil, false
	}
	end := p.takes[p.taken].End
	for p.at.End <= end && p.at.Kind != token.End {
		p.advance()
	}
	p.taken++
	return &tree.Parameter{Index: p.taken - 1}, true
}

// literal reads a literal. Its bytes are memory of its own.
func (p *parser) literal(negative bool) tree.Expression {
	if e, ok := p.takenHere(); ok {
		return e
	}
	l := &tree.Literal{}
	if p.at.Kind == token.Text && p.at.Plain {
		l.Value = datum.TextString(p.source[p.at.Start+1 : p.at.End-1])
	} else {
		l.Value = token.Literal(p.lexer.Text, p.at, negative)
	}
	p.advance()
	return l
}

// primary reads an operand without signs.
func (p *parser) primary() tree.Expression {
	switch p.at.Kind {
	case token.Text, token.Integer, token.Decimal, token.Float, token.Hex, token.Bits:
		return p.literal(false)
	case token.Placeholder:
		p.advance()
		p.parameters++
		return &tree.Parameter{Index: p.parameters - 1}
	case token.Variable:
		return p.variableValue()
	case token.Quoted:
		return p.column()
	case token.Word:
		if p.at.Word != "" {
			return p.wordPrimary()
		}
		return p.columnOrCall()
	}
	switch p.at.Word {
	case "(":
		return p.bracketed()
	case "{":
		return p.odbc()
	}
	p.expected("an expression")
	return nil
}

// bracketed reads (x) and (a, b).
func (p *parser) bracketed() tree.Expression {
	p.advance()
	if subquery(p.at) {
		p.handsOn("a subquery")
	}
	first := p.expression()
	if !p.is(",") {
		p.expect(")")
		return first
	}
	tuple := &tree.Tuple{Elements: []tree.Expression{first}}
	for p.more() {
		tuple.Elements = append(tuple.Elements, p.expression())
	}
	p.expect(")")
	return tuple
}

// odbc reads {d '2024-01-31'}, {t ..}, {ts ..} and {fn f(x)}.
func (p *parser) odbc() tree.Expression {
	p.advance()
	kind := p.name("d, t, ts or fn")
	x := p.expression()
	p.expect("}")
	switch kind {
	case "d":
		return &tree.Cast{X: x, To: datum.Type{Base: datum.Date}}
	case "t":
		return &tree.Cast{X: x, To: datum.Type{Base: datum.Time}}
	case "ts":
		return &tree.Cast{X: x, To: datum.Type{Base: datum.Timestamp}}
	}
	return x
}

// columnOrCall reads a word that the grammar does not know, and what belongs to it.
func (p *parser) columnOrCall() tree.Expression {
	first := p.at
	p.advance()
	if p.is("(") {
		return p.call(first)
	}
	if p.source[first.Start] == '_' {
		if e, ok := p.introduced(first); ok {
			return e
		}
	}
	return p.columnFrom(first)
}

// introduced reads the literal behind an introducer such as _utf8mb4.
func (p *parser) introduced(introducer token.Token) (e tree.Expression, ok bool) {
	switch p.at.Kind {
	case token.Text, token.Hex, token.Bits:
	default:
		return nil, false
	}
	value := token.Literal(p.lexer.Text, p.at, false)
	bytes := bytes.Clone(value.Bytes())
	if p.sourceOf(introducer) == "_binary" {
		value = datum.Binary(bytes)
	} else {
		value = datum.Text(bytes)
	}
	p.advance()
	return &tree.Literal{Value: value}, true
}

// column reads a column.
func (p *parser) column() tree.Expression {
	first := p.at
	if !p.isName() {
		p.name("a column")
		return nil
	}
	p.advance()
	return p.columnFrom(first)
}

// columnFrom reads the rest of a column whose first name was read: points and names, and -> and ->> with a path.
func (p *parser) columnFrom(first token.Token) tree.Expression {
	c := &tree.Column{Name: p.nameOf(first), At: first.Start}
	for range 2 {
		if !p.is(".") {
			break
		}
		p.advance()
		c.Database, c.Table, c.Name = c.Table, c.Name, p.anyName("a column")
	}
	if p.rowAlias != "" && c.Table == p.rowAlias {
		return &tree.ValuesOf{Column: c.Name}
	}
	if p.is("->") || p.is("->>") {
		return p.path(c)
	}
	return c
}

// path reads column -> '$.path' and column ->> '$.path', as the functions that they stand for.
func (p *parser) path(c *tree.Column) tree.Expression {
	unquote := p.is("->>")
	p.advance()
	if p.at.Kind != token.Text {
		p.expected("a JSON path in quotes")
		return nil
	}
	extract := &tree.Call{Name: "json_extract", Arguments: []tree.Expression{c, p.literal(false)}, At: c.At}
	if !unquote {
		return extract
	}
	return &tree.Call{Name: "json_unquote", Arguments: []tree.Expression{extract}, At: c.At}
}

// variableValue reads @a or @@b in an expression.
func (p *parser) variableValue() tree.Expression {
	v := p.variable()
	if p.is(":=") {
		p.refuse("a variable is assigned by SET, not within another statement")
	}
	return &v
}
