// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"sync"
)

// underway is the transactions of this process that have begun and not ended.
type underway struct {
	mu     sync.Mutex
	seenMS int64         // the cluster's clock as it was last read
	counts map[int64]int // by what seenMS was when they began: each began at that time or later
}

// begin notes a transaction before it begins, and returns what end is told after its end.
func (u *underway) begin() (seenMS int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.counts == nil {
		u.counts = map[int64]int{}
	}
	u.counts[u.seenMS]++
	return u.seenMS
}

func (u *underway) end(seenMS int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.counts[seenMS]--; u.counts[seenMS] == 0 {
		delete(u.counts, seenMS)
	}
}

// see notes the cluster's clock. No transaction that has not ended by now began before oldestMS, and none will.
func (u *underway) see(nowMS int64) (oldestMS int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seenMS, oldestMS = nowMS, nowMS
	for began := range u.counts {
		oldestMS = min(oldestMS, began)
	}
	return oldestMS
}

// Oldest returns a moment by the cluster's clock, Unix milliseconds: no transaction that any gateway commits after the
// call, through its Leased store, began before that. 0: a gateway of another version does not say.
func (g *Gateway) Oldest(ctx context.Context) (ms int64, err error) {
	oldest, err := g.Shared.NowMS(ctx)
	if err != nil {
		return 0, err
	}
	now := oldest
	records, err := Records(ctx, g.Store)
	for _, r := range records {
		if now < r.UntilMS { // else it commits nothing more, until it has a new lease and has begun anew
			oldest = min(oldest, r.OldestMS)
		}
	}
	return oldest, err
}
