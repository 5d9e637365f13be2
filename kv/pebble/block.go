// SPDX-License-Identifier: Apache-2.0

package pebble

import "github.com/weftdb/weft/kv"

// ReadBlock implements kv.Blocks: what Next checks is checked once.
func (c *cursor) ReadBlock(b *kv.Block, most int) {
	b.Reset()
	if !c.Next() {
		return
	}
	b.Add(c.key, c.value)
	if c.valid = false; b.Full(most) {
		return
	}
	if !c.store.gate.Enter(c.slot) {
		c.fail(c.store.failure.ClosedErr())
		return
	}
	defer c.store.gate.Leave(c.slot)
	if c.iter == nil {
		return
	}
	for !b.Full(most) && c.move() {
		var value []byte
		if b.Keep == kv.BlockValues {
			var err error
			if value, err = c.iter.ValueAndErr(); err != nil {
				c.fail(readErr(err))
				return
			}
		}
		b.Add(userKey(c.iter.Key()), value)
	}
	if err := c.iter.Error(); err != nil {
		c.fail(readErr(err))
	}
}
