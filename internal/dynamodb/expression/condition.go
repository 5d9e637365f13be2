// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"encoding/base64"
	"strconv"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// ParseCondition reads a ConditionExpression. The error is an *Error.
func ParseCondition(text string, known *Substitutions) (expr.Condition, error) {
	return parseCondition(Condition, text, known)
}

// ParseFilter reads a FilterExpression: the same language under another name. The error is an *Error.
func ParseFilter(text string, known *Substitutions) (expr.Condition, error) {
	return parseCondition(Filter, text, known)
}

func parseCondition(kind Kind, text string, known *Substitutions) (expr.Condition, error) {
	p := parser{kind: kind, lexer: lexer{text: text}, known: known}
	condition := p.wholeCondition()
	if err := p.end(); err != nil {
		return nil, err
	}
	return condition, nil
}

func (p *parser) wholeCondition() expr.Condition {
	if !p.begin() {
		return nil
	}
	t := p.disjunction(false)
	if t.condition == nil {
		p.unexpected()
	}
	return t.condition
}

// disjunction reads conditions joined by OR. With alone set, it stands in parentheses and may be just an operand
// instead.
func (p *parser) disjunction(alone bool) term {
	t := p.conjunction(alone)
	if p.current.keyword != keywordOr {
		return t
	}
	or := &expr.Or{}
	for {
		if nested, ok := t.condition.(*expr.Or); ok {
			or.List = append(or.List, nested.List...)
		} else {
			or.List = append(or.List, t.condition)
		}
		if !p.acceptKeyword(keywordOr) {
			return term{condition: or}
		}
		p.operators++
		t = p.conjunction(false)
	}
}

// conjunction reads conditions joined by AND.
func (p *parser) conjunction(alone bool) term {
	t := p.negation(alone)
	if p.current.keyword != keywordAnd {
		return t
	}
	and := p.known.nodes.ands.take(expr.And{List: p.known.nodes.conditions.list(listRoom)})
	for {
		if nested, ok := t.condition.(*expr.And); ok {
			and.List = append(and.List, nested.List...)
		} else {
			and.List = append(and.List, t.condition)
		}
		if !p.acceptKeyword(keywordAnd) {
			return term{condition: and}
		}
		p.operators++
		t = p.negation(false)
	}
}

// negation reads a predicate behind any number of NOTs.
func (p *parser) negation(alone bool) term {
	count := 0
	for p.acceptKeyword(keywordNot) {
		count++
		alone = false
	}
	t := p.predicate(alone)
	p.operators += count
	for range count {
		t = term{condition: &expr.Not{Of: t.condition}}
	}
	return t
}

// predicate reads a comparison, a function that is a condition, or something in parentheses.
func (p *parser) predicate(alone bool) term {
	t := p.primary()
	relation := p.current.kind >= tokenEqual && p.current.kind <= tokenGreaterOrEqual ||
		p.current.keyword == keywordBetween || p.current.keyword == keywordIn
	if t.condition != nil {
		if !relation || t.function == "" {
			p.leaf++
			return t
		}
		p.noteMisuse(t.function)
	}
	switch {
	case relation:
		c := p.relation(t.operand)
		p.leaf++
		return term{condition: c}
	case alone && p.current.kind == tokenClose:
		return t
	case t.function != "":
		p.noteMisuse(t.function)
		return term{condition: &expr.And{}}
	}
	p.unexpected()
	return t
}

// primary reads a condition or an operand in parentheses, or an operand.
func (p *parser) primary() term {
	if !p.accept(tokenOpen) {
		return p.simple()
	}
	p.enter()
	t := p.disjunction(true)
	p.expect(tokenClose)
	p.leave()
	if t.parenthesized {
		p.note(faultParentheses, redundantText)
	}
	t.parenthesized = true
	t.operand = p.deeper(t.operand)
	return t
}

// relation reads what follows a comparison's first operand.
func (p *parser) relation(x expr.Operand) expr.Condition {
	p.operators++
	switch {
	case p.acceptKeyword(keywordBetween):
		return p.parseBetween(x)
	case p.acceptKeyword(keywordIn):
		return p.in(x)
	}
	op := comparisonOf(p.current.kind)
	p.advance()
	y, _ := p.operand()
	p.checkCompared(op, x, y)
	return p.known.nodes.compares.take(expr.Compare{Op: op, A: x, B: y})
}

// checkCompared notes what is wrong with the operands of a comparison.
func (p *parser) checkCompared(op expr.Comparison, x, y expr.Operand) {
	if op != expr.Equal && op != expr.NotEqual {
		p.checkType(op.String(), x, ordered)
		p.checkType(op.String(), y, ordered)
	}
	p.checkDistinct(op.String(), x, y)
}

func comparisonOf(kind tokenKind) expr.Comparison {
	switch kind {
	case tokenEqual:
		return expr.Equal
	case tokenNotEqual:
		return expr.NotEqual
	case tokenLess:
		return expr.Less
	case tokenLessOrEqual:
		return expr.LessOrEqual
	case tokenGreater:
		return expr.Greater
	}
	return expr.GreaterOrEqual
}

func (p *parser) parseBetween(x expr.Operand) expr.Condition {
	low, _ := p.operand()
	if !p.acceptKeyword(keywordAnd) {
		p.unexpected()
	}
	high, _ := p.operand()
	p.checkBetween(x, low, high)
	return &expr.Between{X: x, Low: low, High: high}
}

// checkBetween notes what is wrong with the operands of BETWEEN.
func (p *parser) checkBetween(x, low, high expr.Operand) {
	for _, o := range [...]expr.Operand{x, low, high} {
		p.checkType("BETWEEN", o, ordered)
	}
	p.checkDistinct("BETWEEN", x, low)
	p.checkDistinct("BETWEEN", x, high)
	p.checkBounds(low, high)
}

// checkBounds notes literal bounds that nothing can lie between.
func (p *parser) checkBounds(low, high expr.Operand) {
	a, okA := low.(*expr.Literal)
	b, okB := high.(*expr.Literal)
	if !okA || !okB || !ordered.has(a.Value.Kind()) || !ordered.has(b.Value.Kind()) {
		return
	}
	rule := ""
	if order, comparable := value.Compare(a.Value, b.Value); !comparable {
		rule = "same data type for lower and upper bounds"
	} else if order > 0 {
		rule = "upper bound to be greater than or equal to lower bound"
	} else {
		return
	}
	p.note(faultOperands, "The BETWEEN operator requires ", rule, "; lower bound operand: AttributeValue: ",
		boundText(a.Value),
		", upper bound operand: AttributeValue: ", boundText(b.Value))
}

// boundText is a number, string or binary as error texts show it.
func boundText(v value.Value) string {
	kind := v.Kind()
	content := ""
	switch kind {
	case value.String:
		content = string(v.Bytes())
	case value.Binary:
		content = base64.StdEncoding.EncodeToString(v.Bytes())
	default:
		d, _ := v.Decimal()
		content = d.String()
	}
	return "{" + kind.String() + ":" + content + "}"
}

func (p *parser) in(x expr.Operand) expr.Condition {
	in := &expr.In{X: x}
	p.expect(tokenOpen)
	for !p.failed {
		o, _ := p.operand()
		p.checkDistinct("IN", x, o)
		in.List = append(in.List, o)
		if !p.accept(tokenComma) {
			break
		}
	}
	p.expect(tokenClose)
	p.checkInCount(len(in.List))
	return in
}

func (p *parser) checkInCount(count int) {
	if count > inOperandsMax {
		p.note(faultLimit, "The IN operator is provided with too many operands; number of operands: ",
			strconv.Itoa(count))
	}
}
