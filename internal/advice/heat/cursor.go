// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"bytes"
	"math/rand/v2"

	"github.com/weftdb/weft/kv"
)

const (
	stepsMax  = 256 // how many steps a cursor counts by itself, about, before it adds them to the Map
	stepEvery = 64  // one key in so many steps is left, on average
	blockMin  = 8   // entries are read together at least, however soon a key is to be left
)

// cursor counts its steps as long as they stay in one bucket.
type cursor struct {
	kv.Cursor
	heat    *Map
	reverse bool
	axis    *axis // nil: no bucket is known
	bucket  int
	border  []byte // where the bucket ends in the direction of the steps; nil: it does not
	steps   int    // not yet added
	size    int    // of their keys and values, bytes
	until   int    // steps until a key is left
	chance  uint32
}

// Next is the cursor's Next.
func (c *cursor) Next() bool {
	if !c.Cursor.Next() {
		return false
	}
	key := c.Cursor.Key()
	c.count(key, 1, len(key)+len(c.Cursor.Value()))
	return true
}

// ReadBlock is the cursor's. A block counts where it begins, and ends before the next key that is left.
func (c *cursor) ReadBlock(b *kv.Block, most int) {
	kv.ReadBlock(c.Cursor, b, min(most, max(c.until, blockMin)))
	if b.Len() > 0 {
		c.count(b.First(), b.Len(), b.Bytes())
	}
}

// count counts steps that begin at a key.
func (c *cursor) count(key []byte, steps, size int) {
	if c.axis != nil && c.beyond(key) {
		c.cross(key)
	}
	if c.axis == nil {
		c.enter(key, size)
		c.steps += steps - 1
		return
	}
	c.steps += steps
	c.size += size
	if c.until -= steps; c.until <= 0 {
		c.leave(key)
	}
}

// beyond reports whether a step has left the bucket.
func (c *cursor) beyond(key []byte) bool {
	return c.border != nil && (bytes.Compare(key, c.border) < 0) == c.reverse
}

// cross goes on in the bucket of key, most often the next one, unless the borders have changed: then no bucket is
// known.
func (c *cursor) cross(key []byte) {
	c.flush()
	if c.axis != c.heat.live.Load() {
		c.axis = nil
		return
	}
	next := c.bucket + 1
	if c.reverse {
		next = c.bucket - 1
	}
	c.use(next)
	if c.beyond(key) {
		c.use(c.axis.find(key))
	}
}

// use makes i the bucket of the steps that follow. The bucket beyond the last one has no border, and neither has that
// before the first.
func (c *cursor) use(i int) {
	c.bucket = i
	c.border = c.axis.end(i)
	if c.reverse {
		c.border = c.axis.borders[i]
	}
}

// enter counts the first step of all, or the first since the borders have changed.
func (c *cursor) enter(key []byte, size int) {
	c.axis = c.heat.live.Load()
	c.use(c.axis.find(key))
	c.chance = rand.Uint32() | 1
	c.axis.note(c.heat, c.bucket, read, key, 1, size, c.chance)
	c.until = 1 + int(c.chance>>8)%stepEvery
}

// leave keeps a key, for the steps around it, and draws when the next one's turn is: no stride of keys falls in with
// it.
func (c *cursor) leave(key []byte) {
	c.heat.leave(&c.axis.buckets[c.bucket], read, key, stepEvery)
	c.chance ^= c.chance << 13 // xorshift
	c.chance ^= c.chance >> 17
	c.chance ^= c.chance << 5
	c.until = 1 + int(c.chance>>8)%(2*stepEvery-1)
	if c.steps >= stepsMax {
		c.flush()
	}
}

// flush adds what was counted. If the borders have changed meanwhile, it goes to the bucket that now begins where the
// old one did.
func (c *cursor) flush() {
	if c.steps == 0 {
		return
	}
	i, a := c.bucket, c.heat.live.Load()
	if a != c.axis {
		i = a.find(c.axis.borders[c.bucket])
		c.axis = nil
	}
	cell := &a.buckets[i].shards[c.chance%shards]
	cell.counts[read].Add(int64(c.steps))
	cell.counts[int(read)+2].Add(int64(c.size))
	c.steps, c.size = 0, 0
}

// Move is the cursor's Move. The first step in the new range is counted like the first of all.
func (c *cursor) Move(r kv.Range) {
	c.flush()
	c.axis = nil
	c.Cursor.Move(r)
}

// Close is the cursor's Close.
func (c *cursor) Close() error {
	c.flush()
	return c.Cursor.Close()
}
