// SPDX-License-Identifier: Apache-2.0

package sortkey

import "iter"

// MergeAscending merges sources that are each in ascending order, by compare, into one sequence in ascending order. It
// yields the number of the source with each item; equal items come in the order of their sources. It holds one item per
// source, reads no further than the loop over it, and stops all sources when the loop ends. Sources that read from a
// network can fail: merge them with TryMergeAscending.
func MergeAscending[T any](compare func(a, b T) int, sources ...iter.Seq[T]) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		merge(compare, reliable(sources), func(source int, value T, _ error) bool { return yield(source, value) })
	}
}

// MergeDescending is MergeAscending for sources in descending order.
func MergeDescending[T any](compare func(a, b T) int, sources ...iter.Seq[T]) iter.Seq2[int, T] {
	return MergeAscending(reverse(compare), sources...)
}

// TryMergeAscending is MergeAscending for sources that can fail. The first error of a source is yielded as soon as it
// is met, with a zero item, and ends the sequence: later items could be out of order without that source's.
func TryMergeAscending[T any](compare func(a, b T) int, sources ...iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		merge(compare, sources, func(_ int, value T, err error) bool { return yield(value, err) })
	}
}

// TryMergeDescending is TryMergeAscending for sources in descending order.
func TryMergeDescending[T any](compare func(a, b T) int, sources ...iter.Seq2[T, error]) iter.Seq2[T, error] {
	return TryMergeAscending(reverse(compare), sources...)
}

func reverse[T any](compare func(a, b T) int) func(a, b T) int {
	return func(a, b T) int { return compare(b, a) }
}

// reliable gives sources the shape of those that can fail.
func reliable[T any](sources []iter.Seq[T]) []iter.Seq2[T, error] {
	shaped := make([]iter.Seq2[T, error], len(sources))
	for i, source := range sources {
		shaped[i] = func(yield func(T, error) bool) {
			for value := range source {
				if !yield(value, nil) {
					return
				}
			}
		}
	}
	return shaped
}

// head is the next item of one source.
type head[T any] struct {
	value  T
	source int
	next   func() (T, error, bool)
}

// merge keeps the heads of all sources in a binary heap, the smallest first.
func merge[T any](compare func(a, b T) int, sources []iter.Seq2[T, error], yield func(int, T, error) bool) {
	heap := make([]head[T], 0, len(sources))
	before := func(i, j int) bool {
		c := compare(heap[i].value, heap[j].value)
		return c < 0 || c == 0 && heap[i].source < heap[j].source
	}
	for i, source := range sources {
		next, stop := iter.Pull2(source)
		defer stop()
		value, err, ok := next()
		if err != nil {
			var none T
			yield(i, none, err)
			return
		}
		if ok {
			heap = append(heap, head[T]{value, i, next})
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i, before)
	}
	for len(heap) > 0 {
		first := &heap[0]
		if !yield(first.source, first.value, nil) {
			return
		}
		value, err, ok := first.next()
		if err != nil {
			var none T
			yield(first.source, none, err)
			return
		}
		if ok {
			first.value = value
		} else {
			last := len(heap) - 1
			heap[0], heap[last] = heap[last], head[T]{}
			heap = heap[:last]
		}
		sink(heap, 0, before)
	}
}

// sink moves the head at i down to its place.
func sink[T any](heap []head[T], i int, before func(i, j int) bool) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if right := child + 1; right < len(heap) && before(right, child) {
			child = right
		}
		if !before(child, i) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
