// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
)

// collation is how texts are compared that differ in case, and perhaps in accents: as MySQL's collations of Unicode do
// it for letters of Latin, Greek and Cyrillic. Other letters are in the order of their code points.
type collation struct {
	general bool // utf8mb4_general_ci: in the order of code points of capital letters
	accents bool // they count: _as_ci
	padded  bool // spaces at the end don't count
}

func collationNamed(name []byte) collation {
	has := func(part string) bool { return bytes.Contains(name, []byte(part)) }
	return collation{general: has("_general_"), accents: has("_as_"), padded: !has("_0900_")}
}

// fold appends a letter as it is compared: without its case, and without accents.
func (c collation) fold(dst []byte, r rune, accents bool) []byte {
	if r == 'ß' || r == 'ẞ' {
		if c.general {
			return append(dst, 'S')
		}
		return append(dst, "ss"...)
	}
	if r >= utf8.RuneSelf && !accents {
		if bare, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r))); bare != utf8.RuneError {
			r = bare
		}
	}
	switch {
	case unicode.Is(unicode.Mn, r) && !accents && !c.general:
		return dst
	case c.general:
		return utf8.AppendRune(dst, unicode.ToUpper(r))
	}
	return utf8.AppendRune(dst, unicode.ToLower(unicode.ToUpper(r)))
}

// weight appends what equal texts have in common, whose bytes are in the collation's order.
func (c collation) weight(dst, text []byte) []byte {
	if c.padded {
		text = bytes.TrimRight(text, " ")
	}
	var letter [utf8.UTFMax]byte
	for _, r := range string(text) {
		for _, folded := range string(c.fold(letter[:0], r, false)) {
			if !c.general {
				dst = append(dst, classOf(folded))
			}
			dst = utf8.AppendRune(dst, folded)
		}
	}
	if c.accents {
		dst = append(dst, 0)
		for _, r := range string(text) {
			dst = c.fold(dst, r, true)
		}
	}
	return dst
}

// signs are ASCII's signs in the order of Unicode's collation. // immutable
const signs = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

// classOf lets signs be before digits, and these before letters.
func classOf(r rune) byte {
	switch {
	case r < utf8.RuneSelf && strings.ContainsRune(signs, r):
		return byte(10 + strings.IndexByte(signs, byte(r)))
	case unicode.IsLetter(r) || unicode.Is(unicode.Mn, r):
		return 102
	case unicode.IsDigit(r):
		return 101
	case unicode.IsSpace(r):
		return 1
	}
	return 100
}

// weightText is a text for LIKE by a collation: letter by letter as they are compared.
func weightText(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	c := collationNamed(a[1].Bytes())
	dst := e.Arena()
	for _, r := range string(e.TextOf(a[0])) {
		if r == 'ß' && !c.general {
			dst = utf8.AppendRune(dst, r) // LIKE goes by letters
			continue
		}
		dst = c.fold(dst, r, c.accents)
	}
	return datum.Text(e.Keep(dst)), nil
}
