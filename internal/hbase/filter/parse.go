// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"fmt"
)

// Error says why a text is not a filter.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

const (
	textMax  = 1 << 20 // bytes of a filter
	depthMax = 100     // parentheses and SKIP and WHILE in each other
)

// Parse reads a filter of HBase's language. An error is an *Error.
//
//	filter = and { OR and }
//	and    = part { AND part }
//	part   = ( SKIP | WHILE ) part | '(' filter ')' | name '(' [ argument { ',' argument } ] ')'
//
// An argument is a number, a word, an operator or a text between single quotes, in which two of them are one.
func Parse(text []byte) (Filter, error) {
	if len(text) > textMax {
		return nil, refuse("the filter has %d bytes, more than %d", len(text), textMax)
	}
	p := &parser{text: text}
	n, err := p.junction(true, 0)
	if err != nil {
		return nil, err
	}
	if rest := p.peek(); rest != 0 {
		return nil, p.expect("AND or OR")
	}
	return filter{n}, nil
}

type parser struct {
	text []byte
	at   int
}

// peek returns the next byte that is not white space; 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '.' || b == '$'
}

func (p *parser) expect(what string) error {
	if p.peek() == 0 {
		return refuse("the filter ends where %s must stand", what)
	}
	found := p.text[p.at:min(len(p.text), p.at+20)]
	return refuse("byte %d of the filter, at %q: %s must stand here", p.at+1, found, what)
}

// word returns the next word without reading on.
func (p *parser) word() string {
	p.peek()
	end := p.at
	for end < len(p.text) && isWord(p.text[end]) {
		end++
	}
	return string(p.text[p.at:end])
}

// take reads a word if it is the next one.
func (p *parser) take(word string) bool {
	if p.word() != word {
		return false
	}
	p.at += len(word)
	return true
}

// junction reads parts that are joined by OR, or by AND.
func (p *parser) junction(or bool, depth int) (node, error) {
	word := "AND"
	if or {
		word = "OR"
	}
	var parts []node
	for len(parts) == 0 || p.take(word) {
		part, err := p.operand(or, depth)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return &junction{or: or, parts: parts}, nil
}

func (p *parser) operand(or bool, depth int) (node, error) {
	if or {
		return p.junction(false, depth)
	}
	return p.part(depth)
}

func (p *parser) part(depth int) (node, error) {
	if depth > depthMax {
		return nil, refuse("the filter has more than %d levels", depthMax)
	}
	if p.peek() == '(' {
		p.at++
		n, err := p.junction(true, depth+1)
		if err == nil && p.peek() != ')' {
			err = p.expect("a closing parenthesis")
		}
		p.at++
		return n, err
	}
	switch name := p.word(); name {
	case "":
		return nil, p.expect("the name of a filter")
	case "AND", "OR":
		return nil, p.expect("a filter")
	case "SKIP", "WHILE":
		p.at += len(name)
		inner, err := p.part(depth + 1)
		return &wrap{while: name == "WHILE", inner: inner}, err
	default:
		p.at += len(name)
		return p.leaf(name)
	}
}

func (p *parser) leaf(name string) (node, error) {
	if p.peek() != '(' {
		return nil, p.expect("the parenthesis with the arguments of " + name)
	}
	p.at++
	l := &leaf{name: name}
	for p.peek() != ')' {
		if len(l.args) > 0 && p.peek() == ',' {
			p.at++
		}
		a, err := p.argument()
		if err != nil {
			return nil, err
		}
		l.args = append(l.args, a)
	}
	p.at++
	if err := l.build(); err != nil {
		return nil, err
	}
	return l, nil
}

// argument is one argument of a filter.
type argument struct {
	text     []byte
	isQuoted bool
}

func (a argument) print(dst []byte) []byte {
	if !a.isQuoted {
		return append(dst, a.text...)
	}
	dst = append(dst, '\'')
	dst = append(dst, bytes.ReplaceAll(a.text, []byte("'"), []byte("''"))...)
	return append(dst, '\'')
}

func (p *parser) argument() (argument, error) {
	if p.peek() == '\'' {
		return p.quoted()
	}
	start := p.at
	for p.at < len(p.text) && !isSpace(p.text[p.at]) && !bytes.ContainsRune([]byte(",()'"), rune(p.text[p.at])) {
		p.at++
	}
	if p.at == start {
		return argument{}, p.expect("an argument or a closing parenthesis")
	}
	return argument{text: p.text[start:p.at:p.at]}, nil
}

func (p *parser) quoted() (argument, error) {
	a := argument{text: []byte{}, isQuoted: true}
	for p.at++; ; p.at++ {
		i := bytes.IndexByte(p.text[p.at:], '\'')
		if i < 0 {
			p.at = len(p.text)
			return a, p.expect("a closing quote")
		}
		a.text = append(a.text, p.text[p.at:p.at+i]...)
		if p.at += i + 1; p.at == len(p.text) || p.text[p.at] != '\'' {
			return a, nil
		}
		a.text = append(a.text, '\'')
	}
}
