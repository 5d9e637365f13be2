// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// wordPrimary reads an operand that starts with a word of the grammar.
func (p *parser) wordPrimary() tree.Expression {
	first := p.at
	switch first.Word {
	case "null":
		p.advance()
		return &tree.Literal{}
	case "true", "false":
		p.advance()
		return &tree.Literal{Value: datum.Bool(first.Word == "true")}
	case "default":
		p.advance()
		return &tree.Default{}
	case "case":
		return p.caseWhen()
	case "interval":
		return p.interval()
	case "exists":
		p.handsOn("a subquery")
		return nil
	case "current_timestamp", "localtime", "localtimestamp", "current_date", "current_time", "utc_date", "utc_time", "utc_timestamp", "current_user":
		return p.bareCall()
	}
	next := p.peek()
	switch {
	case next.Word == "(":
		return p.wordCall()
	case next.Kind == token.Text && (first.Word == "date" || first.Word == "time" || first.Word == "timestamp"):
		p.advance()
		return &tree.Cast{X: p.literal(false), To: datum.Type{Base: bases[first.Word]}}
	}
	if tree.Reserved(first.Word) {
		p.expected("an expression (" + strings.ToUpper(first.Word) + " is reserved: as a name it needs backticks)")
		return nil
	}
	return p.column()
}

// wordCall reads a call whose name is a word of the grammar.
func (p *parser) wordCall() tree.Expression {
	first := p.at
	switch first.Word {
	case "cast":
		return p.cast()
	case "convert":
		return p.convert()
	case "values":
		return p.valuesOf()
	case "match":
		return p.match()
	case "row":
		p.advance()
		return p.bracketed()
	case "if", "left", "right", "replace", "insert", "mod", "char", "database", "schema", "repeat":
	default:
		if tree.Reserved(first.Word) {
			p.expected("an expression (" + strings.ToUpper(first.Word) + " is reserved: as a name it needs backticks)")
			return nil
		}
	}
	p.advance()
	return p.call(first)
}

// bareCall reads CURRENT_TIMESTAMP and the like, which need no brackets.
func (p *parser) bareCall() tree.Expression {
	first := p.at
	p.advance()
	if p.is("(") {
		return p.call(first)
	}
	return &tree.Call{Name: first.Word, At: first.Start}
}

// call reads the arguments of a function whose name was read.
func (p *parser) call(name token.Token) tree.Expression {
	c := &tree.Call{Name: strings.ToLower(p.nameOf(name)), At: name.Start}
	p.expect("(")
	if p.accept("distinct") {
		c.Distinct = true
	} else {
		p.accept("all")
	}
	p.arguments(c)
	if p.accepts("order", "by") {
		c.OrderBy = p.orders()
	}
	if p.accept("separator") {
		separator := p.text("the text between the values")
		c.Separator = &separator
	}
	p.expect(")")
	if p.is("over") {
		p.handsOn("a window function")
	}
	return c
}

// arguments reads what stands in the brackets of a call; some functions have forms of their own.
func (p *parser) arguments(c *tree.Call) {
	switch c.Name {
	case "extract":
		if p.at.Kind == token.Word {
			c.Arguments = []tree.Expression{p.unitText()}
			p.expect("from")
			c.Arguments = append(c.Arguments, p.expression())
			return
		}
	case "timestampdiff", "timestampadd":
		if p.at.Kind == token.Word {
			c.Arguments = []tree.Expression{p.unitText()}
			p.expect(",")
		}
	case "position":
		p.positionOf(c)
		return
	case "trim":
		p.trim(c)
		return
	case "count":
		if p.accept("*") {
			c.Arguments = []tree.Expression{&tree.Star{}}
			return
		}
	}
	if p.is(")") {
		return
	}
	for {
		c.Arguments = append(c.Arguments, p.expression())
		if p.more() {
			continue
		}
		switch {
		case p.accept("using"):
			p.collation()
		case p.is("from") && (c.Name == "substring" || c.Name == "substr" || c.Name == "mid"):
			p.substringFrom(c)
		}
		return
	}
}

// substringFrom reads the rest of SUBSTRING(x FROM n FOR m).
func (p *parser) substringFrom(c *tree.Call) {
	p.expect("from")
	c.Arguments = append(c.Arguments, p.expression())
	if p.accept("for") {
		c.Arguments = append(c.Arguments, p.expression())
	}
}

// positionOf reads POSITION(x IN y), which is LOCATE(x, y).
func (p *parser) positionOf(c *tree.Call) {
	c.Name = "locate"
	c.Arguments = append(c.Arguments, p.binary(bindBitOr))
	if !p.accept("in") {
		p.expect(",")
	}
	c.Arguments = append(c.Arguments, p.expression())
}

// trim reads TRIM([BOTH | LEADING | TRAILING] [x] FROM y) as trim(y, side, x).
func (p *parser) trim(c *tree.Call) {
	side := p.acceptAny("both", "leading", "trailing")
	var x tree.Expression
	if side == "" || !p.is("from") {
		x = p.expression()
	}
	if p.accept("from") {
		c.Arguments = append(c.Arguments, p.expression())
		if side == "" {
			side = "both"
		}
		c.Arguments = append(c.Arguments, textLiteral(side))
		if x != nil {
			c.Arguments = append(c.Arguments, x)
		}
		return
	}
	if side != "" {
		p.expected("FROM")
		return
	}
	c.Arguments = append(c.Arguments, x)
	for p.more() {
		c.Arguments = append(c.Arguments, p.expression())
	}
}

func textLiteral(text string) *tree.Literal { return &tree.Literal{Value: datum.Text([]byte(text))} }

// units are those of INTERVAL and EXTRACT. // immutable
var units = [...]string{"microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year", "second_microsecond",
	"minute_microsecond", "minute_second", "hour_microsecond", "hour_second", "hour_minute", "day_microsecond", "day_second", "day_minute",
	"day_hour", "year_month"}

// unit reads the unit of an interval, in lower case.
func (p *parser) unit() string {
	if p.at.Kind == token.Word {
		unit := strings.TrimPrefix(strings.ToLower(p.sourceOf(p.at)), "sql_tsi_")
		for _, u := range units {
			if u == unit {
				p.advance()
				return u
			}
		}
	}
	p.expected("a unit such as DAY or HOUR")
	return ""
}

func (p *parser) unitText() tree.Expression { return textLiteral(p.unit()) }

// interval reads INTERVAL x unit, and the function INTERVAL(x, a, b).
func (p *parser) interval() tree.Expression {
	first := p.at
	p.advance()
	x := p.expression()
	if tuple, ok := x.(*tree.Tuple); ok {
		return &tree.Call{Name: "interval", Arguments: tuple.Elements, At: first.Start}
	}
	return &tree.Interval{X: x, Unit: p.unit()}
}

// caseWhen reads CASE .. END.
func (p *parser) caseWhen() tree.Expression {
	p.expect("case")
	c := &tree.Case{}
	if !p.is("when") {
		c.Operand = p.expression()
	}
	if !p.is("when") {
		p.expected("WHEN")
	}
	for p.accept("when") {
		when := tree.When{Condition: p.expression()}
		p.expect("then")
		when.Result = p.expression()
		c.Whens = append(c.Whens, when)
	}
	if p.accept("else") {
		c.Else = p.expression()
	}
	p.expect("end")
	return c
}

// cast reads CAST(x AS type).
func (p *parser) cast() tree.Expression {
	p.expect("cast", "(")
	c := &tree.Cast{X: p.expression()}
	p.expect("as")
	c.To = p.castType()
	p.expect(")")
	return c
}

// convert reads CONVERT(x, type) and CONVERT(x USING charset).
func (p *parser) convert() tree.Expression {
	p.expect("convert", "(")
	c := &tree.Cast{X: p.expression(), To: datum.Type{Base: datum.Varchar}}
	if p.accept("using") {
		if p.collation() == "binary" {
			c.To.Base = datum.Varbinary
		}
	} else {
		p.expect(",")
		c.To = p.castType()
	}
	p.expect(")")
	return c
}

// valuesOf reads VALUES(column).
func (p *parser) valuesOf() tree.Expression {
	p.expect("values", "(")
	v := &tree.ValuesOf{Column: p.name("a column")}
	p.expect(")")
	return v
}

// match reads MATCH (c, ..) AGAINST (x) as a call with x as its last argument.
func (p *parser) match() tree.Expression {
	c := &tree.Call{Name: "match", At: p.at.Start}
	p.expect("match")
	p.list(func() { c.Arguments = append(c.Arguments, p.column()) })
	if p.accept("against") {
		p.expect("(")
		c.Arguments = append(c.Arguments, p.binary(bindBitOr))
		for p.at.Kind == token.Word && !p.is(")") {
			p.advance() // IN BOOLEAN MODE and the like
		}
		p.expect(")")
	}
	return c
}
