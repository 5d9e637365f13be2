// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"errors"

	"github.com/weftdb/weft/kv"
)

// loader is the engine's way to take sorted entries above what is there; the check ends if it has none.
func (h *harness) loader() kv.Loader {
	h.Helper()
	loader, ok := h.admin().(kv.Loader)
	if !ok || !loader.MayLoad() {
		h.Skip("the engine does not load sorted entries")
	}
	return loader
}

func loadChecks() []check {
	return []check{
		{"Load adds entries above those that are there, which an open snapshot goes on to show", func(h *harness) {
			loader := h.loader()
			h.put(entry{"a", "1"}, entry{"b", "1"}, entry{"c", "1"}, entry{"d", "1"})
			h.delete("c")
			before := h.read()
			h.must(loader.Load(h.ctx, false, feed([]entry{{"b", "2"}, {"c", "2"}, {"e", ""}})))
			h.expectAll(before, entry{"a", "1"}, entry{"b", "1"}, entry{"d", "1"})
			h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "2"}, entry{"c", "2"}, entry{"d", "1"}, entry{"e", ""})
			h.put(entry{"b", "3"})
			h.delete("e")
			h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "3"}, entry{"c", "2"}, entry{"d", "1"})
			h.must(loader.Load(h.ctx, false, feed([]entry{{"e", "4"}})))
			h.expect(h.store, "e", "4")
		}},
		{"Load adds nothing after an error, nor of keys that do not ascend", func(h *harness) {
			loader, stop := h.loader(), errors.New("stop")
			entries := feed([]entry{{"b", "2"}, {"c", "2"}})
			h.mustBe(loader.Load(h.ctx, false, func() (key, value []byte, err error) {
				if key, value, err = entries(); err != nil {
					err = stop
				}
				return key, value, err
			}), stop)
			if loader.Load(h.ctx, false, feed([]entry{{"b", "2"}, {"b", "3"}})) == nil {
				h.Error("keys that do not ascend are taken")
			}
			h.must(loader.Load(h.ctx, true, feed(nil)))
			h.expectAll(h.read())
		}},
		{"Load conflicts with no transaction", func(h *harness) {
			loader, txn := h.loader(), h.begin()
			h.expect(txn, "a", absent)
			h.set(txn, "a", "1")
			h.must(loader.Load(h.ctx, false, feed([]entry{{"a", "2"}})))
			h.commit(txn)
			h.expect(h.store, "a", "1")
		}},
		{"a Load alone refuses transactions under way that write or guard, and no later ones", func(h *harness) {
			loader := h.loader()
			h.put(entry{"z", "1"})
			writing, guarding, reading, late := h.begin(), h.begin(), h.begin(), h.beginBlind()
			for _, txn := range []kv.Txn{writing, guarding, reading} {
				h.expect(txn, "z", "1")
			}
			h.set(writing, "x", "1")
			h.must(guarding.Guard([]byte("z")))
			h.must(loader.Load(h.ctx, true, feed([]entry{{"a", "2"}})))
			h.mustConflict(writing)
			h.mustConflict(guarding)
			h.commit(reading)
			h.expect(late, "a", "2")
			h.set(late, "x", "2")
			h.commit(late)
			h.expectAll(h.read(), entry{"a", "2"}, entry{"x", "2"}, entry{"z", "1"})
		}},
		{"Return takes back what Load added and what it covered", func(h *harness) {
			loader := h.loader()
			h.put(entry{"a", "1"}, entry{"b", "1"})
			mark := h.mark()
			h.must(loader.Load(h.ctx, false, feed([]entry{{"b", "2"}, {"c", "2"}})))
			h.must(mark.Return(h.ctx, all))
			h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "1"})
		}},
		{"what Load added survives a crash", func(h *harness) {
			h.needsCrash()
			loader := h.loader()
			h.put(entry{"a", "1"}, entry{"b", "1"})
			h.must(loader.Load(h.ctx, false, feed([]entry{{"b", "2"}, {"c", "2"}})))
			h.use(h.engine.Crash(h.T, h.store))
			h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "2"}, entry{"c", "2"})
		}},
	}
}
