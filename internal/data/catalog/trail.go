// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// trailLength is the number of changes of the schema of which it is stored which tables they changed. A gateway that
// has missed more reads the whole schema.
const trailLength = 64

// trailKey is the entry of a change of the schema: its generation, and the ids of the tables that it changed. Another
// change takes it over later.
func trailKey(generation uint64) []byte {
	return keyspace.AppendMeta(nil, "changed-"+strconv.FormatUint(generation%trailLength, 10))
}

// trail is a transaction that changes the schema, and notes which tables.
type trail struct {
	kv.Txn
	tables []uint32
	other  bool // it changes more than tables
}

// UnwrapTxn returns the transaction below.
func (t *trail) UnwrapTxn() kv.Txn { return t.Txn }

func (t *trail) Set(key, value []byte) error {
	t.note(key)
	return t.Txn.Set(key, value)
}

func (t *trail) Delete(key []byte) error {
	t.note(key)
	return t.Txn.Delete(key)
}

func (t *trail) note(key []byte) {
	id, ok := keyspace.DescribedTable(key)
	switch {
	case ok && !slices.Contains(t.tables, id):
		t.tables = append(t.tables, id)
	case bytes.HasPrefix(key, keyspace.AppendViews(nil)), bytes.Equal(key, keyspace.AppendMeta(nil, databasesWord)),
		bytes.Equal(key, keyspace.AppendMeta(nil, optionsWord)):
		t.other = true
	}
}

// store writes the entry, if it tells all that was changed.
func (t *trail) store(generation uint64) error {
	if t.other {
		return nil
	}
	entry := order.AppendUvarint(nil, generation)
	for _, id := range t.tables {
		entry = order.AppendUvarint(entry, uint64(id))
	}
	return t.Txn.Set(trailKey(generation), entry)
}

// since returns the tables that were changed after a generation, up to another one; ok is false if that is not known,
// or more was changed.
func since(ctx context.Context, from kv.Snapshot, before, now uint64) (tables []uint32, ok bool, err error) {
	if now <= before || now-before > trailLength {
		return nil, false, nil
	}
	var keys [][]byte
	for generation := before + 1; generation <= now; generation++ {
		keys = append(keys, trailKey(generation))
	}
	ok = true
	err = from.GetMany(ctx, keys, func(i int, entry []byte, there bool) error {
		generation, rest, err := uint64(0), entry, error(nil)
		if there {
			generation, rest, err = order.CutUvarint(entry)
		}
		if err == nil && generation != before+1+uint64(i) { // another version made the change, or more than tables
			ok = false
			return nil
		}
		for id := uint64(0); err == nil && len(rest) > 0; {
			id, rest, err = order.CutUvarint(rest)
			tables = append(tables, uint32(id))
		}
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("catalog: the changes from generation %d to %d: %w", before, now, err)
	}
	slices.Sort(tables)
	return slices.Compact(tables), ok, nil
}

// renew returns all descriptors as they were read, with those of some tables read anew.
func (f *follower) renew(ctx context.Context, from kv.Snapshot, ids []uint32) (map[uint32][]byte, error) {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = keyspace.AppendTable(nil, id)
	}
	tables := maps.Clone(f.stored)
	err := from.GetMany(ctx, keys, func(i int, descriptor []byte, ok bool) error {
		if delete(tables, ids[i]); ok {
			tables[ids[i]] = bytes.Clone(descriptor)
		}
		return nil
	})
	return tables, err
}
