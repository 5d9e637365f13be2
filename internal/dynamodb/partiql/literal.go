// SPDX-License-Identifier: Apache-2.0

package partiql

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

// root is how faults of values call the value that they are in.
const root = " under root"

// columnName is a SELECT's name of its column number n.
func columnName(path *expr.Path, n int) string {
	if len(path.Steps) == 0 {
		return path.Name
	}
	if last := path.Steps[len(path.Steps)-1]; last.Index < 0 {
		return last.Field
	}
	return "_" + strconv.Itoa(n)
}

// element reads what stands in the brackets of a path: the number of an element, or the name of a field.
func (p *parser) element() expr.Step {
	t := p.current()
	text := p.text[t.start:t.end]
	p.advance()
	if t.kind == tokenText {
		return expr.Step{Field: content(text), Index: -1}
	}
	n, err := strconv.Atoi(text)
	if t.kind != tokenNumber || err != nil || n > math.MaxInt32 {
		p.fail(malformed + "Invalid path component")
	}
	return expr.Step{Index: n}
}

// startsLiteral reports whether a literal or a parameter begins here.
func (p *parser) startsLiteral() bool {
	switch p.current().kind {
	case tokenText, tokenNumber, '-', '+', '?', '[', '{', tokenOpenBag:
		return true
	}
	return p.is("TRUE") || p.is("FALSE") || p.is("NULL")
}

// literal reads a literal or a parameter as an operand.
func (p *parser) literal() *expr.Literal {
	if p.current().kind == '?' {
		return &expr.Literal{Value: p.parameter()}
	}
	return &expr.Literal{Value: p.value(nil, "", 0)}
}

// parameter takes the value of a question mark.
func (p *parser) parameter() value.Value {
	p.advance()
	p.taken++
	if p.taken > len(p.parameters) {
		p.note(parameterCount)
		return nil
	}
	return p.parameters[p.taken-1]
}

// value appends a literal or a parameter, which stands in so many lists and maps; in is the place of it in its
// attribute, as faults tell it.
func (p *parser) value(dst []byte, in string, outer int) []byte {
	t := p.current()
	switch {
	case t.kind == '?':
		return append(dst, p.parameter()...)
	case t.kind == tokenText:
		p.advance()
		return value.AppendString(dst, []byte(content(p.text[t.start:t.end])))
	case t.kind == '-' || t.kind == '+' || t.kind == tokenNumber:
		return p.number(dst, in)
	case t.kind == '[' || t.kind == '{':
		if outer == value.NestingMax {
			p.note("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
		}
		p.advance()
		if t.kind == '[' {
			return p.list(dst, in, outer+1)
		}
		return p.fields(dst, in, outer+1)
	case p.accept(tokenOpenBag):
		return p.bag(dst, in)
	case p.acceptKeyword("NULL"):
		return value.AppendNull(dst)
	case p.is("TRUE") || p.is("FALSE"):
		on := p.is("TRUE")
		p.advance()
		return value.AppendBool(dst, on)
	}
	p.noteNoLiteral(in)
	return dst
}

// noteNoLiteral refuses a call where a literal belongs, and anything else as a fault of syntax.
func (p *parser) noteNoLiteral(in string) {
	if p.current().kind != tokenWord || p.follows() != '(' {
		p.fail(unexpectedTerm)
		return
	}
	p.note("Unsupported data type: " + strings.ToLower(p.word()) + " under key root" + in + " at " + p.here())
	p.advance()
	p.advance()
	for open := 1; open > 0 && p.current().kind != tokenEnd; p.advance() {
		switch p.current().kind {
		case '(':
			open++
		case ')':
			open--
		}
	}
}

// number reads a number with its signs.
func (p *parser) number(dst []byte, in string) []byte {
	negative := false
	for k := p.current().kind; k == '-' || k == '+'; k = p.current().kind {
		negative = negative != (k == '-')
		p.advance()
	}
	t := p.current()
	if t.kind != tokenNumber {
		p.fail(unexpectedTerm)
		return dst
	}
	p.advance()
	text := p.text[t.start:t.end]
	if !isDecimal(text) {
		p.fail(malformed)
		return dst
	}
	if negative {
		text = "-" + text
	}
	number, fault := attributejson.AppendNumber(dst, []byte(text))
	if fault != "" {
		p.note(fault + root + in)
	}
	return number
}

// isDecimal reports whether Java's BigDecimal takes the text of a number: its exponent, and the digits behind the point
// less that, have 32 bits.
func isDecimal(text string) bool {
	mantissa, exponent := text, int64(0)
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		n, err := strconv.ParseInt(text[at+1:], 10, 32)
		if err != nil {
			return false
		}
		mantissa, exponent = text[:at], n
	}
	digits := int64(0)
	if point := strings.IndexByte(mantissa, '.'); point >= 0 {
		digits = int64(len(mantissa) - point - 1)
	}
	scale := digits - exponent
	return scale == int64(int32(scale))
}

// members reads what stands in brackets that are open, up to the closing one: one reads an element.
func (p *parser) members(closing tokenKind, one func()) {
	defer p.leave()
	if !p.enter() || p.accept(closing) {
		return
	}
	for one(); p.accept(','); {
		one()
	}
	p.expect(closing)
}

func (p *parser) list(dst []byte, in string, level int) []byte {
	start, n := len(dst), 0
	dst = value.BeginList(dst)
	p.members(']', func() {
		dst = p.value(dst, in+"["+strconv.Itoa(n)+"]", level)
		n++
	})
	return p.ended(value.EndList, dst, start)
}

func (p *parser) fields(dst []byte, in string, level int) []byte {
	start := len(dst)
	dst = value.BeginMap(dst)
	p.members('}', func() {
		name := p.key()
		dst = p.value(value.AppendName(dst, []byte(name)), in+"."+name, level)
	})
	return p.ended(value.EndMap, dst, start)
}

// key reads the name of a map's entry and the colon behind it.
func (p *parser) key() string {
	t := p.current()
	if t.kind != tokenText && t.kind != tokenQuoted {
		p.fail(unexpectedTerm)
		return ""
	}
	p.advance()
	p.expect(':')
	name := content(p.text[t.start:t.end])
	if fault := attributejson.NameFault([]byte(name)); fault != "" {
		p.note(fault)
	}
	return name
}

// bag reads a set whose brackets are open.
func (p *parser) bag(dst []byte, in string) []byte {
	var all []value.Value
	p.members(tokenCloseBag, func() { all = append(all, p.value(nil, in, 0)) })
	if len(all) == 0 {
		p.note("Empty bags are not supported")
		return dst
	}
	kind := all[0].Kind()
	if kind.SetKind() == value.Missing {
		p.note("Unsupported data type: bag of " + kind.String())
		return dst
	}
	start := len(dst)
	dst = value.BeginSet(dst, kind.SetKind())
	for _, v := range all {
		if v.Kind() != kind {
			p.note("Bags must have members of one type: strings, numbers or binary values")
			return dst[:start]
		}
		dst = append(dst, v...)
	}
	return p.ended(func(dst []byte, start int) ([]byte, error) {
		ended, err := value.EndSet(dst, start)
		if errors.Is(err, value.ErrDuplicateMember) {
			p.note("One or more parameter values were invalid: Input collection [" + listText(all) +
				"] contains duplicates.")
		}
		return ended, err
	}, dst, start)
}

// listText is the members of a bag as faults show them.
func listText(all []value.Value) string {
	texts := make([]string, len(all))
	for i, v := range all {
		if texts[i] = v.String(); v.Kind() == value.String {
			texts[i] = string(v.Bytes())
		}
	}
	return strings.Join(texts, ", ")
}

// ended completes a document, unless there is a fault in it.
func (p *parser) ended(end func([]byte, int) ([]byte, error), dst []byte, start int) []byte {
	if p.fault != nil {
		return dst[:start]
	}
	ended, err := end(dst, start)
	if errors.Is(err, value.ErrDuplicateName) {
		p.note("The same name comes twice in a map")
	} else if err != nil {
		p.note(err.Error())
	}
	return ended
}
