// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"

	"golang.org/x/text/unicode/norm"
)

// UnicodeVersion is the edition of Unicode whose normal forms nfc codecs use.
const UnicodeVersion = norm.Version

// Normal returns text in Unicode's normal form C; text itself if it is in that form already. Predicates on attributes
// of type nfc compare, and look for prefixes in, what Normal returns for both sides. Bytes that are no UTF-8 stay as
// they are.
func Normal(text []byte) []byte {
	if norm.NFC.QuickSpan(text) == len(text) {
		return text
	}
	return norm.NFC.Append(nil, text...)
}

// load reads 8 bytes of b from start on, the first first, and pad where b has ended.
func load(b []byte, start int, pad byte) uint64 {
	if len(b)-start >= 8 {
		return binary.BigEndian.Uint64(b[start:])
	}
	word := uint64(pad) * 0x0101010101010101
	if start < len(b) {
		var tail [8]byte
		kept := copy(tail[:], b[start:])
		word = binary.BigEndian.Uint64(tail[:]) | word>>(8*uint(kept))
	}
	return word
}

// pad fills the code behind the end of a byte string.
func (e edge) pad() byte {
	if e == edgePrefix {
		return 0xFF
	}
	return 0
}

// content returns the bytes that v's full code begins with, before it is padded. number holds those of a number.
func (c *Codec) content(v *Value, number *[numberBytes]byte) ([]byte, error) {
	switch kind := c.attribute.Type.Kind; {
	case kind == Decimal:
		d, _, ok := numberOf(v)
		if !ok {
			return nil, typeError(v)
		}
		numberCode(number, d)
		return number[:], nil
	case kind == NFC && v.kind == valueText:
		return Normal(v.bytes), nil
	case kind == UTF8 && v.kind == valueText, kind == Bytes && v.kind == valueBinary, kind == Raw &&
		v.kind >= valueText:
		return v.bytes, nil
	}
	return nil, typeError(v)
}

// bytesWord is word for the kinds whose full codes are bytes.
func (c *Codec) bytesWord(v *Value, e edge) (uint64, error) {
	var number [numberBytes]byte
	content, err := c.content(v, &number)
	if err != nil {
		return 0, err
	}
	return load(content, 0, e.pad()), nil
}

// appendFull appends the full code of a kind whose full codes are bytes.
func (c *Codec) appendFull(dst []byte, v *Value, e edge) ([]byte, error) {
	var number [numberBytes]byte
	content, err := c.content(v, &number)
	if err != nil {
		return dst, err
	}
	width := numberBytes
	if c.source != sourceNumber {
		width = c.attribute.Type.Bytes
	}
	content = content[:min(len(content), width)]
	dst = append(dst, content...)
	for range width - len(content) {
		dst = append(dst, e.pad())
	}
	return dst, nil
}

// putWord writes 8 bytes, the first first.
func putWord(b []byte, word uint64) { binary.BigEndian.PutUint64(b, word) }
