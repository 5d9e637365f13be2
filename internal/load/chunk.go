// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// slabBytes is the size of the pieces in which a chunk keeps its bytes; longer entries get a piece of their own.
const slabBytes = 1 << 20

// slabBits is how many bits of a place are the offset in its slab.
const slabBits = 28

// refBytes is the size of a ref.
const refBytes = 48

// ref is one entry of a chunk.
type ref struct {
	prefix     uint64 // the first 8 bytes of the key behind what all keys of the table begin with
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
	refs  []ref

	// shared is where the value added last is: several entries of one row often have the row itself as value.
	shared     uint64
	sharedSize uint32
}

// bytes is how much memory the entries take.
func (c *chunk) bytes() int64 {
	n := int64(len(c.refs)) * refBytes * 5 / 4 // refs grow by about a quarter
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
	c.used, c.refs, c.sharedSize = 0, c.refs[:0], 0
}

func (c *chunk) add(key, value []byte, ordinal uint64, isRow bool) {
	r := ref{keyLen: uint32(len(key)), valueLen: uint32(len(value)), ordinal: ordinal, prefix: prefixOf(key[c.skip:]), isRow: isRow}
	r.key = c.put(key)
	if r.valueLen > 0 && r.valueLen == c.sharedSize && bytes.Equal(value, c.at(c.shared, c.sharedSize)) {
		r.value = c.shared
	} else {
		r.value = c.put(value)
		c.shared, c.sharedSize = r.value, r.valueLen
	}
	c.refs = append(c.refs, r)
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
	slices.SortFunc(c.refs, func(a, b ref) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		if n := bytes.Compare(c.at(a.key, a.keyLen)[c.skip:], c.at(b.key, b.keyLen)[c.skip:]); n != 0 {
			return n
		}
		return cmp.Compare(a.ordinal, b.ordinal)
	})
}

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
	chunk *chunk
	next  int
}

func (s *chunkStream) read(e *entry) (ok bool, err error) {
	if s.next == len(s.chunk.refs) {
		return false, nil
	}
	r := &s.chunk.refs[s.next]
	s.next++
	e.key, e.value, e.ordinal, e.isRow = s.chunk.at(r.key, r.keyLen), s.chunk.at(r.value, r.valueLen), r.ordinal, r.isRow
	return true, nil
}

func (s *chunkStream) close() error { return nil }

// mark and rewind take back what was added since: a record whose entries were derived in part.
func (c *chunk) mark() int { return len(c.refs) }

func (c *chunk) rewind(mark int) { c.refs = c.refs[:mark] }

// cuts returns a key of the sorted chunk about every so many bytes.
func (c *chunk) cuts(every int64) (keys [][]byte) {
	n := every / 2 // what other chunks leave over is as much on average
	for i := range c.refs {
		r := &c.refs[i]
		if n += int64(r.keyLen) + int64(r.valueLen); n >= every {
			keys, n = append(keys, bytes.Clone(c.at(r.key, r.keyLen))), 0
		}
	}
	return keys
}
