// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// followMax bounds the look for changes of other gateways before a table is said not to be there.
const followMax = 5 * time.Second

// errMoved ends a change that was prepared on an older schema than the newest; it is prepared again.
var errMoved = errors.New("catalog: another gateway has changed the schema meanwhile")

// follower is the part of a catalog that follows changes of other gateways.
type follower struct {
	installed func(tables []uint32)

	mu         sync.Mutex        // one refresh at a time
	generation uint64            // of the schema as installed
	loaded     bool              // anything is installed
	stored     map[uint32][]byte // descriptors as they were read
	stale      []*Version        // versions before the current ones that may be in use still
}

// Refresh implements gateway.Schema.
func (c *Catalog) Refresh(ctx context.Context) (generation uint64, held []uint32, err error) {
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	if err := c.refresh(ctx); err != nil {
		return 0, nil, err
	}
	c.shared.stale = slices.DeleteFunc(c.shared.stale, (*Version).isDrained)
	for _, v := range c.shared.stale {
		held = append(held, v.Table.ID)
	}
	slices.Sort(held)
	return c.shared.generation, slices.Compact(held), nil
}

// refresh installs the newest schema. The caller holds shared.mu.
func (c *Catalog) refresh(ctx context.Context) error {
	base := c.gateway.Store // also where there is no lease yet
	if c.shared.loaded {
		if newest, err := gateway.Generation(ctx, base); err != nil || newest == c.shared.generation {
			return err
		}
	}
	reader, err := base.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	generation, err := gateway.Generation(ctx, reader)
	if err != nil {
		return err
	}
	tables, install, err := c.newer(ctx, reader, generation)
	if err != nil {
		return err
	}
	changed, err := c.publish(ctx, reader, tables)
	if err != nil {
		return err
	}
	install()
	c.shared.generation, c.shared.loaded, c.shared.stored = generation, true, tables
	if c.shared.installed != nil && len(changed) > 0 {
		c.shared.installed(changed)
	}
	return nil
}

// newer returns the descriptors of all tables as of a generation, of which it reads those that were changed since the
// one that is installed, if that is known; install installs what else there is. The caller holds shared.mu.
func (c *Catalog) newer(ctx context.Context, from kv.Snapshot, generation uint64) (tables map[uint32][]byte,
	install func(), err error) {
	if c.shared.loaded {
		ids, ok, err := since(ctx, from, c.shared.generation, generation)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			tables, err = c.shared.renew(ctx, from, ids)
			return tables, func() {}, err
		}
	}
	if tables, err = storedTables(ctx, from); err != nil {
		return nil, nil, err
	}
	views, err := storedViews(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	databases, options, err := storedDatabases(ctx, from)
	return tables, func() {
		c.mu.Lock()
		c.views = views
		c.mu.Unlock()
		c.setDatabases(databases, options)
	}, err
}

func storedTables(ctx context.Context, from kv.Snapshot) (map[uint32][]byte, error) {
	prefix := keyspace.AppendTables(nil)
	cursor := from.Scan(ctx, prefixRange(prefix), false)
	defer cursor.Close()
	tables := map[uint32][]byte{}
	for cursor.Next() {
		id, _, err := order.CutUvarint(cursor.Key()[len(prefix):])
		if err != nil {
			return nil, fmt.Errorf("catalog: key %x: %w", cursor.Key(), err)
		}
		tables[uint32(id)] = bytes.Clone(cursor.Value())
	}
	return tables, cursor.Close()
}

// publish makes descriptors current that are not, and returns their ids. Nothing is changed on an error.
func (c *Catalog) publish(ctx context.Context, from kv.Reader, stored map[uint32][]byte) (changed []uint32, err error) {
	var fresh []*entry
	later := map[*entry]*Version{}
	load := func(id uint32) (*Names, error) { return loadNames(ctx, from, newNames(c.store, id, c.lost)) }
	if !c.shared.loaded { // all at once
		all, err := storedNames(ctx, from)
		if err != nil {
			return nil, err
		}
		load = func(id uint32) (*Names, error) { return newNames(c.store, id, c.lost).knowing(all[id]), nil }
	}
	for id, descriptor := range stored {
		if bytes.Equal(descriptor, c.shared.stored[id]) {
			continue
		}
		table := new(schema.Table)
		if err := json.Unmarshal(descriptor, table); err != nil {
			return nil, fmt.Errorf("catalog: descriptor of table %d: %w", id, err)
		}
		changed = append(changed, id)
		e, known := c.entryOf(id)
		if known && e.current.Load().Table.Renames == table.Renames {
			later[e] = newVersion(table, e.names, c.generation.Load()+1)
			continue
		}
		names, err := load(id)
		if err != nil {
			return nil, err
		}
		if known {
			later[e] = newVersion(table, names, c.generation.Load()+1)
			continue
		}
		fresh = append(fresh, newEntry(table, names, c.generation.Load()+1))
	}
	c.generation.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, e := range c.ids {
		if _, there := stored[id]; !there {
			delete(c.ids, id)
			c.retire(e.current.Load())
		}
	}
	for e, v := range later {
		c.retire(e.current.Load(), func() { e.names = v.Names; e.current.Store(v) })
	}
	for _, e := range fresh {
		c.ids[e.current.Load().Table.ID] = e
	}
	c.index()
	return changed, nil
}

// retire remembers a version that is no longer current, after it was replaced, until nobody uses it.
func (c *Catalog) retire(v *Version, replace ...func()) {
	for _, one := range replace {
		one()
	}
	v.retire()
	c.shared.stale = append(c.shared.stale, v)
}

// index makes names and sorted anew of the tables by id. The caller holds mu.
func (c *Catalog) index() {
	clear(c.names)
	c.sorted = c.sorted[:0:0]
	for _, e := range c.ids {
		if table := e.current.Load().Table; isShown(table) {
			name := fullName(table.Database, table.Name)
			c.names[name] = e
			c.sorted = append(c.sorted, name)
		}
	}
	slices.Sort(c.sorted)
}

// follow looks for changes of other gateways; false if there can be none, or they can't be read.
func (c *Catalog) follow() bool {
	if c.gateway == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), followMax)
	defer cancel()
	before := c.generation.Load()
	_, _, err := c.Refresh(ctx)
	return err == nil && c.generation.Load() != before
}

// newest installs the newest schema, so that what is looked up is as new as the call. Errors: the store's.
func (c *Catalog) newest(ctx context.Context) error {
	if c.gateway == nil {
		return nil
	}
	_, _, err := c.Refresh(ctx)
	return err
}

// scope says whom a change of the schema concerns.
type scope struct {
	table uint32 // whose versions must not be more than two at once; 0: of a new table, or none
	// drain waits until all gateways have the new version and none uses the one before.
	drain bool
}

// write runs fn in a transaction that changes the schema. Over a shared store check is asked, on the newest schema,
// right before; the change is serialised with those of all gateways, and waited for until all of them have it. stored
// says that the change stands, whatever the error.
func (c *Catalog) write(ctx context.Context, s scope, check func() error, fn func(kv.Txn) error) (stored bool,
	err error) {
	if c.gateway == nil {
		if err := check(); err != nil {
			return false, err
		}
		err := kv.Update(ctx, c.store, fn)
		return err == nil, err
	}
	generation, err := c.writeShared(ctx, s, check, fn)
	if err != nil {
		return false, err
	}
	if err := c.newest(ctx); err != nil {
		return true, notSeen(err)
	}
	c.gateway.Nudge()
	if !s.drain {
		s.table = 0
	}
	return true, notSeen(c.gateway.Agree(ctx, generation, s.table))
}

func notSeen(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("catalog: the change is stored, but not every gateway has it: %w", err)
}

// writeShared is write without the wait afterwards.
func (c *Catalog) writeShared(ctx context.Context, s scope, check func() error,
	fn func(kv.Txn) error) (generation uint64, err error) {
	for {
		prepared, _, err := c.Refresh(ctx)
		if err != nil {
			return 0, err
		}
		if err := check(); err != nil {
			return 0, err
		}
		if s.table != 0 {
			if err := c.gateway.Agree(ctx, prepared, s.table); err != nil {
				return 0, err
			}
		}
		err = kv.Update(ctx, c.store, func(txn kv.Txn) error {
			if generation, err = gateway.Raise(ctx, txn); err != nil {
				return err
			}
			if generation != prepared+1 {
				return errMoved
			}
			noted := &trail{Txn: txn}
			if err := fn(noted); err != nil {
				return err
			}
			return noted.store(generation)
		})
		if !errors.Is(err, errMoved) {
			return generation, err
		}
	}
}
