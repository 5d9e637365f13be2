// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/keyspace"
	"github.com/weftdb/weft/kv"
)

// Errors of views.
var (
	ErrViewExists   = errors.New("catalog: a table or view of that name exists")
	ErrViewNotFound = errors.New("catalog: no such view")
)

// View is a query with a name, in the words of the dialect that made it. Tables and views share their names.
type View struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	// Query is the text that stands for the view; Statement the whole one that made it.
	Query     string `json:"query"`
	Statement string `json:"statement"`
	// Mode is how the dialect read the text.
	Mode string `json:"mode,omitempty"`
}

func (c *Catalog) loadViews(ctx context.Context, from kv.Snapshot) error {
	cursor := from.Scan(ctx, prefixRange(keyspace.AppendViews(nil)), false)
	defer cursor.Close()
	for cursor.Next() {
		var v View
		if err := json.Unmarshal(cursor.Value(), &v); err != nil {
			return fmt.Errorf("catalog: view at %s: %w", keyspace.Print(cursor.Key()), err)
		}
		c.views[fullName(v.Database, v.Name)] = v
	}
	return cursor.Close()
}

// View returns a view; ok is false if there is none of the name.
func (c *Catalog) View(database, name string) (view View, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	view, ok = c.views[fullName(database, name)]
	return view, ok
}

// Views returns the views of a database in the order of their names.
func (c *Catalog) Views(database string) (list []View) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, v := range c.views {
		if v.Database == database {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b View) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// PutView stores a view. Errors: ErrDatabaseNotFound, ErrViewExists.
func (c *Catalog) PutView(ctx context.Context, v View) error {
	c.change.Lock()
	defer c.change.Unlock()
	if !c.hasDatabase(v.Database) {
		return ErrDatabaseNotFound
	}
	stored, err := json.Marshal(v)
	if err != nil {
		return err
	}
	err = kv.Update(ctx, c.store, func(txn kv.Txn) error {
		for _, key := range [][]byte{keyspace.AppendName(nil, v.Database, v.Name), keyspace.AppendView(nil, v.Database, v.Name)} {
			if _, taken, err := txn.Get(ctx, key, nil); err != nil || taken {
				return orElse(err, ErrViewExists)
			}
		}
		return txn.Set(keyspace.AppendView(nil, v.Database, v.Name), stored)
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.views[fullName(v.Database, v.Name)] = v
	return nil
}

// DropView removes a view. Errors: ErrViewNotFound.
func (c *Catalog) DropView(ctx context.Context, database, name string) error {
	c.change.Lock()
	defer c.change.Unlock()
	return c.dropView(ctx, database, name)
}

// dropView removes a view. The caller owns change.
func (c *Catalog) dropView(ctx context.Context, database, name string) error {
	if _, ok := c.View(database, name); !ok {
		return ErrViewNotFound
	}
	err := kv.Update(ctx, c.store, func(txn kv.Txn) error { return txn.Delete(keyspace.AppendView(nil, database, name)) })
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.views, fullName(database, name))
	return nil
}

// dropViews removes all views of a database. The caller owns change.
func (c *Catalog) dropViews(ctx context.Context, database string) error {
	for _, v := range c.Views(database) {
		if err := c.dropView(ctx, database, v.Name); err != nil {
			return err
		}
	}
	return nil
}
