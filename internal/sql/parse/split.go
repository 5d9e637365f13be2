// SPDX-License-Identifier: Apache-2.0

package parse

// Split cuts the first statement off a text of several with semicolons between them; both results alias the text. The rest is nil if only
// white space, comments and semicolons are left, and the statement is empty if the text has no token at all. A string, name or comment
// without its end is an error.
func Split(text []byte) (statement, rest []byte, err error) {
	l := lexer{text: text}
	begin, tokens := 0, false
	for {
		switch t := l.next(); {
		case t.kind == kindEnd:
			if !tokens {
				return nil, nil, nil
			}
			return text[begin:], nil, nil
		case t.kind == kindBad && l.at >= len(text), t.kind == kindBad && t.end == len(text):
			return nil, nil, syntaxError(text, t.start, l.problem)
		case t.word != ";" || l.version:
			tokens = true
		case !tokens:
			begin = t.end
		default:
			return text[begin:t.start], remainder(l), nil
		}
	}
}

// remainder returns what is left of a text, nil if no statement is.
func remainder(l lexer) []byte {
	begin := l.at
	for {
		t := l.next()
		switch {
		case t.kind == kindEnd:
			return nil
		case t.word != ";":
			return l.text[begin:]
		}
		begin = t.end
	}
}
