// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Digest reads the next value of any sort and returns a hash of it that depends neither on white space nor on the order of an object's members:
// some clients write the same request in another order each time.
func (r *Reader) Digest() (digest [sha256.Size]byte, err error) {
	switch r.Peek() {
	case TokenObject:
		return r.digestObject()
	case TokenArray:
		return r.digestArray()
	case TokenString:
		text, err := r.String()
		return sha256.Sum256(append([]byte{'"'}, text...)), err
	}
	raw, err := r.Raw()
	return sha256.Sum256(raw), err
}

func (r *Reader) digestObject() (digest [sha256.Size]byte, err error) {
	if err := r.BeginObject(); err != nil {
		return digest, err
	}
	var members [][sha256.Size]byte
	for {
		key, ok, err := r.NextKey()
		if err != nil {
			return digest, err
		}
		if !ok {
			break
		}
		member := binary.AppendUvarint(make([]byte, 0, len(key)+2*sha256.Size), uint64(len(key)))
		member = append(member, key...)
		value, err := r.Digest()
		if err != nil {
			return digest, err
		}
		members = append(members, sha256.Sum256(append(member, value[:]...)))
	}
	slices.SortFunc(members, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	return digestOf('{', members), nil
}

func (r *Reader) digestArray() (digest [sha256.Size]byte, err error) {
	if err := r.BeginArray(); err != nil {
		return digest, err
	}
	var elements [][sha256.Size]byte
	for {
		ok, err := r.NextElement()
		if err != nil {
			return digest, err
		}
		if !ok {
			return digestOf('[', elements), nil
		}
		element, err := r.Digest()
		if err != nil {
			return digest, err
		}
		elements = append(elements, element)
	}
}

func digestOf(sort byte, parts [][sha256.Size]byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte{sort})
	for i := range parts {
		h.Write(parts[i][:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}
