// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"bytes"
	"encoding/binary"
)

// Cutter takes fields off the front of a packet. After one that was not there it has failed, and all later ones are
// empty.
type Cutter struct {
	Rest   []byte
	Failed bool
}

// Take cuts n bytes, which alias the packet.
func (c *Cutter) Take(n uint64) []byte {
	if c.Failed || n > uint64(len(c.Rest)) {
		c.Failed, c.Rest = true, nil
		return nil
	}
	field := c.Rest[:n:n]
	c.Rest = c.Rest[n:]
	return field
}

// Uint8 cuts an unsigned integer of 8 bits, the lowest byte first.
func (c *Cutter) Uint8() byte {
	if b := c.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16 cuts an unsigned integer of 16 bits, the lowest byte first.
func (c *Cutter) Uint16() uint16 {
	if b := c.Take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// Uint32 cuts an unsigned integer of 32 bits, the lowest byte first.
func (c *Cutter) Uint32() uint32 {
	if b := c.Take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 cuts an unsigned integer of 64 bits, the lowest byte first.
func (c *Cutter) Uint64() uint64 {
	if b := c.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// UntilNul cuts a text that ends with a NUL, or with the packet.
func (c *Cutter) UntilNul() []byte {
	i := bytes.IndexByte(c.Rest, 0)
	if i < 0 {
		return c.Take(uint64(len(c.Rest)))
	}
	text := c.Take(uint64(i))
	c.Take(1)
	return text
}

// Length cuts a length-encoded integer.
func (c *Cutter) Length() uint64 {
	switch first := c.Uint8(); first {
	case 0xfc:
		return uint64(c.Uint16())
	case 0xfd:
		b := c.Take(3)
		if b == nil {
			return 0
		}
		return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16
	case 0xfe:
		return c.Uint64()
	case 0xfb, 0xff: // NULL and errors are no lengths
		c.Failed = true
		return 0
	default:
		return uint64(first)
	}
}

// Text cuts bytes that follow their length.
func (c *Cutter) Text() []byte { return c.Take(c.Length()) }

// AppendLength appends a length-encoded integer.
func AppendLength(dst []byte, n uint64) []byte {
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

// AppendText appends bytes after their length.
func AppendText[T []byte | string](dst []byte, text T) []byte {
	return append(AppendLength(dst, uint64(len(text))), text...)
}
