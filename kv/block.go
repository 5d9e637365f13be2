// SPDX-License-Identifier: Apache-2.0

package kv

// Block is entries that were read together, in the direction of their cursor. The zero value is ready; it may be used
// again for other cursors.
type Block struct {
	// Keep says what of each entry is kept.
	Keep BlockPart
	// Cut is the number of bytes that are left out at the beginning of each key. All keys have so many.
	Cut int

	count        int
	bytes        int    // of keys and values
	first        []byte // the first key, whole
	keys, values parts
}

// BlockPart is a part of the entries of a Block.
type BlockPart uint8

// The parts: each has those before it.
const (
	BlockCount  BlockPart = iota // only how many there are
	BlockKeys                    // keys
	BlockValues                  // keys and values
)

// blockBytesMax is the number of bytes of keys and values that are kept from which on a Block takes no more entries.
const blockBytesMax = 64 << 10

// parts is byte strings one after the other.
type parts struct {
	data []byte
	ends []int
}

func (p *parts) reset() { p.data, p.ends = p.data[:0], append(p.ends[:0], 0) }

func (p *parts) add(b []byte) {
	p.data = append(p.data, b...)
	p.ends = append(p.ends, len(p.data))
}

func (p *parts) at(i int) []byte { return p.data[p.ends[i]:p.ends[i+1]:p.ends[i+1]] }

// Reset makes the block empty.
func (b *Block) Reset() {
	b.count, b.bytes = 0, 0
	b.keys.reset()
	b.values.reset()
}

// Add adds a copy of an entry, for implementations of Blocks. value is only looked at if it is kept.
func (b *Block) Add(key, value []byte) {
	if b.count == 0 {
		b.first = append(b.first[:0], key...)
	}
	b.count++
	b.bytes += len(key)
	if b.Keep == BlockCount {
		return
	}
	b.keys.add(key[b.Cut:])
	if b.Keep == BlockValues {
		b.bytes += len(value)
		b.values.add(value)
	}
}

// Full reports whether the block takes no more entries, although it was asked for more.
func (b *Block) Full(most int) bool {
	return b.count >= most || len(b.keys.data)+len(b.values.data) >= blockBytesMax
}

// Len is the number of entries.
func (b *Block) Len() int { return b.count }

// Bytes is the number of bytes that were read: of the keys, whole, and of the values if they are kept.
func (b *Block) Bytes() int { return b.bytes }

// First is the whole key of the first entry, as Key is.
func (b *Block) First() []byte { return b.first }

// Key is the key of an entry, without the bytes that are cut, valid until the block is used again. The caller must not
// change it.
func (b *Block) Key(i int) []byte { return b.keys.at(i) }

// Value is the value of an entry, as Key is its key.
func (b *Block) Value(i int) []byte { return b.values.at(i) }

// Blocks is a Cursor with a cheaper implementation of ReadBlock.
type Blocks interface {
	// ReadBlock is ReadBlock of this cursor.
	ReadBlock(b *Block, most int)
}

// ReadBlock makes the next entries of a cursor those of a block: at least one and at most so many, or none if there is
// none; then look at Close's error, as after Next. It is as so many calls of Next, for less. Until the next Next, the
// cursor's Key and Value are undefined.
func ReadBlock(c Cursor, b *Block, most int) {
	if blocks, ok := c.(Blocks); ok {
		blocks.ReadBlock(b, most)
		return
	}
	b.Reset()
	for !b.Full(most) && c.Next() {
		var value []byte
		if b.Keep == BlockValues {
			value = c.Value()
		}
		b.Add(c.Key(), value)
	}
}
