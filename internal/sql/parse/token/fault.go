// SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/fault"
)

// nearLengthMax bounds how much of the statement a message shows.
const nearLengthMax = 80

// SyntaxError is MySQL's text with a column and what would have been right.
func SyntaxError(text []byte, offset int, expected string) error {
	near := strings.TrimSpace(strings.ToValidUTF8(string(text[offset:min(len(text), offset+nearLengthMax)]), ""))
	if HasPassword(text) {
		near = hidden
	}
	line := 1 + bytes.Count(text[:offset], []byte{'\n'})
	column := offset - bytes.LastIndexByte(text[:offset], '\n')
	return fault.New(fault.Syntax, "You have an error in your SQL syntax near '"+near+"' at line "+strconv.Itoa(line)+
		", column "+strconv.Itoa(column)+": expected "+expected)
}

// hidden stands for the parts of a statement that are not shown.
const hidden = "..."

// HasPassword reports whether a text may hold a password: a statement about users, or a text in it that could be one.
// It must not be shown to others than who sent it, nor kept.
func HasPassword(text []byte) bool {
	if lower := bytes.ToLower(text); bytes.Contains(lower, []byte("identified")) ||
		bytes.Contains(lower, []byte("'set password")) {
		return true
	}
	l := Lexer{Text: text}
	earlier, before := ";", ";"
	for t := l.Next(); t.Kind != End && t.Kind != Bad; t = l.Next() {
		word := t.Word
		if t.Kind == Word {
			word = LookUp(text[t.Start:t.End])
		}
		switch {
		case word == "user" && (before == "create" || before == "alter" || before == "replace"), word == "password" &&
			before == "set" && earlier == ";":
			return true
		}
		earlier, before = before, word
	}
	return false
}

// Show returns the part of a text that may be shown: all of it, or its first word if it may hold a password.
func Show(text []byte) []byte {
	if !HasPassword(text) {
		return text
	}
	l := Lexer{Text: text}
	first := l.Next()
	return append(bytes.Clone(text[first.Start:first.End]), " ..."...)
}
