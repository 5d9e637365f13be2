// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/metering"
)

// getItem reads one item. Every read sees the latest commit, whatever ConsistentRead says.
func (a *API) getItem(ctx context.Context, body, dst []byte) ([]byte, error) {
	r := a.request("GetItem", layer.RowOf("GetItem"))
	defer r.release()
	pin, err := r.prepare(body)
	if err != nil {
		return nil, err
	}
	key, err := r.keyRow(pin, r.key, r.row[:0])
	if err != nil {
		return nil, err
	}
	r.row = key
	row, ok, err := pin.Get(ctx, key, r.stored[:0])
	if err != nil {
		return nil, itemkey.Fault(pin, nil, err)
	}
	dst = append(dst, '{')
	a.observe("GetItem", 1, present(ok))
	if ok {
		r.stored = row
		shown, err := r.project(row, pin.Names())
		if err != nil {
			return nil, err
		}
		dst = appendItemMember(dst, "Item", shown, pin.Names())
	}
	cost := metering.Capacity{Table: metering.ReadUnits(int64(sizeOf(row)), r.consistent)}
	return append(r.appendCapacity(dst, pin.Descriptor().Name, &cost), '}'), nil
}

// present is 1 for an item that is there.
func present(ok bool) int64 {
	if ok {
		return 1
	}
	return 0
}
