// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weftdb/weft/kv"
)

func blockChecks() []check {
	ranges := []kv.Range{{}, keyRange("a", "\xff"), keyRange("a\x00", "b"), keyRange("a\x01", "a\x01")}
	return []check{
		{"blocks show what Next shows", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				for _, r := range ranges {
					h.expectBlocks(v, r, false, within(entries, r, false))
					h.expectBlocks(v, r, true, within(entries, r, true))
				}
			})
		}},
		{"a block cuts keys, and keeps what it is told to", func(h *harness) {
			h.put(entry{"ab", "1"}, entry{"abc", "22"}, entry{"abcd", ""})
			h.onBoth(func(v view, reverse bool) { h.expectParts(v, reverse, "", "c", "cd") })
		}},
		{"Next, Seek and Move go on behind a block", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				for _, reverse := range []bool{false, true} {
					h.walkOnBehindBlocks(v, within(entries, kv.Range{}, reverse), reverse)
				}
			})
		}},
		{"blocks of keys with many versions and deletions show each key once", func(h *harness) {
			var want []entry
			for version := range 30 {
				want = nil
				for i := range 40 {
					want = append(want, entry{fmt.Sprintf("k%02d", i), fmt.Sprint(version)})
				}
				h.put(want...)
			}
			h.delete("k00", "k17", "k39")
			want = slices.DeleteFunc(want, func(e entry) bool { return slices.Contains([]string{"k00", "k17", "k39"}, e.key) })
			h.expectBlocks(h.read(), kv.Range{}, false, want)
			h.expectBlocks(h.read(), kv.Range{}, true, reversed(want))
		}},
		{"a block ends early if its entries are large", func(h *harness) {
			big := string(make([]byte, 40<<10))
			h.put(entry{"a", big}, entry{"b", big}, entry{"c", big})
			h.expectBlocks(h.read(), kv.Range{}, false, []entry{{"a", big}, {"b", big}, {"c", big}})
		}},
		{"a cancelled context ends blocks", func(h *harness) {
			h.put(everyOther()...)
			ctx, cancel := context.WithCancel(h.ctx)
			cursor := h.read().Scan(ctx, kv.Range{}, false)
			var b kv.Block
			kv.ReadBlock(cursor, &b, 2)
			cancel()
			for kv.ReadBlock(cursor, &b, 1000); b.Len() > 0; kv.ReadBlock(cursor, &b, 1000) {
			}
			if err := cursor.Close(); err != nil && !errors.Is(err, context.Canceled) {
				h.Fatal(err)
			}
		}},
	}
}

// expectBlocks expects blocks of several sizes to show want.
func (h *harness) expectBlocks(v view, r kv.Range, reverse bool, want []entry) {
	h.Helper()
	for _, most := range []int{1, 2, 3, 1000} {
		cursor, b := v.Scan(h.ctx, r, reverse), kv.Block{Keep: kv.BlockValues}
		var got []entry
		for kv.ReadBlock(cursor, &b, most); b.Len() > 0; kv.ReadBlock(cursor, &b, most) {
			if string(b.First()) != string(b.Key(0)) || b.Len() > most {
				h.Fatalf("a block of %d begins at %q, its first key is %q", b.Len(), b.First(), b.Key(0))
			}
			got = append(got, blockEntries(&b)...)
		}
		h.must(cursor.Close())
		if !slices.Equal(got, want) {
			h.Fatalf("scan of %s, reverse %t, in blocks of %d, shows\n%s\nwant\n%s", rangeText(r), reverse, most,
				entriesText(got), entriesText(want))
		}
	}
}

func blockEntries(b *kv.Block) (list []entry) {
	for i := range b.Len() {
		list = append(list, entry{string(b.Key(i)), string(b.Value(i))})
	}
	return list
}

// expectParts reads keys that begin with ab in each way of keeping them; want are the keys without these bytes.
func (h *harness) expectParts(v view, reverse bool, want ...string) {
	h.Helper()
	if reverse {
		slices.Reverse(want)
	}
	for _, keep := range []kv.BlockPart{kv.BlockCount, kv.BlockKeys, kv.BlockValues} {
		cursor, b := v.Scan(h.ctx, keyRange("ab", "ac"), reverse), kv.Block{Keep: keep, Cut: 2}
		kv.ReadBlock(cursor, &b, 10)
		bytes := len("ab" + "abc" + "abcd")
		if keep == kv.BlockValues {
			bytes += len("1" + "22")
		}
		if b.Len() != 3 || b.Bytes() != bytes {
			h.Fatalf("%d entries of %d bytes, want 3 of %d", b.Len(), b.Bytes(), bytes)
		}
		for i := 0; keep != kv.BlockCount && i < 3; i++ {
			if string(b.Key(i)) != want[i] {
				h.Fatalf("key %d is %q, want %q", i, b.Key(i), want[i])
			}
		}
		h.must(cursor.Close())
	}
}

// walkOnBehindBlocks reads a block of up to each entry and goes on in all ways.
func (h *harness) walkOnBehindBlocks(v view, entries []entry, reverse bool) {
	h.Helper()
	for most := 1; most <= len(entries); most++ {
		for _, on := range []func(c kv.Cursor, read int) []entry{
			func(_ kv.Cursor, read int) []entry { return entries[read:] },
			func(c kv.Cursor, read int) []entry { c.Seek([]byte(entries[read/2].key)); return entries[read/2:] },
			func(c kv.Cursor, _ int) []entry { c.Move(kv.Range{}); return entries },
		} {
			cursor := v.Scan(h.ctx, kv.Range{}, reverse)
			var b kv.Block
			kv.ReadBlock(cursor, &b, most)
			want := on(cursor, b.Len())
			if got := rest(cursor); b.Len() == 0 || !slices.Equal(got, want) {
				h.Fatalf("reverse %t: behind %d of %d entries the cursor shows\n%s\nwant\n%s", reverse, b.Len(), most,
					entriesText(got), entriesText(want))
			}
			h.must(cursor.Close())
		}
	}
}
