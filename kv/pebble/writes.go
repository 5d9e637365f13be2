// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
)

// Sizes of a writeSet's skip list.
const (
	towerHeightMax    = 12
	writeKeptBytesMax = 64 << 10 // a set with more room than this is not kept for the next transaction
)

// span is a part of a writeSet's bytes. Unlike a slice it survives the growth of them.
type span struct{ from, to uint32 }

// writeSet holds a transaction's writes, in key order: a skip list without removal, whose nodes, links and bytes lie in
// three slices, so that a set of a few keys costs no allocation when its slices are used again. Node 0 is the head.
type writeSet struct {
	bytes   []byte
	nodes   []writeNode
	links   []uint32 // towers; links[nodes[i].tower+level] is the next node of that level, 0 = none
	height  int
	random  uint64
	sets    int // writes other than deletions, as counted by Set
	stamped int // nodes with a stamp
	written int // bytes of keys and values, overwritten ones included
}

type writeNode struct {
	hash    uint64
	key     span
	value   span
	since   uint64 // the version from which others' commits of the key are conflicts; 0 = the transaction's start
	tower   uint32
	stampAt uint32 // where a stamp goes in the key, plus 1; 0 = it has none
	deleted bool
}

// reset empties the set and keeps its memory if that is little.
func (w *writeSet) reset() {
	if cap(w.bytes) > writeKeptBytesMax || cap(w.nodes) > writeKeptBytesMax/64 {
		*w = writeSet{}
		return
	}
	*w = writeSet{bytes: w.bytes[:0], nodes: w.nodes[:0], links: w.links[:0], random: w.random}
}

func (w *writeSet) len() int { return max(len(w.nodes)-1, 0) }

// bytesTotal is about the size of the batch that the set makes.
func (w *writeSet) bytesTotal() int { return w.written }

func (w *writeSet) slice(s span) []byte { return w.bytes[s.from:s.to:s.to] }

func (w *writeSet) keep(b []byte) span {
	from := uint32(len(w.bytes))
	w.bytes = append(w.bytes, b...)
	return span{from, uint32(len(w.bytes))}
}

// put records a write; the last one of a key stands, and since of the first one. hash is called for a new key only.
func (w *writeSet) put(key, value []byte, deleted bool, since uint64, hash func([]byte) uint64) {
	if len(w.nodes) == 0 {
		w.begin()
	}
	var before [towerHeightMax]uint32
	at := w.seek(key, &before)
	if at == 0 || !bytes.Equal(w.slice(w.nodes[at].key), key) {
		at = w.insert(key, hash(key), &before)
		w.nodes[at].since = since
		w.written += len(key)
	}
	w.nodes[at].value = w.keep(value)
	w.nodes[at].deleted = deleted
	w.written += len(value)
	if !deleted {
		w.sets++
	}
}

// putStamped is put for a key that gets the commit's stamp at a place.
func (w *writeSet) putStamped(key []byte, at int, value []byte, hash func([]byte) uint64) {
	w.put(key, value, false, 0, hash)
	node := &w.nodes[w.seek(key, nil)]
	if node.stampAt == 0 {
		w.stamped++
	}
	node.stampAt = uint32(at) + 1
}

// stamp puts a stamp into the keys that get one. Their order in the set is no longer that of the keys, so only fill may
// follow.
func (w *writeSet) stamp(stamp uint64) {
	for i := range w.nodes {
		if node := &w.nodes[i]; node.stampAt > 0 {
			binary.BigEndian.PutUint64(w.bytes[node.key.from+node.stampAt-1:], stamp)
		}
	}
}

func (w *writeSet) begin() {
	w.nodes = append(w.nodes, writeNode{})
	w.links = append(w.links, make([]uint32, towerHeightMax)...)
	w.height = 1
	if w.random == 0 {
		w.random = 0x9e3779b97f4a7c15
	}
}

// insert links a new node behind those of before.
func (w *writeSet) insert(key []byte, hash uint64, before *[towerHeightMax]uint32) uint32 {
	height := w.newHeight()
	for ; w.height < height; w.height++ {
		before[w.height] = 0
	}
	at, tower := uint32(len(w.nodes)), uint32(len(w.links))
	w.nodes = append(w.nodes, writeNode{hash: hash, key: w.keep(key), tower: tower})
	for level := range height {
		link := &w.links[w.nodes[before[level]].tower+uint32(level)]
		next := *link
		*link = at
		w.links = append(w.links, next)
	}
	return at
}

// newHeight draws from a geometric distribution with a ratio of 1/4.
func (w *writeSet) newHeight() int {
	w.random ^= w.random << 13
	w.random ^= w.random >> 7
	w.random ^= w.random << 17
	height := 1
	for r := w.random; r&3 == 0 && height < towerHeightMax; r >>= 2 {
		height++
	}
	return height
}

func (w *writeSet) next(at uint32) uint32 { return w.links[w.nodes[at].tower] }

// seek returns the first node at or after key, 0 if there is none. before, if given, receives the last node before key
// on each level.
func (w *writeSet) seek(key []byte, before *[towerHeightMax]uint32) uint32 {
	at, next := uint32(0), uint32(0)
	for level := w.height - 1; level >= 0; level-- {
		for {
			next = w.links[w.nodes[at].tower+uint32(level)]
			if next == 0 || bytes.Compare(w.slice(w.nodes[next].key), key) >= 0 {
				break
			}
			at = next
		}
		if before != nil {
			before[level] = at
		}
	}
	return next
}

// last returns the last node; 0 if there is none.
func (w *writeSet) last() uint32 { return w.before(nil, true) }

// seekBefore returns the last node before key; 0 if there is none.
func (w *writeSet) seekBefore(key []byte) uint32 { return w.before(key, false) }

func (w *writeSet) before(key []byte, unbounded bool) uint32 {
	at := uint32(0)
	for level := w.height - 1; level >= 0; level-- {
		for {
			next := w.links[w.nodes[at].tower+uint32(level)]
			if next == 0 || (!unbounded && bytes.Compare(w.slice(w.nodes[next].key), key) >= 0) {
				break
			}
			at = next
		}
	}
	return at
}

// get looks a key up. known says that the set has written it, be it a deletion.
func (w *writeSet) get(key []byte) (value []byte, deleted, known bool) {
	if w.len() == 0 {
		return nil, false, false
	}
	at := w.seek(key, nil)
	if at == 0 || !bytes.Equal(w.slice(w.nodes[at].key), key) {
		return nil, false, false
	}
	return w.slice(w.nodes[at].value), w.nodes[at].deleted, true
}

// fill writes the set into a batch.
func (w *writeSet) fill(batch *pebble.Batch) error {
	for i := 1; i < len(w.nodes); i++ {
		node := &w.nodes[i]
		var err error
		switch {
		case node.deleted && node.stampAt > 0: // it was dropped
		case node.deleted:
			err = batch.Delete(storedKey(w.slice(node.key)), nil)
		default:
			err = batch.Set(storedKey(w.slice(node.key)), w.slice(node.value), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
