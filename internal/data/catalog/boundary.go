// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"encoding/json"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
)

// Boundaries is one version of the keys that cut an index into segments. A version never changes.
type Boundaries struct {
	Version     uint64   `json:"version"`
	CreatedAtMS int64    `json:"createdAtMS"` // Unix milliseconds
	Keys        [][]byte `json:"keys"`        // relative to the index's prefix, ascending
}

// Boundaries returns one version of an index's segment boundaries.
func (c *Catalog) Boundaries(ctx context.Context, table, index uint32, version uint64) (b Boundaries, ok bool,
	err error) {
	stored, ok, err := c.store.Get(ctx, keyspace.AppendBoundary(nil, table, index, version), nil)
	if err != nil || !ok {
		return b, false, err
	}
	return b, true, json.Unmarshal(stored, &b)
}

// LatestBoundaries returns the newest version.
func (c *Catalog) LatestBoundaries(ctx context.Context, table, index uint32) (b Boundaries, ok bool, err error) {
	reader, err := c.store.Read(ctx)
	if err != nil {
		return b, false, err
	}
	defer reader.Close()
	return latestBoundaries(ctx, reader, table, index)
}

func latestBoundaries(ctx context.Context, from kv.Snapshot, table, index uint32) (b Boundaries, ok bool, err error) {
	cursor := from.Scan(ctx, prefixRange(keyspace.AppendBoundaries(nil, table, index)), true)
	defer cursor.Close()
	if !cursor.Next() {
		return b, false, cursor.Close()
	}
	return b, true, json.Unmarshal(cursor.Value(), &b)
}

// AddBoundaries stores a new version and removes versions made before keepFromMS, which no scan under way can still
// carry.
func (c *Catalog) AddBoundaries(ctx context.Context, table, index uint32, keys [][]byte, nowMS,
	keepFromMS int64) (b Boundaries, err error) {
	err = kv.Update(ctx, c.store, func(txn kv.Txn) error {
		latest, _, err := latestBoundaries(ctx, txn, table, index)
		if err != nil {
			return err
		}
		if err := deleteOldBoundaries(ctx, txn, table, index, keepFromMS); err != nil {
			return err
		}
		b = Boundaries{Version: latest.Version + 1, CreatedAtMS: nowMS, Keys: keys}
		stored, err := json.Marshal(b)
		if err != nil {
			return err
		}
		return txn.Set(keyspace.AppendBoundary(nil, table, index, b.Version), stored)
	})
	return b, err
}

func deleteOldBoundaries(ctx context.Context, txn kv.Txn, table, index uint32, keepFromMS int64) error {
	var old [][]byte
	cursor := txn.Scan(ctx, prefixRange(keyspace.AppendBoundaries(nil, table, index)), false)
	defer cursor.Close()
	for cursor.Next() {
		var b Boundaries
		if err := json.Unmarshal(cursor.Value(), &b); err != nil {
			return err
		}
		if b.CreatedAtMS < keepFromMS {
			old = append(old, append([]byte(nil), cursor.Key()...))
		}
	}
	if err := cursor.Close(); err != nil {
		return err
	}
	for _, key := range old {
		if err := txn.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
