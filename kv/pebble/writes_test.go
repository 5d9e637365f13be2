// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestWriteSetAgainstModel runs random writes, look-ups and walks against a map, on a set that is used again and again.
func TestWriteSetAgainstModel(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	set := &writeSet{}
	for round := range 300 {
		model := map[string]string{}
		for range random.IntN(1 << (round % 10)) {
			key, value := randomKey(random), randomKey(random)
			deleted := random.IntN(3) == 0
			set.put([]byte(key), []byte(value), deleted, 0, func([]byte) uint64 { return 0 })
			model[key] = value
			if deleted {
				model[key] = "(deleted)"
			}
		}
		compareWriteSet(t, random, set, model)
		set.reset()
	}
}

func randomKey(random *rand.Rand) string {
	key := make([]byte, random.IntN(4))
	for i := range key {
		key[i] = []byte{0, 1, 'a', 'b', 0xff}[random.IntN(5)]
	}
	return string(key)
}

func compareWriteSet(t *testing.T, random *rand.Rand, set *writeSet, model map[string]string) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(model))
	if set.len() != len(keys) {
		t.Fatalf("%d keys, want %d", set.len(), len(keys))
	}
	nodeKey := func(at uint32) string {
		if at == 0 {
			return "(none)"
		}
		return string(set.slice(set.nodes[at].key))
	}
	for range 20 {
		key := randomKey(random)
		value, deleted, known := set.get([]byte(key))
		want, wantKnown := model[key]
		if known != wantKnown || (known && deleted != (want == "(deleted)")) ||
			(known && !deleted && string(value) != want) {
			t.Fatalf("get(%q) is %q, %t, %t, want %q", key, value, deleted, known, want)
		}
		at, found := slices.BinarySearch(keys, key)
		wantNext, wantBefore := "(none)", "(none)"
		if at < len(keys) {
			wantNext = keys[at]
		}
		if at > 0 {
			wantBefore = keys[at-1]
		}
		if next, before := nodeKey(set.seek([]byte(key), nil)),
			nodeKey(set.seekBefore([]byte(key))); next != wantNext || before != wantBefore {
			t.Fatalf("around %q (there: %t) are %q and %q, want %q and %q", key, found, before, next, wantBefore,
				wantNext)
		}
	}
	if len(keys) == 0 {
		return
	}
	var walked []string
	for at := set.next(0); at != 0; at = set.next(at) {
		walked = append(walked, nodeKey(at))
	}
	if !slices.Equal(walked, keys) || nodeKey(set.last()) != keys[len(keys)-1] {
		t.Fatalf("the walk shows %q, want %q", walked, keys)
	}
}

// FuzzStoredKey: the stored form can be undone, is never empty, and keeps the order.
func FuzzStoredKey(f *testing.F) {
	f.Add([]byte(""), []byte("\x00"))
	f.Add([]byte("\x00"), []byte("\x00\x00"))
	f.Add([]byte("\x00\xff"), []byte("\x01"))
	f.Add([]byte("a"), []byte("ab"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		storedA, storedB := storedKey(a), storedKey(b)
		if len(storedA) == 0 || !bytes.Equal(userKey(storedA), a) {
			t.Errorf("%x is stored as %x", a, storedA)
		}
		if bytes.Compare(storedA, storedB) != bytes.Compare(a, b) {
			t.Errorf("%x and %x are stored as %x and %x", a, b, storedA, storedB)
		}
	})
}
