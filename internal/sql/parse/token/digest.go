// SPDX-License-Identifier: Apache-2.0

package token

import "bytes"

// Digest returns a statement's text with each literal replaced by ?, for people: lists of them are shortened, as are
// comments and white space. It reads as much of the text as makes max bytes, and no more.
func (m Mode) Digest(text []byte, max int) []byte {
	l := Lexer{Text: text, Mode: m}
	var out []byte
	for end := 0; len(out) < max; {
		t := l.Next()
		if t.Kind == End || t.Kind == Bad {
			return bytes.TrimSpace(out)
		}
		if t.Start > end && len(out) > 0 {
			out = append(out, ' ')
		}
		end = t.End
		switch t.Kind {
		case Text, Integer, Decimal, Float, Hex, Bits, Placeholder:
			out = shorten(append(out, '?'), "?", "?, ...")
		default:
			out = append(out, text[t.Start:t.End]...)
			if t.Word == ")" {
				out = shorten(shorten(out, "(?)", "(?), ..."), "(?, ...)", "(?, ...), ...")
			}
		}
	}
	return append(bytes.ToValidUTF8(out[:max], nil), "…"...)
}

// shorten makes the second one of equal members at the end of a list, and all that follow, the list's short form.
func shorten(out []byte, member, list string) []byte {
	before, ok := bytes.CutSuffix(out, []byte(member))
	if !ok {
		return out
	}
	before, ok = bytes.CutSuffix(bytes.TrimSpace(before), []byte(","))
	if !ok || !bytes.HasSuffix(before, []byte(member)) && !bytes.HasSuffix(before, []byte(list)) {
		return out
	}
	return append(bytes.TrimSuffix(bytes.TrimSuffix(before, []byte(list)), []byte(member)), list...)
}
