// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
)

// RowBuilder makes rows. The zero value is ready for a row without a dictionary; one that is Reset and used again
// allocates nothing once its buffers have grown. It is not for use by several goroutines at once.
//
//	b.Reset(names)
//	b.Begin(name)
//	b.Buf = value.AppendString(b.Buf, s)
//	err := b.End()
//	row := b.AppendTo(nil)
type RowBuilder struct {
	// Buf takes the value of the attribute begun last: exactly one value is appended to it between Begin and End. What
	// stands in it already is the builder's.
	Buf []byte

	names     Names
	entries   []entry
	seen      prefixes
	filled    int   // where the attribute ended last ends in Buf
	size      int   // of the item, as DynamoDB counts it
	unordered bool  // attributes stand in Buf in another order than a row's
	pending   entry // the attribute begun last
	nameSize  int   // the length of its name
}

// entry is an attribute in Buf: its id or name in buf[start:value], its value in buf[value:end]. Buf stays below 4 GiB.
type entry struct {
	id                uint32
	start, value, end uint32
}

// Reset empties the builder for a row that uses names, where nil is NoNames.
func (b *RowBuilder) Reset(names Names) {
	*b = RowBuilder{Buf: b.Buf[:0], names: names, entries: b.entries[:0], seen: b.seen}
	b.seen.reset()
}

// Begin starts the attribute called name, which is copied. A value that was begun but not ended is dropped.
func (b *RowBuilder) Begin(name []byte) {
	b.Buf = b.Buf[:b.filled]
	b.pending = entry{start: uint32(len(b.Buf))}
	b.nameSize = len(name)
	id, ok := uint32(0), false
	if b.names != nil {
		id, ok = b.names.ID(name)
	}
	if ok {
		b.pending.id = id
		b.Buf = binary.AppendUvarint(b.Buf, uint64(id))
	} else {
		b.Buf = append(b.Buf, 0)
		b.Buf = appendCounted(b.Buf, name)
	}
	b.pending.value = uint32(len(b.Buf))
}

// End completes the attribute. On an error the attribute is left out and the builder goes on as if it had not been
// begun: ErrDuplicateName if its name was given before, ErrNesting, or ErrMalformed if not exactly one value was
// appended to Buf. Only the outline of the value is checked.
func (b *RowBuilder) End() error {
	if b.pending.value == 0 || len(b.Buf) < int(b.pending.value) {
		return ErrMalformed // nothing was begun
	}
	v, rest, err := Cut(b.Buf[b.pending.value:])
	if err != nil || len(rest) > 0 {
		b.drop()
		return ErrMalformed
	}
	size, ok := v.measure(0)
	if !ok {
		b.drop()
		return ErrNesting
	}
	return b.EndSized(size)
}

// EndSized is End for a caller that has just encoded the value and knows its Size: neither is checked. Its one error is
// ErrDuplicateName.
func (b *RowBuilder) EndSized(size int) error {
	e := b.pending
	e.end = uint32(len(b.Buf))
	follows := b.follows(e)
	if b.isDuplicate(e, follows) {
		b.drop()
		return ErrDuplicateName
	}
	b.entries = append(b.entries, e)
	b.unordered = !follows
	b.filled = len(b.Buf)
	b.size += b.nameSize + size
	b.pending.value = 0
	return nil
}

// drop forgets the attribute begun last.
func (b *RowBuilder) drop() {
	b.Buf = b.Buf[:b.filled]
	b.pending.value = 0
}

// follows reports whether e stands behind the last entry in a row, too.
func (b *RowBuilder) follows(e entry) bool {
	n := len(b.entries)
	return n == 0 || !b.unordered && b.compare(b.entries[n-1], e) < 0
}

// isDuplicate reports whether e's name was given before. follows is whether e stands behind all entries so far.
func (b *RowBuilder) isDuplicate(e entry, follows bool) bool {
	if len(b.entries) >= scanMax {
		return b.seen.add(b.Buf, b.entries, e)
	}
	if follows {
		return false
	}
	for _, other := range b.entries {
		if b.compare(other, e) == 0 {
			return true
		}
	}
	return false
}

// compare orders entries as a row does.
func (b *RowBuilder) compare(x, y entry) int {
	if x.id != 0 || y.id != 0 {
		if rank(x.id) < rank(y.id) {
			return -1
		}
		if x.id == y.id {
			return 0
		}
		return 1
	}
	return bytes.Compare(b.inlineName(x), b.inlineName(y))
}

// inlineName returns the name of an entry without id.
func (b *RowBuilder) inlineName(e entry) []byte {
	name, _, _ := cutString(b.Buf[e.start+1 : e.value])
	return name
}

// Set adds an attribute with a value that is encoded already and copied. The errors are those of End.
func (b *RowBuilder) Set(name []byte, v Value) error {
	b.Begin(name)
	b.Buf = append(b.Buf, v...)
	return b.End()
}

// Keep adds the attribute that a stands at, which is one of a row that was built with the builder's dictionary or an
// earlier one: as it is encoded there, without a look at its value. Its one error is ErrDuplicateName.
func (b *RowBuilder) Keep(a *Attributes) error {
	if a.current.id == 0 { // the dictionary may know the name by now
		b.Begin(a.current.name)
	} else {
		b.Buf = b.Buf[:b.filled]
		b.pending = entry{id: a.current.id, start: uint32(len(b.Buf))}
		b.nameSize = len(a.current.name)
		b.Buf = binary.AppendUvarint(b.Buf, uint64(a.current.id))
		b.pending.value = uint32(len(b.Buf))
	}
	b.Buf = append(b.Buf, a.current.value...)
	return b.EndSized(a.current.value.Size())
}

// UseNames makes the row one that uses names, for items that are read before it is known to which table they belong:
// the attributes so far were added without a dictionary.
func (b *RowBuilder) UseNames(names Names) {
	b.names = names
	for i := range b.entries {
		e := &b.entries[i]
		id, ok := names.ID(b.inlineName(*e))
		if !ok {
			continue
		}
		e.id = id
		e.start = e.value - uint32(uvarintLen(uint64(id))) // the id is shorter than the name was
		binary.PutUvarint(b.Buf[e.start:e.value], uint64(id))
		b.unordered = true // or else AppendTo would copy what is left of the names, too
	}
}

// Len returns the number of attributes.
func (b *RowBuilder) Len() int { return len(b.entries) }

// Size returns the size of the item in bytes, as DynamoDB counts it.
func (b *RowBuilder) Size() int { return b.size }

// AppendTo appends the row to dst. If dst is empty, what it returns is the row; otherwise the row begins at len(dst).
// The builder keeps its attributes, and more can be added.
func (b *RowBuilder) AppendTo(dst []byte) Row {
	dst = slices.Grow(dst, 1+uvarintLen(uint64(b.size))+uvarintLen(uint64(len(b.entries)))+b.filled)
	dst = appendRowHeader(dst, b.size, len(b.entries))
	if !b.unordered {
		return append(dst, b.Buf[:b.filled]...)
	}
	slices.SortFunc(b.entries, b.compare)
	for _, e := range b.entries {
		dst = append(dst, b.Buf[e.start:e.end]...)
	}
	return dst
}

// Unknown yields the names that had no id in the dictionary, in the order in which they were set or stand in the row.
// They alias Buf.
func (b *RowBuilder) Unknown() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, e := range b.entries {
			if e.id == 0 && !yield(b.inlineName(e)) {
				return
			}
		}
	}
}
