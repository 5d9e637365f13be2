// SPDX-License-Identifier: Apache-2.0

package region

import (
	"context"
	"maps"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Presets are the keys at which all regions but the first of new indexes begin, by the indexes' ids.
type Presets map[uint32][][]byte

// Presets says where the regions of a new table begin: specs are those of its own key and of its indexes, in their
// order. Errors are those of Points.
func (k *Keeper) Presets(ctx context.Context, table *schema.Table, specs []*Spec) (Presets, error) {
	all := Presets{}
	for i, spec := range specs {
		x := &table.Primary
		if i > 0 {
			x = &table.Indexes[i-1]
		}
		if err := k.Preset(ctx, all, x, spec); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Preset adds to all where the regions of one new index begin. On a cluster there are some for each node unless spec
// says otherwise.
func (k *Keeper) Preset(ctx context.Context, all Presets, x *schema.Index, spec *Spec) error {
	if spec == nil {
		spec = &Spec{Count: k.CountDefault(ctx)}
	}
	keys, err := Points(x, spec)
	if len(keys) > 0 {
		all[x.ID] = keys
	}
	return err
}

// Begin makes the regions of a new table within the transaction that makes the table. On a cluster it does nothing: see
// Publish.
func (k *Keeper) Begin(ctx context.Context, txn kv.Txn, table uint32, all Presets) error {
	if k.cluster {
		return nil
	}
	for _, index := range slices.Sorted(maps.Keys(all)) {
		if _, err := add(ctx, txn, Place{table, index}, all[index], true, k.Now().UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// Publish asks a cluster for the same regions as Begin, once the table is there.
func (k *Keeper) Publish(ctx context.Context, table uint32, all Presets) {
	if k.cluster {
		k.Presplit(ctx, table, all)
	}
}

// Presplit splits new indexes of a table that is there. Where that can't be done they are only slower at first: they
// are split as they grow.
func (k *Keeper) Presplit(ctx context.Context, table uint32, all Presets) {
	if len(all) == 0 {
		return
	}
	version, err := k.Catalog.AcquireID(table)
	if err != nil {
		return
	}
	defer version.Release()
	compiled := k.Compile(version)
	for _, index := range slices.Sorted(maps.Keys(all)) {
		x, ok := compiled.IndexByID(index)
		if !ok {
			continue
		}
		if _, err := k.Split(ctx, Place{table, index}, x, all[index], true); err != nil && ctx.Err() == nil {
			k.Logger.Warn("failed to pre-split a table; it will be split as it grows", "table", version.Table.Name,
				"index", x.Name, "error", err)
		}
	}
}

// Refill gives an emptied table the regions that the old one, whose place it takes, began with.
func (k *Keeper) Refill(ctx context.Context, old *record.Table, table uint32) {
	version, err := k.Catalog.AcquireID(table)
	if err != nil {
		return
	}
	defer version.Release()
	if err := k.copy(ctx, old, k.Compile(version)); err != nil && ctx.Err() == nil {
		k.Logger.Warn("failed to pre-split a truncated table; it will be split as it grows", "table",
			version.Table.Name, "error", err)
	}
}

func (k *Keeper) copy(ctx context.Context, from, to *record.Table) error {
	reader, err := k.Store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	for _, x := range append([]*record.Index{to.Primary}, to.Indexes...) {
		old, ok := from.IndexByID(x.ID)
		if !ok || x.Internal {
			continue
		}
		regions, err := k.Regions(ctx, reader, Place{from.Schema.ID, old.ID}, old)
		if err != nil {
			return err
		}
		var keys [][]byte
		for i := range regions {
			if len(regions[i].Start) > 0 && (regions[i].Preset || k.cluster) && len(keys) < CountMax-1 {
				keys = append(keys, regions[i].Start)
			}
		}
		if _, err := k.Split(ctx, Place{to.Schema.ID, x.ID}, x, keys, true); err != nil {
			return err
		}
	}
	return nil
}

// A table on a cluster begins with regionsEachNode regions for each node, unless a number is given, up to regionsFirst:
// a cluster of many nodes has many tables, and splits those that grow.
const (
	regionsEachNode = 4
	regionsFirst    = 64
)

// CountDefault is the number of regions a table begins with that asks for none: 4 for each node of a cluster, but no
// more than 64; 1 on an embedded engine.
func (k *Keeper) CountDefault(ctx context.Context) int {
	if !k.cluster {
		return 1
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.nodes == 0 || k.Now().Sub(k.nodesAt) > nodesKept {
		nodes, err := k.countNodes(ctx)
		if err != nil {
			return max(1, regionsEachNode*k.nodes)
		}
		k.nodes, k.nodesAt = nodes, k.Now()
	}
	return max(1, regionsEachNode*k.nodes)
}

// nodesQuiet is the number of regions in a row without a node that has not been seen, after which no others are looked
// for.
const nodesQuiet = 16

// countNodes counts the nodes that hold the first regions, as far as CountDefault wants to know: there may be too many
// regions to list.
func (k *Keeper) countNodes(ctx context.Context) (int, error) {
	seen := map[string]bool{}
	at := []byte{}
	for quiet := 0; at != nil && quiet < nodesQuiet && len(seen) < regionsFirst/regionsEachNode; quiet++ {
		regions, err := k.Admin.Regions(ctx, kv.Range{Start: at, End: append(slices.Clone(at), 0)})
		if err != nil {
			return 0, err
		}
		at = nil
		for i := range regions {
			at = regions[i].Range.End
			for _, peer := range regions[i].Peers {
				if !seen[peer] {
					seen[peer], quiet = true, 0
				}
			}
		}
	}
	return min(len(seen), regionsFirst/regionsEachNode), nil
}
