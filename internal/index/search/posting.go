// SPDX-License-Identifier: Apache-2.0

package search

import (
	"encoding/binary"
	"errors"
)

// Posting is an index's record of a word of a document, as bytes: the length of the document, then the places of the
// word, each as its distance from the one before; all as uvarints.
type Posting []byte

// ErrPosting says that bytes are no Posting.
var ErrPosting = errors.New("search: malformed posting")

// AppendPosting appends the posting of a word that stands at some places, ascending, in a document of some length.
func AppendPosting(dst []byte, length int, places []uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(length))
	before := uint32(0)
	for _, place := range places {
		dst = binary.AppendUvarint(dst, uint64(place-before))
		before = place
	}
	return dst
}

// Length is the length of the document.
func (p Posting) Length() int {
	length, n := binary.Uvarint(p)
	if n <= 0 {
		return 0
	}
	return int(min(length, 1<<31))
}

// Count returns the number of times that the document has the word.
func (p Posting) Count() int {
	count := -1 // the first number is the length
	for _, b := range p {
		if b < 0x80 {
			count++
		}
	}
	return max(count, 0)
}

// Places appends where the word stands. Errors: ErrPosting.
func (p Posting) Places(dst []uint32) ([]uint32, error) {
	_, n := binary.Uvarint(p)
	if n <= 0 {
		return dst, ErrPosting
	}
	place := uint64(0)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		var distance uint64
		if distance, n = binary.Uvarint(p); n <= 0 || distance > 1<<32-1 || place+distance > 1<<32-1 {
			return dst, ErrPosting
		}
		place += distance
		dst = append(dst, uint32(place))
	}
	return dst, nil
}
