// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/test/harness"
)

// historiesCount is the number of histories of items of a change.
const historiesCount = 16

// itemHistory is a round of clients on the items of one history.
type itemHistory struct {
	seed     uint64
	clients  int
	items    int
	requests int // of all clients
	many     bool
	hurried  bool // clients give some requests up
}

// requests returns the number of requests of a history: so many, or a tenth under the race detector.
func requests(n int) int {
	if rounds.Race {
		return n / 10
	}
	return n
}

// shapeOf draws the shape of a history: single requests on several items, or everything on few.
func shapeOf(rng *rand.Rand) itemHistory {
	if rng.IntN(2) == 0 {
		return itemHistory{seed: rng.Uint64(), clients: 4 + rng.IntN(9), items: itemsMax, requests: requests(4000)}
	}
	return itemHistory{seed: rng.Uint64(), clients: 3 + rng.IntN(6), items: 2 + rng.IntN(4), requests: requests(1000),
		many: true}
}

// run makes the history. call does a request.
func (h itemHistory) run(t *testing.T, call func(context.Context, *request) (reply, error)) []porcupine.Operation {
	t.Helper()
	begun := time.Now()
	parts := make([][]porcupine.Operation, h.clients)
	var group sync.WaitGroup
	for i := range h.clients {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(h.seed, uint64(i)))
			d := &drawer{rng: rng, count: h.items, seen: make([]int64, h.items), next: int64(i) * 100,
				step: int64(h.clients) * 100, many: h.many}
			for j := range d.seen {
				d.seen[j] = absent
			}
			for range h.requests / h.clients {
				r := d.draw()
				ctx, cancel := t.Context(), func() {}
				if h.hurried && rng.IntN(cutEvery) == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(rng.IntN(400))*time.Microsecond)
				}
				o := porcupine.Operation{ClientId: i, Input: &r, Call: int64(time.Since(begun))}
				found, bad := call(ctx, &r)
				o.Return, o.Output = int64(time.Since(begun)), found
				cancel()
				if bad != nil {
					t.Error(bad)
					return
				}
				if found.outcome == unknown {
					o.Return = math.MaxInt64
				}
				d.learn(&r, found)
				parts[i] = append(parts[i], o)
			}
		})
	}
	group.Wait()
	var all []porcupine.Operation
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// checkMinutes is when a check is given up. Histories are short enough to be checked in a fraction of a second.
const checkMinutes = 5 * time.Minute

// linearizable checks a history.
func (h itemHistory) linearizable(t *testing.T, all []porcupine.Operation) bool {
	t.Helper()
	found := porcupine.CheckOperationsTimeout(model(!h.many), all, checkMinutes)
	if found == porcupine.Unknown {
		t.Errorf("history %+v could not be judged", h)
	}
	return found != porcupine.Illegal
}

// judgeItems runs some histories and checks them.
func judgeItems(t *testing.T, rng *rand.Rand, count int, connect func(history int, shape *itemHistory) caller) {
	t.Helper()
	requests, lost, refusals, conflicts := 0, 0, 0, 0
	var ran, checked time.Duration
	for history := range count {
		h := shapeOf(rng)
		c := connect(history, &h)
		begun := time.Now()
		s := items{caller: c, first: history * itemsMax, count: h.items}
		all := h.run(t, s.do)
		ran += time.Since(begun)
		begun = time.Now()
		if !h.linearizable(t, all) {
			t.Errorf("history %d, %+v, is not linearizable:\n%s", history, h, describe(h, all))
			return
		}
		checked += time.Since(begun)
		for _, o := range all {
			requests++
			switch o.Output.(reply).outcome {
			case unknown:
				lost++
			case refused:
				refusals++
			case conflict:
				conflicts++
			}
		}
	}
	t.Logf("%d histories of %d requests, %d of them refused, %d in conflict, %d without an answer, took %v; their checks took %v",
		count, requests, refusals, conflicts, lost, ran.Round(time.Millisecond), checked.Round(time.Millisecond))
	if refusals == 0 {
		t.Error("no condition was false: the histories have tested little")
	}
}

// describeMax is the number of requests of a faulty history that are shown.
const describeMax = 60

// describe shows the shortest beginning of a history that is not linearizable, the last requests of it.
func describe(h itemHistory, all []porcupine.Operation) string {
	low, high := 0, len(all)
	byReturn := append([]porcupine.Operation(nil), all...)
	sortByReturn(byReturn)
	for low < high {
		middle := (low + high) / 2
		if porcupine.CheckOperationsTimeout(model(!h.many), cutAt(byReturn, middle), time.Minute) == porcupine.Illegal {
			high = middle
		} else {
			low = middle + 1
		}
	}
	var b strings.Builder
	for _, o := range byReturn[max(0, low-describeMax):min(low, len(byReturn))] {
		fmt.Fprintf(&b, "%d: %d-%d %+v: %+v\n", o.ClientId, o.Call, o.Return, *o.Input.(*request), o.Output)
	}
	return b.String()
}

// TestItemsInProcess checks histories of requests that call the dialect; in every fourth some commits have no known
// outcome.
func TestItemsInProcess(t *testing.T) {
	seed := rounds.Seed(t)
	for i, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			var faults *kvwrap.FaultyStore
			c := overAPI(e.openDB(t, func(store kv.Store) kv.Store {
				faults = kvwrap.Faulty(store, kvwrap.FaultyOptions{})
				return jitter{faults}
			}))
			makeTable(t, c, itemTable, itemIndex)
			count := max(rounds.Of(t, historiesCount*[]int{45, 45, 1}[i]/100), 4)
			judgeItems(t, rand.New(rand.NewPCG(seed, uint64(i))), count, func(history int, _ *itemHistory) caller {
				faults.Heal()
				for nth := 1; history%4 == 3 && nth < 10; nth++ {
					faults.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: nth * 50, Err: kv.ErrUnknownOutcome,
						After: nth%2 == 0})
				}
				return c
			})
		})
	}
}

// TestItemsOverHTTP checks histories of requests to the real binary, some of which the client gives up.
func TestItemsOverHTTP(t *testing.T) {
	seed := rounds.Seed(t)
	server := harness.Start(t, binary, harness.Options{})
	c := dial(server.Addr())
	makeTable(t, c, itemTable, itemIndex)
	count := max(rounds.Of(t, historiesCount/10), 2)
	judgeItems(t, rand.New(rand.NewPCG(seed, 9)), count, func(history int, shape *itemHistory) caller {
		shape.hurried = history%2 == 1
		return c
	})
}
