// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"time"

	"github.com/weftdb/weft/kv"
)

const (
	// collectShare is the number of times in the life of a snapshot that old versions are collected.
	collectShare = 10
	// collectPause is used where snapshots live for ever.
	collectPause = time.Minute
)

// collect lets the store drop old versions, again and again, while this process owns that work. done is closed when it
// has ended.
func (r *Runner) collect(ctx context.Context, collector kv.Collector, owner Owner, done chan struct{}) {
	defer close(done)
	pause := collectPause
	if life := r.Store.Limits().SnapshotLifetime; life > 0 {
		pause = max(time.Duration(life)*time.Millisecond/collectShare, time.Millisecond)
	}
	for rest(ctx, pause) == nil {
		if owner != nil && !owner.Owned() {
			continue
		}
		if err := collector.Collect(ctx); err != nil && ctx.Err() == nil {
			r.Logger.Warn("failed to collect old versions; will retry", "error", err, "after", pause)
		}
	}
}

// startCollecting begins to collect where the store wants it.
func (r *Runner) startCollecting(ctx context.Context) {
	r.collected = make(chan struct{})
	collector, ok := kv.CollectorOf(r.Store)
	if !ok {
		close(r.collected)
		return
	}
	var owner Owner
	if r.Owns != nil {
		owner = r.Owns(WorkCollect)
	}
	go r.collect(ctx, collector, owner, r.collected)
}
