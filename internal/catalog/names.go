// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/keyspace"
	"github.com/weftdb/weft/kv"
)

// NamesMax is how many attribute names of a table get an id; further names stand inline in the rows.
const NamesMax = 4096

// Names is the dictionary of one table's top-level attribute names. An id is committed before any row uses it, and is never reused, so a
// row can be read with any later state of the dictionary. Reading is lock-free. It implements value.Names.
type Names struct {
	store kv.Store
	table uint32
	grow  sync.Mutex // one addition at a time
	known atomic.Pointer[dictionary]
}

// dictionary is one immutable state: names[i] has the id i+1.
type dictionary struct {
	ids   map[string]uint32
	names []string
}

func newNames(store kv.Store, table uint32) *Names {
	n := &Names{store: store, table: table}
	n.known.Store(&dictionary{ids: map[string]uint32{}})
	return n
}

func loadNames(ctx context.Context, reader kv.Reader, store kv.Store, table uint32) (*Names, error) {
	n := newNames(store, table)
	known := &dictionary{ids: map[string]uint32{}}
	cursor := reader.Scan(ctx, prefixRange(keyspace.AppendAttributes(nil, table)), false)
	for cursor.Next() {
		known.add(string(cursor.Value()))
	}
	n.known.Store(known)
	return n, cursor.Close()
}

func (d *dictionary) add(name string) {
	d.names = append(d.names, name)
	d.ids[name] = uint32(len(d.names))
}

func (d *dictionary) clone() *dictionary {
	c := &dictionary{ids: make(map[string]uint32, len(d.ids)+8), names: append([]string(nil), d.names...)}
	for name, id := range d.ids {
		c.ids[name] = id
	}
	return c
}

// ID returns the id of a name.
func (n *Names) ID(name []byte) (id uint32, ok bool) {
	id, ok = n.known.Load().ids[string(name)]
	return id, ok
}

// Name returns the name of an id.
func (n *Names) Name(id uint32) (name string, ok bool) {
	known := n.known.Load()
	if id == 0 || int(id) > len(known.names) {
		return "", false
	}
	return known.names[id-1], true
}

// All returns the names in the order of their ids. The slice must not be changed.
func (n *Names) All() []string { return n.known.Load().names }

// Add gives ids to the names that have none, as far as NamesMax allows, and returns once they are committed.
func (n *Names) Add(ctx context.Context, names []string) error {
	n.grow.Lock()
	defer n.grow.Unlock()
	grown := n.known.Load().clone()
	first := len(grown.names)
	for _, name := range names {
		if _, known := grown.ids[name]; !known && len(grown.names) < NamesMax {
			grown.add(name)
		}
	}
	if len(grown.names) == first {
		return nil
	}
	err := kv.Update(ctx, n.store, func(txn kv.Txn) error {
		for i := first; i < len(grown.names); i++ {
			if err := txn.Set(keyspace.AppendAttribute(nil, n.table, uint32(i+1)), []byte(grown.names[i])); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		n.known.Store(grown)
	}
	return err
}
