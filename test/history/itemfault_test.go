// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// itemFault is a way to answer a request wrongly.
type itemFault func(f *faultyItems, ctx context.Context, r *request) (reply, error)

// faultyItems are items with a planted fault that happens now and then.
type faultyItems struct {
	items
	fault itemFault

	mu  sync.Mutex
	old map[int]reply // by key, -1 for the index: what was answered last
}

func (f *faultyItems) do(ctx context.Context, r *request) (reply, error) {
	if rand.IntN(4) > 0 {
		return f.items.do(ctx, r)
	}
	return f.fault(f, ctx, r)
}

// before is the last answer in the place of this one.
func (f *faultyItems) before(key int, now reply) reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, ok := f.old[key]
	f.old[key] = now
	if !ok {
		return now
	}
	return before
}

// onesOf takes a transaction apart.
func onesOf(r *request) (ones []request) {
	for _, a := range r.actions {
		ones = append(ones, request{transaction, []action{a}})
	}
	return ones
}

func oldItem(f *faultyItems, ctx context.Context, r *request) (reply, error) {
	found, bad := f.items.do(ctx, r)
	if bad != nil || r.kind != single || r.actions[0].verb != get {
		return found, bad
	}
	return f.before(r.actions[0].key, found), nil
}

func oldIndex(f *faultyItems, ctx context.Context, r *request) (reply, error) {
	found, bad := f.items.do(ctx, r)
	if bad != nil || r.kind != indexRead {
		return found, bad
	}
	return f.before(-1, found), nil
}

func readsApart(f *faultyItems, ctx context.Context, r *request) (reply, error) {
	if r.kind != transaction || r.actions[0].verb != get {
		return f.items.do(ctx, r)
	}
	all := reply{}
	for _, one := range onesOf(r) {
		found, bad := f.items.do(ctx, &one)
		if bad != nil || found.outcome != done {
			return found, bad
		}
		all.values = append(all.values, found.values...)
		yield()
	}
	return all, nil
}

func writesApart(f *faultyItems, ctx context.Context, r *request) (reply, error) {
	for _, a := range r.actions {
		if r.kind != transaction || a.verb == get || a.demand != anything {
			return f.items.do(ctx, r)
		}
	}
	all := reply{}
	for _, one := range onesOf(r) {
		found, bad := f.items.do(ctx, &one)
		if bad != nil || found.outcome != done {
			return found, bad
		}
		all.values = append(all.values, hidden)
		yield()
	}
	return all, nil
}

func conditionForgotten(f *faultyItems, ctx context.Context, r *request) (reply, error) {
	blind := *r
	blind.actions = append([]action(nil), r.actions...)
	for i := range blind.actions {
		if blind.actions[i].verb != hold {
			blind.actions[i].demand = anything
		}
	}
	return f.items.do(ctx, &blind)
}

func neverWritten(f *faultyItems, ctx context.Context, r *request) (reply, error) {
	if r.kind != single || r.actions[0].verb == get || r.actions[0].demand != anything || r.actions[0].shows != "" {
		return f.items.do(ctx, r)
	}
	return reply{outcome: done, values: []int64{hidden}}, nil
}

func writtenTwice(f *faultyItems, ctx context.Context, r *request) (reply, error) {
	if r.kind == single && r.actions[0].verb == add && r.actions[0].demand == anything {
		if found, bad := f.items.do(ctx, r); bad != nil || found.outcome != done {
			return found, bad
		}
	}
	return f.items.do(ctx, r)
}

func refusedButWritten(f *faultyItems, ctx context.Context, r *request) (reply, error) {
	found, bad := f.items.do(ctx, r)
	if r.kind == transaction && r.actions[0].verb != get && found.outcome == done && bad == nil {
		return reply{outcome: conflict}, nil
	}
	return found, bad
}

// itemFaults must all be found. // immutable
var itemFaults = []struct {
	name  string
	fault itemFault
}{
	{"old items", oldItem},
	{"old index", oldIndex},
	{"reads apart", readsApart},
	{"writes apart", writesApart},
	{"forgotten conditions", conditionForgotten},
	{"writes that are none", neverWritten},
	{"writes done twice", writtenTwice},
	{"conflicts that are none", refusedButWritten},
}

// TestPlantedItems shows histories of items with faults to the model.
func TestPlantedItems(t *testing.T) {
	seed := rounds.Seed(t)
	c := overAPI(engines[0].openDB(t, withJitter))
	makeTable(t, c, itemTable, itemIndex)
	first := 0
	for _, planted := range itemFaults {
		t.Run(planted.name, func(t *testing.T) {
			for round := range 100 {
				first += itemsMax
				f := &faultyItems{items: items{caller: c, first: first, count: 3}, fault: planted.fault,
					old: map[int]reply{}}
				h := itemHistory{seed: seed + uint64(round), clients: 4, items: 3, requests: 400, many: true}
				if !h.linearizable(t, h.run(t, f.do)) {
					return
				}
			}
			t.Error("the fault was not found")
		})
	}
}
