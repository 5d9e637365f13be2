// SPDX-License-Identifier: Apache-2.0

package pebble

import "github.com/weftdb/weft/kv"

// Keys are stored as they are, but for those that are empty or begin with a zero byte: they get one more zero byte in
// front. This keeps the order of all keys, and the engine never meets an empty key, which it can't write into a table
// (it panics).

// storedKey returns the stored form of key: key itself or, rarely, a new slice.
func storedKey(key []byte) []byte {
	if len(key) > 0 && key[0] != 0 {
		return key
	}
	stored := make([]byte, 1, len(key)+1)
	return append(stored, key...)
}

// userKey undoes storedKey. The result shares stored's bytes.
func userKey(stored []byte) []byte {
	if len(stored) > 0 && stored[0] == 0 {
		return stored[1:]
	}
	return stored
}

// storedRange is the range of the stored forms of the keys of r. It may share r's bytes. Its Start is never nil.
func storedRange(r kv.Range) kv.Range {
	stored := kv.Range{Start: storedKey(r.Start)}
	if r.End != nil {
		stored.End = storedKey(r.End)
	}
	return stored
}
