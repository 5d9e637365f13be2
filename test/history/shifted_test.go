// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"slices"
)

// shifted are lists whose keys begin elsewhere, so that rounds on one server do not meet. by is even.
type shifted struct {
	lists
	by int32
}

func (s shifted) read(ctx context.Context, keys []int32, plain bool) ([][]int32, error) {
	keys = slices.Clone(keys)
	for i := range keys {
		keys[i] += s.by
	}
	return s.lists.read(ctx, keys, plain)
}

func (s shifted) write(ctx context.Context, w write) ([]int32, error) {
	w.parts = slices.Clone(w.parts)
	for i := range w.parts {
		w.parts[i].key += s.by
	}
	return s.lists.write(ctx, w)
}
