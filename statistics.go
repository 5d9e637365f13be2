// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/access"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/statistics"
	"github.com/weftdb/weft/kv"
)

// Estimate is roughly how much an index holds.
type Estimate = statistics.Estimate

// Estimate returns about how many items a table ("") or index holds: exact up to some 50,000, a few seconds old at most. Errors: KindNotFound.
func (p Pinned) Estimate(ctx context.Context, index string) (Estimate, error) {
	x, ok := p.table.Index(index)
	if !ok {
		return Estimate{}, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no index " + index}
	}
	look := p.look(ctx)
	estimate, err := p.db.statistics.Estimate(ctx, &look, x)
	return estimate, wrap(p.name(), err)
}

func (p Pinned) look(ctx context.Context) statistics.Look {
	return statistics.Look{Table: p.table, Store: p.db.store, Now: p.db.options.Now(), SizeOf: p.sizer(ctx), Starts: func(from kv.Snapshot, x *record.Index) ([][]byte, error) {
		return p.db.regions.Starts(ctx, from, p.Descriptor().ID, x)
	}}
}

// known is what has been counted and sampled lately.
func (p Pinned) known() access.Statistics {
	return p.db.statistics.Known(&statistics.Look{Table: p.table, Now: p.db.options.Now()})
}

// counted counts and samples what helps to choose a path for q.
func (p Pinned) counted(ctx context.Context, from kv.Snapshot, q *Query) (access.Statistics, error) {
	look := p.look(ctx)
	return p.db.statistics.Count(ctx, &look, from, &statistics.Choice{Asked: p.asked(q), Open: access.Query{Where: both(q.Where, q.Filter)}})
}
