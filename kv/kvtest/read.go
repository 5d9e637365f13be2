// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/weftdb/weft/kv"
)

func getChecks() []check {
	return []check{
		{"Get appends the value to dst", func(h *harness) {
			h.put(entry{"a", "value"})
			for _, from := range []getter{h.store, h.read(), h.begin()} {
				dst := append(make([]byte, 0, 64), "before "...)
				value, ok, err := from.Get(h.ctx, []byte("a"), dst)
				if err != nil || !ok || string(value) != "before value" {
					h.Fatalf("%T.Get returns %q, %t, %v", from, value, ok, err)
				}
			}
		}},
		{"a missing key is ok == false and dst as it came", func(h *harness) {
			h.put(entry{"a", "value"}, entry{"abc", "value"})
			for _, from := range []getter{h.store, h.read(), h.begin()} {
				value, ok, err := from.Get(h.ctx, []byte("ab"), []byte("before"))
				if err != nil || ok || string(value) != "before" {
					h.Fatalf("%T.Get returns %q, %t, %v", from, value, ok, err)
				}
			}
		}},
		{"Store.Get shows the latest commit", func(h *harness) {
			for _, value := range []string{"1", "2", "", "4"} {
				h.put(entry{"a", value})
				h.expect(h.store, "a", value)
			}
			h.delete("a")
			h.expect(h.store, "a", absent)
			h.put(entry{"a", "again"})
			h.expect(h.store, "a", "again")
		}},
	}
}

func getManyChecks() []check {
	return []check{
		{"GetMany calls found once for each key, with its index", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				h.expectMany(v, edgeKeys(), entries)
				h.expectMany(v, []string{"b", "a", "missing", "b", "", "a", "missing", "a\xff"}, entries)
				h.expectMany(v, nil, entries)
			})
		}},
		{"GetMany of many keys calls found for each", func(h *harness) {
			var keys []string
			var entries []entry
			for i := range 2000 {
				keys = append(keys, fmt.Sprintf("key %04d", i))
				if i%3 != 0 {
					entries = append(entries, entry{keys[i], fmt.Sprint("value ", i)})
				}
			}
			h.put(entries...)
			h.expectMany(h.read(), keys, entries)
			h.expectMany(h.begin(), keys, entries)
		}},
		{"Prefetch changes nothing of what reads return", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "2"}, entry{"c", "3"}, entry{"empty", ""})
			txn := h.begin()
			h.set(txn, "b", "own")
			keys := [][]byte{[]byte("a"), []byte("b"), []byte("c"), []byte("empty"), []byte("missing"), []byte("later")}
			h.must(kv.Prefetch(h.ctx, txn, keys))
			h.put(entry{"later", "1"}, entry{"a", "changed"})
			h.set(txn, "c", "own")
			entries := []entry{{"a", "1"}, {"b", "own"}, {"c", "own"}, {"empty", ""}}
			h.expectMany(txn, []string{"a", "b", "c", "empty", "missing", "later", "a"}, entries)
			for _, e := range append(entries, entry{"missing", absent}, entry{"later", absent}) {
				h.expect(txn, e.key, e.value)
			}
			h.must(txn.Delete([]byte("a")))
			h.expect(txn, "a", absent)
		}},
		{"the first error of found ends GetMany and is returned", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "2"})
			txn := h.begin()
			h.set(txn, "c", "3")
			stop := errors.New("stop")
			for _, v := range []view{h.read(), txn} {
				calls := 0
				err := v.GetMany(h.ctx, [][]byte{[]byte("a"), []byte("missing"), []byte("b"), []byte("c")},
					func(int, []byte, bool) error {
						if calls++; calls == 2 {
							return stop
						}
						return nil
					})
				if err != stop || calls != 2 {
					h.Fatalf("GetMany returns %v after %d calls, want %v after 2", err, calls, stop)
				}
			}
		}},
	}
}

// expectMany looks keys up at once and expects what entries holds.
func (h *harness) expectMany(v view, keys []string, entries []entry) {
	h.Helper()
	want := map[string]string{}
	for _, e := range entries {
		want[e.key] = e.value
	}
	lookups := make([][]byte, len(keys))
	for i, key := range keys {
		lookups[i] = []byte(key)
	}
	calls := make([]int, len(keys))
	h.must(v.GetMany(h.ctx, lookups, func(i int, value []byte, ok bool) error {
		calls[i]++
		if wanted, exists := want[keys[i]]; ok != exists || string(value) != wanted {
			return fmt.Errorf("index %d, key %q, is %q, %t; want %q, %t", i, keys[i], value, ok, wanted, exists)
		}
		return nil
	}))
	for i, n := range calls {
		if n != 1 {
			h.Fatalf("found was called %d times for index %d, key %q", n, i, keys[i])
		}
	}
}

// threeEntries are the entries of most snapshots.
func threeEntries() []entry { return []entry{{"a", "1"}, {"b", "2"}, {"c", "3"}} }

func snapshotChecks() []check {
	before := threeEntries()
	change := func(h *harness) {
		h.put(entry{"a", "changed"}, entry{"aa", "new"}, entry{"d", "new"})
		h.delete("b")
	}
	return []check{
		{"a Reader shows what was committed before it began, whatever is committed later", func(h *harness) {
			h.put(before...)
			r := h.read()
			change(h)
			h.expectAll(r, before...)
			h.expect(r, "b", "2")
			h.expect(r, "d", absent)
			h.expectMany(r, []string{"a", "aa", "b", "d"}, before)
			h.expectAll(h.read(), entry{"a", "changed"}, entry{"aa", "new"}, entry{"c", "3"}, entry{"d", "new"})
		}},
		{"a Txn shows what was committed before its first read, whatever is committed later", func(h *harness) {
			h.put(before...)
			txn := h.begin()
			change(h)
			h.expectAll(txn, before...)
			h.expect(txn, "b", "2")
			h.expect(txn, "d", absent)
			h.expectMany(txn, []string{"a", "aa", "b", "d"}, before)
		}},
		{"a Txn shows at least what was committed before Begin", func(h *harness) {
			h.put(before...)
			txn := h.beginBlind()
			h.expectAll(txn, before...)
		}},
		{"Walk shows what was committed before the call, whatever is committed later", func(h *harness) {
			long := strings.Repeat("b", 200) // as a bound, too
			h.put(append(before, entry{long, "long"})...)
			whole := kv.Walk(h.ctx, h.store, kv.Range{}, false)
			back := kv.Walk(h.ctx, h.store, kv.Range{Start: []byte("b"), End: []byte(long)}, true)
			from := kv.Walk(h.ctx, h.store, kv.Range{Start: []byte(long), End: []byte("c")}, false)
			change(h)
			for i, want := range [][]entry{{before[0], before[1], {long, "long"}, before[2]}, {before[1]},
				{{long, "long"}}} {
				cursor := []kv.Cursor{whole, back, from}[i]
				if got := rest(cursor); !slices.Equal(got, want) {
					h.Errorf("walk %d shows\n%s", i, entriesText(got))
				}
				h.must(cursor.Close())
			}
		}},
		{"an open cursor shows its snapshot to the end", func(h *harness) {
			h.put(before...)
			for _, v := range []view{h.read(), h.begin()} {
				cursor := v.Scan(h.ctx, kv.Range{}, false)
				cursor.Next()
				h.put(entry{"aaa", "new"}, entry{"e", "new"})
				if got := rest(cursor); len(got) != 2 || got[0].key != "b" || got[1].key != "c" {
					h.Fatalf("the cursor goes on with\n%s", entriesText(got))
				}
				h.must(cursor.Close())
				h.delete("aaa", "e")
			}
		}},
		{"snapshots of different moments stand side by side", func(h *harness) {
			var readers []kv.Reader
			for i := range 20 {
				h.put(entry{"a", fmt.Sprint(i)})
				readers = append(readers, h.read())
			}
			for i, r := range readers {
				h.expect(r, "a", fmt.Sprint(i))
			}
		}},
	}
}

func visibilityChecks() []check {
	before := threeEntries()
	return []check{
		{"nobody sees writes that aren't committed", func(h *harness) {
			h.put(before...)
			txn := h.begin()
			h.set(txn, "a", "dirty")
			h.must(txn.Delete([]byte("b")))
			h.expectAll(h.read(), before...)
			h.expectAll(h.begin(), before...)
			h.expect(h.store, "a", "1")
			txn.Rollback()
			h.expectAll(h.read(), before...)
		}},
		{"Commit makes all writes visible at once", func(h *harness) {
			h.put(before...)
			txn := h.begin()
			h.set(txn, "a", "2")
			h.must(txn.Delete([]byte("b")))
			h.set(txn, "z", "9")
			h.commit(txn)
			h.expectAll(h.read(), entry{"a", "2"}, entry{"c", "3"}, entry{"z", "9"})
		}},
		{"snapshot reads never block writers", func(h *harness) {
			h.put(before...)
			cursor := h.read().Scan(h.ctx, kv.Range{}, false)
			cursor.Next()
			reading := h.begin()
			h.expect(reading, "b", "2")
			h.put(entry{"a", "written"}, entry{"b", "written"}) // hangs if it waits
			h.must(cursor.Close())
		}},
		{"a Reader may be used by several goroutines at once", func(h *harness) {
			entries := everyOther()
			h.put(entries...)
			sharedReader(h, h.read(), entries)
		}},
	}
}

// sharedReader reads r from several goroutines while others commit.
func sharedReader(h *harness, r kv.Reader, entries []entry) {
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 20 {
				if err := readOnce(h.ctx, r, entries, (worker+i)%2 == 0); err != nil {
					h.Error(err)
					return
				}
			}
		})
	}
	for i := range 20 {
		h.put(entry{"a", fmt.Sprint(i)})
	}
	wg.Wait()
}

// readOnce compares one scan and one Get with entries.
func readOnce(ctx context.Context, r kv.Reader, entries []entry, reverse bool) error {
	cursor := r.Scan(ctx, kv.Range{}, reverse)
	got := rest(cursor)
	if err := cursor.Close(); err != nil || len(got) != len(entries) {
		return fmt.Errorf("a scan shows %d entries, want %d; error %w", len(got), len(entries), err)
	}
	last := entries[len(entries)-1]
	value, ok, err := r.Get(ctx, []byte(last.key), nil)
	if err != nil || !ok || string(value) != last.value {
		return fmt.Errorf("get returns %q, %t, %w; want %q", value, ok, err, last.value)
	}
	return nil
}
