// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"testing"
)

// FuzzSplitEntries: what is read of the outbox as entries is what is written of them, whatever the bytes are.
func FuzzSplitEntries(f *testing.F) {
	one := (&Entry{IsThere: true, New: []byte("a")}).Append(nil)
	other := (&Entry{WasThere: true, Old: []byte("a")}).Append(nil)
	for _, list := range [][][]byte{{one}, {one, other}, {other, one, one}} {
		f.Add(joinEntries(list))
	}
	f.Add([]byte{listMark, 0x80})
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := splitEntries(b)
		if err != nil || len(b) == 1 && b[0] == listMark {
			return
		}
		var list [][]byte
		for i := range entries {
			list = append(list, entries[i].Append(nil))
		}
		again, err := splitEntries(joinEntries(list))
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%d entries were %d, %v", len(again), len(entries), err)
		}
		for i := range again {
			if !bytes.Equal(again[i].Append(nil), list[i]) {
				t.Errorf("entry %d is %x, was %x", i, again[i].Append(nil), list[i])
			}
		}
	})
}
