// SPDX-License-Identifier: Apache-2.0

package parse

import "strings"

// kind is what a token is.
type kind uint8

const (
	kindEnd         kind = iota
	kindBad              // the lexer's problem says why
	kindWord             // a keyword or a name without quotes
	kindQuoted           // a name in backticks
	kindText             // one string or several beside one another
	kindInteger          // digits
	kindDecimal          // digits with a point
	kindFloat            // with an exponent
	kindHex              // x'41' or 0x41
	kindBits             // b'01' or 0b01
	kindVariable         // @a, @@b.c
	kindPlaceholder      // ?
	kindSymbol
)

// token is one token; start and end are offsets into the statement.
type token struct {
	kind  kind
	plain bool // of a text or a quoted name: its value is what stands between the quotes
	start int
	end   int
	// word is a symbol, or a keyword in lower case; "" for any other word.
	word string
}

// Bits of the class of a byte.
const (
	classSpace byte = 1 << iota
	classDigit
	classLetter // what a name may start with, and $ and all bytes of UTF-8 beyond ASCII
	classHex
)

// class is immutable
var class = makeClasses()

func makeClasses() (table [256]byte) {
	for c := range table {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			table[c] = classSpace
		case c >= '0' && c <= '9':
			table[c] = classDigit | classHex
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80:
			table[c] = classLetter
			if c|0x20 >= 'a' && c|0x20 <= 'f' && c < 0x80 {
				table[c] |= classHex
			}
		}
	}
	return table
}

// serverVersion is what the conditions of /*!80000 .. */ compare with.
const serverVersion = 80099

// lexer cuts a statement into tokens. Copying one is a way to look ahead.
type lexer struct {
	text    []byte
	at      int
	version bool // within /*! .. */
	dotted  bool // the last token was a name: what follows a point is a name, too
	problem string
}

// space skips white space and comments. Hints count as comments.
func (l *lexer) space() (ok bool) {
	text := l.text
	for l.at < len(text) {
		c := text[l.at]
		switch {
		case class[c]&classSpace != 0:
			l.at++
		case c == '#':
			l.line()
		case c == '-' && l.follows(1, '-') && (l.at+2 == len(text) || text[l.at+2] <= ' '):
			l.line()
		case c == '/' && l.follows(1, '*'):
			if !l.comment() {
				return false
			}
		case c == '*' && l.version && l.follows(1, '/'):
			l.version = false
			l.at += 2
		default:
			return true
		}
	}
	return true
}

func (l *lexer) follows(distance int, c byte) bool {
	return l.at+distance < len(l.text) && l.text[l.at+distance] == c
}

func (l *lexer) line() {
	for l.at < len(l.text) && l.text[l.at] != '\n' {
		l.at++
	}
}

// comment skips /* .. */, or only the opening of /*! .. */ whose text is meant to be read.
func (l *lexer) comment() (ok bool) {
	if l.follows(2, '!') && !l.version {
		end, version := l.at+3, 0
		for end < len(l.text) && end < l.at+9 && class[l.text[end]]&classDigit != 0 {
			version = version*10 + int(l.text[end]-'0')
			end++
		}
		if version <= serverVersion {
			l.at, l.version = end, true
			return true
		}
	}
	end := indexAfter(l.text, l.at+2, "*/")
	if end < 0 {
		l.problem = "the end */ of a comment"
		return false
	}
	l.at = end
	return true
}

// indexAfter finds the end of the next mark from an offset on.
func indexAfter(text []byte, from int, mark string) int {
	for i := from; i+len(mark) <= len(text); i++ {
		if text[i] == mark[0] && string(text[i:i+len(mark)]) == mark {
			return i + len(mark)
		}
	}
	return -1
}

// next returns the next token. Words are not looked up.
func (l *lexer) next() token {
	dotted := l.dotted
	l.dotted = false
	if !l.space() {
		return token{kind: kindBad, start: l.at, end: len(l.text)}
	}
	if l.at >= len(l.text) {
		if l.version {
			l.problem = "the end */ of a comment"
			return token{kind: kindBad, start: l.at, end: l.at}
		}
		return token{kind: kindEnd, start: l.at, end: l.at}
	}
	c := l.text[l.at]
	switch {
	case class[c]&classLetter != 0:
		return l.word()
	case class[c]&classDigit != 0:
		return l.number()
	case c == '\'' || c == '"':
		return l.string(l.at)
	case c == '`':
		return l.quoted()
	case c == '.' && !dotted && l.at+1 < len(l.text) && class[l.text[l.at+1]]&classDigit != 0:
		return l.number()
	case c == '@':
		return l.variable()
	case c == '?':
		l.at++
		return token{kind: kindPlaceholder, start: l.at - 1, end: l.at, word: "?"}
	}
	return l.symbol(c)
}

// word reads a name or keyword, or a literal that starts as one does: x'41', b'01', n'text'.
func (l *lexer) word() token {
	start := l.at
	if l.follows(1, '\'') {
		switch l.text[start] | 0x20 {
		case 'x':
			return l.digits(kindHex, classHex)
		case 'b':
			return l.digits(kindBits, classDigit)
		case 'n':
			l.at++
			return l.string(start)
		}
	}
	for l.at < len(l.text) && class[l.text[l.at]]&(classLetter|classDigit) != 0 {
		l.at++
	}
	l.dotted = true
	return token{kind: kindWord, start: start, end: l.at}
}

// digits reads the quoted part of x'..' and b'..'.
func (l *lexer) digits(k kind, of byte) token {
	start := l.at
	l.at += 2
	for l.at < len(l.text) && class[l.text[l.at]]&of != 0 {
		if k == kindBits && l.text[l.at] > '1' {
			break
		}
		l.at++
	}
	if !l.follows(0, '\'') {
		return l.bad(start, "the end ' of a binary literal")
	}
	l.at++
	if k == kindHex && (l.at-start-3)%2 != 0 {
		return l.bad(start, "an even number of hexadecimal digits")
	}
	return token{kind: k, start: start, end: l.at}
}

func (l *lexer) bad(start int, problem string) token {
	l.problem = problem
	return token{kind: kindBad, start: start, end: l.at}
}

// number reads a number, or a name that starts with digits.
func (l *lexer) number() token {
	start, k := l.at, kindInteger
	if t, ok := l.prefixed(start); ok {
		return t
	}
	l.run(classDigit)
	if l.follows(0, '.') {
		k = kindDecimal
		l.at++
		l.run(classDigit)
	}
	if l.exponent() {
		return token{kind: kindFloat, start: start, end: l.at}
	}
	if k == kindInteger && l.at < len(l.text) && class[l.text[l.at]]&classLetter != 0 {
		l.run(classLetter | classDigit)
		l.dotted = true
		return token{kind: kindWord, start: start, end: l.at}
	}
	return token{kind: k, start: start, end: l.at}
}

func (l *lexer) run(of byte) {
	for l.at < len(l.text) && class[l.text[l.at]]&of != 0 {
		l.at++
	}
}

// prefixed reads 0x41 and 0b01, unless a name goes on behind them.
func (l *lexer) prefixed(start int) (t token, ok bool) {
	if l.text[start] != '0' || start+2 >= len(l.text) {
		return t, false
	}
	end := start + 2
	switch l.text[start+1] {
	case 'x':
		t.kind = kindHex
		for end < len(l.text) && class[l.text[end]]&classHex != 0 {
			end++
		}
	case 'b':
		t.kind = kindBits
		for end < len(l.text) && l.text[end]|1 == '1' {
			end++
		}
	default:
		return t, false
	}
	if end == start+2 || end < len(l.text) && class[l.text[end]]&(classLetter|classDigit) != 0 {
		return t, false
	}
	l.at = end
	t.start, t.end = start, end
	return t, true
}

// exponent reads e10, e+10 and e-10.
func (l *lexer) exponent() bool {
	if l.at >= len(l.text) || l.text[l.at]|0x20 != 'e' {
		return false
	}
	end := l.at + 1
	if end < len(l.text) && (l.text[end] == '+' || l.text[end] == '-') {
		end++
	}
	if end >= len(l.text) || class[l.text[end]]&classDigit == 0 {
		return false
	}
	l.at = end
	l.run(classDigit)
	return true
}

// string reads a string in single or double quotes and those that follow it, with white space between at most: they are one.
func (l *lexer) string(start int) token {
	t := token{kind: kindText, start: start, plain: l.at == start}
	for {
		quote := l.text[l.at]
		l.at++
		for {
			if l.at >= len(l.text) {
				return l.bad(start, "the end "+string(rune(quote))+" of a string")
			}
			c := l.text[l.at]
			l.at++
			if c == '\\' {
				t.plain = false
				l.at++
			} else if c == quote {
				if !l.follows(0, quote) {
					break
				}
				t.plain = false
				l.at++
			}
		}
		t.end = l.at
		next := l.at
		for next < len(l.text) && class[l.text[next]]&classSpace != 0 {
			next++
		}
		if next >= len(l.text) || l.text[next] != '\'' && l.text[next] != '"' {
			return t
		}
		l.at, t.plain = next, false
	}
}

// quoted reads a name in backticks.
func (l *lexer) quoted() token {
	start, plain := l.at, true
	l.at++
	for l.at < len(l.text) {
		if l.text[l.at] != '`' {
			l.at++
			continue
		}
		l.at++
		if !l.follows(0, '`') {
			if l.at-start == 2 {
				return l.bad(start, "a name between backticks")
			}
			l.dotted = true
			return token{kind: kindQuoted, start: start, end: l.at, plain: plain}
		}
		plain = false
		l.at++
	}
	return l.bad(start, "the end ` of a name")
}

// variable reads @name, @'name', @@name and @@scope.name.
func (l *lexer) variable() token {
	start := l.at
	l.at++
	if l.follows(0, '@') {
		l.at++
	}
	for first := true; l.at < len(l.text); first = false {
		c := l.text[l.at]
		switch {
		case class[c]&(classLetter|classDigit) != 0 || c == '.':
			l.at++
		case c == '`' || first && (c == '\'' || c == '"'):
			end := indexAfter(l.text, l.at+1, string(rune(c)))
			if end < 0 {
				return l.bad(start, "the end of a variable's name")
			}
			l.at = end
		default:
			return token{kind: kindVariable, start: start, end: l.at}
		}
	}
	return token{kind: kindVariable, start: start, end: l.at}
}

// single holds the symbols of one byte. // immutable
const single = "(),;.+-*/%&|^~!=<>:{}[]"

// several holds the longer symbols, the longest first. // immutable
var several = [...]string{"<=>", "->>", "->", "==", "<=", "<>", "<<", ">=", ">>", "!=", "&&", "||", ":="}

// symbol reads an operator or a bracket.
func (l *lexer) symbol(c byte) token {
	start := l.at
	if strings.IndexByte("<-=>!&|:", c) >= 0 {
		for _, s := range several {
			if s[0] == c && l.at+len(s) <= len(l.text) && string(l.text[l.at:l.at+len(s)]) == s {
				l.at += len(s)
				return token{kind: kindSymbol, start: start, end: l.at, word: s}
			}
		}
	}
	l.at++
	if i := strings.IndexByte(single, c); i >= 0 {
		return token{kind: kindSymbol, start: start, end: l.at, word: single[i : i+1]}
	}
	return l.bad(start, "something else than the character "+string(rune(c)))
}
