// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/weftdb/weft/kv"
)

// stampedKey is a key of the checks: j, the stamp's place, and a name.
func stampedKey(name string) (key []byte, at int) {
	return append([]byte("j\x00\x00\x00\x00\x00\x00\x00\x00"), name...), 1
}

// setStamped writes a key with a stamp; the check ends if the engine gives none.
func (h *harness) setStamped(txn kv.Txn, name, value string) {
	h.Helper()
	s, ok := kv.StamperOf(txn)
	if !ok {
		h.Skip("the engine gives no stamps")
	}
	key, at := stampedKey(name)
	h.must(s.SetStamped(key, at, []byte(value)))
}

// expectStamped wants a pending stamped key to have a value; "" for none.
func (h *harness) expectStamped(txn kv.Txn, name, want string) {
	h.Helper()
	s, _ := kv.StamperOf(txn)
	key, _ := stampedKey(name)
	if got, ok := s.Stamped(key); string(got) != want || ok != (want != "") {
		h.Errorf("%s is pending as %q, %v, want %q", name, got, ok, want)
	}
}

type stamped struct {
	stamp       uint64
	name, value string
}

// stamps returns what a snapshot has of such keys, in order.
func (h *harness) stamps(from kv.Snapshot) (all []stamped) {
	h.Helper()
	cursor := from.Scan(h.ctx, kv.Range{Start: []byte("j"), End: []byte("k")}, false)
	for cursor.Next() {
		all = append(all, stamped{binary.BigEndian.Uint64(cursor.Key()[1:]), string(cursor.Key()[9:]),
			string(cursor.Value())})
	}
	h.must(cursor.Close())
	return all
}

func (h *harness) stampsNow() []stamped {
	h.Helper()
	reader := h.read()
	defer func() { h.must(reader.Close()) }()
	return h.stamps(reader)
}

func stampChecks() []check {
	return []check{
		{"a commit's stamp is in all its stamped keys, it is of the time of the commit, and later commits have higher ones", func(h *harness) {
			before := time.Now().UnixMilli()
			for i := range 20 {
				txn := h.begin()
				h.set(txn, "row", h.get(txn, "row")+"x")
				h.setStamped(txn, "a", fmt.Sprint(i))
				h.setStamped(txn, "b", fmt.Sprint(i))
				h.commit(txn)
			}
			all := h.stampsNow()
			if len(all) != 40 {
				h.Fatalf("%d stamped keys, want 40", len(all))
			}
			for i, s := range all {
				if s.value != fmt.Sprint(i/2) || s.stamp != all[i/2*2].stamp || i >= 2 && s.stamp <= all[i-2].stamp {
					h.Errorf("key %d: %+v", i, s)
				}
				if ms := kv.StampMS(s.stamp); ms < before-1000 || ms > time.Now().UnixMilli()+1000 {
					h.Errorf("the stamp %d is of %d ms, the commit of %d to now", s.stamp, ms, before)
				}
			}
		}},
		{"until its commit a stamped key can be read, changed and dropped under the name that it was given",
			func(h *harness) {
				txn := h.begin()
				h.set(txn, "row", "1")
				h.setStamped(txn, "a", "1")
				h.setStamped(txn, "b", "1")
				key, _ := stampedKey("a")
				h.expect(txn, string(key), "1")
				h.setStamped(txn, "a", "2")
				h.expect(txn, string(key), "2")
				h.expectStamped(txn, "a", "2")
				h.expectStamped(txn, "c", "")
				h.must(txn.Set(key, []byte("3")))
				dropped, _ := stampedKey("b")
				h.must(txn.Delete(dropped))
				h.expectStamped(txn, "b", "")
				h.expectStamped(txn, "a", "3")
				h.commit(txn)
				if all := h.stampsNow(); len(all) != 1 || all[0].name != "a" || all[0].value != "3" ||
					all[0].stamp == 0 {
					h.Errorf("%+v", all)
				}
			}},
		{"commits don't conflict because of their stamped keys, and one with nothing else is a commit, too",
			func(h *harness) {
				one, two := h.begin(), h.begin()
				h.get(one, "other")
				h.get(two, "other")
				h.setStamped(one, "a", "1")
				h.setStamped(two, "a", "2")
				h.commit(one)
				h.commit(two)
				if all := h.stampsNow(); len(all) != 2 || all[0].stamp == all[1].stamp {
					h.Errorf("%+v", all)
				}
			}},
		{"stamps stand in the order of the commits of a key, and where they are in order, who sees one sees all lower ones", func(h *harness) { h.race() }},
		{"stamps follow the one that the store is told", func(h *harness) {
			stamps, ok := kv.StampsOf(h.store)
			if !ok || !stamps.StampsInOrder() {
				h.Skip("the engine gives no stamps, or a cluster's clock does")
			}
			ahead := kv.StampOf(time.Now().UnixMilli() + 3_600_000)
			stamps.StampAfter(ahead)
			txn := h.begin()
			h.setStamped(txn, "a", "1")
			h.commit(txn)
			if all := h.stampsNow(); len(all) != 1 || all[0].stamp != ahead+1 {
				h.Errorf("%+v, want %d", all, ahead+1)
			}
		}},
	}
}

// race counts up four keys from eight goroutines while another reads.
func (h *harness) race() {
	const writers, rounds, keys = 8, 60, 4
	stamps, ok := kv.StampsOf(h.store)
	if !ok {
		h.Skip("the engine gives no stamps")
	}
	var writing, reading sync.WaitGroup
	ended := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			for i := range rounds {
				name := fmt.Sprint("key", (w+i)%keys)
				if err := kv.Update(h.ctx, h.store,
					func(txn kv.Txn) error { return h.countUp(txn, name) }); err != nil {
					h.Error(err)
				}
			}
		})
	}
	reading.Go(func() {
		var before []stamped
		for done := false; !done; {
			select {
			case <-ended:
				done = true
			default:
			}
			now := h.stampsNow()
			for i := range before {
				if stamps.StampsInOrder() && now[i] != before[i] {
					h.Errorf("%+v stands where %+v was", now[i], before[i])
					return
				}
			}
			before = now
		}
	})
	writing.Wait()
	close(ended)
	reading.Wait()
	counts := map[string]int{}
	for _, s := range h.stampsNow() {
		if counts[s.name]++; s.value != fmt.Sprint(counts[s.name]) {
			h.Fatalf("%s: %s comes as number %d", s.name, s.value, counts[s.name])
		}
	}
	if got := counts["key0"] + counts["key1"] + counts["key2"] + counts["key3"]; got != writers*rounds {
		h.Errorf("%d stamped keys, want %d", got, writers*rounds)
	}
}

func (h *harness) countUp(txn kv.Txn, name string) error {
	old, _, err := txn.Get(h.ctx, []byte(name), nil)
	if err != nil {
		return err
	}
	n := 0
	if len(old) > 0 {
		if _, err := fmt.Sscan(string(old), &n); err != nil {
			return err
		}
	}
	text := fmt.Append(nil, n+1)
	s, _ := kv.StamperOf(txn)
	key, at := stampedKey(name)
	if err := s.SetStamped(key, at, text); err != nil {
		return err
	}
	return txn.Set([]byte(name), text)
}
