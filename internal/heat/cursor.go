// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"bytes"
	"math/rand/v2"

	"github.com/weftdb/weft/kv"
)

// stepsMax is how many steps a cursor counts by itself before it adds them to the Map.
const stepsMax = 256

// cursor counts its steps as long as they stay in one bucket.
type cursor struct {
	kv.Cursor
	heat   *Map
	axis   *axis // nil: no bucket is known
	bucket int
	steps  int // not yet added
	size   int // of their keys and values, bytes
	chance uint32
}

// Next is the cursor's Next.
func (c *cursor) Next() bool {
	if !c.Cursor.Next() {
		return false
	}
	key := c.Cursor.Key()
	size := len(key) + len(c.Cursor.Value())
	if c.axis == nil || !c.axis.holds(c.bucket, key) {
		c.flush()
		c.axis = c.heat.live.Load()
		c.bucket = c.axis.find(key)
		c.chance = rand.Uint32() | 1
		c.axis.note(c.heat, c.bucket, read, key, 1, size, c.chance)
		return true
	}
	c.steps++
	c.size += size
	c.chance ^= c.chance << 13 // xorshift: a sequence that no stride of keys falls in with
	c.chance ^= c.chance >> 17
	c.chance ^= c.chance << 5
	if c.chance%sampleEvery == 0 {
		c.heat.leave(&c.axis.buckets[c.bucket], read, key, sampleEvery)
	}
	if c.steps >= stepsMax {
		c.flush()
	}
	return true
}

// holds says whether key lies in bucket i.
func (a *axis) holds(i int, key []byte) bool {
	return bytes.Compare(key, a.borders[i]) >= 0 && (i+1 == len(a.borders) || bytes.Compare(key, a.borders[i+1]) < 0)
}

// flush adds what was counted. If the borders have changed meanwhile, it goes to the bucket that now begins where the old one did.
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

// Close is the cursor's Close.
func (c *cursor) Close() error {
	c.flush()
	return c.Cursor.Close()
}
