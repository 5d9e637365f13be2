// SPDX-License-Identifier: Apache-2.0

package expression

import "unicode/utf8"

// tokenKind is a kind of token; single signs, brackets and commas are their own kinds.
type tokenKind uint8

const (
	tokenEnd     tokenKind = iota
	tokenInvalid           // a character that no token starts with, or digits that run into letters
	tokenWord              // an attribute's name, a function's name or a keyword
	tokenName              // #name
	tokenValue             // :value
	tokenNumber            // digits, all of them
	tokenEqual
	tokenNotEqual
	tokenLess
	tokenLessOrEqual
	tokenGreater
	tokenGreaterOrEqual
	tokenOpen
	tokenClose
	tokenOpenIndex
	tokenCloseIndex
	tokenComma
	tokenDot
	tokenPlus
	tokenMinus
)

// token is a piece of the text, from byte start up to byte end.
type token struct {
	kind       tokenKind
	keyword    keyword // of a tokenWord
	start, end int
}

type keyword uint8

const (
	keywordNone keyword = iota
	keywordAnd
	keywordOr
	keywordNot
	keywordIn
	keywordBetween
	keywordSet
	keywordRemove
	keywordAdd
	keywordDelete
)

// lexer cuts a text into tokens.
type lexer struct {
	text string
	at   int
}

// next is the next token; at the end of the text it is an empty tokenEnd, again and again.
func (l *lexer) next() token {
	for l.at < len(l.text) && isSpace(l.text[l.at]) {
		l.at++
	}
	start := l.at
	if start == len(l.text) {
		return token{kind: tokenEnd, start: start, end: start}
	}
	t := token{kind: l.kind(), start: start, end: l.at}
	if t.kind == tokenWord {
		t.keyword = keywordOf(l.text[t.start:t.end])
	}
	return t
}

// kind moves past the token that starts here and tells its kind.
func (l *lexer) kind() tokenKind {
	first := l.text[l.at]
	switch {
	case isLetter(first) && first != '_': // placeholders begin with a _, names do not
		l.word()
		return tokenWord
	case first == '#':
		return l.placeholder(tokenName)
	case first == ':':
		return l.placeholder(tokenValue)
	case isDigit(first):
		return l.number()
	}
	return l.sign(first)
}

func (l *lexer) word() {
	for l.at < len(l.text) && (isLetter(l.text[l.at]) || isDigit(l.text[l.at])) {
		l.at++
	}
}

// placeholder reads a # or : and the word behind it; either sign alone is no token.
func (l *lexer) placeholder(kind tokenKind) tokenKind {
	start := l.at
	l.at++
	l.word()
	if l.at == start+1 {
		return tokenInvalid
	}
	return kind
}

func (l *lexer) number() tokenKind {
	for l.at < len(l.text) && isDigit(l.text[l.at]) {
		l.at++
	}
	if l.at < len(l.text) && isLetter(l.text[l.at]) {
		l.word()
		return tokenInvalid
	}
	return tokenNumber
}

func (l *lexer) sign(first byte) tokenKind {
	l.at++
	switch first {
	case '(':
		return tokenOpen
	case ')':
		return tokenClose
	case '[':
		return tokenOpenIndex
	case ']':
		return tokenCloseIndex
	case ',':
		return tokenComma
	case '.':
		return tokenDot
	case '+':
		return tokenPlus
	case '-':
		return tokenMinus
	case '=':
		return tokenEqual
	case '<':
		return l.relation(tokenLess)
	case '>':
		return l.relation(tokenGreater)
	}
	_, size := utf8.DecodeRuneInString(l.text[l.at-1:])
	l.at += size - 1
	return tokenInvalid
}

// relation reads what may follow a < or >.
func (l *lexer) relation(alone tokenKind) tokenKind {
	if l.at == len(l.text) {
		return alone
	}
	switch {
	case l.text[l.at] == '=':
		l.at++
		return alone + 1
	case l.text[l.at] == '>' && alone == tokenLess:
		l.at++
		return tokenNotEqual
	}
	return alone
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// keywordOf tells the keyword that a word is, in any case of letters.
func keywordOf(word string) keyword {
	switch len(word) {
	case 2:
		return firstEqual(word, "or", keywordOr, "in", keywordIn)
	case 3:
		switch word[0] | 0x20 {
		case 'a':
			return firstEqual(word, "and", keywordAnd, "add", keywordAdd)
		case 'n':
			return firstEqual(word, "not", keywordNot, "", keywordNone)
		case 's':
			return firstEqual(word, "set", keywordSet, "", keywordNone)
		}
	case 6:
		return firstEqual(word, "remove", keywordRemove, "delete", keywordDelete)
	case 7:
		return firstEqual(word, "between", keywordBetween, "", keywordNone)
	}
	return keywordNone
}

func firstEqual(word, a string, ofA keyword, b string, ofB keyword) keyword {
	switch {
	case equalFold(word, a):
		return ofA
	case equalFold(word, b):
		return ofB
	}
	return keywordNone
}

// equalFold compares a word of ASCII with one in lower case.
func equalFold(word, lower string) bool {
	if len(word) != len(lower) {
		return false
	}
	for i := range len(word) {
		if word[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}
