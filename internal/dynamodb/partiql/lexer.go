// SPDX-License-Identifier: Apache-2.0

package partiql

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokenKind is a kind of token. A sign of one or two characters is a kind by itself: its first character, or one of the
// constants for two.
type tokenKind rune

const (
	tokenEnd    tokenKind = iota
	tokenWord             // a name without quotes, a keyword or a function
	tokenQuoted           // a name in double quotes
	tokenText             // a text in single quotes
	tokenNumber
	tokenNotEqual
	tokenLessOrEqual
	tokenGreaterOrEqual
	tokenOpenBag
	tokenCloseBag
)

// token is a piece of the text, from byte start up to byte end.
type token struct {
	kind       tokenKind
	start, end int32
}

// signs are the signs of two characters. // immutable
var signs = [...]struct {
	text string
	kind tokenKind
}{{"<<", tokenOpenBag}, {">>", tokenCloseBag}, {"<>", tokenNotEqual}, {"!=", tokenNotEqual}, {"<=", tokenLessOrEqual},
	{">=", tokenGreaterOrEqual}}

// lexer cuts a text into tokens.
type lexer struct {
	text string
	at   int
}

// scan appends the tokens of a text, the last of which is a tokenEnd; ok is false if something in it can begin none.
func scan(tokens []token, text string) (_ []token, ok bool) {
	l := lexer{text: text}
	for {
		t, ok := l.next()
		if !ok {
			return nil, false
		}
		if tokens = append(tokens, t); t.kind == tokenEnd {
			return tokens, true
		}
	}
}

func (l *lexer) next() (t token, ok bool) {
	if !l.skipBlanks() {
		return t, false
	}
	t.start = int32(l.at)
	if l.at == len(l.text) {
		t.end = t.start
		return t, true
	}
	switch c := l.text[l.at]; {
	case isLetter(c):
		t.kind, ok = tokenWord, true
		for l.at < len(l.text) && (isLetter(l.text[l.at]) || isDigit(l.text[l.at]) || l.text[l.at] == '$') {
			l.at++
		}
	case c == '"':
		t.kind, ok = tokenQuoted, l.quoted(c)
	case c == '\'':
		t.kind, ok = tokenText, l.quoted(c)
	case isDigit(c), c == '.' && l.at+1 < len(l.text) && isDigit(l.text[l.at+1]):
		t.kind, ok = tokenNumber, l.number()
	default:
		t.kind, ok = l.sign()
	}
	t.end = int32(l.at)
	return t, ok
}

// skipBlanks steps over white space and comments; it returns false at a comment without an end.
func (l *lexer) skipBlanks() bool {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.at++
		case strings.HasPrefix(rest, "--"):
			length := strings.IndexByte(rest, '\n')
			if length < 0 {
				length = len(rest)
			}
			l.at += length
		case strings.HasPrefix(rest, "/*"):
			length := strings.Index(rest[2:], "*/")
			if length < 0 {
				return false
			}
			l.at += length + 4
		default:
			return true
		}
	}
	return true
}

// quoted steps over something in quotes, in which a doubled quote stands for one.
func (l *lexer) quoted(quote byte) bool {
	for l.at++; l.at < len(l.text); l.at++ {
		if l.text[l.at] != quote {
			continue
		}
		if l.at++; l.at == len(l.text) || l.text[l.at] != quote {
			return true
		}
	}
	return false
}

// number steps over digits, a point with digits, and an exponent. Letters right behind make it no number.
func (l *lexer) number() bool {
	l.digits()
	if l.at < len(l.text) && l.text[l.at] == '.' {
		l.at++
		l.digits()
	}
	if l.at < len(l.text) && l.text[l.at]|0x20 == 'e' {
		if l.at++; l.at < len(l.text) && (l.text[l.at] == '+' || l.text[l.at] == '-') {
			l.at++
		}
		if !l.digits() {
			return false
		}
	}
	return l.at == len(l.text) || !isLetter(l.text[l.at])
}

func (l *lexer) digits() bool {
	start := l.at
	for l.at < len(l.text) && isDigit(l.text[l.at]) {
		l.at++
	}
	return l.at > start
}

func (l *lexer) sign() (tokenKind, bool) {
	for i := range signs {
		if strings.HasPrefix(l.text[l.at:], signs[i].text) {
			l.at += len(signs[i].text)
			return signs[i].kind, true
		}
	}
	c := l.text[l.at]
	l.at++
	return tokenKind(c), strings.IndexByte("()[]{},.:;?*=<>+-", c) >= 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// content is the text between the quotes of a token.
func content(text string) string {
	inner, quote := text[1:len(text)-1], text[:1]
	if strings.Contains(inner, quote) {
		return strings.ReplaceAll(inner, quote+quote, quote)
	}
	return inner
}

// position is the place of a token, as DynamoDB tells it: line:column:length, in characters, from 1.
func position(text string, t token) string {
	before := text[:t.start]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return strconv.Itoa(line) + ":" + strconv.Itoa(column) + ":" +
		strconv.Itoa(utf8.RuneCountInString(text[t.start:t.end]))
}
