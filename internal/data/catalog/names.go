// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/kv"
)

// NamesMax is the number of attribute names of a table that get an id; further names stand inline in the rows.
const NamesMax = 4096

// How long a name that another gateway gave an id is asked for where the store can't be read, and the pause in between.
const (
	learnMax   = 2 * time.Second
	learnPause = 50 * time.Millisecond
)

// ErrNamesFull says that an attribute's name stands in the rows themselves, since the table has more than NamesMax of
// them.
var ErrNamesFull = errors.New("catalog: the table has too many names of attributes to rename one")

// Names is the dictionary of one table's top-level attribute names. An id is committed before any row uses it, and is
// never reused, so a row can be read with any later state of the dictionary. Reading is lock-free. It implements
// value.Names.
type Names struct {
	store kv.Store
	table uint32
	grow  sync.Mutex // one addition at a time
	known atomic.Pointer[dictionary]
	// lost is called when ids that other gateways gave can't be read; nil: there are no other gateways.
	lost func(error)
	over atomic.Bool // see Err
}

// dictionary is one immutable state: names[i] has the id i+1.
type dictionary struct {
	ids   map[string]uint32
	names []string
}

func newNames(store kv.Store, table uint32, lost func(error)) *Names {
	n := &Names{store: store, table: table, lost: lost}
	n.known.Store(&dictionary{ids: map[string]uint32{}})
	return n
}

// storedNames reads the dictionaries of all tables in one scan.
func storedNames(ctx context.Context, from kv.Snapshot) (map[uint32]*dictionary, error) {
	cursor := from.Scan(ctx, prefixRange(keyspace.AppendAllAttributes(nil)), false)
	all := map[uint32]*dictionary{}
	for cursor.Next() {
		id, _ := keyspace.DescribedTable(cursor.Key())
		if all[id] == nil {
			all[id] = &dictionary{ids: map[string]uint32{}}
		}
		all[id].add(string(cursor.Value()))
	}
	return all, cursor.Close()
}

// knowing returns names that are known already; nil: none are.
func (n *Names) knowing(d *dictionary) *Names {
	if d != nil {
		n.known.Store(d)
	}
	return n
}

func loadNames(ctx context.Context, from kv.Snapshot, n *Names) (*Names, error) {
	return n, n.load(ctx, from)
}

// extend returns a dictionary with what stands in the store behind the names of d: ids are given in order and never
// change.
func (d *dictionary) extend(ctx context.Context, from kv.Snapshot, table uint32) (*dictionary, error) {
	bounds := prefixRange(keyspace.AppendAttributes(nil, table))
	bounds.Start = keyspace.AppendAttribute(nil, table, uint32(len(d.names))+1)
	grown := d.clone()
	cursor := from.Scan(ctx, bounds, false)
	for cursor.Next() {
		grown.add(string(cursor.Value()))
	}
	return grown, cursor.Close()
}

func (d *dictionary) hasAll(names []string) bool {
	for _, name := range names {
		if _, known := d.ids[name]; !known && len(d.names) < NamesMax {
			return false
		}
	}
	return true
}

// withName returns a dictionary in which an id has another name. An id that had that name before, of an attribute which
// no row has any more, gets one that no attribute can have. It returns the ids whose names have changed.
func (d *dictionary) withName(from, to string) (other *dictionary, changed []uint32, err error) {
	id, known := d.ids[from]
	if !known {
		return nil, nil, ErrNamesFull
	}
	other, changed = d.clone(), []uint32{id}
	if gone, known := d.ids[to]; known {
		other.rename(gone, fmt.Sprintf("\x00dropped %d", gone))
		changed = append(changed, gone)
	}
	other.rename(id, to)
	return other, changed, nil
}

func (d *dictionary) rename(id uint32, to string) {
	delete(d.ids, d.names[id-1])
	d.names[id-1], d.ids[to] = to, id
}

func (d *dictionary) add(name string) {
	d.names = append(d.names, name)
	// who still had the version before a rename may have given an id to the name that another attribute has now
	if _, twice := d.ids[name]; !twice {
		d.ids[name] = uint32(len(d.names))
	}
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

// Name returns the name of an id. Over a store that several gateways share, an id that is not known here was given by
// another one: the dictionary is read again, so that what Name has answered ID knows, too.
func (n *Names) Name(id uint32) (name string, ok bool) {
	known := n.known.Load()
	if id-1 >= uint32(len(known.names)) { // 0, too
		return n.learn(id)
	}
	return known.names[id-1], true
}

// learn is Name for an id that others may have given. A store that can't be read is asked again for a while; in the end
// Lost is called, since the caller takes the row for one without the attribute.
func (n *Names) learn(id uint32) (name string, ok bool) {
	if n.lost == nil || id == 0 || id > NamesMax {
		return "", false
	}
	ctx, cancel := context.WithTimeout(context.Background(), learnMax)
	defer cancel()
	for {
		err := n.reload(ctx)
		if known := n.known.Load(); int(id) <= len(known.names) {
			return known.names[id-1], true
		}
		if err == nil {
			return "", false // nobody gave it: the row is damaged
		}
		select {
		case <-time.After(learnPause):
		case <-ctx.Done():
			n.lost(err)
			return "", false
		}
	}
}

// Know returns once the dictionary knows all ids of a row that another gateway may have written.
func (n *Names) Know(ctx context.Context, row value.Row) error {
	if n.lost == nil || int(row.LastID()) <= len(n.known.Load().names) {
		return nil
	}
	return n.reload(ctx)
}

// reload reads what others have added.
func (n *Names) reload(ctx context.Context) error {
	n.grow.Lock()
	defer n.grow.Unlock()
	reader, err := n.store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	return n.load(ctx, reader)
}

// load is reload from a snapshot. The caller owns grow, or nobody else has n yet.
func (n *Names) load(ctx context.Context, from kv.Snapshot) error {
	grown, err := n.known.Load().extend(ctx, from, n.table)
	if err == nil {
		n.known.Store(grown)
	}
	return err
}

// All returns the names in the order of their ids. The slice must not be changed.
func (n *Names) All() []string { return n.known.Load().names }

// rename gives attributes other names in a transaction that stores a descriptor with another number of Renames, and
// returns the names from there on. Those of the versions before stay as they are. Errors: ErrNamesFull if an attribute
// has no id.
func (n *Names) rename(ctx context.Context, txn kv.Txn, renamings []Rename) (*Names, error) {
	other, err := n.known.Load().extend(ctx, txn, n.table)
	if err != nil {
		return nil, err
	}
	var changed []uint32
	for _, r := range renamings {
		var ids []uint32
		if other, ids, err = other.withName(r.From, r.To); err != nil {
			return nil, err
		}
		changed = append(changed, ids...)
	}
	for _, id := range changed {
		if err := txn.Set(keyspace.AppendAttribute(nil, n.table, id), []byte(other.names[id-1])); err != nil {
			return nil, err
		}
	}
	next := newNames(n.store, n.table, n.lost)
	next.known.Store(other)
	return next, nil
}

// Add gives ids to the names that have none, as far as NamesMax allows, and returns once they are committed. Names that
// others added meanwhile are read in the same transaction, which conflicts with one that gives the same id.
func (n *Names) Add(ctx context.Context, names []string) error {
	n.grow.Lock()
	defer n.grow.Unlock()
	if n.known.Load().hasAll(names) {
		return nil
	}
	var grown *dictionary
	err := kv.Update(ctx, n.store, func(txn kv.Txn) (err error) {
		if err := n.Err(); err != nil {
			return err
		}
		if grown, err = n.known.Load().extend(ctx, txn, n.table); err != nil {
			return err
		}
		for _, name := range names {
			if _, known := grown.ids[name]; known || len(grown.names) >= NamesMax {
				continue
			}
			grown.add(name)
			if err := txn.Set(keyspace.AppendAttribute(nil, n.table, uint32(len(grown.names))),
				[]byte(name)); err != nil {
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
