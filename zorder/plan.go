// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"errors"
	"fmt"
)

// Limits of a plan. A key of BytesMax bytes is the longest binary sort key of DynamoDB.
const (
	AttributesMax = 8
	BytesMax      = 1024
	bitsMax       = 8 * BytesMax
	wordBits      = 64
)

// A Plan says which attribute owns each bit of a key. The first bit that an attribute owns is the most significant of
// its code, the last the least. If the bits do not fill the last byte, that byte ends with zeros. A Plan does not
// change and is safe for concurrent use. Store its text form, see Text.
type Plan struct {
	widths []int      // bits of each attribute
	owners []byte     // the attribute of each key bit
	bytes  int        // of a key
	masks  [][]uint64 // by word and attribute: the bits that the attribute owns
	spare  uint64     // the bits of the last word that nobody owns

	weave   weave
	gathers [][]gather // by word: how each attribute's bits are taken out
}

// RoundRobin gives one bit to each attribute in turn, beginning with the first bits; an attribute whose width in bits
// is exhausted drops out. This is the Z-order curve.
func RoundRobin(widths ...int) (*Plan, error) { return Prefixed(0, widths...) }

// Composite puts the attributes one after the other, as an ordinary composite key does. The widths are in bits.
func Composite(widths ...int) (*Plan, error) { return Prefixed(len(widths), widths...) }

// Prefixed puts the first attributes one after the other in front, and the rest round robin behind them. It suits
// attributes that every query gives exactly. The widths are in bits.
func Prefixed(first int, widths ...int) (*Plan, error) {
	if err := checkWidths(widths); err != nil {
		return nil, err
	}
	if first < 0 || first > len(widths) {
		return nil, fmt.Errorf("%w: %d attributes in front of %d; give 0 to %d", ErrPlan, first, len(widths),
			len(widths))
	}
	var owners []byte
	for attribute, width := range widths[:first] {
		owners = append(owners, bytes.Repeat([]byte{byte(attribute)}, width)...)
	}
	for round := 0; ; round++ {
		length := len(owners)
		for attribute := first; attribute < len(widths); attribute++ {
			if round < widths[attribute] {
				owners = append(owners, byte(attribute))
			}
		}
		if len(owners) == length {
			return FromOwners(owners)
		}
	}
}

// Leading is RoundRobin but for the first bits, of which owners says whose they are, counted from 0. Owners of more
// bits than an attribute's width are passed over, so that an order can be kept where widths change. The error wraps
// ErrPlan.
func Leading(owners []byte, widths ...int) (*Plan, error) {
	if err := checkWidths(widths); err != nil {
		return nil, err
	}
	left := append([]int(nil), widths...)
	var order []byte
	give := func(attribute int) {
		if left[attribute] > 0 {
			left[attribute]--
			order = append(order, byte(attribute))
		}
	}
	for bit, owner := range owners {
		if int(owner) >= len(widths) {
			return nil, fmt.Errorf("%w: bit %d belongs to attribute %d of %d", ErrPlan, bit, owner, len(widths))
		}
		give(int(owner))
	}
	for length := -1; length != len(order); {
		length = len(order)
		for attribute := range widths {
			give(attribute)
		}
	}
	return FromOwners(order)
}

func checkWidths(widths []int) error {
	if len(widths) < 1 || len(widths) > AttributesMax {
		return fmt.Errorf("%w: %d attributes; give 1 to %d", ErrPlan, len(widths), AttributesMax)
	}
	bits := 0
	for attribute, width := range widths {
		if width < 1 || width > bitsMax {
			return fmt.Errorf("%w: attribute %d has %d bits; give it 1 to %d", ErrPlan, attribute, width, bitsMax)
		}
		bits += width
	}
	return checkBits(bits)
}

func checkBits(bits int) error {
	if bits < 1 || bits > bitsMax {
		return fmt.Errorf("%w: %d bits; a key has 1 to %d", ErrPlan, bits, bitsMax)
	}
	return nil
}

// FromOwners makes the plan in which owners[i] is the attribute, counted from 0, that owns the key's bit i, the first
// bit being the most significant of the first byte. Each attribute up to the highest one must own a bit. owners is
// copied.
func FromOwners(owners []byte) (*Plan, error) {
	if err := checkBits(len(owners)); err != nil {
		return nil, err
	}
	widths := make([]int, AttributesMax)
	count := 0
	for bit, attribute := range owners {
		if attribute >= AttributesMax {
			return nil, fmt.Errorf("%w: bit %d belongs to attribute %d; attributes are 0 to %d", ErrPlan, bit,
				attribute, AttributesMax-1)
		}
		widths[attribute]++
		count = max(count, int(attribute)+1)
	}
	for attribute, width := range widths[:count] {
		if width == 0 {
			return nil, fmt.Errorf("%w: attribute %d owns no bit; leave it out and number the others without a gap",
				ErrPlan, attribute)
		}
	}
	return newPlan(bytes.Clone(owners), widths[:count]), nil
}

func newPlan(owners []byte, widths []int) *Plan {
	p := &Plan{widths: widths, owners: owners, bytes: (len(owners) + 7) / 8}
	words := (len(owners) + wordBits - 1) / wordBits
	p.masks = make([][]uint64, words)
	for w := range p.masks {
		p.masks[w] = make([]uint64, len(widths))
	}
	for bit, attribute := range owners {
		p.masks[bit/wordBits][attribute] |= bitOfWord(bit)
	}
	p.spare = ^uint64(0)
	for _, mask := range p.masks[words-1] {
		p.spare &^= mask
	}
	p.weave = newWeave(p)
	p.gathers = newGathers(p)
	return p
}

// bitOfWord is the bit of its word that a bit of the key is: the first is the most significant.
func bitOfWord(bit int) uint64 { return 1 << (wordBits - 1 - bit%wordBits) }

// Attributes is the number of attributes, 1 to AttributesMax.
func (p *Plan) Attributes() int { return len(p.widths) }

// Width is the number of bits of an attribute's code.
func (p *Plan) Width(attribute int) int { return p.widths[attribute] }

// Widths returns the number of bits of each attribute's code, in a new slice.
func (p *Plan) Widths() []int { return append([]int(nil), p.widths...) }

// Bits is the number of bits of a key: the sum of the widths.
func (p *Plan) Bits() int { return len(p.owners) }

// Bytes is the number of bytes of a key: Bits divided by 8, rounded up.
func (p *Plan) Bytes() int { return p.bytes }

// Owners returns the attribute of each bit of the key, in a new slice.
func (p *Plan) Owners() []byte { return bytes.Clone(p.owners) }

// Equal is true if both plans make the same keys from the same codes.
func (p *Plan) Equal(q *Plan) bool { return bytes.Equal(p.owners, q.owners) }

// CodeMax is the highest code of an attribute of up to 64 bits; of a wider one it is the highest uint64.
func (p *Plan) CodeMax(attribute int) uint64 { return lowBits(p.widths[attribute]) }

// CodeBytes is the number of bytes of an attribute's code in its []byte form: the width divided by 8, rounded up.
func (p *Plan) CodeBytes(attribute int) int { return (p.widths[attribute] + 7) / 8 }

// lowBits has its n lowest bits set; all of them if n is 64 or more.
func lowBits(n int) uint64 { return 1<<uint(n) - 1 }

// Errors of this package; what is returned wraps one of them and says more.
var (
	// ErrPlan says that no plan can be made: too many attributes or bits, an attribute without bits, or a text that is
	// no plan.
	ErrPlan = errors.New("zorder: not a plan")
	// ErrCode says that codes do not fit the plan: a wrong number of them, or one that is wider than its attribute.
	// Codes are never cut, for a cut code would lie at another place of the curve than the one that a query looks at.
	ErrCode = errors.New("zorder: codes do not fit the plan")
	// ErrKey says that bytes are no key of the plan: too short, or with bits set after the last one.
	ErrKey = errors.New("zorder: not a key of the plan")
)
