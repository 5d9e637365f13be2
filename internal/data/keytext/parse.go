// SPDX-License-Identifier: Apache-2.0

package keytext

import (
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
)

// The functions that key attribute names can spell.
const (
	nameConcat  = "concat"
	nameHash8   = "hash8"
	nameHash32  = "hash32"
	nameHash64  = "hash64"
	nameReverse = "reverse"
	nameDesc    = "desc"
	nameZOrder  = "zorder"
)

// Parse reads a key attribute's name, such as "concat(datetime,'#',user_name)", into the key part that it stands for. t
// is the attribute's declared type. computed is false for the name of an ordinary attribute: one that does not begin
// with one of the function names and a parenthesis, or does not end with a parenthesis.
//
//	concat(a,'#',b)         of type String: attributes and literals; '' stands for a quote in a literal
//	hash8|hash32|hash64(a)  of type Binary, over one attribute or more
//	reverse(a)              of type String or Number
//	desc(a)                 of any type: the attribute itself, descending
//	zorder(a f64, b i16:8)  of type Binary: see Curve
//
// Attribute names with commas, quotes, parentheses or spaces at their ends stand in double quotes, doubled inside.
// Errors are *Error.
func Parse(name string, t schema.Type) (part schema.KeyPart, computed bool, err error) {
	function, ok := functionName(name)
	if !ok {
		return plainPart(name, name, t, false), false, nil
	}
	p := parser{text: name, at: len(function) + 1}
	if function == nameZOrder {
		part, err = p.curve(t)
		return part, true, err
	}
	args, err := p.arguments(function == nameConcat)
	if err != nil {
		return schema.KeyPart{}, true, err
	}
	part, err = p.build(function, t, args)
	return part, true, err
}

func functionName(name string) (function string, ok bool) {
	open := strings.IndexByte(name, '(')
	if open < 0 || !strings.HasSuffix(name, ")") {
		return "", false
	}
	switch function = name[:open]; function {
	case nameConcat, nameHash8, nameHash32, nameHash64, nameReverse, nameDesc, nameZOrder:
		return function, true
	}
	return "", false
}

func plainPart(name, column string, t schema.Type, descending bool) schema.KeyPart {
	return schema.KeyPart{Name: name, Type: t, Descending: descending,
		Args: []schema.Argument{{Column: column, Type: t}}}
}

// parser reads a list of arguments.
type parser struct {
	text string
	at   int
}

func (p *parser) fail(offset int, reason string) error {
	return &Error{Text: p.text, Offset: offset, Reason: reason}
}

// arguments reads from after the opening parenthesis to the end of the text.
func (p *parser) arguments(literals bool) (args []schema.Argument, err error) {
	for {
		p.spaces()
		start := p.at
		a, err := p.argument(literals)
		if err != nil {
			return nil, err
		}
		args = append(args, a)
		p.spaces()
		if p.at == len(p.text) {
			return nil, p.fail(start, "the argument list has no closing parenthesis")
		}
		switch c := p.text[p.at]; {
		case c == ',':
			p.at++
		case c == ')' && p.at == len(p.text)-1:
			return args, nil
		case c == ')':
			return nil, p.fail(p.at+1, "unexpected text after the closing parenthesis; put names with parentheses in double quotes")
		default:
			return nil, p.fail(p.at, "expected a comma or the closing parenthesis")
		}
	}
}

func (p *parser) spaces() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *parser) argument(literals bool) (a schema.Argument, err error) {
	start := p.at
	if start == len(p.text) {
		return a, p.fail(start, "expected an attribute name")
	}
	switch p.text[start] {
	case '\'':
		if !literals {
			return a, p.fail(start, "this function takes attribute names only, no literals")
		}
		a.Literal, err = p.quotedText('\'')
		if err == nil && a.Literal == "" {
			err = p.fail(start, "an empty literal adds nothing; omit it")
		}
		return a, err
	case '"':
		a.Column, err = p.quotedText('"')
		if err == nil && a.Column == "" {
			err = p.fail(start, "expected an attribute name")
		}
		return a, err
	}
	a.Column, err = p.bare()
	return a, err
}

// quotedText reads a text in quotes, in which two quotes stand for one.
func (p *parser) quotedText(quote byte) (string, error) {
	start := p.at
	var text strings.Builder
	for i := start + 1; i < len(p.text); i++ {
		if p.text[i] != quote {
			text.WriteByte(p.text[i])
			continue
		}
		if i+1 < len(p.text) && p.text[i+1] == quote {
			text.WriteByte(quote)
			i++
			continue
		}
		p.at = i + 1
		return text.String(), nil
	}
	return "", p.fail(start, "this quote is never closed")
}

// bare reads an attribute name without quotes.
func (p *parser) bare() (string, error) {
	start := p.at
	end := strings.IndexAny(p.text[start:], ",)")
	if end < 0 {
		end = len(p.text) - start
	}
	name := strings.TrimRight(p.text[start:start+end], " ")
	if name == "" {
		return "", p.fail(start, "expected an attribute name")
	}
	if bad := strings.IndexAny(name, `('"`); bad >= 0 {
		return "", p.fail(start+bad, "put attribute names with quotes, parentheses or commas in double quotes; functions do not nest")
	}
	p.at = start + end
	return name, nil
}

// build makes the part of a function with its arguments.
func (p *parser) build(function string, t schema.Type, args []schema.Argument) (schema.KeyPart, error) {
	part := schema.KeyPart{Name: p.text, Type: t, Args: args}
	switch function {
	case nameConcat:
		part.Function = schema.Concat
		return part, p.check(t == schema.String && hasColumn(args),
			"concat is of type S and takes at least one attribute name")
	case nameReverse:
		part.Function = schema.Reverse
		args[0].Type = t
		return part, p.check((t == schema.String || t == schema.Number) && len(args) == 1,
			"reverse is of type S or N and takes one attribute name")
	case nameDesc:
		err := p.check(len(args) == 1, "desc takes one attribute name")
		return plainPart(p.text, args[0].Column, t, true), err
	case nameHash8:
		part.Function = schema.Hash8
	case nameHash32:
		part.Function = schema.Hash32
	default:
		part.Function = schema.Hash64
	}
	return part, p.check(t == schema.Binary, function+" is of type B")
}

func (p *parser) check(ok bool, reason string) error {
	if ok {
		return nil
	}
	return p.fail(0, reason)
}

func hasColumn(args []schema.Argument) bool {
	for i := range args {
		if args[i].Column != "" {
			return true
		}
	}
	return false
}

// Text writes a part in the language of Parse, in its canonical form: no spaces, quotes only where they are needed. A
// plain ascending part is its column's name as it is.
func Text(p *schema.KeyPart) string {
	var text strings.Builder
	switch {
	case p.Computed():
		text.WriteString(p.Function.String())
	case p.Descending:
		text.WriteString(nameDesc)
	default:
		return p.Column()
	}
	text.WriteByte('(')
	for i, a := range p.Args {
		if i > 0 {
			text.WriteByte(',')
		}
		switch {
		case a.Column == "":
			writeQuoted(&text, a.Literal, "'")
		case strings.ContainsAny(a.Column, `,()'"`) || strings.Trim(a.Column, " ") != a.Column:
			writeQuoted(&text, a.Column, `"`)
		default:
			text.WriteString(a.Column)
		}
	}
	text.WriteByte(')')
	return text.String()
}

func writeQuoted(text *strings.Builder, s, quote string) {
	text.WriteString(quote)
	text.WriteString(strings.ReplaceAll(s, quote, quote+quote))
	text.WriteString(quote)
}

// HashDistribution returns the hidden first part of a table that is spread by a hash of its partition key: Hash32 over
// the first partitionParts of the visible parts. A computed part goes into the hash by its value; the argument then
// bears the part's name.
func HashDistribution(visible []schema.KeyPart, partitionParts int) schema.KeyPart {
	part := schema.KeyPart{Function: schema.Hash32, Type: schema.Binary, Hidden: true}
	for i := range visible[:min(max(partitionParts, 0), len(visible))] {
		p := &visible[i]
		column := p.Column()
		if p.Computed() {
			column = p.Name
		}
		part.Args = append(part.Args, schema.Argument{Column: column, Type: p.Type})
	}
	part.Name = Text(&part)
	return part
}
