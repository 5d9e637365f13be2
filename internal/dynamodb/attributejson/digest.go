// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"encoding/binary"
	"math/bits"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// Digest is a hash of 128 bits that tells values apart which nobody has chosen to collide.
type Digest [16]byte

// Digest reads the next value of any sort and returns a hash of it that does not depend on how it is written. White
// space, the order of an object's members, members that are null, the order of an attribute's set and the digits of a
// number don't count: some clients write the same request in another way each time.
func (r *Reader) Digest() (Digest, error) {
	h, err := r.digest()
	var d Digest
	binary.BigEndian.PutUint64(d[:8], h.a)
	binary.BigEndian.PutUint64(d[8:], h.b)
	return d, err
}

// lanes are two hashes of the same bytes, by different multipliers.
type lanes struct{ a, b uint64 }

// The multipliers are that of FNV-1a and the golden ratio's.
const (
	multiplierA = 0x100000001b3
	multiplierB = 0x9e3779b97f4a7c15
)

func begun(sort byte) lanes { return lanes{0xcbf29ce484222325, 0x6c62272e07bb0142}.add(uint64(sort)) }

func (h lanes) add(x uint64) lanes {
	return lanes{(h.a ^ x) * multiplierA, bits.RotateLeft64(h.b^x, 29) * multiplierB}
}

func (h lanes) bytes(text []byte) lanes {
	h = h.add(uint64(len(text)))
	for len(text) >= 8 {
		h = h.add(binary.LittleEndian.Uint64(text)).finish()
		text = text[8:]
	}
	for _, c := range text {
		h = h.add(uint64(c))
	}
	return h.finish()
}

// finish spreads every bit over all, so that hashes can be added up.
func (h lanes) finish() lanes { return lanes{mix(h.a), mix(h.b)} }

// mix is the finalizer of MurmurHash3 (Austin Appleby, in the public domain).
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func (h lanes) join(other lanes) lanes { return h.add(other.a).add(other.b).finish() }

func (r *Reader) digest() (lanes, error) {
	switch r.Peek() {
	case TokenObject:
		return r.digestObject()
	case TokenArray:
		return r.digestArray()
	case TokenString:
		text, err := r.String()
		return begun('"').bytes(text), err
	}
	raw, err := r.Raw()
	return begun('0').bytes(raw), err
}

func (r *Reader) digestObject() (sum lanes, err error) {
	if err := r.BeginObject(); err != nil {
		return sum, err
	}
	for {
		key, ok, err := r.NextKey()
		if err != nil {
			return sum, err
		}
		if !ok {
			return begun('{').join(sum), nil
		}
		if null, err := r.Null(); err != nil || null {
			if err != nil {
				return sum, err
			}
			continue // as if it were not there
		}
		member := begun(':').bytes(key)
		value, err := r.digestMember(kindOf(key))
		if err != nil {
			return sum, err
		}
		member = member.join(value)
		sum.a, sum.b = sum.a+member.a, sum.b+member.b // in whatever order
	}
}

// digestMember reads what stands behind a name that a type of attributes has, too. Whether it is one shows in what
// stands there: names of requests and of placeholders are other ones, and an attribute's value is an object.
func (r *Reader) digestMember(kind value.Kind) (lanes, error) {
	token := r.Peek()
	switch {
	case kind == value.Number && token == TokenString:
		return r.digestNumber()
	case kind.MemberKind() != value.Missing && token == TokenArray:
		return r.digestSet(kind.MemberKind())
	}
	return r.digest()
}

func (r *Reader) digestNumber() (lanes, error) {
	text, err := r.String()
	if err != nil {
		return lanes{}, err
	}
	if d, err := order.ParseDecimal(text); err == nil {
		text = value.AppendNumber(nil, d)
	}
	return begun('N').bytes(text), nil
}

// digestSet adds the members up, in whatever order.
func (r *Reader) digestSet(member value.Kind) (sum lanes, err error) {
	if err := r.BeginArray(); err != nil {
		return sum, err
	}
	for {
		ok, err := r.NextElement()
		if err != nil {
			return sum, err
		}
		if !ok {
			return begun('<').join(sum), nil
		}
		one, err := r.digestMember(member)
		if err != nil {
			return sum, err
		}
		one = one.finish()
		sum.a, sum.b = sum.a+one.a, sum.b+one.b
	}
}

func (r *Reader) digestArray() (h lanes, err error) {
	if err := r.BeginArray(); err != nil {
		return h, err
	}
	h = begun('[')
	for {
		ok, err := r.NextElement()
		if !ok || err != nil {
			return h.finish(), err
		}
		element, err := r.digest()
		if err != nil {
			return h, err
		}
		h = h.join(element)
	}
}
