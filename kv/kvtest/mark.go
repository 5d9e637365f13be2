// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/weftdb/weft/kv"
)

// mark marks the store; the check ends if the engine has no marks.
func (h *harness) mark() kv.Mark {
	h.Helper()
	marker, ok := kv.MarkerOf(h.store)
	if !ok {
		h.Skip("the engine does not go back to states")
	}
	mark, err := marker.Mark(h.ctx)
	if errors.Is(err, kv.ErrUnsupported) {
		h.Skip("the store was opened without marks")
	}
	h.must(err)
	return mark
}

// all keeps nothing.
func all([]byte) bool { return false }

func markChecks() []check {
	return []check{
		{"Return brings back what was changed, deleted and added, as often as it is asked for", func(h *harness) {
			before := []entry{{"\x00", "zero"}, {"a", "1"}, {"b", ""}, {"c", "3"}}
			h.put(before...)
			mark := h.mark()
			for range 3 {
				h.put(entry{"a", "other"}, entry{"d", "4"}, entry{"\x00", "other"}, entry{"", "empty"})
				h.delete("b", "c")
				h.expectAll(mark.State(), before...)
				h.must(mark.Return(h.ctx, all))
				h.expectAll(h.read(), before...)
			}
			h.must(mark.Forget())
			h.must(mark.Forget())
			h.mustBe(mark.Return(h.ctx, all), kv.ErrNoMark)
			h.expectAll(h.read(), before...)
		}},
		{"keep is called once for each changed key, in order; what it keeps stays, now and at the next Return",
			func(h *harness) {
				h.put(entry{"a", "1"}, entry{"b", "1"}, entry{"c", "1"})
				mark := h.mark()
				h.put(entry{"b", "2"}, entry{"d", "2"}, entry{"a", "2"})
				var asked string
				keep := func(key []byte) bool { asked += string(key) + " "; return string(key) == "b" }
				h.must(mark.Return(h.ctx, keep))
				h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "2"}, entry{"c", "1"})
				h.must(mark.Return(h.ctx, keep))
				if asked != "a b d b " {
					h.Errorf("keep was called for %s", asked)
				}
				h.must(mark.Return(h.ctx, all))
				h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "1"}, entry{"c", "1"})
			}},
		{"later marks stand; after Forget the one before knows what was changed", func(h *harness) {
			h.put(entry{"a", "0"})
			first := h.mark()
			h.put(entry{"a", "1"})
			second := h.mark()
			h.put(entry{"b", "2"})
			third := h.mark()
			h.put(entry{"c", "3"})
			h.must(second.Return(h.ctx, all))
			h.expectAll(h.read(), entry{"a", "1"})
			h.must(third.Return(h.ctx, all))
			h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "2"})
			h.put(entry{"b", "4"})
			h.must(second.Forget())
			h.put(entry{"d", "5"})
			h.must(first.Return(h.ctx, all))
			h.expectAll(h.read(), entry{"a", "0"})
		}},
		{"transactions that were begun before a Return have a conflict, and snapshots go on", func(h *harness) {
			h.put(entry{"a", "0"})
			mark := h.mark()
			h.put(entry{"a", "1"})
			reader, blind, reads, guards := h.read(), h.beginBlind(), h.begin(), h.begin()
			h.set(blind, "x", "blind")
			h.set(reads, "y", "reads")
			h.must(guards.Guard([]byte("z")))
			idle := h.begin()
			h.must(mark.Return(h.ctx, all))
			for _, txn := range []kv.Txn{blind, reads, guards} {
				h.mustBe(txn.Commit(h.ctx), kv.ErrConflict)
			}
			h.must(idle.Commit(h.ctx))
			h.expectAll(reader, entry{"a", "1"})
			h.expectAll(h.read(), entry{"a", "0"})
			h.put(entry{"a", "2"}) // from then on as ever
		}},
		{"what an operator does is undone, too", func(h *harness) {
			if h.engine.Admin == nil {
				h.Skip("the engine has no operator's side")
			}
			h.put(entry{"a1", "1"}, entry{"a2", "2"}, entry{"b", "3"})
			mark, admin := h.mark(), h.engine.Admin(h.store)
			h.must(admin.DeleteRange(h.ctx, kv.Range{Start: []byte("a"), End: []byte("b")}))
			left := []string{"i1", "i2"}
			h.must(admin.Ingest(h.ctx, func() (key, value []byte, err error) {
				if len(left) == 0 {
					return nil, nil, io.EOF
				}
				key, left = []byte(left[0]), left[1:]
				return key, key, nil
			}))
			h.expectAll(h.read(), entry{"b", "3"}, entry{"i1", "i1"}, entry{"i2", "i2"})
			h.must(mark.Return(h.ctx, all))
			h.expectAll(h.read(), entry{"a1", "1"}, entry{"a2", "2"}, entry{"b", "3"})
		}},
		{"what an operator has begun to ingest before is refused", func(h *harness) {
			if h.engine.Admin == nil {
				h.Skip("the engine has no operator's side")
			}
			h.put(entry{"b", "1"})
			mark, admin, entries := h.mark(), h.engine.Admin(h.store), feed([]entry{{"a", "2"}})
			h.mustBe(admin.Ingest(h.ctx, func() (key, value []byte, err error) {
				if key, value, err = entries(); err != nil {
					err = cmp.Or(mark.Return(h.ctx, all), err)
				}
				return key, value, err
			}), kv.ErrConflict)
			h.expectAll(h.read(), entry{"b", "1"})
			h.must(admin.Ingest(h.ctx, feed([]entry{{"a", "2"}})))
			h.expect(h.store, "a", "2")
		}},
		{"stamped keys are undone, and later stamps are higher", func(h *harness) {
			mark := h.mark()
			stamp := func() []byte {
				var last []byte
				h.must(kv.Update(h.ctx, h.store, func(txn kv.Txn) error {
					stamper, ok := kv.StamperOf(txn)
					if !ok {
						h.Skip("the engine gives no stamps")
					}
					return stamper.SetStamped([]byte("s........"), 1, []byte("v"))
				}))
				c := h.read().Scan(h.ctx, kv.Range{}, true)
				if c.Next() {
					last = bytes.Clone(c.Key())
				}
				h.must(c.Close())
				return last
			}
			before := stamp()
			h.must(mark.Return(h.ctx, all))
			h.expectAll(h.read())
			if after := stamp(); bytes.Compare(after, before) <= 0 {
				h.Errorf("stamp %x follows %x", after, before)
			}
		}},
		{"any of several marks is returned to, wholly or in part", returnToAny},
		{"of writers beside Returns, each commit is wholly there or undone", returnBesideWriters},
		{"after a crash the state is one that was there", func(h *harness) {
			if h.engine.Crash == nil {
				h.Skip("the engine can't crash")
			}
			h.put(entry{"a", "0"}, entry{"b", "0"})
			mark := h.mark()
			h.put(entry{"a", "1"}, entry{"c", "1"})
			h.must(mark.Return(h.ctx, all))
			h.store = h.engine.Crash(h.T, h.store)
			defer h.store.Close()
			h.expectAll(h.read(), entry{"a", "0"}, entry{"b", "0"})
		}},
	}
}

// returnToAny goes back and forth among marks at random, for all keys or for those of one letter, and compares each
// state with a model.
func returnToAny(h *harness) {
	random := rand.New(rand.NewPCG(h.seed(), 0))
	now, states := map[string]string{}, []map[string]string{}
	var marks []kv.Mark
	for step := range 300 {
		key := fmt.Sprintf("%c%d", 'a'+random.IntN(3), random.IntN(4))
		switch what := random.IntN(10); {
		case what == 0 && len(marks) < 6:
			marks, states = append(marks, h.mark()), append(states, maps.Clone(now))
		case what == 1 && len(marks) > 0:
			i, letter := random.IntN(len(marks)), byte('a'+random.IntN(4)) // d: no key has it, and all go back
			kept := func(key string) bool { return letter != 'd' && key[0] != letter }
			h.must(marks[i].Return(h.ctx, func(key []byte) bool { return kept(string(key)) }))
			maps.DeleteFunc(now, func(key, _ string) bool { return !kept(key) })
			for key, value := range states[i] {
				if !kept(key) {
					now[key] = value
				}
			}
		case what == 2 && len(marks) > 0:
			i := random.IntN(len(marks))
			h.must(marks[i].Forget())
			marks, states = slices.Delete(marks, i, i+1), slices.Delete(states, i, i+1)
		case what < 5:
			h.delete(key)
			delete(now, key)
		default:
			now[key] = fmt.Sprint(step)
			h.put(entry{key, now[key]})
		}
		var want []entry
		for _, key := range slices.Sorted(maps.Keys(now)) {
			want = append(want, entry{key, now[key]})
		}
		h.expectAll(h.read(), want...)
	}
}

// returnBesideWriters lets writers set two keys alike in each commit, while the store goes back and forth.
func returnBesideWriters(h *harness) {
	mark := h.mark()
	stop, ended := make(chan struct{}), make(chan error, 3)
	for writer := range 3 {
		go func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					ended <- nil
					return
				default:
				}
				n := rand.IntN(20)
				err := kv.Update(h.ctx, h.store, func(txn kv.Txn) error {
					if i%2 == 0 {
						if _, _, err := txn.Get(h.ctx, []byte("x"), nil); err != nil {
							return err
						}
					}
					value := fmt.Sprint(writer, " ", i)
					return setAll(txn, []entry{{fmt.Sprint("l", n), value}, {fmt.Sprint("r", n), value}})
				})
				if err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	for range 50 {
		h.must(mark.Return(h.ctx, all))
		r := h.read()
		for n := range 20 {
			if l, r := h.get(r, fmt.Sprint("l", n)), h.get(r, fmt.Sprint("r", n)); l != r {
				h.Errorf("l%d is %s and r%d is %s", n, l, n, r)
			}
		}
	}
	close(stop)
	for range 3 {
		h.must(<-ended)
	}
	h.must(mark.Return(h.ctx, all))
	h.expectAll(h.read())
}
