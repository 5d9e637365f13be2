// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// entryBytes is the memory of an entry of a table besides its record: the entry and its share of the heads, with room
// to grow.
const entryBytes = 56

// table finds records by their keys. A record is the key's length, the key, and a row.
type table struct {
	memory  share
	arena   arena
	seed    maphash.Seed
	seeded  bool
	entries []entry
	heads   []uint32 // the first entry of a chain, plus one
}

type entry struct {
	at   uint64
	hash uint32
	next uint32 // the next entry of the chain, plus one
	met  bool   // a row of the other side has matched it
}

func (t *table) begin(b *Budget, counts *Counts) {
	t.memory.begin(b, counts)
	t.arena.memory = &t.memory
	if !t.seeded {
		t.seed, t.seeded = maphash.MakeSeed(), true
	}
}

func (t *table) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) }

// add takes a record. A record that is not linked is found by no key. false: there is no memory for it.
func (t *table) add(hash uint64, record []byte, linked bool) bool {
	if !t.memory.take(entryBytes) {
		return false
	}
	at, ok := t.arena.add(record)
	if !ok {
		return false
	}
	if len(t.entries) >= len(t.heads) {
		t.grow()
	}
	e := entry{at: at, hash: uint32(hash)}
	if linked {
		head := &t.heads[e.hash&uint32(len(t.heads)-1)]
		e.next, *head = *head, uint32(len(t.entries)+1)
	} else {
		e.next = unlinked
	}
	t.entries = append(t.entries, e)
	return true
}

// unlinked marks entries outside of all chains.
const unlinked = 1<<32 - 1

func (t *table) grow() {
	t.heads = make([]uint32, max(64, 2*len(t.heads)))
	mask := uint32(len(t.heads) - 1)
	for i := range t.entries {
		if e := &t.entries[i]; e.next != unlinked {
			head := &t.heads[e.hash&mask]
			e.next, *head = *head, uint32(i+1)
		}
	}
}

// first is the first entry of a key's chain, plus one; 0: there is none.
func (t *table) first(hash uint64) uint32 {
	if len(t.heads) == 0 {
		return 0
	}
	return t.heads[uint32(hash)&uint32(len(t.heads)-1)]
}

// find goes along a chain to the next record of a key.
func (t *table) find(chain uint32, hash uint64, key []byte) (e *entry, row []byte, next uint32) {
	for chain != 0 {
		e := &t.entries[chain-1]
		chain = e.next
		if e.hash != uint32(hash) {
			continue
		}
		found, row := cutKeyed(t.arena.get(e.at))
		if bytes.Equal(found, key) {
			return e, row, chain
		}
	}
	return nil, nil, 0
}

// entriesKept is the number of entries that an empty table keeps room for.
const entriesKept = 1 << 10

// clear empties the table and gives its memory back, but for what a small one needs.
func (t *table) clear() {
	t.memory.release()
	t.arena.clear()
	if cap(t.entries) > entriesKept {
		t.entries, t.heads = nil, nil
		return
	}
	t.entries = t.entries[:0]
	clear(t.heads)
}

// appendKeyed begins a record with its key; the row follows.
func appendKeyed(dst, key []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(key)))
	return append(dst, key...)
}

func cutKeyed(record []byte) (key, row []byte) {
	size, n := binary.Uvarint(record)
	end := n + int(size)
	return record[n:end], record[end:]
}
