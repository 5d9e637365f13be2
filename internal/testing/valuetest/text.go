// SPDX-License-Identifier: Apache-2.0

// Package valuetest reads and writes values and rows in the notation of value.AppendText, for tests.
//
// Knows: that notation.
// Never: how values are stored.
package valuetest

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// ParseText reads the notation of value.AppendText. White space may stand between tokens, and a comma after the last
// element. It allocates.
func ParseText(text string) (value.Value, error) {
	p := textParser{rest: text}
	if p.word("missing") && p.atEnd() {
		return nil, nil
	}
	p = textParser{rest: text}
	v, err := p.value(nil)
	if err == nil && !p.atEnd() {
		err = p.fault("nothing more")
	}
	if err != nil {
		return nil, err
	}
	if err := value.Value(v).Validate(); err != nil {
		return nil, err
	}
	return v, nil
}

// ParseRowText reads the notation of AppendRowText, a map's, into a row that uses the dictionary names.
func ParseRowText(text string, names value.Names) (value.Row, error) {
	v, err := ParseText(text)
	if err != nil || v == nil {
		return nil, err
	}
	if v.Kind() != value.Map {
		return nil, fmt.Errorf("value: an item is written {name: value, ...}, not %s", text)
	}
	var b value.RowBuilder
	b.Reset(names)
	for e := v.Elements(); e.Next(); {
		if err := b.Set(e.Name(), e.Value()); err != nil {
			return nil, err
		}
	}
	return b.AppendTo(nil), nil
}

type textParser struct {
	rest  string
	depth int
}

func (p *textParser) fault(want string) error {
	return fmt.Errorf("value: expected %s at %.20q", want, p.rest)
}

func (p *textParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *textParser) atEnd() bool {
	p.space()
	return p.rest == ""
}

// token takes c off the text, if it comes next.
func (p *textParser) token(c byte) bool {
	p.space()
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// word takes a word off the text, if it comes next.
func (p *textParser) word(w string) bool {
	p.space()
	if !strings.HasPrefix(p.rest, w) || len(p.rest) > len(w) && value.IsNameByte(p.rest[len(w)], false) {
		return false
	}
	p.rest = p.rest[len(w):]
	return true
}

func (p *textParser) value(dst []byte) ([]byte, error) {
	p.space()
	switch {
	case p.word("null"):
		return value.AppendNull(dst), nil
	case p.word("true"):
		return value.AppendBool(dst, true), nil
	case p.word("false"):
		return value.AppendBool(dst, false), nil
	case strings.HasPrefix(p.rest, `"`):
		s, err := p.quotedText()
		return value.AppendString(dst, []byte(s)), err
	case strings.HasPrefix(p.rest, `x"`):
		p.rest = p.rest[1:]
		s, err := p.quotedText()
		if err != nil {
			return dst, err
		}
		b, err := hex.DecodeString(s)
		return value.AppendBinary(dst, b), err
	case p.token('['):
		return p.list(dst)
	case p.token('{'):
		return p.fields(dst)
	case p.token('<'):
		return p.set(dst)
	}
	return p.number(dst)
}

func (p *textParser) quotedText() (string, error) {
	q, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		return "", p.fault("a quoted text")
	}
	p.rest = p.rest[len(q):]
	return strconv.Unquote(q)
}

// elements reads what one reads, again and again, with commas between, up to the closing byte.
func (p *textParser) elements(dst []byte, closing byte, one func([]byte) ([]byte, error)) ([]byte, error) {
	if p.depth++; p.depth > value.NestingMax {
		return dst, value.ErrNesting
	}
	defer func() { p.depth-- }()
	for !p.token(closing) {
		var err error
		if dst, err = one(dst); err != nil {
			return dst, err
		}
		if p.token(',') {
			continue
		}
		if p.token(closing) {
			break
		}
		return dst, p.fault("a comma or " + string(closing))
	}
	return dst, nil
}

func (p *textParser) list(dst []byte) ([]byte, error) {
	start := len(dst)
	dst, err := p.elements(value.BeginList(dst), ']', p.value)
	if err != nil {
		return dst, err
	}
	return value.EndList(dst, start)
}

func (p *textParser) fields(dst []byte) ([]byte, error) {
	start := len(dst)
	dst, err := p.elements(value.BeginMap(dst), '}', p.field)
	if err != nil {
		return dst, err
	}
	return value.EndMap(dst, start)
}

func (p *textParser) field(dst []byte) ([]byte, error) {
	name, err := p.name()
	if err != nil {
		return dst, err
	}
	if !p.token(':') {
		return dst, p.fault("a colon")
	}
	return p.value(value.AppendName(dst, []byte(name)))
}

func (p *textParser) name() (string, error) {
	p.space()
	if strings.HasPrefix(p.rest, `"`) {
		return p.quotedText()
	}
	n := 0
	for n < len(p.rest) && value.IsNameByte(p.rest[n], n == 0) {
		n++
	}
	if n == 0 {
		return "", p.fault("a name")
	}
	name := p.rest[:n]
	p.rest = p.rest[n:]
	return name, nil
}

// set reads the members of a set after its bracket; the first says of which kind it is.
func (p *textParser) set(dst []byte) ([]byte, error) {
	members, err := p.elements(nil, '>', p.value)
	if err != nil {
		return dst, err
	}
	if len(members) == 0 {
		return dst, value.ErrEmptySet
	}
	first, _, err := value.Cut(members)
	if err != nil {
		return dst, err
	}
	kind := first.Kind().SetKind()
	if kind == value.Missing {
		return dst, p.fault("members that are strings, numbers or binaries before")
	}
	start := len(dst)
	return value.EndSet(append(value.BeginSet(dst, kind), members...), start)
}

// number reads a number of any kind: its last letter says which.
func (p *textParser) number(dst []byte) ([]byte, error) {
	n := strings.IndexAny(p.rest, " \t\r\n,]}>:")
	if n < 0 {
		n = len(p.rest)
	}
	if n == 0 {
		return dst, p.fault("a value")
	}
	text := p.rest[:n]
	switch digits := text[:n-1]; text[n-1] {
	case 'i', 't':
		x, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return dst, p.fault("a value")
		}
		p.rest = p.rest[n:]
		if text[n-1] == 't' {
			return value.AppendTimestamp(dst, x), nil
		}
		return value.AppendInt(dst, x), nil
	case 'f':
		x, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return dst, p.fault("a value")
		}
		p.rest = p.rest[n:]
		return value.AppendFloat(dst, x), nil
	}
	d, err := order.ParseDecimal([]byte(text))
	if err != nil {
		return dst, p.fault("a value")
	}
	p.rest = p.rest[n:]
	return value.AppendNumber(dst, d), nil
}

// AppendRowText appends row as value.AppendText does a map, its attributes in the order of the row; "missing" for a nil
// Row. An error in the row ends it with "!" and the error's text.
func AppendRowText(dst []byte, row value.Row, names value.Names) []byte {
	if row == nil {
		return append(dst, "missing"...)
	}
	dst = append(dst, '{')
	attributes := row.Attributes(names)
	for first := true; attributes.Next(); first = false {
		if !first {
			dst = append(dst, ", "...)
		}
		dst = append(value.AppendNameText(dst, attributes.Name()), ": "...)
		dst = value.AppendText(dst, attributes.Value())
	}
	if err := attributes.Err(); err != nil {
		dst = append(append(dst, '!'), err.Error()...)
	}
	return append(dst, '}')
}
