// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/kv"
)

// Estimate is roughly how much an index holds.
type Estimate struct {
	Rows  int64
	Bytes int64 // of items, as DynamoDB counts them
}

const (
	// estimateCounted is up to how many entries are counted; a longer index is extrapolated from them by the engine's sizes.
	estimateCounted = 50_000
	// estimateFresh is how long an estimate is given again without a new look.
	estimateFresh = 5 * time.Second
)

// estimates remembers the last estimate of each index.
type estimates struct {
	mu      sync.Mutex
	made    map[indexID]datedEstimate
	sampled map[indexID]separators
}

type datedEstimate struct {
	Estimate
	at time.Time
}

// Estimate returns about how many items a table ("") or index holds: exact up to some 50,000, a few seconds old at most. Errors: KindNotFound.
func (p Pinned) Estimate(ctx context.Context, index string) (Estimate, error) {
	x, ok := p.table.Index(index)
	if !ok {
		return Estimate{}, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no index " + index}
	}
	id, now := indexID{p.Descriptor().ID, x.ID}, p.db.options.Now()
	if known, ok := p.db.estimates.get(id); ok && now.Sub(known.at) < estimateFresh {
		return known.Estimate, nil
	}
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return Estimate{}, wrap(p.name(), err)
	}
	defer reader.Close()
	estimate, err := p.count(ctx, reader, x)
	if err == nil {
		p.db.estimates.put(id, datedEstimate{estimate, now})
	}
	return estimate, wrap(p.name(), err)
}

func (e *estimates) get(id indexID) (datedEstimate, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known, ok := e.made[id]
	return known, ok
}

func (e *estimates) put(id indexID, known datedEstimate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made == nil {
		e.made = map[indexID]datedEstimate{}
	}
	e.made[id] = known
}

func (p Pinned) count(ctx context.Context, from kv.Snapshot, x *record.Index) (e Estimate, err error) {
	walk := from.Scan(ctx, x.Range(), false)
	defer walk.Close()
	for walk.Next() {
		if e.Rows == estimateCounted {
			return e.scaled(p.sizer(ctx), x.Range(), kv.Range{Start: x.Prefix, End: walk.Key()}), nil
		}
		e.Rows++
		e.Bytes += int64(Row(walk.Value()).Size())
	}
	return e, walk.Close()
}

// scaled extrapolates from the counted part of an index to the whole.
func (e Estimate) scaled(sizeOf func(kv.Range) int64, whole, counted kv.Range) Estimate {
	if sizeOf == nil {
		return e
	}
	part, all := sizeOf(counted), sizeOf(whole)
	if part <= 0 || all < part {
		return e
	}
	factor := float64(all) / float64(part)
	return Estimate{Rows: int64(float64(e.Rows) * factor), Bytes: int64(float64(e.Bytes) * factor)}
}
