// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// reference is a database of lists that is right because it does one thing at a time. Its clients overlap all the same:
// they wait before and after.
type reference struct {
	mu    sync.Mutex
	lists map[int32][]int32
	done  map[string]bool // tokens
}

func newReference() *reference {
	return &reference{lists: map[int32][]int32{}, done: map[string]bool{}}
}

// yield lets others run, now and then.
func yield() {
	for rand.IntN(3) == 0 {
		runtime.Gosched()
	}
}

func (r *reference) read(_ context.Context, keys []int32, _ bool) ([][]int32, error) {
	yield()
	defer yield()
	r.mu.Lock()
	defer r.mu.Unlock()
	read := make([][]int32, len(keys))
	for i, key := range keys {
		read[i] = slices.Clone(r.lists[key])
	}
	return read, nil
}

func (r *reference) write(_ context.Context, w write) ([]int32, error) {
	yield()
	defer yield()
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.token != "" && r.done[w.token] {
		return nil, nil
	}
	for _, p := range w.parts {
		if p.held && !slices.Equal(p.was, r.lists[p.key]) {
			return nil, &refusal{Type: "#ConditionalCheckFailedException"}
		}
	}
	r.done[w.token] = true
	before := slices.Clone(r.lists[w.parts[0].key])
	for _, p := range w.parts {
		r.lists[p.key] = append(r.lists[p.key], p.add...)
	}
	return before, nil
}
