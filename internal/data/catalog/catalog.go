// SPDX-License-Identifier: Apache-2.0

// Package catalog keeps the descriptors of tables and their attribute-name dictionaries: at rest in the store, and in
// memory for everybody who reads or writes rows. A user of a table pins one version of its descriptor for as long as a
// request runs; a change of the schema publishes the next version and then waits until nobody pins an older one, so
// that at most two neighbouring versions are ever in use.
//
// Knows: current descriptors, their versions, attribute names and ids.
// Never: rows, queries, any dialect.
package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Errors of the catalog.
var (
	ErrExists   = errors.New("catalog: a table of that name exists")
	ErrNotFound = errors.New("catalog: no such table")
)

// Catalog is the set of tables of one store. It is safe for concurrent use.
type Catalog struct {
	store kv.Store

	// gateway is this process among those that share the store; nil: there are no others.
	gateway *gateway.Gateway
	// shared is the catalog's state for them.
	shared follower

	// lost is called when the catalog can't be trusted any more; nil where no other gateway changes it.
	lost func(error)

	// change serialises changes of the schema in this process. It is never held while rows are read or written.
	change turn

	// generation counts the versions published, each of them after its commit.
	generation atomic.Uint64

	mu     sync.RWMutex
	names  map[string]*entry // by database "\x00" name; only tables that can be used
	ids    map[uint32]*entry // all tables, those being dropped too
	sorted []string          // the keys of names, in order
	// databases are the names of all databases, in order.
	databases []string
	// views are all views, by database "\x00" name.
	views map[string]View

	// options holds the options of each database.
	options atomic.Pointer[databaseOptions]

	counters sync.Map // by counterID: *counter
}

// Options configures a Catalog. The zero value is for a catalog that no other process changes.
type Options struct {
	// Gateway has yet to join: Open does that.
	Gateway *gateway.Gateway
	// Installed is called with tables that are new or changed by any gateway; it must be quick. Default: none.
	Installed func(tables []uint32)
}

// Open checks the format of the store, initialises an empty one, and loads all descriptors. Errors: kv.ErrFormat for a
// newer format, and for features that this program lacks.
func Open(ctx context.Context, store kv.Store, o Options) (*Catalog, error) {
	c := &Catalog{store: store, change: newTurn(), names: map[string]*entry{}, ids: map[uint32]*entry{},
		views: map[string]View{}}
	if err := checkFormat(ctx, store); err != nil {
		return nil, err
	}
	begin := c.load
	if o.Gateway != nil {
		c.store, c.gateway, c.lost, c.shared.installed = o.Gateway.Leased(), o.Gateway, o.Gateway.Lost, o.Installed
		begin = func(ctx context.Context) error { return o.Gateway.Join(ctx, c) }
	}
	if err := begin(ctx); err != nil {
		return c, err
	}
	return c, c.noteFeatures(ctx)
}

func (c *Catalog) load(ctx context.Context) error {
	reader, err := c.store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	names, err := storedNames(ctx, reader)
	if err != nil {
		return err
	}
	prefix := keyspace.AppendTables(nil)
	cursor := reader.Scan(ctx, prefixRange(prefix), false)
	defer cursor.Close()
	for cursor.Next() {
		var table schema.Table
		if err := json.Unmarshal(cursor.Value(), &table); err != nil {
			return fmt.Errorf("catalog: descriptor at %s: %w", keyspace.Print(cursor.Key()), err)
		}
		c.install(newEntry(&table, newNames(c.store, table.ID, c.lost).knowing(names[table.ID]), 0))
	}
	if err := cursor.Close(); err != nil {
		return err
	}
	if c.views, err = storedViews(ctx, reader); err != nil {
		return err
	}
	databases, options, err := storedDatabases(ctx, reader)
	c.setDatabases(databases, options)
	return err
}

// install makes an entry known. The caller owns change, or is Open.
func (c *Catalog) install(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	table := e.current.Load().Table
	c.ids[table.ID] = e
	c.show(e)
}

// isShown reports whether a table is found by its name.
func isShown(table *schema.Table) bool { return table.State != schema.Dropping && !table.Filling }

// show lets a table be found by its name, if it is to be. The caller holds mu.
func (c *Catalog) show(e *entry) { c.showAs(e, e.current.Load().Table) }

// showAs gives a table its name before table, which has it, is current.
func (c *Catalog) showAs(e *entry, table *schema.Table) {
	name := fullName(table.Database, table.Name)
	if !isShown(table) || c.names[name] != nil {
		return
	}
	c.names[name] = e
	at, _ := slices.BinarySearch(c.sorted, name)
	c.sorted = slices.Insert(c.sorted, at, name)
}

// hide takes a table's name away; its id stays known until forget.
func (c *Catalog) hide(table *schema.Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := fullName(table.Database, table.Name)
	if c.names[name] != c.ids[table.ID] {
		return // another has it by now
	}
	delete(c.names, name)
	if at, ok := slices.BinarySearch(c.sorted, name); ok {
		c.sorted = slices.Delete(c.sorted, at, at+1)
	}
}

// Generation grows with every version that is published. A snapshot taken after it was read shows all descriptors of
// versions whose Generation is not greater, and whatever was committed before them.
func (c *Catalog) Generation() uint64 { return c.generation.Load() }

// Acquire pins the current version of a table. The caller must Release it when the request is done. Errors:
// ErrNotFound; kv.ErrFenced where the gateway has lost its lease.
func (c *Catalog) Acquire(database, name string) (*Version, error) {
	e, ok := c.entryNamed(database, name)
	if !ok && c.follow() {
		e, ok = c.entryNamed(database, name)
	}
	return c.acquire(e, ok)
}

// AcquireID is Acquire by table id; tables that are being dropped are found too.
func (c *Catalog) AcquireID(id uint32) (*Version, error) {
	e, ok := c.entryOf(id)
	return c.acquire(e, ok)
}

// Schema is the present schema of a table; nil: there is none of that id. It is not changed.
func (c *Catalog) Schema(id uint32) *schema.Table {
	version, err := c.AcquireID(id)
	if err != nil {
		return nil
	}
	defer version.Release()
	return version.Table
}

func (c *Catalog) acquire(e *entry, ok bool) (*Version, error) {
	switch {
	case c.gateway != nil && !c.gateway.Joined():
		return nil, kv.ErrFenced
	case !ok:
		return nil, ErrNotFound
	}
	return e.acquire(), nil
}

func (c *Catalog) entryNamed(database, name string) (*entry, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.names[fullName(database, name)]
	return e, ok
}

// Tables returns up to limit names of a database's tables after the given one, in order.
func (c *Catalog) Tables(database, after string, limit int) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	from, found := slices.BinarySearch(c.sorted, fullName(database, after))
	if found {
		from++
	}
	var names []string
	for _, name := range c.sorted[from:] {
		short, ok := strings.CutPrefix(name, database+"\x00")
		if !ok || len(names) == limit {
			break
		}
		names = append(names, short)
	}
	return names
}

// Fillings returns the tables that are being filled, which must not be changed.
func (c *Catalog) Fillings() (all []*schema.Table) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, e := range c.ids {
		if table := e.current.Load().Table; table.Filling && table.State != schema.Dropping {
			all = append(all, table)
		}
	}
	return all
}

// IDs returns the ids of all tables, those being dropped too, in order.
func (c *Catalog) IDs() []uint32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Sorted(maps.Keys(c.ids))
}

// Versions goes through the current versions of all tables, those being dropped too, by their ids. A version is
// released after its turn. Tables that are gone by then are passed over, and so are all while other gateways can't know
// of this process.
func (c *Catalog) Versions() iter.Seq[*Version] {
	return func(yield func(*Version) bool) {
		for _, id := range c.IDs() {
			version, err := c.AcquireID(id)
			if err != nil {
				continue
			}
			more := yield(version)
			version.Release()
			if !more {
				return
			}
		}
	}
}

// fullName joins a database's and a table's name; neither holds a zero byte, so the names sort like the pairs.
func fullName(database, name string) string { return database + "\x00" + name }

func prefixRange(prefix []byte) kv.Range {
	end, _ := order.PrefixEnd(nil, prefix)
	return kv.Range{Start: prefix, End: end}
}
