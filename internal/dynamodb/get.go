// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// getItem is a request to read one item.
type getItem struct {
	target
	key attributes
	projection
	names      nameMap
	consistent flag
	capacity   returnConsumedCapacity
}

// getItem reads one item. Every read sees the latest commit, whatever ConsistentRead says, unless a fault wants it to
// lag.
func (a *API) getItem(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	g := take[getItem](a, &a.pools.get, "GetItem")
	defer g.release(&err)
	if err := g.prepare(ctx, body); err != nil {
		return nil, err
	}
	key, err := g.keyRow()
	if err != nil {
		return nil, err
	}
	if err := g.admitRead(key, g.consistent.on); err != nil {
		return nil, err
	}
	ctx = a.DB.Reading(ctx, g.consistent.on)
	view, release := a.Faults.View(ctx, g.consistent.on)
	defer release()
	row, ok, err := view.Get(ctx, g.pin, key, g.stored[:0])
	if err != nil {
		return nil, itemkey.Fault(g.pin, nil, err)
	}
	dst = append(dst, '{')
	g.observe(1, countOf(ok))
	if ok {
		g.stored = row
		shown, err := g.projection.apply(&g.request, row)
		if err != nil {
			return nil, err
		}
		dst = appendItemMember(dst, "Item", shown, g.pin.Names())
	}
	cost := tableCapacity{table: readUnits(int64(sizeOf(row)), g.consistent.on)}
	g.charge(throttle.Read, &cost)
	return append(g.capacity.append(dst, g.pin.Descriptor().Name, &cost), '}'), nil
}

// countOf is 1 for an item that is there.
func countOf(ok bool) int64 {
	if ok {
		return 1
	}
	return 0
}
