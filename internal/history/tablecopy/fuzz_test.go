// SPDX-License-Identifier: Apache-2.0

package tablecopy

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func FuzzEntry(f *testing.F) {
	f.Add([]byte{1, 2, 'k', 'v', 'v'})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1})
	f.Fuzz(func(t *testing.T, text []byte) {
		key, value, rest, err := cutEntry(text)
		if err != nil {
			return
		}
		again := binary.AppendUvarint(nil, uint64(len(key)))
		again = binary.AppendUvarint(again, uint64(len(value)))
		again = append(append(append(again, key...), value...), rest...)
		k, v, r, err := cutEntry(again)
		if err != nil || !bytes.Equal(k, key) || !bytes.Equal(v, value) || !bytes.Equal(r, rest) {
			t.Fatalf("%x became %x, %x, %x, %v", text, k, v, r, err)
		}
	})
}
