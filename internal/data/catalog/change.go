// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Create stores a new table under an id of its own, which it sets, and makes it usable. with may be nil; it writes
// further entries, such as a job, in the same transaction. Errors: ErrExists, ErrDatabaseNotFound.
func (c *Catalog) Create(ctx context.Context, table *schema.Table, with func(kv.Txn) error) error {
	return c.make(ctx, table, 0, with)
}

// make is Create for an id that may be reserved.
func (c *Catalog) make(ctx context.Context, table *schema.Table, reserved uint32, with func(kv.Txn) error) error {
	end, err := c.change.begin(ctx, "the making of table "+table.Name)
	if err != nil {
		return err
	}
	defer end()
	stored, err := c.write(ctx, scope{}, func() error {
		if !c.hasDatabase(table.Database) {
			return ErrDatabaseNotFound
		}
		if _, taken := c.view(table.Database, table.Name); taken {
			return ErrExists
		}
		return nil
	}, func(txn kv.Txn) error {
		name := keyspace.AppendName(nil, table.Database, table.Name)
		if _, taken, err := txn.Get(ctx, name, nil); err != nil || taken {
			return cmp.Or(err, ErrExists)
		}
		if err := c.create(ctx, txn, table, reserved); err != nil || with == nil {
			return err
		}
		return with(txn)
	})
	if stored && c.gateway == nil {
		names := newNames(c.store, table.ID, nil)
		if reserved != 0 {
			if err := names.reload(ctx); err != nil {
				return fmt.Errorf("catalog: the table is stored, and usable after a restart: %w", err)
			}
		}
		c.install(newEntry(table, names, c.generation.Add(1)))
	}
	return err
}

// ReserveID draws the id of a table that Adopt will make.
func ReserveID(ctx context.Context, txn kv.Txn) (uint32, error) {
	id, err := NextID(ctx, txn, "table")
	return uint32(id), err
}

// Adopt is Create for a table whose id was reserved and whose rows are there already, built with the attribute names
// that it is given. with must not be nil.
func (c *Catalog) Adopt(ctx context.Context, table *schema.Table, names []string, with func(kv.Txn) error) error {
	if len(names) > NamesMax || table.ID == 0 {
		return fmt.Errorf("catalog: a table of id %d with %d attribute names can't be adopted", table.ID, len(names))
	}
	return c.make(ctx, table, table.ID, func(txn kv.Txn) error {
		for i, name := range names {
			if err := txn.Set(keyspace.AppendAttribute(nil, table.ID, uint32(i)+1), []byte(name)); err != nil {
				return err
			}
		}
		return with(txn)
	})
}

// create writes a table, under an id of its own or the one that was reserved for it, and its name.
func (c *Catalog) create(ctx context.Context, txn kv.Txn, table *schema.Table, reserved uint32) error {
	id := uint64(reserved)
	if id == 0 {
		var err error
		if id, err = NextID(ctx, txn, "table"); err != nil {
			return err
		}
	}
	table.ID, table.Version = uint32(id), 1
	if err := txn.Set(keyspace.AppendName(nil, table.Database, table.Name), order.AppendUvarint(nil, id)); err != nil {
		return err
	}
	return writeTable(ctx, txn, table, nil)
}

// Change applies edit to a copy of a table's descriptor, stores and publishes it, and returns once no user of the
// version before is left. edit may run more than once. If only the wait fails, the change stands: the new descriptor is
// returned with an error that wraps ctx's. Errors: ErrNotFound, edit's.
func (c *Catalog) Change(ctx context.Context, id uint32, edit func(*schema.Table) error,
	with func(kv.Txn) error) (*schema.Table, error) {
	return c.changeNames(ctx, id, edit, func(txn kv.Txn) (*Names, error) {
		if with == nil {
			return nil, nil
		}
		return nil, with(txn)
	})
}

// Rename is an attribute that gets another name.
type Rename struct{ From, To string }

// Rename is Change that also gives attributes other names in all rows, one after another. An attribute that had such a
// name before must be in no row, or be renamed first. Users of the version before go on with the old names. Errors:
// those of Change, ErrNamesFull.
func (c *Catalog) Rename(ctx context.Context, id uint32, renamings []Rename,
	edit func(*schema.Table) error) (*schema.Table, error) {
	v, err := c.AcquireID(id)
	if err != nil {
		return nil, err
	}
	var from []string
	for _, r := range renamings {
		from = append(from, r.From)
	}
	err = v.Names.Add(ctx, from) // so that users of the version before give them no other ids
	v.Release()
	if err != nil {
		return nil, err
	}
	return c.changeNames(ctx, id, func(t *schema.Table) error {
		if err := edit(t); err != nil {
			return err
		}
		t.Renames++
		for _, r := range renamings {
			if err := t.RenameAttribute(r.From, r.To); err != nil {
				return err
			}
		}
		return nil
	}, func(txn kv.Txn) (*Names, error) {
		names, err := loadNames(ctx, txn, newNames(c.store, id, c.lost))
		if err != nil {
			return nil, err
		}
		return names.rename(ctx, txn, renamings)
	})
}

// RenameTable is Change that gives the table another name. Errors: those of Change, ErrExists, ErrDatabaseNotFound.
func (c *Catalog) RenameTable(ctx context.Context, id uint32, database, name string,
	edit func(*schema.Table) error) (*schema.Table, error) {
	var before []byte
	return c.changeNames(ctx, id, func(t *schema.Table) error {
		if !c.hasDatabase(database) {
			return ErrDatabaseNotFound
		}
		if _, taken := c.view(database, name); taken {
			return ErrExists
		}
		before = keyspace.AppendName(nil, t.Database, t.Name)
		err := edit(t)
		t.Database, t.Name = database, name
		return err
	}, func(txn kv.Txn) (*Names, error) {
		after := keyspace.AppendName(nil, database, name)
		if _, taken, err := txn.Get(ctx, after, nil); err != nil || taken {
			return nil, cmp.Or(err, ErrExists)
		}
		if err := txn.Delete(before); err != nil {
			return nil, err
		}
		return nil, txn.Set(after, order.AppendUvarint(nil, uint64(id)))
	})
}

// changeNames is Change with other names of the attributes, if with returns some.
func (c *Catalog) changeNames(ctx context.Context, id uint32, edit func(*schema.Table) error,
	with func(kv.Txn) (*Names, error)) (*schema.Table, error) {
	end, err := c.change.begin(ctx, c.label(id))
	if err != nil {
		return nil, err
	}
	defer end()
	// A wait that was cancelled before must be made up for, or three versions would be in use at once.
	if err := c.settleOwn(ctx, id); err != nil {
		return nil, err
	}
	var names *Names
	table, err := c.rewrite(ctx, scope{table: id, drain: true}, edit, func(txn kv.Txn) (err error) {
		names, err = with(txn)
		return err
	})
	if table == nil || c.gateway != nil {
		return table, err
	}
	if table.State == schema.Dropping {
		c.hide(table)
	}
	e, _ := c.entryOf(id)
	if names != nil {
		e.names = names
	}
	if before := e.current.Load().Table; before.Name != table.Name || before.Database != table.Database {
		c.hide(before)
		c.mu.Lock()
		c.showAs(e, table)
		c.mu.Unlock()
	}
	if err := e.publish(ctx, table, c.generation.Add(1)); err != nil {
		return table, fmt.Errorf("catalog: the change is stored, but a cursor, a transaction or a request that began before it still uses the table; close it: %w", err)
	}
	c.mu.Lock()
	c.show(e)
	c.mu.Unlock()
	return table, nil
}

// rewrite stores the edited descriptor of the scope's table. It returns none if that was not done.
func (c *Catalog) rewrite(ctx context.Context, s scope, edit func(*schema.Table) error,
	with func(kv.Txn) error) (*schema.Table, error) {
	var table *schema.Table
	id := s.table
	stored, err := c.write(ctx, s, func() error { return nil }, func(txn kv.Txn) error {
		stored, ok, err := txn.Get(ctx, keyspace.AppendTable(nil, id), nil)
		if err != nil || !ok {
			return cmp.Or(err, ErrNotFound)
		}
		table = new(schema.Table)
		if err := json.Unmarshal(stored, table); err != nil {
			return fmt.Errorf("catalog: descriptor of table %d: %w", id, err)
		}
		before := table.State
		if err := edit(table); err != nil {
			return err
		}
		table.Version++
		if table.State == schema.Dropping && before != schema.Dropping {
			if err := txn.Delete(keyspace.AppendName(nil, table.Database, table.Name)); err != nil {
				return err
			}
		}
		return writeTable(ctx, txn, table, with)
	})
	if !stored {
		return nil, err
	}
	return table, err
}

// settleOwn is Settle for the owner of change. Over a shared store write does it.
func (c *Catalog) settleOwn(ctx context.Context, id uint32) error {
	e, ok := c.entryOf(id)
	if !ok && c.gateway == nil {
		return ErrNotFound
	}
	if c.gateway != nil {
		return nil
	}
	return e.settle(ctx)
}

// Settle returns once nobody uses a version of the table before the current one, on any gateway. Errors: ErrNotFound,
// ctx's.
func (c *Catalog) Settle(ctx context.Context, id uint32) error {
	end, err := c.change.begin(ctx, c.label(id))
	if err != nil {
		return err
	}
	defer end()
	if c.gateway == nil {
		return c.settleOwn(ctx, id)
	}
	generation, _, err := c.Refresh(ctx)
	if err != nil {
		return err
	}
	if _, ok := c.entryOf(id); !ok {
		return ErrNotFound
	}
	return c.gateway.Agree(ctx, generation, id)
}

// Forget removes what is stored of a dropped table, after its rows are gone. with may be nil; it writes further entries
// in the same transaction.
func (c *Catalog) Forget(ctx context.Context, id uint32, with func(kv.Txn) error) error {
	end, err := c.change.begin(ctx, c.label(id))
	if err != nil {
		return err
	}
	defer end()
	stored, err := c.write(ctx, scope{}, func() error { return nil }, func(txn kv.Txn) error {
		for _, prefix := range [][]byte{keyspace.AppendAttributes(nil, id), keyspace.AppendTableBoundaries(nil, id),
			keyspace.AppendTableRegions(nil, id), keyspace.AppendCounters(nil, id)} {
			if err := deleteAll(ctx, txn, prefix); err != nil {
				return err
			}
		}
		if err := txn.Delete(keyspace.AppendTable(nil, id)); err != nil || with == nil {
			return err
		}
		return with(txn)
	})
	if stored && c.gateway == nil {
		c.mu.Lock()
		delete(c.ids, id)
		c.mu.Unlock()
	}
	return err
}

func deleteAll(ctx context.Context, txn kv.Txn, prefix []byte) error {
	var keys [][]byte
	cursor := txn.Scan(ctx, prefixRange(prefix), false)
	for cursor.Next() {
		keys = append(keys, append([]byte(nil), cursor.Key()...))
	}
	if err := cursor.Close(); err != nil {
		return err
	}
	for _, key := range keys {
		if err := txn.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// NextID draws the next number, from 1, of a named sequence within a transaction.
func NextID(ctx context.Context, txn kv.Txn, sequence string) (uint64, error) {
	key := keyspace.AppendMeta(nil, "next-"+sequence)
	next := uint64(1)
	stored, ok, err := txn.Get(ctx, key, nil)
	if err != nil {
		return 0, err
	}
	if ok {
		if next, _, err = order.CutUvarint(stored); err != nil {
			return 0, err
		}
	}
	return next, txn.Set(key, order.AppendUvarint(nil, next+1))
}

func writeTable(ctx context.Context, txn kv.Txn, table *schema.Table, with func(kv.Txn) error) error {
	if err := useFeatures(ctx, txn, table.Features()); err != nil {
		return err
	}
	descriptor, err := json.Marshal(table)
	if err != nil {
		return err
	}
	if err := txn.Set(keyspace.AppendTable(nil, table.ID), descriptor); err != nil {
		return err
	}
	if with == nil {
		return nil
	}
	return with(txn)
}

func (c *Catalog) entryOf(id uint32) (*entry, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.ids[id]
	return e, ok
}

// turn lets one change of the schema through at a time. It is a lock whose wait ends with a context.
type turn struct {
	taken chan struct{} // has room for one
	work  atomic.Pointer[string]
}

func newTurn() turn { return turn{taken: make(chan struct{}, 1)} }

// begin waits until no other change of the schema in this process is under way, and returns the call that ends this
// one. work names it to those who wait for it in vain. Errors: ctx's, with what it waited for.
func (t *turn) begin(ctx context.Context, work string) (end func(), err error) {
	select {
	case t.taken <- struct{}{}:
	default:
		select {
		case t.taken <- struct{}{}:
		case <-ctx.Done():
			return nil, t.waited(ctx)
		}
	}
	t.work.Store(&work)
	return func() { <-t.taken }, nil
}

// waited is the error of a wait that ended with its context.
func (t *turn) waited(ctx context.Context) error {
	other := "another change of the schema"
	if work := t.work.Load(); work != nil {
		other = *work
	}
	return fmt.Errorf("catalog: waited for %s, which itself waits for cursors, transactions and requests that began before it: %w",
		other, ctx.Err())
}

// label names the change of a table.
func (c *Catalog) label(id uint32) string {
	if e, ok := c.entryOf(id); ok {
		return "a change of table " + e.current.Load().Table.Name
	}
	return fmt.Sprintf("a change of table %d", id)
}
