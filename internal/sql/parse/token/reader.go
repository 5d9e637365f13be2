// SPDX-License-Identifier: Apache-2.0

package token

import (
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Reader reads a statement token by token, its words looked up. The first thing that goes wrong ends the statement: the
// current token becomes its end, and every loop over tokens stops there.
type Reader struct {
	Lexer  Lexer
	Source string // a copy of the statement: names are parts of it
	At     Token  // the token to be read next
	Before int    // where the last token ended
	Alias  Token  // the last alias that was read without AS: often it is no alias, but a word with a mistake in it
	// Failure is the first error.
	Failure error
}

// NewReader reads a text, of which it keeps a copy for names. The first token is read by Advance.
func (m Mode) NewReader(text []byte) Reader {
	return Reader{Lexer: Lexer{Text: text, Mode: m}, Source: string(text)}
}

// Part reads a part of the statement, such as its hints, as a text of its own, in which both quotes begin a string in
// every mode.
func (p *Reader) Part(start, end int) Reader {
	return Reader{Lexer: Lexer{Text: p.Lexer.Text[start:end]}, Source: p.Source[start:end]}
}

// Advance reads the next token.
func (p *Reader) Advance() {
	p.Before = p.At.End
	p.At = p.Lexer.Next()
	switch p.At.Kind {
	case Word:
		p.At.Word = LookUp(p.Lexer.Text[p.At.Start:p.At.End])
	case Bad:
		p.Expected(p.Lexer.Problem)
	}
}

// Peek returns the token after the current one.
func (p *Reader) Peek() Token {
	ahead := p.Lexer
	t := ahead.Next()
	if t.Kind == Word {
		t.Word = LookUp(p.Lexer.Text[t.Start:t.End])
	}
	return t
}

// Close makes the current token the end of the statement.
func (p *Reader) Close() {
	p.Lexer.Close()
	p.At = Token{Kind: End, Start: len(p.Lexer.Text), End: len(p.Lexer.Text)}
}

// Expected ends the statement with a syntax error at the current token, or at an alias right before it.
func (p *Reader) Expected(what string) {
	if p.Failure == nil {
		start := p.At.Start
		if p.Alias.End > 0 && p.Alias.End == p.Before && p.At.Kind != Bad {
			start = p.Alias.Start
			what += " behind the alias " + p.SourceOf(p.Alias)
		}
		p.Failure = SyntaxError(p.Lexer.Text, start, what)
	}
	p.Close()
}

// Refuse ends the statement with a reason: it is well-formed, but the dialect does not have it.
func (p *Reader) Refuse(reason string) {
	if p.Failure == nil {
		p.Failure = fault.New(fault.Unsupported, reason)
	}
	p.Close()
}

// Is reports whether the current token is a keyword or symbol.
func (p *Reader) Is(word string) bool { return p.At.Word == word }

// Accept reads a keyword or symbol if it comes next.
func (p *Reader) Accept(word string) bool {
	if p.At.Word != word {
		return false
	}
	p.Advance()
	return true
}

// Accepts reads several keywords in a row, or none of them.
func (p *Reader) Accepts(sequence ...string) bool {
	mark := *p
	for _, word := range sequence {
		if !p.Accept(word) {
			*p = mark
			return false
		}
	}
	return true
}

// AcceptAny reads one of several keywords and returns it.
func (p *Reader) AcceptAny(choices ...string) string {
	for _, word := range choices {
		if p.Accept(word) {
			return word
		}
	}
	return ""
}

// Expect reads a keyword or symbol that must come next.
func (p *Reader) Expect(sequence ...string) {
	for _, word := range sequence {
		if !p.Accept(word) {
			if word[0] >= 'a' {
				word = strings.ToUpper(word)
			}
			p.Expected(word)
			return
		}
	}
}

// More reads a comma, if a list goes on.
func (p *Reader) More() bool { return p.Accept(",") }

// List reads elements with commas between them, in brackets.
func (p *Reader) List(element func()) {
	p.Expect("(")
	for {
		element()
		if !p.More() {
			break
		}
	}
	p.Expect(")")
}

// SourceOf returns the text of a token, which aliases the reader's copy.
func (p *Reader) SourceOf(t Token) string { return p.Source[t.Start:t.End] }

// IsName reports whether the current token may be a name.
func (p *Reader) IsName() bool { return nameable(p.At) }

// NameOf returns the name that a word or a name in quotes is.
func (p *Reader) NameOf(t Token) string {
	name := p.SourceOf(t)
	if t.Kind != Quoted {
		return name
	}
	quote := name[:1]
	name = name[1 : len(name)-1]
	if !t.Plain {
		name = strings.ReplaceAll(name, quote+quote, quote)
	}
	return name
}

// Name reads a name; what says of what, for messages.
func (p *Reader) Name(what string) string {
	if !p.IsName() {
		if p.At.Kind == Word {
			what += " (" + strings.ToUpper(p.At.Word) + " is reserved: put it in backticks)"
		}
		p.Expected(what)
		return ""
	}
	name := p.NameOf(p.At)
	p.Advance()
	return name
}

// BareAlias reads an alias without AS.
func (p *Reader) BareAlias() string {
	p.Alias = p.At
	return p.Name("an alias")
}

// AnyName reads a name behind a point, where keywords need no backticks.
func (p *Reader) AnyName(what string) string {
	if p.At.Kind != Word && p.At.Kind != Quoted {
		p.Expected(what)
		return ""
	}
	name := p.NameOf(p.At)
	p.Advance()
	return name
}

// Text reads a string.
func (p *Reader) Text(what string) string {
	if p.At.Kind != Text {
		p.Expected(what)
		return ""
	}
	value := string(Literal(p.Lexer.Text, p.At, false).Bytes())
	p.Advance()
	return value
}

// Number reads a small integer that is part of the grammar, such as a length.
func (p *Reader) Number(what string, limit int) int {
	n, err := strconv.Atoi(p.SourceOf(p.At))
	if p.At.Kind != Integer || err != nil || n > limit {
		p.Expected(what + ", at most " + strconv.Itoa(limit))
		return 0
	}
	p.Advance()
	return n
}

func nameable(t Token) bool {
	return t.Kind == Quoted || t.Kind == Word && (t.Word == "" || !tree.Reserved(t.Word))
}

// Skip reads everything up to the end of the statement.
func (p *Reader) Skip() {
	for p.At.Kind != End && !p.Is(";") {
		p.Advance()
	}
}

// Word reads a name, keyword, string or number as a text.
func (p *Reader) Word(what string) string {
	switch p.At.Kind {
	case Text:
		return p.Text(what)
	case Word, Quoted:
		return p.AnyName(what)
	case Integer, Decimal, Float:
		text := p.SourceOf(p.At)
		p.Advance()
		return text
	}
	p.Expected(what)
	return ""
}
