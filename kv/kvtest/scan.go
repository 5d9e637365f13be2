// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"fmt"
	"slices"

	"github.com/weftdb/weft/kv"
)

// edgeKeys are keys, in order, at which engines go wrong: empty, prefixes of one another, runs of the first and of the
// last byte.
func edgeKeys() []string {
	return []string{
		"", "\x00", "\x00\x00", "\x00\xff", "\x01", "a", "a\x00", "a\x00\x00", "a\x01", "a\xfe\xff", "a\xff",
		"a\xff\xff", "b", "ba",
		"\x7f", "\x80", "\xfe\xff", "\xff", "\xff\x00", "\xff\xfe", "\xff\xff", "\xff\xff\x00", "\xff\xff\xff",
	}
}

// everyOther are entries under every other edge key, so that bounds and targets also fall between entries. The first
// and the last edge key have one.
func everyOther() []entry {
	var entries []entry
	for i, key := range edgeKeys() {
		if i%2 == 0 {
			entries = append(entries, entry{key, fmt.Sprintf("value %d", i)})
		}
	}
	return entries
}

// onViews runs a test on each kind of view that shows entries: a reader, a transaction that wrote none of them, one
// that wrote all, and one that wrote some over older values and deleted whatever else there was.
func (h *harness) onViews(entries []entry, run func(h *harness, v view)) {
	h.sub("own writes", func(h *harness) {
		txn := h.begin()
		h.must(setAll(txn, entries))
		run(h, txn)
	})
	h.sub("merged", func(h *harness) {
		run(h, h.merged(entries))
	})
	h.delete(edgeKeys()...)
	h.put(entries...)
	h.sub("reader", func(h *harness) { run(h, h.read()) })
	h.sub("transaction", func(h *harness) { run(h, h.begin()) })
}

// merged returns a transaction that shows entries: a third committed, a third written over older values, a third
// written only. Edge keys that aren't among entries were committed and are deleted by the transaction.
func (h *harness) merged(entries []entry) kv.Txn {
	var committed []entry
	for i, e := range entries {
		switch i % 3 {
		case 0:
			committed = append(committed, e)
		case 1:
			committed = append(committed, entry{e.key, "older"})
		}
	}
	var deleted []string
	for _, key := range edgeKeys() {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.key == key }) {
			deleted = append(deleted, key)
			committed = append(committed, entry{key, "to be deleted"})
		}
	}
	h.put(committed...)
	txn := h.begin()
	for _, key := range deleted {
		h.must(txn.Delete([]byte(key)))
	}
	for i, e := range entries {
		if i%3 != 0 {
			h.set(txn, e.key, e.value)
		}
	}
	return txn
}

func orderChecks() []check {
	return []check{
		{"keys compare by bytes.Compare", func(h *harness) {
			var entries []entry
			for i, key := range edgeKeys() {
				entries = append(entries, entry{key, fmt.Sprint(i)})
			}
			h.onViews(entries, func(h *harness, v view) { h.expectAll(v, entries...) })
		}},
		{"every single byte is a key in its place", func(h *harness) {
			var entries []entry
			for i := range 256 {
				entries = append(entries, entry{string([]byte{byte(i)}), fmt.Sprint(i)})
			}
			h.put(entries...)
			h.expectAll(h.read(), entries...)
		}},
		{"the empty key is a key", func(h *harness) {
			h.put(entry{"", "first"}, entry{"\x00", "second"})
			h.expect(h.store, "", "first")
			h.expectAll(h.read(), entry{"", "first"}, entry{"\x00", "second"})
			h.delete("")
			h.expectAll(h.read(), entry{"\x00", "second"})
		}},
		{"an empty value is a value", func(h *harness) {
			entries := []entry{{"a", ""}, {"b", "x"}, {"c", ""}}
			h.put(entry{"c", "was longer"})
			h.put(entries...)
			h.expect(h.store, "a", "")
			h.expect(h.store, "c", "")
			h.expectAll(h.read(), entries...)
			txn := h.begin()
			h.set(txn, "b", "")
			h.expect(txn, "b", "")
			h.expectAll(txn, entry{"a", ""}, entry{"b", ""}, entry{"c", ""})
		}},
		{"a nil value is an empty value", func(h *harness) {
			txn := h.begin()
			h.must(txn.Set([]byte("a"), nil))
			h.expect(txn, "a", "")
			h.commit(txn)
			h.expect(h.store, "a", "")
		}},
		{"an empty store shows nothing", func(h *harness) {
			h.expectAll(h.read())
			h.expectAll(h.begin())
			h.expect(h.store, "a", absent)
		}},
	}
}

// edgeBounds are all edge keys as bounds, and nil.
func edgeBounds() [][]byte {
	bounds := [][]byte{nil}
	for _, key := range edgeKeys() {
		bounds = append(bounds, []byte(key))
	}
	return bounds
}

func rangeChecks() []check {
	return []check{
		{"a range is the keys from Start, included, to End, excluded, in both directions", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				for _, start := range edgeBounds() {
					for _, end := range edgeBounds() {
						r := kv.Range{Start: start, End: end}
						h.expectScan(v, r, false, within(entries, r, false))
						h.expectScan(v, r, true, within(entries, r, true))
					}
				}
			})
		}},
		{"a nil Start is the first key and a nil End has no upper bound", func(h *harness) {
			h.put(entry{"", "0"}, entry{"m", "1"}, entry{"\xff\xff\xff\xff\xff\xff\xff\xff\xff", "2"})
			h.expectScan(h.read(), kv.Range{End: []byte("m")}, false, []entry{{"", "0"}})
			h.expectScan(h.read(), kv.Range{Start: []byte("n")}, true,
				[]entry{{"\xff\xff\xff\xff\xff\xff\xff\xff\xff", "2"}})
		}},
		{"an empty End that isn't nil makes an empty range", func(h *harness) {
			h.put(entry{"", "0"}, entry{"a", "1"})
			h.onBoth(func(v view, reverse bool) { h.expectScan(v, kv.Range{End: []byte{}}, reverse, nil) })
		}},
		{"an empty or inverted range holds nothing", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "2"}, entry{"c", "3"})
			h.onBoth(func(v view, reverse bool) {
				h.expectScan(v, keyRange("b", "b"), reverse, nil)
				h.expectScan(v, keyRange("c", "a"), reverse, nil)
				h.expectScan(v, keyRange("\xff", ""), reverse, nil)
			})
		}},
	}
}

// onBoth runs a test on a reader and on a transaction with a write beyond the harness's keys, in both directions.
func (h *harness) onBoth(run func(v view, reverse bool)) {
	txn := h.begin()
	h.set(txn, "zz", "own")
	for _, v := range []view{h.read(), txn} {
		run(v, false)
		run(v, true)
	}
}

func seekChecks() []check {
	ranges := []kv.Range{{}, keyRange("a", "\xff"), keyRange("a\x00", "b"), {Start: []byte("\xff")}, {End: []byte("a")},
		keyRange("a\x01", "a\x01"), keyRange("b", "a")}
	return []check{
		{"Seek makes Next yield the first entry at or after key in the cursor's direction, never leaving the range",
			func(h *harness) {
				entries := everyOther()
				h.onViews(entries, func(h *harness, v view) {
					for _, r := range ranges {
						h.seekEverywhere(v, entries, r, false)
						h.seekEverywhere(v, entries, r, true)
					}
				})
			}},
		{"seeking backwards is allowed, from anywhere to anywhere", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				for _, r := range ranges[:3] {
					h.seekFromEverywhere(v, entries, r, false)
					h.seekFromEverywhere(v, entries, r, true)
				}
			})
		}},
		{"Seek to the current key yields it again, and after the end goes on", func(h *harness) {
			entries := []entry{{"a", "1"}, {"b", "2"}, {"c", "3"}}
			h.put(entries...)
			for _, reverse := range []bool{false, true} {
				cursor := h.read().Scan(h.ctx, kv.Range{}, reverse)
				cursor.Next()
				cursor.Next()
				cursor.Seek([]byte("b"))
				want := append([]entry{{"b", "2"}}, within(entries, keyRange("c", "d"), false)...)
				if reverse {
					want = []entry{{"b", "2"}, {"a", "1"}}
				}
				for range 2 {
					if got := rest(cursor); !slices.Equal(got, want) {
						h.Fatalf("reverse %t: after Seek the cursor shows\n%s\nwant\n%s", reverse, entriesText(got),
							entriesText(want))
					}
					cursor.Seek([]byte("b"))
				}
				h.must(cursor.Close())
			}
		}},
	}
}

// afterSeek returns what a cursor over r shows after Seek(target).
func afterSeek(entries []entry, r kv.Range, target string, reverse bool) []entry {
	in := within(entries, r, reverse)
	for i, e := range in {
		if (!reverse && e.key >= target) || (reverse && e.key <= target) {
			return in[i:]
		}
	}
	return nil
}

// seekEverywhere seeks a new cursor to every edge key and walks on to the end.
func (h *harness) seekEverywhere(v view, entries []entry, r kv.Range, reverse bool) {
	h.Helper()
	for _, target := range edgeKeys() {
		cursor := v.Scan(h.ctx, r, reverse)
		cursor.Seek([]byte(target))
		got, want := rest(cursor), afterSeek(entries, r, target, reverse)
		h.must(cursor.Close())
		if !slices.Equal(got, want) {
			h.Fatalf("scan of %s, reverse %t, Seek(%q), shows\n%s\nwant\n%s", rangeText(r), reverse, target,
				entriesText(got), entriesText(want))
		}
	}
}

// seekFromEverywhere seeks one cursor from every edge key to every other, looking at up to two entries each time.
func (h *harness) seekFromEverywhere(v view, entries []entry, r kv.Range, reverse bool) {
	h.Helper()
	cursor := v.Scan(h.ctx, r, reverse)
	for _, from := range edgeKeys() {
		for _, to := range edgeKeys() {
			for _, target := range []string{from, to} {
				cursor.Seek([]byte(target))
				want := afterSeek(entries, r, target, reverse)
				for _, e := range want[:min(2, len(want))] {
					if !cursor.Next() || string(cursor.Key()) != e.key || string(cursor.Value()) != e.value {
						h.Fatalf("scan of %s, reverse %t, on the way from %q to %q: at %q, want %q", rangeText(r),
							reverse, from, to, cursor.Key(), e.key)
					}
				}
				if len(want) < 2 && cursor.Next() {
					h.Fatalf("scan of %s, reverse %t, on the way from %q to %q: %q is past the end", rangeText(r),
						reverse, from, to, cursor.Key())
				}
			}
		}
	}
	h.must(cursor.Close())
}

func moveChecks() []check {
	ranges := []kv.Range{{}, keyRange("a", "\xff"), keyRange("a\x00", "b"), {Start: []byte("\xff")}, {End: []byte("a")},
		keyRange("a\x01", "a\x01"), keyRange("b", "a"), {End: []byte{}}}
	return []check{
		{"Move shows another range as a new Scan would, from anywhere", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				for _, r := range ranges {
					h.moveEverywhere(v, entries, r, ranges, false)
					h.moveEverywhere(v, entries, r, ranges, true)
				}
			})
		}},
		{"Seek after Move stays in the new range", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				cursor := v.Scan(h.ctx, keyRange("a", "a\x01"), false)
				cursor.Next()
				cursor.Move(keyRange("a\x01", "b"))
				cursor.Seek(nil)
				if got, want := rest(cursor), within(entries, keyRange("a\x01", "b"), false); !slices.Equal(got, want) {
					h.Fatalf("the cursor shows\n%s\nwant\n%s", entriesText(got), entriesText(want))
				}
				h.must(cursor.Close())
			})
		}},
		{"a cursor that is moved shows no later commit", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "1"})
			r, walk := h.read(), kv.Walk(h.ctx, h.store, keyRange("a", "a"), false)
			cursor := r.Scan(h.ctx, keyRange("a", "a"), false)
			h.put(entry{"a", "2"}, entry{"b", "2"})
			for _, c := range []kv.Cursor{walk, cursor} {
				c.Move(keyRange("b", "c"))
				if got := rest(c); !slices.Equal(got, []entry{{"b", "1"}}) {
					h.Errorf("the cursor shows\n%s", entriesText(got))
				}
				h.must(c.Close())
			}
		}},
		{"Move after Close does nothing", func(h *harness) {
			h.put(entry{"a", "1"})
			cursor := h.read().Scan(h.ctx, kv.Range{}, false)
			h.must(cursor.Close())
			cursor.Move(kv.Range{})
			if cursor.Next() {
				h.Fatal("Next is true after Close")
			}
			h.must(cursor.Close())
		}},
	}
}

// moveEverywhere walks one cursor to each range, from the start, the middle and the end of r.
func (h *harness) moveEverywhere(v view, entries []entry, r kv.Range, to []kv.Range, reverse bool) {
	h.Helper()
	cursor := v.Scan(h.ctx, r, reverse)
	for steps := range 4 {
		for _, target := range to {
			for range steps * steps {
				cursor.Next()
			}
			cursor.Move(target)
			if got, want := rest(cursor), within(entries, target, reverse); !slices.Equal(got, want) {
				h.Fatalf("moved to %s, reverse %t, after %d steps in %s, a cursor shows\n%s\nwant\n%s",
					rangeText(target), reverse, steps*steps, rangeText(r), entriesText(got), entriesText(want))
			}
			cursor.Move(r)
		}
	}
	h.must(cursor.Close())
}

func cursorChecks() []check {
	return []check{
		{"Next stays false at the end", func(h *harness) {
			h.put(entry{"a", "1"})
			h.onBoth(func(v view, reverse bool) {
				cursor := v.Scan(h.ctx, keyRange("a", "b"), reverse)
				if len(rest(cursor)) != 1 || cursor.Next() || cursor.Next() {
					h.Fatal("Next is true again after the end")
				}
				h.must(cursor.Close())
			})
		}},
		{"closing twice is no error, and Next is false after Close", func(h *harness) {
			h.put(entry{"a", "1"})
			h.onBoth(func(v view, reverse bool) {
				cursor := v.Scan(h.ctx, kv.Range{}, reverse)
				cursor.Next()
				h.must(cursor.Close())
				h.must(cursor.Close())
				if cursor.Next() {
					h.Fatal("Next is true after Close")
				}
			})
		}},
		{"several cursors of one snapshot don't disturb one another", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				up, down := v.Scan(h.ctx, kv.Range{}, false), v.Scan(h.ctx, kv.Range{}, true)
				for i, e := range entries {
					last := entries[len(entries)-1-i]
					if !up.Next() || string(up.Key()) != e.key || !down.Next() || string(down.Key()) != last.key {
						h.Fatalf("step %d is at %q and %q, want %q and %q", i, up.Key(), down.Key(), e.key, last.key)
					}
				}
				h.must(up.Close())
				h.must(down.Close())
			})
		}},
		{"a long scan shows every entry once", func(h *harness) {
			entries := make([]entry, 3000)
			for i := range entries {
				entries[i] = entry{fmt.Sprintf("key %08d", i), fmt.Sprint(i)}
			}
			h.put(entries...)
			h.expectAll(h.read(), entries...)
			r := kv.Range{Start: []byte(entries[1].key), End: []byte(entries[2998].key)}
			h.expectScan(h.begin(), r, true, reversed(entries[1:2998]))
		}},
	}
}
