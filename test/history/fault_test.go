// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/history/check"
)

// faulty are lists with a planted fault: a function each that stands in for read or write; nil is without fault. Faults
// happen now and then, as real ones do.
type faulty struct {
	lists
	reading func(f *faulty, ctx context.Context, keys []int32, plain bool) ([][]int32, error)
	writing func(f *faulty, ctx context.Context, w write) ([]int32, error)

	mu   sync.Mutex
	old  map[int32][]int32 // for reads of the past
	late []*sync.WaitGroup // writes that were answered too early
}

func (f *faulty) read(ctx context.Context, keys []int32, plain bool) ([][]int32, error) {
	if f.reading == nil || rand.IntN(3) > 0 {
		return f.lists.read(ctx, keys, plain)
	}
	return f.reading(f, ctx, keys, plain)
}

func (f *faulty) write(ctx context.Context, w write) ([]int32, error) {
	if f.writing == nil || rand.IntN(3) > 0 {
		return f.lists.write(ctx, w)
	}
	return f.writing(f, ctx, w)
}

// one makes a write of one part of a write.
func one(p part) write { return write{parts: []part{p}} }

// splitRead reads list by list.
func splitRead(f *faulty, ctx context.Context, keys []int32, _ bool) ([][]int32, error) {
	var all [][]int32
	for _, key := range keys {
		read, err := f.lists.read(ctx, []int32{key}, false)
		if err != nil {
			return nil, err
		}
		all = append(all, read...)
		yield()
	}
	return all, nil
}

// oldRead shows lists as they were when they were last looked at.
func oldRead(f *faulty, ctx context.Context, keys []int32, plain bool) ([][]int32, error) {
	read, err := f.lists.read(ctx, keys, plain)
	if err != nil || !plain {
		return read, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	before, ok := f.old[keys[0]]
	f.old[keys[0]] = read[0]
	if ok {
		read[0] = before
	}
	return read, nil
}

// swappedRead shows the last two elements of a list in the wrong order.
func swappedRead(f *faulty, ctx context.Context, keys []int32, plain bool) ([][]int32, error) {
	read, err := f.lists.read(ctx, keys, plain)
	if err == nil && plain && len(read[0]) > 1 {
		n := len(read[0])
		read[0][n-1], read[0][n-2] = read[0][n-2], read[0][n-1]
	}
	return read, err
}

// foreignRead shows an element that nobody wrote.
func foreignRead(f *faulty, ctx context.Context, keys []int32, plain bool) ([][]int32, error) {
	read, err := f.lists.read(ctx, keys, plain)
	if err == nil {
		read[0] = append(read[0], -1)
	}
	return read, err
}

// splitWrite does the parts one after the other.
func splitWrite(f *faulty, ctx context.Context, w write) (before []int32, err error) {
	if len(w.parts) == 1 || w.parts[0].held {
		return f.lists.write(ctx, w)
	}
	for _, p := range w.parts {
		if _, err := f.retry(ctx, one(p)); err != nil {
			return nil, err
		}
		for range 3 {
			yield()
		}
	}
	return nil, nil
}

// retry does an unconditional write until no other transaction is in its way.
func (f *faulty) retry(ctx context.Context, w write) ([]int32, error) {
	for {
		before, err := f.lists.write(ctx, w)
		if outcome, _ := outcomeOf(err); outcome != check.Aborted {
			return before, err
		}
	}
}

// splitElements appends two elements of one list one after the other.
func splitElements(f *faulty, ctx context.Context, w write) ([]int32, error) {
	for _, p := range w.parts {
		if p.held || p.alone {
			return f.lists.write(ctx, w)
		}
	}
	first, second := write{}, write{}
	for _, p := range w.parts {
		first.parts = append(first.parts, part{key: p.key, add: p.add[:1]})
		if len(p.add) > 1 {
			second.parts = append(second.parts, part{key: p.key, add: p.add[1:]})
		}
	}
	if _, err := f.lists.write(ctx, first); err != nil || len(second.parts) == 0 {
		return nil, err
	}
	yield()
	return f.retry(ctx, second)
}

// dropPart forgets the last part of a write.
func dropPart(f *faulty, ctx context.Context, w write) ([]int32, error) {
	if len(w.parts) > 1 {
		w.parts = w.parts[:len(w.parts)-1]
	}
	return f.lists.write(ctx, w)
}

// twice does a write and does it again.
func twice(f *faulty, ctx context.Context, w write) ([]int32, error) {
	before, err := f.lists.write(ctx, w)
	if err == nil && !w.parts[0].held {
		w.token = ""
		_, err = f.retry(ctx, w)
	}
	return before, err
}

// sayDone acknowledges what was aborted.
func sayDone(f *faulty, ctx context.Context, w write) ([]int32, error) {
	before, err := f.lists.write(ctx, w)
	if outcome, _ := outcomeOf(err); outcome == check.Aborted {
		return nil, nil
	}
	return before, err
}

// sayAborted does a write and says that it was not done.
func sayAborted(f *faulty, ctx context.Context, w write) ([]int32, error) {
	if _, err := f.lists.write(ctx, w); err != nil {
		return nil, err
	}
	return nil, &refusal{Type: "#ConditionalCheckFailedException"}
}

// checkFirst looks at the conditions first, and then writes without them.
func checkFirst(f *faulty, ctx context.Context, w write) ([]int32, error) {
	if !w.parts[0].held {
		return f.lists.write(ctx, w)
	}
	var keys []int32
	blind := write{}
	for _, p := range w.parts {
		keys = append(keys, p.key)
		if len(p.add) > 0 {
			blind.parts = append(blind.parts, part{key: p.key, add: p.add})
		}
	}
	read, err := f.lists.read(ctx, keys, false)
	if err != nil {
		return nil, err
	}
	for i, p := range w.parts {
		if !slices.Equal(p.was, read[i]) {
			return nil, &refusal{Type: "#ConditionalCheckFailedException"}
		}
	}
	for range 3 {
		yield()
	}
	return f.retry(ctx, blind)
}

// writtenOnly forgets the conditions on lists that are not written. (Snapshot isolation does so.)
func writtenOnly(f *faulty, ctx context.Context, w write) ([]int32, error) {
	if !w.parts[0].held {
		return f.lists.write(ctx, w)
	}
	var keys []int32
	written := write{}
	for _, p := range w.parts {
		keys = append(keys, p.key)
		if len(p.add) > 0 {
			written.parts = append(written.parts, p)
		}
	}
	read, err := f.lists.read(ctx, keys, false)
	if err != nil {
		return nil, err
	}
	for i, p := range w.parts {
		if !slices.Equal(p.was, read[i]) {
			return nil, &refusal{Type: "#ConditionalCheckFailedException"}
		}
	}
	for range 3 {
		yield()
	}
	return f.lists.write(ctx, written)
}

// lateWrite answers before it writes.
func lateWrite(f *faulty, ctx context.Context, w write) ([]int32, error) {
	if w.parts[0].held || w.parts[0].alone {
		return f.lists.write(ctx, w)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for range 100 {
			yield()
		}
		_, _ = f.retry(context.WithoutCancel(ctx), w)
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late = append(f.late, &group)
	return nil, nil
}

// plantedFaults are the faults, and the classes that must be found, whatever else is. // immutable
var plantedFaults = []struct {
	name    string
	reading func(f *faulty, ctx context.Context, keys []int32, plain bool) ([][]int32, error)
	writing func(f *faulty, ctx context.Context, w write) ([]int32, error)
	classes []check.Class
}{
	{"reads list by list", splitRead, nil, []check.Class{check.ReadSkew, check.AntiDependency}},
	{"reads the past", oldRead, nil, []check.Class{check.RealTime}},
	{"reads in the wrong order", swappedRead, nil, []check.Class{check.IncompatibleOrder}},
	{"reads what nobody wrote", foreignRead, nil, []check.Class{check.Unwritten}},
	{"writes part by part", nil, splitWrite, []check.Class{check.WriteCycle, check.CircularFlow, check.ReadSkew}},
	{"writes element by element", nil, splitElements, []check.Class{check.IntermediateRead}},
	{"forgets a part", nil, dropPart, []check.Class{check.LostElement}},
	{"writes twice", nil, twice, []check.Class{check.Duplicate}},
	{"acknowledges what it aborted", nil, sayDone, []check.Class{check.LostElement}},
	{"does what it says it aborted", nil, sayAborted, []check.Class{check.AbortedRead, check.DirtyUpdate}},
	{"looks at conditions too early", nil, checkFirst, []check.Class{check.LostUpdate, check.WriteSkew}},
	{"keeps no condition on what is only read", nil, writtenOnly, []check.Class{check.WriteSkew}},
	{"acknowledges before it writes", nil, lateWrite, []check.Class{check.RealTime}},
}

// plantedRounds is the number of rounds a fault has to be found in. It is there in the first as a rule, write skew
// among some twenty.
const plantedRounds = 1000

// findPlanted runs rounds on faulty databases until all classes were found.
func findPlanted(t *testing.T, seed uint64, classes []check.Class, connect func() (lists, func())) {
	t.Helper()
	missing := slices.Clone(classes)
	for round := range plantedRounds {
		l := &load{seed: seed + uint64(round), clients: 10, slots: 3, longest: 30, noTokens: true}
		one, settle := connect()
		h := l.runUntil(t, 1500, func(int) lists { return one }, settle)
		v, err := check.Check(h)
		if err != nil {
			t.Fatal(err)
		}
		missing = slices.DeleteFunc(missing, v.Has)
		if len(missing) == 0 {
			t.Logf("found in round %d: %v", round, v.Counts)
			return
		}
	}
	t.Errorf("not found in %d rounds: %q", plantedRounds, missing)
}

// TestPlanted shows databases with faults to the checker: one that is otherwise right by construction, and Weft.
func TestPlanted(t *testing.T) {
	seed := rounds.Seed(t)
	weft := overAPI(engines[0].openDB(t, withJitter))
	makeLists(t, weft)
	rounds := int32(0)
	databases := map[string]func() lists{
		"reference": func() lists { return newReference() },
		"weft": func() lists {
			rounds++
			return shifted{weftLists{weft}, rounds * 100_000}
		},
	}
	for _, planted := range plantedFaults {
		for _, name := range []string{"reference", "weft"} {
			t.Run(fmt.Sprintf("%s/%s", planted.name, name), func(t *testing.T) {
				findPlanted(t, seed, planted.classes, func() (lists, func()) {
					f := &faulty{lists: databases[name](), reading: planted.reading, writing: planted.writing,
						old: map[int32][]int32{}}
					return f, f.settle
				})
			})
		}
	}
}

// settle waits for writes that were answered too early.
func (f *faulty) settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, group := range f.late {
		group.Wait()
	}
	f.late = nil
}
