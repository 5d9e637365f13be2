// SPDX-License-Identifier: Apache-2.0

package attributeion

import "bytes"

// CutRecord takes the first value of a text in Ion that is at the top, with its annotations but without blanks,
// comments and marks of the version. ok is false if the text ends before the value does: give more of it, or take the
// rest for the last one.
func CutRecord(text []byte) (record, rest []byte, ok bool) {
	start, whole := skipTop(text)
	if !whole || start == len(text) {
		return nil, text[start:], false
	}
	at, depth := start, 0
	for at < len(text) {
		next, whole := step(text, at)
		if !whole {
			return nil, text[start:], false
		}
		switch text[at] {
		case '{', '[', '(':
			if next == at+1 {
				depth++
			}
		case '}', ']', ')':
			depth--
		case '\n':
			if depth == 0 { // something that is no struct: the reader says so
				return text[start:at], text[next:], true
			}
		}
		if closes := text[at] == '}' || text[at] == ']' || text[at] == ')'; closes && depth <= 0 {
			return text[start:next], text[next:], true
		}
		at = next
	}
	return nil, text[start:], false
}

// step returns where what begins at a place ends: a text, a comment, a blob or a single byte. whole is false if it ends
// behind the text.
func step(text []byte, at int) (next int, whole bool) {
	rest := text[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("'''")):
		return endOfLong(text, at+3)
	case rest[0] == '"' || rest[0] == '\'':
		return endOfQuoted(text, at+1, rest[0])
	case bytes.HasPrefix(rest, []byte("{{")):
		return after(text, at+2, "}}")
	case bytes.HasPrefix(rest, []byte("//")):
		return after(text, at+2, "\n")
	case bytes.HasPrefix(rest, []byte("/*")):
		return after(text, at+2, "*/")
	}
	return at + 1, true
}

func after(text []byte, at int, mark string) (next int, whole bool) {
	n := bytes.Index(text[at:], []byte(mark))
	if n < 0 {
		return len(text), false
	}
	return at + n + len(mark), true
}

func endOfQuoted(text []byte, at int, quote byte) (next int, whole bool) {
	for at < len(text) {
		switch text[at] {
		case quote:
			return at + 1, true
		case '\\':
			at++
		}
		at++
	}
	return len(text), false
}

func endOfLong(text []byte, at int) (next int, whole bool) {
	for at < len(text) {
		switch {
		case bytes.HasPrefix(text[at:], []byte("'''")):
			return at + 3, true
		case text[at] == '\\':
			at++
		}
		at++
	}
	return len(text), false
}

// skipTop passes over what stands between values.
func skipTop(text []byte) (at int, whole bool) {
	for at < len(text) {
		switch c := text[at]; {
		case isBlank(c):
			at++
		case c == '/' && at+1 < len(text) && (text[at+1] == '/' || text[at+1] == '*'):
			next, ok := step(text, at)
			if !ok {
				if text[at+1] == '/' {
					return len(text), true // the text ends with a comment
				}
				return at, false
			}
			at = next
		case c == '$':
			end := at
			for end < len(text) && isIdentifierByte(text[end]) {
				end++
			}
			if string(text[at:end]) != Version || bytes.HasPrefix(text[end:], []byte("::")) {
				return at, true
			}
			at = end
		default:
			return at, true
		}
	}
	return at, true
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
