// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"encoding/hex"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

// AppendSpan appends a span as people read it, by the values of its parts: [/"a"/5 - /"a"] is from the first key with
// "a" and 5 to the last with "a"; a parenthesis leaves the end itself out, an open end is nothing. A part's beginning
// stands as its bytes and "...".
func AppendSpan(dst []byte, x *schema.Index, s Span) []byte {
	if s.Start == nil {
		dst = append(dst, '[')
	} else if text, complete := keyText(x, s.Start); complete {
		dst = append(append(dst, '['), text...)
	} else if before, complete := predecessorText(x, s.Start); complete {
		dst = append(append(dst, '('), before...)
	} else {
		dst = append(append(dst, '['), text...)
	}
	dst = append(dst, " - "...)
	if s.End == nil {
		return append(dst, ']')
	}
	before, complete := predecessorText(x, s.End)
	if text, whole := keyText(x, s.End); !complete && (whole || before == nil) {
		return append(append(dst, text...), ')')
	}
	return append(append(dst, before...), ']')
}

// predecessorText is keyText of what order.PrefixEnd made key from, but for the 0xFF bytes that it dropped. It is nil
// if key does not come from there.
func predecessorText(x *schema.Index, key []byte) (text []byte, complete bool) {
	n := len(key)
	if n == 0 || key[n-1] == 0 {
		return nil, false
	}
	before := append([]byte(nil), key...)
	before[n-1]--
	return keyText(x, before)
}

// KeyText writes a relative key of x as people read it.
func KeyText(x *schema.Index, key []byte) string {
	text, _ := keyText(x, key)
	return string(text)
}

// keyText writes the values of a key's parts. complete is true if the key holds whole parts only, no more than the
// index has.
func keyText(x *schema.Index, key []byte) (text []byte, complete bool) {
	for i := range x.Key {
		if len(key) == 0 {
			return text, true
		}
		p := &x.Key[i]
		_, v, rest, err := cutPart(nil, key, x, p)
		if err != nil {
			return append(append(append(text, "/x"...), hex.EncodeToString(key)...), "..."...), false
		}
		text = append(text, '/')
		switch {
		case p.Hidden:
			text = append(append(text, '#'), hex.EncodeToString(key[:len(key)-len(rest)])...)
		case v == nil:
			text = append(text, "null"...)
		default:
			text = value.AppendText(text, v)
		}
		key = rest
	}
	return text, len(key) == 0
}
