// SPDX-License-Identifier: Apache-2.0

package token

import "bytes"

// Split cuts the first statement off a text of several with semicolons between them; both results alias the text. The
// rest is nil if only white space, comments and semicolons are left, and the statement is empty if the text has no
// token at all. A string, name or comment without its end is an error where another statement might follow.
func (m Mode) Split(text []byte) (statement, rest []byte, err error) {
	l := Lexer{Text: text, Mode: m}
	if one, ok := only(text); ok {
		// Nearly every text is one statement: what is wrong with it is left to its reader.
		if first := l.Next(); first.Kind != End && first.Kind != Bad && first.Word != ";" {
			return one, nil, nil
		}
		l = Lexer{Text: text, Mode: m}
	}
	begin, tokens := 0, false
	for {
		switch t := l.Next(); {
		case t.Kind == End:
			if !tokens {
				return nil, nil, nil
			}
			return text[begin:], nil, nil
		case t.Kind == Bad && l.At >= len(text), t.Kind == Bad && t.End == len(text):
			return nil, nil, SyntaxError(text, t.Start, l.Problem)
		case t.Word != ";" || l.version:
			tokens = true
		case !tokens:
			begin = t.End
		default:
			return text[begin:t.Start], remainder(l), nil
		}
	}
}

// only returns a text without the semicolon at its end; ok is false if it has others.
func only(text []byte) (one []byte, ok bool) {
	i := bytes.IndexByte(text, ';')
	if i < 0 {
		return text, true
	}
	return text[:i], len(bytes.TrimRight(text[i+1:], " \t\r\n")) == 0
}

// remainder returns what is left of a text, nil if no statement is.
func remainder(l Lexer) []byte {
	begin := l.At
	for {
		t := l.Next()
		switch {
		case t.Kind == End:
			return nil
		case t.Word != ";":
			return l.Text[begin:]
		}
		begin = t.End
	}
}
