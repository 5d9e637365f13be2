// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// slabBytes is the size of the pieces in which a chunk keeps its bytes; longer entries get a piece of their own.
const slabBytes = 1 << 20

// slabBits is the number of bits of a place that are the offset in its slab.
const slabBits = 28

// refBytes is the size of a ref.
const refBytes = 48

// ref is one entry of a chunk.
type ref struct {
	prefix     uint64 // 8 bytes of the key behind what all keys of the group begin with, once that is known
	key, value uint64 // places
	keyLen     uint32
	valueLen   uint32
	ordinal    uint64 // of the record that it was derived from
	isRow      bool
}

// chunk is a bounded part of all entries, in memory: filled by one goroutine, then sorted, then read.
type chunk struct {
	skip  int // how long the beginning is that all keys share
	slabs [][]byte
	used  int // slabs with something in them
	// groups are the entries by the first byte behind the beginning, which tells indexes apart: keys of one have much
	// in common.
	groups [256][]ref
	count  int // of all refs

	// shared is the position of the value added last: several entries of one row often have the row itself as value.
	shared     uint64
	sharedSize uint32
}

// bytes is the memory the entries take.
func (c *chunk) bytes() int64 {
	n := int64(c.count) * refBytes * 5 / 4 // refs grow by about a quarter
	for _, slab := range c.slabs[:c.used] {
		n += int64(cap(slab))
	}
	return n
}

// reset empties the chunk and keeps its memory.
func (c *chunk) reset() {
	for i := range c.slabs {
		c.slabs[i] = c.slabs[i][:0]
	}
	c.slabs = slices.DeleteFunc(c.slabs, func(slab []byte) bool { return cap(slab) > slabBytes })
	for i := range c.groups {
		c.groups[i] = c.groups[i][:0]
	}
	c.used, c.count, c.sharedSize = 0, 0, 0
}

func (c *chunk) add(key, value []byte, ordinal uint64, isRow bool) {
	r := ref{keyLen: uint32(len(key)), valueLen: uint32(len(value)), ordinal: ordinal, isRow: isRow}
	r.key = c.put(key)
	if r.valueLen > 0 && r.valueLen == c.sharedSize && bytes.Equal(value, c.at(c.shared, c.sharedSize)) {
		r.value = c.shared
	} else {
		r.value = c.put(value)
		c.shared, c.sharedSize = r.value, r.valueLen
	}
	group := &c.groups[key[c.skip]]
	*group = append(*group, r)
	c.count++
}

// put copies b and returns its place.
func (c *chunk) put(b []byte) uint64 {
	if c.used == 0 || cap(c.slabs[c.used-1])-len(c.slabs[c.used-1]) < len(b) {
		c.grow(len(b))
	}
	slab := &c.slabs[c.used-1]
	place := uint64(c.used-1)<<slabBits | uint64(len(*slab))
	*slab = append(*slab, b...)
	return place
}

func (c *chunk) grow(size int) {
	if c.used < len(c.slabs) && cap(c.slabs[c.used]) >= size {
		c.used++
		return
	}
	c.slabs = slices.Insert(c.slabs, c.used, make([]byte, 0, max(size, slabBytes)))
	c.used++
}

func (c *chunk) at(place uint64, size uint32) []byte {
	slab, offset := c.slabs[place>>slabBits], place&(1<<slabBits-1)
	return slab[offset : offset+uint64(size) : offset+uint64(size)]
}

func (c *chunk) sort() {
	for _, refs := range c.groups {
		if len(refs) > 1 {
			c.sortGroup(refs)
		}
	}
}

// sortGroup looks how much all keys have in common first, so that most are ordered without a look at their bytes.
func (c *chunk) sortGroup(refs []ref) {
	first := c.keyOf(&refs[0])
	common := len(first)
	for i := range refs {
		key := c.keyOf(&refs[i])
		n := 0
		for n < min(common, len(key)) && key[n] == first[n] {
			n++
		}
		common = n
	}
	for i := range refs {
		refs[i].prefix = prefixOf(c.keyOf(&refs[i])[common:])
	}
	slices.SortFunc(refs, func(a, b ref) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		if n := bytes.Compare(c.keyOf(&a)[common:], c.keyOf(&b)[common:]); n != 0 {
			return n
		}
		return cmp.Compare(a.ordinal, b.ordinal)
	})
}

func (c *chunk) keyOf(r *ref) []byte { return c.at(r.key, r.keyLen) }

// prefixOf returns the first 8 bytes as a number that compares as they do; shorter keys are filled up with zeros.
func prefixOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// chunkStream reads a sorted chunk.
type chunkStream struct {
	chunk       *chunk
	group, next int
}

func (s *chunkStream) read(e *entry) (ok bool, err error) {
	for s.next == len(s.chunk.groups[s.group]) {
		if s.group == len(s.chunk.groups)-1 {
			return false, nil
		}
		s.group, s.next = s.group+1, 0
	}
	r := &s.chunk.groups[s.group][s.next]
	s.next++
	e.key, e.value, e.ordinal, e.isRow = s.chunk.keyOf(r), s.chunk.at(r.value, r.valueLen), r.ordinal, r.isRow
	return true, nil
}

func (s *chunkStream) close() error { return nil }

// rewind takes back what was added of the last record: its entries were derived in part.
func (c *chunk) rewind(ordinal uint64) {
	for i := range c.groups {
		refs := &c.groups[i]
		for n := len(*refs); n > 0 && (*refs)[n-1].ordinal == ordinal; n-- {
			*refs = (*refs)[:n-1]
			c.count--
		}
	}
}

// cuts returns a key of the sorted chunk about every so many bytes.
func (c *chunk) cuts(every int64) (keys [][]byte) {
	n := every / 2 // what other chunks leave over is as much on average
	for _, refs := range c.groups {
		for i := range refs {
			if n += int64(refs[i].keyLen) + int64(refs[i].valueLen); n >= every {
				keys, n = append(keys, bytes.Clone(c.keyOf(&refs[i]))), 0
			}
		}
	}
	return keys
}
