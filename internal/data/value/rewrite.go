// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/binary"
	"slices"
)

// rowHeaderReserve is the room kept for a row's header while its numbers are not known yet: as much as it can take.
const rowHeaderReserve = 1 + 2*binary.MaxVarintLen64

// Project appends to dst the row of those attributes of row for whose names keep returns true. Names are as in
// Attributes, what is returned as in RowBuilder.AppendTo. An attribute whose name is unknown to the dictionary is left
// out.
func Project(dst []byte, row Row, names Names, keep func(name []byte) bool) Row {
	start := len(dst)
	dst = slices.Grow(dst, rowHeaderReserve+len(row))[:start+rowHeaderReserve]
	size, count := 0, 0
	_, left, rest, _ := row.header()
	for range left {
		a, after, ok := cutAttribute(rest)
		if !ok {
			break
		}
		if name, err := a.fullName(names); err == nil && keep(name) {
			dst = append(dst, rest[:len(rest)-len(after)]...)
			size += len(name) + a.value.Size()
			count++
		}
		rest = after
	}
	attributes := dst[start+rowHeaderReserve:]
	dst = appendRowHeader(dst[:start], size, count)
	return append(dst, attributes...) // moves them down, over the rest of the reserve
}

// Omit is Project for a few attributes that are not kept: those for whose names omit returns true. It returns row
// itself if it has none of them.
func Omit(dst []byte, row Row, names Names, omit func(name []byte) bool) Row {
	size, count, rest, _ := row.header()
	kept, copied, start := count, rest, len(dst) // copied is what has yet to be copied
	for range count {
		a, after, ok := cutAttribute(rest)
		if !ok {
			break
		}
		if name, err := a.fullName(names); err == nil && omit(name) {
			if kept == count {
				dst = slices.Grow(dst, rowHeaderReserve+len(row))[:start+rowHeaderReserve]
			}
			dst = append(dst, copied[:len(copied)-len(rest)]...)
			copied = after
			size -= len(name) + a.value.Size()
			kept--
		}
		rest = after
	}
	if kept == count {
		return row
	}
	dst = append(dst, copied...)
	attributes := dst[start+rowHeaderReserve:]
	dst = appendRowHeader(dst[:start], size, kept)
	return append(dst, attributes...) // moves them down, over the rest of the reserve
}

// Resize returns row with the size that it has under names: one that was built before an attribute was renamed counts
// the old name. A row whose size is right is returned as it is, and so is one that can't be read.
func Resize(row Row, names Names) Row {
	stored, count, rest, _ := row.header()
	size, attributes := 0, rest
	for range count {
		a, after, ok := cutAttribute(rest)
		if !ok {
			return row
		}
		name, err := a.fullName(names)
		if err != nil {
			return row
		}
		size += len(name) + a.value.Size()
		rest = after
	}
	if size == stored {
		return row
	}
	return append(appendRowHeader(make([]byte, 0, rowHeaderReserve+len(attributes)), size, count), attributes...)
}

// Rename appends row, which was built with the dictionary from, as the dictionary to has it: for an item whose new
// names got their ids after it was built, and for copying items into another table. The results are those of
// RowBuilder.AppendTo; the errors are ErrMalformed, ErrUnknownName, and ErrDuplicateName if row held a name both in
// full and under an id.
func Rename(dst []byte, row Row, from, to Names) (Row, error) {
	var b RowBuilder
	b.Reset(to)
	b.Buf = make([]byte, 0, len(row)+16)
	if len(row) == 0 {
		return dst, ErrMalformed
	}
	attributes := row.Attributes(from)
	for attributes.Next() {
		if err := b.Set(attributes.Name(), attributes.Value()); err != nil {
			return dst, err
		}
	}
	if err := attributes.Err(); err != nil {
		return dst, err
	}
	return b.AppendTo(dst), nil
}
