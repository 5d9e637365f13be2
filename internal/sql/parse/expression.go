// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// operators are the operators between two operands, by the words and symbols that they are written as. immutable
var operators = map[string]tree.Operator{
	"=": tree.Equal, "==": tree.Equal, "<=>": tree.NullSafeEqual, "<>": tree.NotEqual, "!=": tree.NotEqual,
	"<": tree.Less, "<=": tree.LessOrEqual, ">": tree.Greater, ">=": tree.GreaterOrEqual,
	"and": tree.And, "&&": tree.And, "or": tree.Or, "||": tree.Or, "xor": tree.Xor,
	"|": tree.BitOr, "&": tree.BitAnd, "^": tree.BitXor, "<<": tree.ShiftLeft, ">>": tree.ShiftRight,
	"+": tree.Plus, "-": tree.Minus, "*": tree.Multiply, "/": tree.Divide, "div": tree.IntegerDivide,
	"%": tree.Modulo, "mod": tree.Modulo,
}

// bindConcat is how tightly || binds where it joins texts.
const bindConcat = tree.BindUnary

// operatorOf returns the operator that a keyword or symbol is between two operands, and how tightly it binds; 0: it is
// none.
func operatorOf(word string) (operator tree.Operator, binds int) {
	if word == token.Pipes {
		return 0, bindConcat
	}
	operator, ok := operators[word]
	if !ok {
		return 0, 0
	}
	return operator, operator.Binding()
}

// expression reads one expression.
func (p *parser) expression() tree.Expression {
	if p.depth == 0 {
		p.operators = 0
	}
	return p.binary(tree.BindOr)
}

// enter counts one more level of nesting; leave ends it.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > depthMax {
		p.Expected("an expression or a query nested at most " + strconv.Itoa(depthMax) + " deep")
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// binary reads operands and the operators between them that bind at least as tightly as given. Chains are read in a
// loop, so that a long one takes no stack.
func (p *parser) binary(least int) tree.Expression { return p.binaryFrom(p.operand(least), least) }

// binaryFrom is binary behind a first operand that was read.
func (p *parser) binaryFrom(left tree.Expression, least int) tree.Expression {
	for p.At.Word != "" {
		operator, binds := operatorOf(p.At.Word)
		if binds == 0 {
			next, ok := p.predicate(left, least)
			if !ok {
				return left
			}
			left = next
		} else if binds < least {
			return left
		} else {
			p.Advance()
			switch {
			case binds == bindConcat:
				left = concatenation(left, p.binary(binds+1))
			case binds == tree.BindComparison && p.quantifies():
				left = p.readQuantified(operator, left)
			default:
				next := &tree.Binary{Operator: operator, Left: left, Right: p.binary(binds + 1)}
				if binds == tree.BindComparison {
					p.weighComparison(next)
				}
				left = next
			}
		}
		p.operators++
		if p.operators > operatorsMax {
			p.Expected("at most " + strconv.Itoa(operatorsMax) + " operators in one expression")
		}
	}
	return left
}

// concatenation makes one call of a chain of ||.
func concatenation(left, right tree.Expression) tree.Expression {
	if c, ok := left.(*tree.Call); ok && c.Name == "concat" {
		c.Arguments = append(c.Arguments, right)
		return c
	}
	return &tree.Call{Name: "concat", Arguments: []tree.Expression{left, right}}
}

// operand reads the first operand, with NOT where it may stand.
func (p *parser) operand(least int) tree.Expression {
	if p.At.Word != "not" || least > tree.BindNot {
		return p.unary()
	}
	p.Advance()
	if !p.enter() {
		return nil
	}
	defer p.leave()
	return &tree.Unary{Operator: tree.Not, X: p.binary(tree.BindNot)}
}

// quantifies reports whether ANY, SOME or ALL (query) comes.
func (p *parser) quantifies() bool {
	switch p.At.Word {
	case "any", "some", "all":
		return p.Peek().Word == "("
	}
	return false
}

// readQuantified reads it, behind a comparison.
func (p *parser) readQuantified(operator tree.Operator, x tree.Expression) tree.Expression {
	if operator == tree.NullSafeEqual {
		p.Expected("a comparison such as = before ANY and ALL")
	}
	all := p.AcceptAny("any", "some", "all") == "all"
	q := &tree.Quantified{Operator: operator, X: x, All: all, Query: p.subquery()}
	p.weighColumn(&q.X, q.Query)
	return q
}

// predicate reads IS, IN, BETWEEN, LIKE and REGEXP behind their operand; ok is false if none comes or if it binds too
// loosely.
func (p *parser) predicate(x tree.Expression, least int) (e tree.Expression, ok bool) {
	if p.At.Word == "is" && least <= tree.BindComparison {
		p.Advance()
		return p.isWhat(x), true
	}
	if least > tree.BindPredicate {
		return nil, false
	}
	word := p.At.Word
	negated := word == "not"
	if negated {
		word = p.Peek().Word
	}
	switch word {
	case "in", "between", "like", "regexp", "rlike":
	case "member":
		return p.memberOf(x, negated), true
	case "sounds":
		if next := p.Peek().Word; negated || next != "like" {
			return nil, false
		}
		p.Expect("sounds", "like")
		sound := func(x tree.Expression) tree.Expression {
			return &tree.Call{Name: "soundex", Arguments: []tree.Expression{x}}
		}
		return &tree.Binary{Operator: tree.Equal, Left: sound(x), Right: sound(p.binary(tree.BindBitOr))}, true
	default:
		return nil, false
	}
	if negated {
		p.Advance()
	}
	p.Advance()
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	switch word {
	case "in":
		return p.in(x, negated), true
	case "between":
		between := &tree.Between{X: x, Low: p.binary(tree.BindBitOr), Not: negated}
		p.Expect("and")
		between.High = p.binary(tree.BindPredicate)
		p.weigh(&between.X, &between.Low, &between.High)
		return between, true
	}
	like := &tree.Like{X: x, Pattern: p.binary(tree.BindBitOr), Not: negated, Regexp: word != "like"}
	p.weighLike(like)
	if word == "like" {
		if p.Accept("escape") {
			p.escape(like)
		} else {
			like.EscapeGiven = p.Lexer.Mode&token.NoBackslashEscapes != 0 // then nothing escapes
		}
	}
	return like, true
}

// memberOf reads MEMBER OF (array) as a call.
func (p *parser) memberOf(x tree.Expression, negated bool) tree.Expression {
	if negated {
		p.Advance()
	}
	p.Expect("member")
	p.Accept("of")
	p.Expect("(")
	var e tree.Expression = &tree.Call{Name: "member_of", Arguments: []tree.Expression{x, p.expression()}}
	p.Expect(")")
	if negated {
		e = &tree.Unary{Operator: tree.Not, X: e}
	}
	return e
}

// escape reads the character behind ESCAPE. An empty one means that nothing escapes.
func (p *parser) escape(like *tree.Like) {
	const what = "one character in quotes"
	start := p.At
	runes := []rune(p.Text(what))
	like.EscapeGiven = true
	switch {
	case len(runes) == 1:
		like.Escape = runes[0]
	case len(runes) > 1:
		p.At = start
		p.Expected(what)
	}
}

func (p *parser) isWhat(x tree.Expression) tree.Expression {
	is := &tree.Is{X: x, Not: p.Accept("not")}
	switch p.AcceptAny("null", "true", "false", "unknown") {
	case "true":
		is.Kind = tree.IsTrue
	case "false":
		is.Kind = tree.IsFalse
	case "":
		p.Expected("NULL, TRUE, FALSE or UNKNOWN")
	}
	return is
}

// in reads what stands behind IN. A query in brackets of its own is one, too.
func (p *parser) in(x tree.Expression, negated bool) tree.Expression {
	p.Expect("(")
	if p.startsQuery() {
		in := &tree.InQuery{X: x, Query: p.closedQuery(), Not: negated}
		p.weighColumn(&in.X, in.Query)
		return in
	}
	in := &tree.In{X: x, Not: negated, List: []tree.Expression{p.expression()}}
	if sub, ok := in.List[0].(*tree.Subquery); ok && !p.Is(",") {
		return &tree.InQuery{X: x, Query: p.closes(p.queryFrom(sub.Query)), Not: negated}
	}
	for p.More() {
		in.List = append(in.List, p.expression())
	}
	p.Expect(")")
	if len(p.collated) > 0 {
		compared := []*tree.Expression{&in.X}
		for i := range in.List {
			compared = append(compared, &in.List[i])
		}
		p.weigh(compared...)
	}
	return in
}

// unary reads an operand with its signs.
func (p *parser) unary() tree.Expression {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	switch p.At.Word {
	case "-":
		return p.readCollate(p.negative())
	case "+":
		p.Advance()
		return p.unary()
	case "~":
		p.Advance()
		return &tree.Unary{Operator: tree.BitNot, X: p.unary()}
	case "!":
		p.Advance()
		return &tree.Unary{Operator: tree.Not, X: p.unary()}
	case "binary":
		p.Advance()
		return &tree.Cast{X: p.unary(), To: datum.Type{Base: datum.Varbinary}}
	}
	return p.readCollate(p.primary())
}

// negative reads what follows a minus; a number takes it over.
func (p *parser) negative() tree.Expression {
	if e, ok := p.readLiteral(); ok {
		return e
	}
	p.Advance()
	if p.At.Kind >= token.Integer && p.At.Kind <= token.Float && !p.isTaken() {
		return p.literal(true)
	}
	return &tree.Unary{Operator: tree.Minus, X: p.unary()}
}

// collation reads the name of a character set or collation, which changes nothing.
func (p *parser) collation() string {
	name := p.collationName()
	p.noteText(name)
	return name
}

func (p *parser) collationName() string {
	switch {
	case p.At.Kind == token.Text:
		return p.Text("a collation")
	case p.At.Word == "binary" || p.At.Word == "default":
		return p.AnyName("a collation")
	}
	return p.Name("the name of a character set or a collation")
}

// isTaken reports whether the current token starts a literal that is a parameter.
func (p *parser) isTaken() bool {
	return p.taken < len(p.takes) && p.takes[p.taken].Start == p.At.Start
}

// readLiteral reads such a literal.
func (p *parser) readLiteral() (e tree.Expression, ok bool) {
	if !p.isTaken() {
		return nil, false
	}
	end := p.takes[p.taken].End
	for p.At.End <= end && p.At.Kind != token.End {
		p.Advance()
	}
	p.taken++
	return &tree.Parameter{Index: p.taken - 1}, true
}

// literal reads a literal. Its bytes are memory of its own.
func (p *parser) literal(negative bool) tree.Expression {
	if e, ok := p.readLiteral(); ok {
		return e
	}
	l := &tree.Literal{}
	if p.At.Kind == token.Text && p.At.Plain {
		l.Value = datum.TextString(p.Source[p.At.Start+1 : p.At.End-1])
	} else {
		l.Value = token.Literal(p.Lexer.Text, p.At, negative)
	}
	p.Advance()
	return l
}

// primary reads an operand without signs.
func (p *parser) primary() tree.Expression {
	switch p.At.Kind {
	case token.Text, token.Integer, token.Decimal, token.Float, token.Hex, token.Bits:
		return p.literal(false)
	case token.Placeholder:
		p.Advance()
		p.parameters++
		return &tree.Parameter{Index: p.parameters - 1}
	case token.Variable:
		return p.variableValue()
	case token.Quoted:
		return p.column()
	case token.Word:
		if p.At.Word != "" {
			return p.wordPrimary()
		}
		return p.columnOrCall()
	}
	switch p.At.Word {
	case "(":
		return p.readBrackets()
	case "{":
		return p.odbc()
	}
	p.Expected("an expression")
	return nil
}

// readBrackets reads (x), (a, b) and (query).
func (p *parser) readBrackets() tree.Expression {
	p.Advance()
	if p.startsQuery() {
		return &tree.Subquery{Query: p.closedQuery()}
	}
	first := p.expression()
	if sub, ok := first.(*tree.Subquery); ok && p.continuesQuery() {
		return &tree.Subquery{Query: p.closes(p.queryFrom(sub.Query))}
	}
	if !p.Is(",") {
		p.Expect(")")
		return first
	}
	tuple := &tree.Tuple{Elements: []tree.Expression{first}}
	for p.More() {
		tuple.Elements = append(tuple.Elements, p.expression())
	}
	p.Expect(")")
	return tuple
}

// odbc reads {d '2024-01-31'}, {t ..}, {ts ..} and {fn f(x)}.
func (p *parser) odbc() tree.Expression {
	p.Advance()
	kind := p.Name("d, t, ts or fn")
	x := p.expression()
	p.Expect("}")
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
	first := p.At
	p.Advance()
	if p.Is("(") {
		return p.call(first)
	}
	if p.Source[first.Start] == '_' {
		if e, ok := p.readIntroduced(first); ok {
			return e
		}
	}
	return p.columnFrom(first)
}

// readIntroduced reads the literal behind an introducer such as _utf8mb4.
func (p *parser) readIntroduced(introducer token.Token) (e tree.Expression, ok bool) {
	switch p.At.Kind {
	case token.Text, token.Hex, token.Bits:
	default:
		return nil, false
	}
	value := token.Literal(p.Lexer.Text, p.At, false)
	bytes := bytes.Clone(value.Bytes())
	if p.SourceOf(introducer) == "_binary" {
		value = datum.Binary(bytes)
	} else {
		value = datum.Text(bytes)
	}
	p.Advance()
	return &tree.Literal{Value: value}, true
}

// column reads a column.
func (p *parser) column() tree.Expression {
	first := p.At
	if !p.IsName() {
		p.Name("a column")
		return nil
	}
	p.Advance()
	return p.columnFrom(first)
}

// columnFrom reads the rest of a column whose first name was read: points and names, and -> and ->> with a path.
func (p *parser) columnFrom(first token.Token) tree.Expression {
	c := &tree.Column{Name: p.NameOf(first), At: first.Start}
	for range 2 {
		if !p.Is(".") {
			break
		}
		p.Advance()
		c.Database, c.Table, c.Name = c.Table, c.Name, p.AnyName("a column")
	}
	if p.rowAlias != "" && c.Table == p.rowAlias {
		return &tree.ValuesOf{Column: c.Name}
	}
	if p.Is("->") || p.Is("->>") {
		return p.path(c)
	}
	return c
}

// path reads column -> '$.path' and column ->> '$.path', as the functions that they stand for.
func (p *parser) path(c *tree.Column) tree.Expression {
	unquote := p.Is("->>")
	p.Advance()
	if p.At.Kind != token.Text {
		p.Expected("a JSON path in quotes")
		return nil
	}
	extract := &tree.Call{Name: "json_extract", Arguments: []tree.Expression{c, p.literal(false)}}
	if !unquote {
		return extract
	}
	return &tree.Call{Name: "json_unquote", Arguments: []tree.Expression{extract}}
}

// variableValue reads @a or @@b in an expression.
func (p *parser) variableValue() tree.Expression {
	v := p.variable()
	if p.Is(":=") && !v.System {
		p.Advance()
		return &tree.Call{Name: tree.Assigns, Arguments: []tree.Expression{textLiteral(v.Name), p.expression()}}
	}
	return &v
}
