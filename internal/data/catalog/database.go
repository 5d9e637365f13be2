// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// DefaultDatabase is always there.
const DefaultDatabase = "default"

// Errors of databases.
var (
	ErrDatabaseExists   = errors.New("catalog: a database of that name exists")
	ErrDatabaseNotFound = errors.New("catalog: no such database")
	ErrDatabaseNotEmpty = errors.New("catalog: the database has tables; drop them before it")
)

// databasesWord is the entry that lists the databases besides the default one, as JSON.
const databasesWord = "databases"

// optionsWord is the entry of the options of databases, as JSON. Stores of earlier versions have none.
const optionsWord = "database-options"

// databaseOptions are the options that dialects store with databases: by the databases' names, then by the options'. //
// immutable
type databaseOptions map[string]map[string]string

// setDatabases installs the list. Databases of tables belong to it, too: stores of earlier versions keep none.
func (c *Catalog) setDatabases(list []string, options databaseOptions) {
	c.options.Store(&options)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range c.sorted {
		database, _, _ := strings.Cut(name, "\x00")
		list = append(list, database)
	}
	list = append(list, DefaultDatabase)
	slices.Sort(list)
	c.databases = slices.Compact(list)
}

func storedDatabases(ctx context.Context, from kv.Snapshot) (list []string, options databaseOptions, err error) {
	if err := readMeta(ctx, from, databasesWord, &list); err != nil {
		return nil, nil, fmt.Errorf("catalog: the list of databases: %w", err)
	}
	if err := readMeta(ctx, from, optionsWord, &options); err != nil {
		return nil, nil, fmt.Errorf("catalog: the options of databases: %w", err)
	}
	return list, options, nil
}

// readMeta reads an entry of JSON into a value, which stays as it is if there is none.
func readMeta(ctx context.Context, from kv.Snapshot, word string, into any) error {
	stored, ok, err := from.Get(ctx, keyspace.AppendMeta(nil, word), nil)
	if err != nil || !ok {
		return err
	}
	return json.Unmarshal(stored, into)
}

func writeMeta(txn kv.Txn, word string, value any) error {
	stored, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return txn.Set(keyspace.AppendMeta(nil, word), stored)
}

// DatabaseOption returns an option that a dialect stored with a database; "" if there is none.
func (c *Catalog) DatabaseOption(database, name string) string {
	return (*c.options.Load())[database][name]
}

// SetDatabaseOption keeps a value with a database, or takes it away if it is "". Errors: ErrDatabaseNotFound.
func (c *Catalog) SetDatabaseOption(ctx context.Context, database, name, value string) error {
	end, err := c.change.begin(ctx, "a change of database "+database)
	if err != nil {
		return err
	}
	defer end()
	return c.editDatabases(ctx, func() error {
		if !c.hasDatabase(database) {
			return ErrDatabaseNotFound
		}
		return nil
	}, func(list []string, options databaseOptions) []string {
		own := maps.Clone(options[database])
		if own == nil {
			own = map[string]string{}
		}
		own[name] = value
		maps.DeleteFunc(own, func(_, value string) bool { return value == "" })
		options[database] = own
		return list
	})
}

// Databases returns the names of all databases, in order.
func (c *Catalog) Databases() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.databases)
}

func (c *Catalog) hasDatabase(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := slices.BinarySearch(c.databases, name)
	return ok
}

// CreateDatabase makes an empty database. Errors: ErrDatabaseExists.
func (c *Catalog) CreateDatabase(ctx context.Context, name string) error {
	end, err := c.change.begin(ctx, "the making of database "+name)
	if err != nil {
		return err
	}
	defer end()
	return c.editDatabases(ctx, func() error {
		if c.hasDatabase(name) {
			return ErrDatabaseExists
		}
		return nil
	}, func(list []string, _ databaseOptions) []string { return append(list, name) })
}

// DropDatabase removes a database that has no tables. Errors: ErrDatabaseNotFound, ErrDatabaseNotEmpty.
func (c *Catalog) DropDatabase(ctx context.Context, name string) error {
	end, err := c.change.begin(ctx, "the end of database "+name)
	if err != nil {
		return err
	}
	defer end()
	check := func() error {
		switch {
		case !c.hasDatabase(name):
			return ErrDatabaseNotFound
		case len(c.Tables(name, "", 1)) > 0:
			return ErrDatabaseNotEmpty
		}
		return nil
	}
	if err := c.newest(ctx); err != nil {
		return err
	}
	if err := check(); err != nil {
		return err
	}
	if err := c.dropViews(ctx, name); err != nil {
		return err
	}
	return c.editDatabases(ctx, check, func(list []string, options databaseOptions) []string {
		delete(options, name)
		return slices.DeleteFunc(list, func(one string) bool { return one == name })
	})
}

// editDatabases stores a new list and new options and publishes them. The caller owns change.
func (c *Catalog) editDatabases(ctx context.Context, check func() error,
	edit func([]string, databaseOptions) []string) error {
	var list []string
	var options databaseOptions
	stored, err := c.write(ctx, scope{}, check, func(txn kv.Txn) error {
		if options = maps.Clone(*c.options.Load()); options == nil {
			options = databaseOptions{}
		}
		list = edit(c.Databases(), options)
		if len(options) > 0 || len(*c.options.Load()) > 0 {
			if err := writeMeta(txn, optionsWord, options); err != nil {
				return err
			}
		}
		return writeMeta(txn, databasesWord, list)
	})
	if !stored || c.gateway != nil {
		return err
	}
	slices.Sort(list)
	c.options.Store(&options)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.databases = list
	return nil
}

// Truncate gives a table's name to a new one without rows, which has the same descriptor under an id of its own, and
// makes the old one Dropping. edit sees the new descriptor before it is stored; with writes further entries in the same
// transaction. It does not wait for users of the old table, who may go on with it until the caller frees its space.
// Errors: ErrNotFound, edit's.
func (c *Catalog) Truncate(ctx context.Context, id uint32, edit func(*schema.Table) error,
	with func(kv.Txn) error) (*schema.Table, error) {
	end, err := c.change.begin(ctx, c.label(id))
	if err != nil {
		return nil, err
	}
	defer end()
	if err := c.settleOwn(ctx, id); err != nil {
		return nil, err
	}
	var fresh *schema.Table
	old, err := c.rewrite(ctx, scope{table: id}, func(old *schema.Table) error {
		if old.State == schema.Dropping {
			return ErrNotFound
		}
		fresh = old.Clone()
		old.State = schema.Dropping
		return edit(fresh)
	}, func(txn kv.Txn) error {
		if err := c.create(ctx, txn, fresh, 0); err != nil {
			return err
		}
		return with(txn)
	})
	if old == nil {
		return nil, err
	}
	if c.gateway != nil {
		return fresh, err
	}
	next := newEntry(fresh, newNames(c.store, fresh.ID, nil), c.generation.Add(1))
	e, _ := c.entryOf(id)
	c.mu.Lock()
	c.ids[fresh.ID], c.names[fullName(fresh.Database, fresh.Name)] = next, next
	c.mu.Unlock()
	e.replace(old, c.generation.Add(1))
	return fresh, nil
}

// Replace gives a table's name to another table, in one commit, and makes the one that had it Dropping. edit sees both
// descriptors before they are stored; with writes further entries in the same transaction. It waits for nobody who uses
// the one that is replaced. Errors: ErrNotFound, edit's. If only a wait fails, the change stands: the new descriptor is
// returned, too.
func (c *Catalog) Replace(ctx context.Context, id, by uint32, edit func(old, fresh *schema.Table) error,
	with func(kv.Txn) error) (*schema.Table, error) {
	end, err := c.change.begin(ctx, c.label(id))
	if err != nil {
		return nil, err
	}
	defer end()
	if err := errors.Join(c.settleOwn(ctx, id), c.settleOwn(ctx, by)); err != nil {
		return nil, err
	}
	var before, fresh *schema.Table
	old, err := c.rewrite(ctx, scope{table: id}, func(old *schema.Table) error {
		if before = c.Schema(by); old.State == schema.Dropping || before == nil {
			return ErrNotFound
		}
		fresh = before.Clone()
		if err := edit(old, fresh); err != nil {
			return err
		}
		fresh.Database, fresh.Name, old.State = old.Database, old.Name, schema.Dropping
		fresh.Version++
		return nil
	}, func(txn kv.Txn) error {
		if err := txn.Delete(keyspace.AppendName(nil, before.Database, before.Name)); err != nil {
			return err
		}
		name := keyspace.AppendName(nil, fresh.Database, fresh.Name)
		if err := txn.Set(name, order.AppendUvarint(nil, uint64(by))); err != nil {
			return err
		}
		return writeTable(ctx, txn, fresh, with)
	})
	if old == nil {
		return nil, err
	}
	if c.gateway != nil {
		return fresh, err
	}
	next, _ := c.entryOf(by)
	e, _ := c.entryOf(id)
	c.hide(before)
	next.replace(fresh, c.generation.Add(1))
	c.mu.Lock()
	c.names[fullName(fresh.Database, fresh.Name)] = next
	c.mu.Unlock()
	e.replace(old, c.generation.Add(1))
	return fresh, next.settle(ctx)
}
