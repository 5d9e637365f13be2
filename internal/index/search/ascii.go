// SPDX-License-Identifier: Apache-2.0

package search

// Most texts have no character beyond ASCII. There Unicode's annex 29 needs no tables: a word is letters, digits and
// underscores, and single marks between two letters or between two digits.

// kind is what an ASCII character is to words.
type kind uint8

const (
	kindOther      kind = iota
	kindLetter          // these
	kindDigit           // three
	kindUnderscore      // make words
	kindInLetters       // : between letters
	kindInDigits        // , and ; between digits
	kindInBoth          // . and '
)

// asciiKinds are the kinds of characters. // immutable
var asciiKinds = makeASCIIKinds()

func makeASCIIKinds() (kinds [128]kind) {
	for c := range kinds {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			kinds[c] = kindLetter
		case c >= '0' && c <= '9':
			kinds[c] = kindDigit
		}
	}
	kinds['_'], kinds[':'] = kindUnderscore, kindInLetters
	kinds[','], kinds[';'], kinds['.'], kinds['\''] = kindInDigits, kindInDigits, kindInBoth, kindInBoth
	return kinds
}

// makesWords reports whether a character of the kind is in a word wherever it stands.
func (k kind) makesWords() bool { return k != kindOther && k <= kindUnderscore }

// joins reports whether a character of the kind does not part two characters of another one.
func (k kind) joins(sides kind) bool {
	return k == kindInBoth && (sides == kindLetter || sides == kindDigit) ||
		k == kindInLetters && sides == kindLetter || k == kindInDigits && sides == kindDigit
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// cutASCII is cutMarkedWords for a text of ASCII characters.
func cutASCII(text []byte, yield func(start, end int)) {
	for at := 0; at < len(text); at++ {
		if !asciiKinds[text[at]&0x7F].makesWords() {
			continue
		}
		end := wordEnd(text, at)
		yield(at, end)
		at = end
	}
}

// wordEnd is the end of the word that begins at a place.
func wordEnd(text []byte, at int) int {
	last := asciiKinds[text[at]&0x7F]
	for at++; at < len(text); at++ {
		next := asciiKinds[text[at]&0x7F]
		if !next.makesWords() {
			if at+1 == len(text) || asciiKinds[text[at+1]&0x7F] != last || !next.joins(last) {
				break
			}
			next = last
		}
		last = next
	}
	return at
}
