// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"cmp"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// counted yields values, and counts what is read and whether the sequence ended or was stopped.
type counted struct {
	values  []int
	read    int
	stopped bool
}

func (c *counted) all(yield func(int) bool) {
	defer func() { c.stopped = true }()
	for _, v := range c.values {
		c.read++
		if !yield(v) {
			return
		}
	}
}

// TestMergeRandom compares merges of random sources, whole and cut short, with a stable sort, and counts what is read.
func TestMergeRandom(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	type item struct{ source, value int }
	for range rounds.Of(t, 2000) {
		descending := r.IntN(2) == 0
		compare := cmp.Compare[int]
		merged := MergeAscending[int]
		if descending {
			compare = func(a, b int) int { return cmp.Compare(b, a) }
			merged = MergeDescending[int]
		}
		sources := make([]*counted, r.IntN(6))
		sequences := make([]iter.Seq[int], len(sources))
		var want []item
		for i := range sources {
			values := make([]int, r.IntN(8))
			for j := range values {
				values[j] = r.IntN(10)
			}
			slices.SortFunc(values, compare)
			sources[i] = &counted{values: values}
			sequences[i] = sources[i].all
			for _, v := range values {
				want = append(want, item{i, v})
			}
		}
		slices.SortStableFunc(want, func(a, b item) int { return compare(a.value, b.value) })
		limit := r.IntN(len(want) + 2)
		want = want[:min(limit, len(want))]

		var got []item
		if limit > 0 {
			for source, value := range merged(cmp.Compare[int], sequences...) {
				got = append(got, item{source, value})
				if len(got) == limit {
					break
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		taken := make([]int, len(sources))
		for _, it := range got {
			taken[it.source]++
		}
		for i, source := range sources {
			if limit > 0 && !source.stopped && source.read > 0 {
				t.Fatalf("source %d was left open", i)
			}
			if source.read > taken[i]+1 {
				t.Fatalf("source %d: %d read, %d taken", i, source.read, taken[i])
			}
		}
	}
}

func TestTryMerge(t *testing.T) {
	failure := errors.New("page lost")
	fallible := func(err error, values ...int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for _, v := range values {
				if !yield(v, nil) {
					return
				}
			}
			if err != nil {
				yield(0, err)
			}
		}
	}
	for _, c := range []struct {
		name    string
		merged  iter.Seq2[int, error]
		want    []int
		wantErr error
	}{
		{"none", TryMergeAscending(cmp.Compare[int]), nil, nil},
		{"ascending", TryMergeAscending(cmp.Compare[int], fallible(nil, 1, 4), fallible(nil, 2, 3)), []int{1, 2, 3, 4},
			nil},
		{"descending", TryMergeDescending(cmp.Compare[int], fallible(nil, 4, 1), fallible(nil, 3, 2)),
			[]int{4, 3, 2, 1}, nil},
		{"fails at first", TryMergeAscending(cmp.Compare[int], fallible(nil, 1), fallible(failure)), nil, failure},
		{"fails later", TryMergeAscending(cmp.Compare[int], fallible(nil, 1, 3), fallible(failure, 2)), []int{1, 2},
			failure},
	} {
		var got []int
		var gotErr error
		for value, err := range c.merged {
			if gotErr != nil {
				t.Errorf("%s: went on after the error", c.name)
			}
			if gotErr = err; err == nil {
				got = append(got, value)
			}
		}
		if !slices.Equal(got, c.want) || gotErr != c.wantErr {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got, gotErr, c.want, c.wantErr)
		}
	}
}

func BenchmarkMerge(b *testing.B) {
	const shards, items = 16, 1_000
	sources := make([]iter.Seq[int], shards)
	for i := range sources {
		values := make([]int, items)
		for j := range values {
			values[j] = j*shards + i
		}
		sources[i] = slices.Values(values)
	}
	b.ReportAllocs()
	for b.Loop() {
		for range MergeAscending(cmp.Compare[int], sources...) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*shards*items), "ns/item")
}
