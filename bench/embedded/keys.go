// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
)

// What a program writes that keeps items and an index in a store of keys and values: numbers sort as their bytes, and
// the index has no values.

// The first bytes of keys, where all tables are in one space.
const (
	spaceItems = 'i'
	spaceLarge = 'l'
	spaceOwner = 'o'
)

// keyOf is a key made of numbers that aren't negative, behind the byte of its space.
func keyOf(space byte, parts ...int64) []byte {
	key := append(make([]byte, 0, 1+8*len(parts)), space)
	for _, part := range parts {
		key = binary.BigEndian.AppendUint64(key, uint64(part))
	}
	return key
}

// idOf is the last number of a key.
func idOf(key []byte) int64 { return int64(binary.BigEndian.Uint64(key[len(key)-8:])) }

// pair is a key with its value.
type pair struct{ key, value []byte }

// pairs are what items are stored as, with their entries in the index if they have one.
func pairs(space byte, items []item) (list []pair, err error) {
	for i := range items {
		x := &items[i]
		text, err := json.Marshal(x)
		if err != nil {
			return nil, err
		}
		list = append(list, pair{keyOf(space, x.ID), text})
		if space == spaceItems {
			list = append(list, pair{keyOf(spaceOwner, x.Owner, x.At, x.ID), []byte{}})
		}
	}
	return list, nil
}

// jsonDecoder is the decoder of what pairs makes.
func jsonDecoder(x item, err error) (func(*item) error, error) {
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(x)
	return func(into *item) error { return json.Unmarshal(text, into) }, err
}
