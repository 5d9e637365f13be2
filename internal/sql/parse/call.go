// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// wordPrimary reads an operand that starts with a word of the grammar.
func (p *parser) wordPrimary() tree.Expression {
	first := p.At
	switch first.Word {
	case "null":
		p.Advance()
		return &tree.Literal{}
	case "true", "false":
		p.Advance()
		return &tree.Literal{Value: datum.Bool(first.Word == "true")}
	case "default":
		p.Advance()
		if !p.Is("(") {
			return &tree.Default{}
		}
		p.Expect("(")
		of := &tree.Call{Name: "default", Arguments: []tree.Expression{p.column()}}
		p.Expect(")")
		return of
	case "case":
		return p.caseWhen()
	case "interval":
		return p.interval()
	case "exists":
		p.Advance()
		return &tree.Exists{Query: p.subquery()}
	case "current_timestamp", "localtime", "localtimestamp", "current_date", "current_time", "utc_date", "utc_time",
		"utc_timestamp", "current_user":
		return p.bareCall()
	}
	next := p.Peek()
	switch {
	case next.Word == "(":
		return p.wordCall()
	case next.Kind == token.Text && (first.Word == "date" || first.Word == "time" || first.Word == "timestamp"):
		p.Advance()
		l := p.literal(false)
		to := datum.Type{Base: bases[first.Word]}
		if text, ok := l.(*tree.Literal); ok {
			to = to.OfLiteral(text.Value)
		}
		return &tree.Cast{X: l, To: to}
	}
	if tree.Reserved(first.Word) {
		p.Expected("an expression (" + strings.ToUpper(first.Word) + " is reserved: as a name it needs backticks)")
		return nil
	}
	return p.column()
}

// wordCall reads a call whose name is a word of the grammar.
func (p *parser) wordCall() tree.Expression {
	first := p.At
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
		p.Advance()
		return p.readBrackets()
	case "if", "left", "right", "replace", "insert", "mod", "char", "database", "schema", "repeat":
	default:
		if tree.Reserved(first.Word) {
			p.Expected("an expression (" + strings.ToUpper(first.Word) + " is reserved: as a name it needs backticks)")
			return nil
		}
	}
	p.Advance()
	return p.call(first)
}

// bareCall reads CURRENT_TIMESTAMP and the like, which need no brackets.
func (p *parser) bareCall() tree.Expression {
	first := p.At
	p.Advance()
	if p.Is("(") {
		return p.call(first)
	}
	return &tree.Call{Name: first.Word}
}

// call reads the arguments of a function whose name was read.
func (p *parser) call(name token.Token) tree.Expression {
	c := &tree.Call{Name: strings.ToLower(p.NameOf(name))}
	p.Expect("(")
	if p.Accept("distinct") {
		c.Distinct = true
	} else {
		p.Accept("all")
	}
	p.arguments(c)
	var charset *datum.Base // of CHAR(n USING charset), which is NULL for what is no text in it
	if c.Name == "char" && p.Accept("using") {
		base := datum.Varchar
		if p.collation() == "binary" {
			base = datum.Varbinary
		}
		charset = &base
	}
	if p.Accepts("order", "by") {
		c.OrderBy = p.orders()
	}
	if p.Accept("separator") {
		separator := p.Text("the text between the values")
		c.Separator = &separator
	}
	p.Expect(")")
	if len(p.collated) > 0 {
		p.weighCall(c)
	}
	p.over(c)
	if charset != nil {
		return &tree.Cast{X: c, To: datum.Type{Base: *charset}}
	}
	return c
}

// arguments reads what stands in the brackets of a call; some functions have forms of their own.
func (p *parser) arguments(c *tree.Call) {
	switch c.Name {
	case "extract":
		if p.At.Kind != token.Text { // as which a tree has it
			c.Arguments = []tree.Expression{p.unitText()}
			p.Expect("from")
			c.Arguments = append(c.Arguments, p.expression())
			return
		}
	case "timestampdiff", "timestampadd":
		if p.At.Kind != token.Text {
			c.Arguments = []tree.Expression{p.unitText()}
			p.Expect(",")
		}
	case "position":
		p.positionOf(c)
		return
	case "get_format":
		if p.At.Kind != token.Text {
			c.Arguments = []tree.Expression{textLiteral(p.AcceptAny("date", "time", "datetime", "timestamp"))}
			p.Expect(",")
		}
	case "weight_string":
		p.weightString(c)
		return
	case "trim":
		p.trim(c)
		return
	case "count":
		if p.Accept("*") {
			c.Arguments = []tree.Expression{&tree.Star{}}
			return
		}
	}
	if p.Is(")") {
		return
	}
	for {
		c.Arguments = append(c.Arguments, p.expression())
		if p.More() {
			continue
		}
		switch {
		case c.Name != "char" && p.Accept("using"):
			p.collation()
		case p.Is("from") && (c.Name == "substring" || c.Name == "substr" || c.Name == "mid"):
			p.substringFrom(c)
		}
		return
	}
}

// weightString reads WEIGHT_STRING(x AS CHAR(n)) as weight_string(x, 'char', n).
func (p *parser) weightString(c *tree.Call) {
	c.Arguments = append(c.Arguments, p.expression())
	if p.Accept(",") {
		c.Arguments = append(c.Arguments, p.expression()) // a collation, as trees are written
	}
	p.weighString(c)
	if p.Accept("as") {
		kind := p.AcceptAny("char", "binary")
		p.Expect("(")
		c.Arguments = append(c.Arguments, textLiteral(kind), p.expression())
		p.Expect(")")
	}
}

// substringFrom reads the rest of SUBSTRING(x FROM n FOR m).
func (p *parser) substringFrom(c *tree.Call) {
	p.Expect("from")
	c.Arguments = append(c.Arguments, p.expression())
	if p.Accept("for") {
		c.Arguments = append(c.Arguments, p.expression())
	}
}

// positionOf reads POSITION(x IN y), which is LOCATE(x, y).
func (p *parser) positionOf(c *tree.Call) {
	c.Name = "locate"
	c.Arguments = append(c.Arguments, p.binary(tree.BindBitOr))
	if !p.Accept("in") {
		p.Expect(",")
	}
	c.Arguments = append(c.Arguments, p.expression())
}

// trim reads TRIM([BOTH | LEADING | TRAILING] [x] FROM y) as trim(y, side, x).
func (p *parser) trim(c *tree.Call) {
	side := p.AcceptAny("both", "leading", "trailing")
	var x tree.Expression
	if side == "" || !p.Is("from") {
		x = p.expression()
	}
	if p.Accept("from") {
		c.Arguments = append(c.Arguments, p.expression())
		side = cmp.Or(side, "both")
		c.Arguments = append(c.Arguments, textLiteral(side))
		if x != nil {
			c.Arguments = append(c.Arguments, x)
		}
		return
	}
	if side != "" {
		p.Expected("FROM")
		return
	}
	c.Arguments = append(c.Arguments, x)
	for p.More() {
		c.Arguments = append(c.Arguments, p.expression())
	}
}

func textLiteral(text string) *tree.Literal { return &tree.Literal{Value: datum.Text([]byte(text))} }

// units are the units of INTERVAL and EXTRACT. // immutable
var units = [...]string{"microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year",
	"second_microsecond", "minute_microsecond", "minute_second", "hour_microsecond", "hour_second", "hour_minute",
	"day_microsecond", "day_second", "day_minute", "day_hour", "year_month"}

// unit reads the unit of an interval, in lower case.
func (p *parser) unit() string {
	if p.At.Kind == token.Word {
		unit := strings.TrimPrefix(strings.ToLower(p.SourceOf(p.At)), "sql_tsi_")
		if slices.Contains(units[:], unit) {
			p.Advance()
			return unit
		}
	}
	p.Expected("a unit such as DAY or HOUR")
	return ""
}

func (p *parser) unitText() tree.Expression { return textLiteral(p.unit()) }

// interval reads INTERVAL x unit, and the function INTERVAL(x, a, b).
func (p *parser) interval() tree.Expression {
	p.Advance()
	x := p.unary()
	if tuple, ok := x.(*tree.Tuple); ok {
		return &tree.Call{Name: "interval", Arguments: tuple.Elements}
	}
	return &tree.Interval{X: p.binaryFrom(x, tree.BindOr), Unit: p.unit()}
}

// caseWhen reads CASE .. END.
func (p *parser) caseWhen() tree.Expression {
	p.Expect("case")
	c := &tree.Case{}
	if !p.Is("when") {
		c.Operand = p.expression()
	}
	if !p.Is("when") {
		p.Expected("WHEN")
	}
	for p.Accept("when") {
		when := tree.When{Condition: p.expression()}
		p.Expect("then")
		when.Result = p.expression()
		c.Whens = append(c.Whens, when)
	}
	if p.Accept("else") {
		c.Else = p.expression()
	}
	p.Expect("end")
	p.weighCase(c)
	return c
}

// cast reads CAST(x AS type).
func (p *parser) cast() tree.Expression {
	p.Expect("cast", "(")
	c := &tree.Cast{X: p.expression()}
	p.Expect("as")
	c.To = p.castType()
	p.Expect(")")
	return c
}

// convert reads CONVERT(x, type) and CONVERT(x USING charset).
func (p *parser) convert() tree.Expression {
	p.Expect("convert", "(")
	c := &tree.Cast{X: p.expression(), To: datum.Type{Base: datum.Varchar}}
	if p.Accept("using") {
		if p.collation() == "binary" {
			c.To.Base = datum.Varbinary
		}
	} else {
		p.Expect(",")
		c.To = p.castType()
	}
	p.Expect(")")
	return c
}

// valuesOf reads VALUES(column).
func (p *parser) valuesOf() tree.Expression {
	p.Expect("values", "(")
	v := &tree.ValuesOf{Column: p.Name("a column")}
	p.Expect(")")
	return v
}

// match reads MATCH (c, ..) AGAINST (x [IN .. MODE]): see tree.Call.Match.
func (p *parser) match() tree.Expression {
	c := &tree.Call{Name: "match"}
	p.Expect("match")
	p.List(func() { c.Arguments = append(c.Arguments, p.column()) })
	p.Expect("against", "(")
	c.Arguments = append(c.Arguments, p.binary(tree.BindBitOr))
	boolean := false
	if p.Accept("in") {
		if boolean = p.AcceptAny("boolean", "natural") == "boolean"; !boolean {
			p.Expect("language")
		}
		p.Expect("mode")
	}
	if p.Is("with") {
		p.Refuse("WITH QUERY EXPANSION is not supported: add the words to the query")
	}
	p.Expect(")")
	c.Arguments = append(c.Arguments, &tree.Literal{Value: datum.Bool(boolean)})
	return c
}
