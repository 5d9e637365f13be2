// SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"maps"
	"slices"
)

// Piece is the first statement of a script and what follows its delimiter. Both alias the script.
type Piece struct {
	Statement, Rest []byte
	Vertical        bool // \G ended the statement, in place of a delimiter; \g ends it, too
}

// Cut finds the end of the first statement in the beginning of a script. ok is false if the script has to go on first,
// because no delimiter stands outside of its strings, names and comments. resume is then where to look from when more
// of it is there; from is 0 at first.
func (m Mode) Cut(text []byte, from int, delimiter string) (p Piece, resume int, ok bool) {
	l := Lexer{Text: text, Mode: m, At: from}
	for resume = from; ; {
		t := l.Next()
		switch {
		case t.Kind == Bad && ends(text, t):
			return Piece{text[:t.Start], text[t.Start+2:], text[t.Start+1] == 'G'}, 0, true
		case l.version:
			resume = 0 // it is known only by its beginning
		case t.Kind != End:
			resume = t.Start
		}
		switch {
		case t.Kind == End, t.Kind == Bad && (l.At >= len(text) || t.End == len(text)):
			return p, resume, false
		case t.Kind == Text || t.Kind == Quoted || l.version:
			continue
		}
		reach := text[t.Start:min(t.End+len(delimiter)-1, len(text))]
		if i := bytes.Index(reach, []byte(delimiter)); i >= 0 {
			return Piece{Statement: text[:t.Start+i], Rest: text[t.Start+i+len(delimiter):]}, 0, true
		}
	}
}

// ends reports whether a bad token is \g or \G.
func ends(text []byte, t Token) bool {
	return t.Start+1 < len(text) && text[t.Start] == '\\' && (text[t.Start+1] == 'g' || text[t.Start+1] == 'G')
}

// Words returns the words of the grammar in lower case, in their order.
func Words() []string {
	return slices.Sorted(maps.Keys(words))
}
