// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// stops marks the bytes of x that a JSON string does not hold as they are: a quote, a backslash, a control character.
// The lowest high bit set is that of the first of them; those above may be wrong.
func stops(x uint64) uint64 {
	quote, slash := x^'"'*eachByte, x^'\\'*eachByte
	return ((quote-eachByte)&^quote | (slash-eachByte)&^slash | (x-' '*eachByte)&^x) & highBits
}

// scanPlain returns the index of the first byte of b[i:] that a JSON string does not hold as it is: a quote, a
// backslash or a control character; len(b) if there is none. high is other than 0 if a byte on the way may be above
// 0x7f.
func scanPlain(b []byte, i int) (end int, high uint64) {
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		if stop := stops(x); stop != 0 {
			return i + bits.TrailingZeros64(stop)/8, high | x&highBits&(stop&-stop-1)
		}
		high |= x & highBits
		i += 8
	}
	if x := lastBytes(b); stops(x) == 0 { // it overlaps what was seen already
		return len(b), high | x&highBits
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			break
		} else if c >= utf8.RuneSelf {
			high = 1
		}
	}
	return i, high
}

// lastBytes returns the last 8 bytes of b; from 4 to 7 bytes, all of them, some twice; 0, which holds stops, for less.
func lastBytes(b []byte) uint64 {
	switch n := len(b); {
	case n >= 8:
		return binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(b))<<32 | uint64(binary.LittleEndian.Uint32(b[n-4:]))
	}
	return 0
}

// readString reads the string whose opening quote comes next.
func (r *Reader) readString() ([]byte, error) {
	start := r.pos + 1
	if start+8 <= len(r.body) { // most keys, and many values, end within 8 bytes
		x := binary.LittleEndian.Uint64(r.body[start:])
		if stop := stops(x); stop != 0 {
			end := start + bits.TrailingZeros64(stop)/8
			if r.body[end] == '"' && x&highBits&(stop&-stop-1) == 0 {
				r.pos = end + 1
				return r.body[start:end:end], nil
			}
		}
	}
	return r.readLongString(start)
}

// readLongString reads the rest of a string, which begins at start.
func (r *Reader) readLongString(start int) ([]byte, error) {
	end, high := scanPlain(r.body, start)
	if end == len(r.body) {
		r.pos = end
		return nil, r.syntaxError("unterminated string")
	}
	s := r.body[start:end:end]
	if high != 0 && !utf8.Valid(s) {
		return nil, r.syntaxError("invalid UTF-8 in a string")
	}
	if r.body[end] == '"' {
		r.pos = end + 1
		return s, nil
	}
	r.scratch = append(r.scratch[:0], s...)
	r.pos = end
	return r.readEscaped()
}

// skipString reads the string that comes next for its syntax alone.
func (r *Reader) skipString() error {
	_, err := r.readString()
	return err
}

// readEscaped reads the rest of a string from its first byte that is not plain; what stands before it is in scratch.
func (r *Reader) readEscaped() ([]byte, error) {
	for r.pos < len(r.body) {
		switch r.body[r.pos] {
		case '"':
			r.pos++
			return r.scratch, nil
		case '\\':
			if !r.readEscape() {
				return nil, r.syntaxError("invalid escape in a string")
			}
		default:
			return nil, r.syntaxError("control character in a string")
		}
		end, high := scanPlain(r.body, r.pos)
		if high != 0 && !utf8.Valid(r.body[r.pos:end]) {
			return nil, r.syntaxError("invalid UTF-8 in a string")
		}
		r.scratch = append(r.scratch, r.body[r.pos:end]...)
		r.pos = end
	}
	return nil, r.syntaxError("unterminated string")
}

// escapes are the bytes after a backslash and what they stand for. // immutable
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// readEscape reads one escape sequence, or the two of a surrogate pair, into scratch.
func (r *Reader) readEscape() bool {
	if r.pos+1 >= len(r.body) {
		return false
	}
	c := r.body[r.pos+1]
	if c != 'u' {
		r.scratch = append(r.scratch, escapes[c])
		r.pos += 2
		return escapes[c] != 0
	}
	char, ok := hexEscape(r.body[r.pos:])
	if !ok {
		return false
	}
	n := hexEscapeLen
	if utf16.IsSurrogate(char) {
		low, ok := hexEscape(r.body[r.pos+n:])
		if char = utf16.DecodeRune(char, low); !ok || char == utf8.RuneError {
			return false
		}
		n += hexEscapeLen
	}
	r.scratch = utf8.AppendRune(r.scratch, char)
	r.pos += n
	return true
}

const hexEscapeLen = len(`\u0000`)

// hexEscape returns the UTF-16 unit of the sequence \uXXXX that b begins with.
func hexEscape(b []byte) (char rune, ok bool) {
	if len(b) < hexEscapeLen || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:hexEscapeLen] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		char = char<<4 | rune(c)
	}
	return char, true
}

// scanNumber returns the end of the JSON number at b[i:], and whether it has neither fraction nor exponent.
func scanNumber(b []byte, i int) (end int, integer, ok bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	start := i
	if i = scanDigits(b, i); i == start || b[start] == '0' && i > start+1 {
		return i, false, false
	}
	integer = true
	if i < len(b) && b[i] == '.' {
		integer, start = false, i+1
		if i = scanDigits(b, start); i == start {
			return i, false, false
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		integer = false
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start = i
		if i = scanDigits(b, start); i == start {
			return i, false, false
		}
	}
	return i, integer, true
}

func scanDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}
