// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
)

// ErrReturned is the error of a request with a version of a table that is over, since the store has returned to a
// mark. Nothing was written. It helps to begin again.
var ErrReturned = errors.New("catalog: the database has returned to a mark meanwhile; begin again")

// Mark is a state of the store, with what the catalog has in memory about it.
type Mark struct {
	state    kv.Mark
	counters map[counterID]block
}

// Mark remembers the present state.
func (c *Catalog) Mark(ctx context.Context, marker kv.Marker) (*Mark, error) {
	end, err := c.change.begin(ctx, "a mark")
	if err != nil {
		return nil, err
	}
	defer end()
	state, err := marker.Mark(ctx)
	if err != nil {
		return nil, err
	}
	return &Mark{state, c.blocks()}, nil
}

// blocks are the numbers that this process has taken from counters and not given out.
func (c *Catalog) blocks() map[counterID]block {
	all := map[counterID]block{}
	c.counters.Range(func(id, known any) bool {
		n := known.(*counter)
		n.mu.Lock()
		defer n.mu.Unlock()
		all[id.(counterID)] = n.block
		return true
	})
	return all
}

// Forget ends the mark. Ending it twice is no error.
func (m *Mark) Forget() error { return m.state.Forget() }

// Return restores the store, and the catalog's knowledge of it, to their state at a mark, or a part of both; nil is
// everything. Versions of tables that are others then, or whose rows would name attributes otherwise, are over:
// their users get ErrReturned. Nobody acquires a version meanwhile. Ids that were given out since are not given out
// again, and users stay as they are. Errors: those of the part.
func (c *Catalog) Return(ctx context.Context, m *Mark, only *Part) error {
	end, err := c.change.begin(ctx, "a return to a mark")
	if err != nil {
		return err
	}
	defer end()
	within, err := c.within(ctx, m, only)
	if err != nil {
		return err
	}
	c.mu.Lock()
	changed := map[uint32]bool{}
	err = m.state.Return(ctx, func(key []byte) bool {
		if keyspace.Stays(key) || !within.has(key) {
			return true
		}
		if id, ok := keyspace.DescribedTable(key); ok && !changed[id] {
			changed[id] = true
			c.ids[id].end()
		}
		return false
	})
	// after an error, too: what is in memory must be what is stored
	reader, unread := c.store.Read(context.WithoutCancel(ctx))
	if unread != nil {
		c.mu.Unlock()
		return errors.Join(err, unread)
	}
	defer reader.Close()
	unread = c.reload(context.WithoutCancel(ctx), reader, changed)
	c.mu.Unlock()
	databases, options, unlisted := storedDatabases(context.WithoutCancel(ctx), reader)
	c.setDatabases(databases, options)
	if err == nil {
		err = c.resetCounters(ctx, m, within)
	}
	return errors.Join(err, unread, unlisted)
}

// end ends all versions of a table that somebody may hold. A nil entry does nothing.
func (e *entry) end() {
	if e == nil {
		return
	}
	e.names.over.Store(true)
	for _, v := range []*Version{e.before, e.current.Load()} {
		if v != nil {
			v.Names.over.Store(true)
			v.retire()
		}
	}
}

// reload makes tables what is stored of them. The caller holds change and mu.
func (c *Catalog) reload(ctx context.Context, from kv.Snapshot, tables map[uint32]bool) error {
	generation := c.generation.Add(1)
	for id := range tables {
		delete(c.ids, id)
		table, err := storedTable(ctx, from, id)
		if err != nil {
			return err
		}
		if table == nil {
			continue
		}
		names, err := loadNames(ctx, from, newNames(c.store, id, c.lost))
		if err != nil {
			return err
		}
		c.ids[id] = newEntry(table, names, generation)
	}
	c.index()
	views, err := storedViews(ctx, from)
	if err == nil {
		c.views = views
	}
	return err
}

// resetCounters gives the numbers that were not given out at a mark back to the counters: unless others came between
// what was noted and the mark.
func (c *Catalog) resetCounters(ctx context.Context, m *Mark, of *within) error {
	c.counters.Range(func(id, _ any) bool {
		if of.hasTable(id.(counterID).table) {
			c.counters.Delete(id)
		}
		return true
	})
	for id, n := range m.counters {
		if !of.hasTable(id.table) {
			continue
		}
		stored, err := c.storedNumber(ctx, m.state.State(), id)
		if err != nil {
			return err
		}
		if stored == n.end {
			c.counters.Store(id, &counter{block: n})
		}
	}
	return nil
}

// Err returns ErrReturned if the names belong to a table as it is no longer, since the store has returned to a mark.
func (n *Names) Err() error {
	if n.over.Load() {
		return ErrReturned
	}
	return nil
}

// storedTable returns the descriptor of a table as a state has it, nil if there is none.
func storedTable(ctx context.Context, from kv.Snapshot, id uint32) (*schema.Table, error) {
	stored, ok, err := from.Get(ctx, keyspace.AppendTable(nil, id), nil)
	if err != nil || !ok {
		return nil, err
	}
	table := new(schema.Table)
	if err := json.Unmarshal(stored, table); err != nil {
		return nil, fmt.Errorf("catalog: descriptor of table %d: %w", id, err)
	}
	return table, nil
}
