// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"strconv"
	"strings"
)

// These comparators come from HBase's Java API. Its language has no words for them; the ones here are this package's.

// incomparable is a comparator's result for a value that it can't read. No operator holds for it.
const incomparable = 2

// setJavaComparator sets a comparator of HBase's Java API by its word. ok is false for a word of the language or none.
func (c *comparison) setJavaComparator(kind string, value []byte) (ok bool, err error) {
	switch kind {
	case "null": // HBase's finds a value that is there unequal to it, and less
		c.other = func([]byte) int { return -1 }
	case "long":
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return true, refuse("comparator long: %q is no integer of 64 bits", value)
		}
		c.other = func(stored []byte) int { return compareLong(stored, n) }
	case "decimal":
		scale, unscaled, ok := cutDecimal(value)
		if !ok {
			return true, refuse("comparator decimal: %q is not the bytes of a BigDecimal", value)
		}
		c.other = func(stored []byte) int { return compareDecimal(stored, scale, unscaled) }
	case "component":
		return true, c.setComponent(value)
	case "bitand", "bitor", "bitxor":
		c.other = func(stored []byte) int { return compareBits(kind, stored, value) }
	default:
		return false, nil
	}
	return true, nil
}

// compareLong compares the eight bytes of an integer.
func compareLong(stored []byte, n int64) int {
	if len(stored) != 8 {
		return incomparable
	}
	switch own := int64(binary.BigEndian.Uint64(stored)); {
	case own < n:
		return -1
	case own > n:
		return 1
	}
	return 0
}

// scaleMax bounds the powers of ten that comparing decimals makes.
const scaleMax = 10_000

// cutDecimal reads a BigDecimal as HBase stores it: four bytes of its scale and its digits as an integer, in two's
// complement.
func cutDecimal(stored []byte) (scale int64, unscaled *big.Int, ok bool) {
	if len(stored) < 5 || len(stored) > scaleMax {
		return 0, nil, false
	}
	scale = int64(int32(binary.BigEndian.Uint32(stored)))
	unscaled = new(big.Int).SetBytes(stored[4:])
	if stored[4]&0x80 != 0 {
		unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(stored[4:]))))
	}
	return scale, unscaled, scale >= -scaleMax && scale <= scaleMax
}

func compareDecimal(stored []byte, scale int64, unscaled *big.Int) int {
	own, digits, ok := cutDecimal(stored)
	if !ok {
		return incomparable
	}
	more := func(digits *big.Int, by int64) *big.Int {
		return new(big.Int).Mul(digits, new(big.Int).Exp(big.NewInt(10), big.NewInt(by), nil))
	}
	if own < scale {
		return more(digits, scale-own).Cmp(unscaled)
	}
	return digits.Cmp(more(unscaled, own-scale))
}

// setComponent reads an offset, a colon and bytes, with which the bytes from that offset on are compared.
func (c *comparison) setComponent(value []byte) error {
	text, component, ok := bytes.Cut(value, []byte(":"))
	offset, err := strconv.ParseUint(string(text), 10, 31)
	if !ok || err != nil {
		return refuse("comparator component: %q is no offset, a colon and bytes", value)
	}
	c.other = func(stored []byte) int {
		from := min(int(offset), len(stored))
		return bytes.Compare(stored[from:min(from+len(component), len(stored))], component)
	}
	return nil
}

// compareBits returns 0 for bytes as many as those that are compared with, if the operation leaves a bit of them.
func compareBits(kind string, stored, with []byte) int {
	if len(stored) != len(with) {
		return -1
	}
	for i, b := range stored {
		switch kind {
		case "bitand":
			b &= with[i]
		case "bitor":
			b |= with[i]
		default:
			b ^= with[i]
		}
		if b != 0 {
			return 0
		}
	}
	return -1
}

// javaComparator is the text of a comparator of HBase's Java API: of a message of its class.
func javaComparator(class string, f fields) ([]byte, error) {
	switch class {
	case "NullComparator":
		return []byte("null:"), nil
	case "BinaryComponentComparator":
		text := strconv.AppendInt([]byte("component:"), f.number(2), 10)
		return append(append(text, ':'), f.text(1)...), nil
	}
	inner, err := fieldsOf(f.text(1))
	if err != nil {
		return nil, err
	}
	value := inner.text(1)
	switch class {
	case "LongComparator":
		if len(value) != 8 {
			return nil, refuse("LongComparator has %d bytes, not 8", len(value))
		}
		return strconv.AppendInt([]byte("long:"), int64(binary.BigEndian.Uint64(value)), 10), nil
	case "BigDecimalComparator":
		return append([]byte("decimal:"), value...), nil
	case "BitComparator":
		names := map[int64]string{1: "bitand:", 2: "bitor:", 3: "bitxor:"}
		name, ok := names[f.number(2)]
		if !ok {
			return nil, refuse("BitComparator has no operation %d", f.number(2))
		}
		return append([]byte(name), value...), nil
	}
	return nil, refuse("comparator %s is not supported", strings.TrimSpace(class))
}
