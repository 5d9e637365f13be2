// SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"slices"
)

// Cut finds the end of the first statement in the beginning of a script: statement is the text before the delimiter,
// and rest is what follows it. Both alias the text. vertical reports that \G ended the statement, as it may instead of
// any delimiter; so may \g. ok is false if the script has to go on first, because no delimiter stands outside of its
// strings, names and comments.
func (m Mode) Cut(text []byte, delimiter string) (statement, rest []byte, vertical, ok bool) {
	l := Lexer{Text: text, Mode: m}
	for {
		t := l.Next()
		switch {
		case t.Kind == Bad && ends(text, t):
			return text[:t.Start], text[t.Start+2:], text[t.Start+1] == 'G', true
		case t.Kind == End, t.Kind == Bad && (l.At >= len(text) || t.End == len(text)):
			return nil, nil, false, false
		case t.Kind == Text || t.Kind == Quoted || l.version:
			continue
		}
		reach := text[t.Start:min(t.End+len(delimiter)-1, len(text))]
		if i := bytes.Index(reach, []byte(delimiter)); i >= 0 {
			return text[:t.Start+i], text[t.Start+i+len(delimiter):], false, true
		}
	}
}

// ends reports whether a bad token is \g or \G.
func ends(text []byte, t Token) bool {
	return t.Start+1 < len(text) && text[t.Start] == '\\' && (text[t.Start+1] == 'g' || text[t.Start+1] == 'G')
}

// Words returns the words of the grammar in lower case, in their order.
func Words() []string {
	list := make([]string, 0, len(words))
	for word := range words {
		list = append(list, word)
	}
	slices.Sort(list)
	return list
}
