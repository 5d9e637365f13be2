// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Region is a contiguous part of an index. Keys are relative to the index and the region's own.
type Region struct {
	// ID is unique in a database: TABLE.INDEX for the first region of an index, TABLE.INDEX.NUMBER for others, by the
	// ids of table and index. On a cluster it is the cluster's number.
	ID          string
	Start, End  []byte // Start <= key < End; nil: the index's own end
	CreatedAtMS int64  // Unix milliseconds; 0 of the first region, and on a cluster
	Preset      bool   // it was made before there were rows
	Leader      string // address of the store that serves it; empty when embedded
	Peers       []string
}

// storedRegion is the entry of a region that is not the first.
type storedRegion struct {
	Number      uint64 `json:"number"`
	CreatedAtMS int64  `json:"createdAtMS"`
	Preset      bool   `json:"preset,omitempty"`
}

// Place is an index of a table, by their ids.
type Place struct{ Table, Index uint32 }

// holds reports whether a relative key lies in the region.
func (r *Region) holds(key []byte) bool {
	return bytes.Compare(r.Start, key) <= 0 && (r.End == nil || bytes.Compare(key, r.End) < 0)
}

// list reads the logical regions of an index, in order; there is one at least.
func list(ctx context.Context, from kv.Snapshot, at Place) ([]Region, error) {
	first := fmt.Sprintf("%d.%d", at.Table, at.Index)
	regions := []Region{{ID: first}}
	prefix := keyspace.AppendRegions(nil, at.Table, at.Index)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	defer cursor.Close()
	for cursor.Next() {
		var one storedRegion
		if err := json.Unmarshal(cursor.Value(), &one); err != nil {
			return nil, fmt.Errorf("region: entry %s: %w", keyspace.Print(cursor.Key()), err)
		}
		start := bytes.Clone(cursor.Key()[len(prefix):])
		regions[len(regions)-1].End = start
		regions = append(regions, Region{
			ID: first + "." + strconv.FormatUint(one.Number, 10), Start: start, CreatedAtMS: one.CreatedAtMS,
			Preset: one.Preset,
		})
	}
	return regions, cursor.Close()
}

// physical lists a cluster's regions that hold a part of the index within a range, cut off at its ends.
func physical(ctx context.Context, admin kv.Admin, x *record.Index, whole kv.Range) ([]Region, error) {
	found, err := admin.Regions(ctx, whole)
	if err != nil {
		return nil, err
	}
	regions := make([]Region, 0, len(found))
	for i := range found {
		r := Region{ID: strconv.FormatUint(found[i].ID, 10), Leader: found[i].Leader, Peers: found[i].Peers}
		if i > 0 && bytes.Compare(found[i].Range.Start, whole.Start) > 0 {
			r.Start = bytes.Clone(bytes.TrimPrefix(found[i].Range.Start, x.Prefix))
		}
		if end := found[i].Range.End; i < len(found)-1 && end != nil && bytes.HasPrefix(end, x.Prefix) {
			r.End = bytes.Clone(end[len(x.Prefix):])
		}
		regions = append(regions, r)
	}
	if len(regions) == 0 {
		regions = append(regions, Region{ID: "0"})
	}
	return regions, nil
}

// add makes regions begin at keys within txn; where one begins already, nothing changes. added is the number of new
// ones.
func add(ctx context.Context, txn kv.Txn, at Place, keys [][]byte, preset bool, nowMS int64) (added int, err error) {
	for _, key := range keys {
		if len(key) == 0 {
			continue
		}
		entry := keyspace.AppendRegion(nil, at.Table, at.Index, key)
		_, taken, err := txn.Get(ctx, entry, nil)
		if err != nil {
			return added, err
		}
		if taken {
			continue
		}
		number, err := catalog.NextID(ctx, txn, "region")
		if err != nil {
			return added, err
		}
		value, err := json.Marshal(storedRegion{Number: number, CreatedAtMS: nowMS, Preset: preset})
		if err != nil {
			return added, err
		}
		if err := txn.Set(entry, value); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// errStays ends a merge whose region is no longer there, or another's.
var errStays = errors.New("region: it has changed")

// merge joins the region that begins at start to the one before it.
func merge(ctx context.Context, store kv.Store, at Place, r *Region) error {
	entry := keyspace.AppendRegion(nil, at.Table, at.Index, r.Start)
	err := kv.Update(ctx, store, func(txn kv.Txn) error {
		value, ok, err := txn.Get(ctx, entry, nil)
		if err != nil || !ok {
			return err
		}
		var one storedRegion
		if err := json.Unmarshal(value, &one); err != nil || one.CreatedAtMS != r.CreatedAtMS {
			return errStays
		}
		return txn.Delete(entry)
	})
	if errors.Is(err, errStays) {
		return nil
	}
	return err
}
