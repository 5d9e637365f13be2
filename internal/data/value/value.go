// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/order"
)

// Value is one encoded value, a tag byte and its payload. A nil Value is missing. Its bytes belong to whoever made
// them, often a row or a request: values cut from it, Bytes and names all alias it.
type Value []byte

// Cut takes the first value off b. The value aliases b. Only what is needed to find its end is checked; see Validate.
func Cut(b []byte) (v Value, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, ErrMalformed
	}
	n := 1
	switch b[0] {
	case tagNull, tagFalse, tagTrue:
	case tagNumber:
		rest, err = order.SkipDecimal(b[1:])
		if err != nil {
			return nil, nil, ErrMalformed
		}
		n = len(b) - len(rest)
	case tagInt, tagFloat, tagTimestamp:
		n = 9
	case tagString, tagBinary, tagList, tagMap, tagStringSet, tagNumberSet, tagBinarySet:
		length, after, ok := cutUvarint(b[1:])
		if !ok || length > uint64(len(after)) {
			return nil, nil, ErrMalformed
		}
		n = len(b) - len(after) + int(length)
	default:
		return nil, nil, ErrMalformed
	}
	if n > len(b) {
		return nil, nil, ErrMalformed
	}
	return Value(b[:n:n]), b[n:], nil
}

// Kind returns what v is: Missing for nil and for an unknown tag.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Missing
	}
	return kindOfTag[v[0]]
}

// IsMissing reports whether there is no value.
func (v Value) IsMissing() bool { return len(v) == 0 }

// Bytes returns the bytes of a String or Binary, which alias v, and nil for other kinds.
func (v Value) Bytes() []byte {
	if len(v) < 2 || v[0] != tagString && v[0] != tagBinary {
		return nil
	}
	length, rest, ok := cutUvarint(v[1:])
	if !ok || length != uint64(len(rest)) {
		return nil
	}
	return rest
}

// Bool returns the truth of a Bool; it is false for other kinds.
func (v Value) Bool() bool { return len(v) > 0 && v[0] == tagTrue }

// String returns v in the notation of AppendText, for tests and messages. It allocates.
func (v Value) String() string { return string(AppendText(nil, v)) }

// cutUvarint takes an unsigned varint off b. ok is false if there is none, it is longer than need be, or exceeds 64
// bits.
func cutUvarint(b []byte) (x uint64, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), b[1:], true
	}
	x, n := binary.Uvarint(b)
	if n <= 0 || b[n-1] == 0 {
		return 0, nil, false
	}
	return x, b[n:], true
}

// cutString takes a uvarint length and so many bytes off b.
func cutString(b []byte) (s, rest []byte, ok bool) {
	length, rest, ok := cutUvarint(b)
	if !ok || length > uint64(len(rest)) {
		return nil, nil, false
	}
	return rest[:length:length], rest[length:], true
}

// uvarintLen returns the length of x as an unsigned varint.
func uvarintLen(x uint64) int {
	n := 1
	for x >= 0x80 {
		x >>= 7
		n++
	}
	return n
}

var (
	// ErrMalformed says that bytes are not an encoded value or row.
	ErrMalformed = errors.New("value: malformed encoding; the bytes were damaged or written by a newer version")
	// ErrNesting says that a document nests deeper than NestingMax.
	ErrNesting = errors.New("value: lists and maps may nest 31 levels deep; flatten the document")
	// ErrDuplicateName says that a map or a row was given one name twice.
	ErrDuplicateName = errors.New("value: a name occurs twice; give each attribute once")
	// ErrDuplicateMember says that a set was given one member twice.
	ErrDuplicateMember = errors.New("value: a set holds a member twice; give each member once")
	// ErrEmptySet says that a set was given no members. No set is empty: remove the attribute instead.
	ErrEmptySet = errors.New("value: a set needs a member; leave an empty set out")
	// ErrUnknownName says that a row holds an id that the dictionary does not know: the dictionary is older than the
	// row.
	ErrUnknownName = errors.New("value: the row names an attribute unknown to the dictionary; read the dictionary again")
)
