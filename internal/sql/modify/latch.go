// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"context"
	"hash/maphash"
	"slices"
)

// stripes is how many latches there are: rows of one stripe wait for each other.
const stripes = 4096

// Latches let statements that change the same rows wait for each other instead of failing at their commits and trying again. They serve those of
// one process; commits detect what they miss. The zero value is not ready: use NewLatches.
type Latches struct {
	seed maphash.Seed
	held [stripes]chan struct{}
}

// NewLatches makes latches that nobody holds.
func NewLatches() *Latches {
	l := &Latches{seed: maphash.MakeSeed()}
	for i := range l.held {
		l.held[i] = make(chan struct{}, 1)
	}
	return l
}

// lock takes the latches of some rows, in one order for all, and returns what gives them back. It waits at most as long as ctx lasts.
func (l *Latches) lock(ctx context.Context, keys ...[]byte) (unlock func(), err error) {
	at := make([]int, 0, len(keys))
	for _, key := range keys {
		at = append(at, int(maphash.Bytes(l.seed, key)%stripes))
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for i, stripe := range at {
		select {
		case l.held[stripe] <- struct{}{}:
		case <-ctx.Done():
			l.unlock(at[:i])
			return nil, ctx.Err()
		}
	}
	return func() { l.unlock(at) }, nil
}

func (l *Latches) unlock(at []int) {
	for _, stripe := range at {
		<-l.held[stripe]
	}
}
