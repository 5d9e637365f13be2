// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"slices"
	"testing"
)

// FuzzSplitEntries: what is read of the outbox as entries is what is written of them, whatever the bytes are.
func FuzzSplitEntries(f *testing.F) {
	one := (&Entry{IsThere: true, New: []byte("a")}).Append(nil)
	other := (&Entry{WasThere: true, Old: []byte("a")}).Append(nil)
	for _, list := range [][][]byte{{one}, {one, other}, {other, one, one}} {
		f.Add(joinEntries(list))
	}
	for _, wrong := range [][]byte{{listMark}, {listMark, 0x80}, {listMark, 1, listMark}} {
		if _, err := splitEntries(wrong); err == nil {
			f.Errorf("%x is a list", wrong)
		}
		f.Add(wrong)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := splitEntries(b)
		if err != nil || slices.ContainsFunc(entries, func(e Entry) bool { return !e.WasThere && !e.IsThere }) {
			return // there is no such change
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
