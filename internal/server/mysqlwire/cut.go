// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"encoding/binary"
)

// cutter takes fields off the front of a packet. After one that was not there it has failed, and all later ones are empty.
type cutter struct {
	rest   []byte
	failed bool
}

// take cuts n bytes, which alias the packet.
func (c *cutter) take(n uint64) []byte {
	if c.failed || n > uint64(len(c.rest)) {
		c.failed, c.rest = true, nil
		return nil
	}
	field := c.rest[:n:n]
	c.rest = c.rest[n:]
	return field
}

func (c *cutter) uint8() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cutter) uint16() uint16 {
	if b := c.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cutter) uint32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cutter) uint64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// untilNul cuts a text that ends with a NUL, or with the packet.
func (c *cutter) untilNul() []byte {
	i := bytes.IndexByte(c.rest, 0)
	if i < 0 {
		return c.take(uint64(len(c.rest)))
	}
	text := c.take(uint64(i))
	c.take(1)
	return text
}

// length cuts a length-encoded integer.
func (c *cutter) length() uint64 {
	switch first := c.uint8(); first {
	case 0xfc:
		return uint64(c.uint16())
	case 0xfd:
		b := c.take(3)
		if b == nil {
			return 0
		}
		return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16
	case 0xfe:
		return c.uint64()
	case 0xfb, 0xff: // NULL and errors are no lengths
		c.failed = true
		return 0
	default:
		return uint64(first)
	}
}

// text cuts bytes that follow their length.
func (c *cutter) text() []byte { return c.take(c.length()) }

// appendLength appends a length-encoded integer.
func appendLength(dst []byte, n uint64) []byte {
	switch {
	case n < 251:
		return append(dst, byte(n))
	case n < 1<<16:
		return append(dst, 0xfc, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(dst, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(dst, 0xfe), n)
}

// appendText appends bytes after their length.
func appendText[T []byte | string](dst []byte, text T) []byte {
	return append(appendLength(dst, uint64(len(text))), text...)
}
