// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"hash/maphash"
)

// scanMax is the number of attributes up to which a builder looks for a duplicate by going through them.
const scanMax = 32

// prefixes is a hash table of the names of a builder's entries, for items so wide that going through them for each new
// name would take quadratic time. The hashed and compared bytes are those of an entry in front of its value, none of
// which begins another's.
type prefixes struct {
	seed  maphash.Seed
	slots []uint32 // where the entry starts in the buffer, plus 1; 0 is an empty slot. The length is a power of two
	count int
}

func (p *prefixes) reset() { p.count = 0 }

// add looks for e's name among entries, which hold what was added before, and adds it if it is new.
func (p *prefixes) add(buf []byte, entries []entry, e entry) (found bool) {
	if p.count != len(entries) || 2*p.count >= len(p.slots) {
		p.rebuild(buf, entries)
	}
	return p.insert(buf, e)
}

// rebuild makes the table anew, for twice as many entries as there are.
func (p *prefixes) rebuild(buf []byte, entries []entry) {
	size := 4 * scanMax
	for size < 4*len(entries) {
		size *= 2
	}
	if cap(p.slots) < size {
		p.slots = make([]uint32, size)
		p.seed = maphash.MakeSeed()
	}
	p.slots = p.slots[:size]
	clear(p.slots)
	p.count = 0
	for _, e := range entries {
		p.insert(buf, e)
	}
}

func (p *prefixes) insert(buf []byte, e entry) (found bool) {
	prefix := buf[e.start:e.value]
	mask := uint64(len(p.slots) - 1)
	i := maphash.Bytes(p.seed, prefix) & mask
	for ; p.slots[i] != 0; i = (i + 1) & mask {
		if bytes.HasPrefix(buf[p.slots[i]-1:], prefix) {
			return true
		}
	}
	p.slots[i] = e.start + 1
	p.count++
	return false
}
