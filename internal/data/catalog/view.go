// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
)

// Errors of views.
var (
	ErrViewExists   = errors.New("catalog: a table or view of that name exists")
	ErrViewName     = errors.New("catalog: a view's name has one byte at least, and no zero byte")
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

func storedViews(ctx context.Context, from kv.Snapshot) (map[string]View, error) {
	cursor := from.Scan(ctx, prefixRange(keyspace.AppendViews(nil)), false)
	defer cursor.Close()
	views := map[string]View{}
	for cursor.Next() {
		var v View
		if err := json.Unmarshal(cursor.Value(), &v); err != nil {
			return nil, fmt.Errorf("catalog: view at %s: %w", keyspace.Print(cursor.Key()), err)
		}
		views[fullName(v.Database, v.Name)] = v
	}
	return views, cursor.Close()
}

// Views are the views of a catalog. They are safe for concurrent use.
type Views struct{ catalog *Catalog }

// Views returns the views.
func (c *Catalog) Views() Views { return Views{c} }

// Get returns a view; ok is false if there is none of the name.
func (v Views) Get(database, name string) (view View, ok bool) {
	return v.catalog.view(database, name)
}

func (c *Catalog) view(database, name string) (view View, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	view, ok = c.views[fullName(database, name)]
	return view, ok
}

// List returns the views of a database in the order of their names.
func (v Views) List(database string) (list []View) {
	c := v.catalog
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, view := range c.views {
		if view.Database == database {
			list = append(list, view)
		}
	}
	slices.SortFunc(list, func(a, b View) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Put stores a view. Errors: ErrDatabaseNotFound, ErrViewExists, ErrViewName.
func (v Views) Put(ctx context.Context, view View) error { return v.put(ctx, view, false) }

// Replace stores a view, in the place of the one that has its name, if any. Errors: those of Put; ErrViewExists says
// that a table has the name.
func (v Views) Replace(ctx context.Context, view View) error { return v.put(ctx, view, true) }

func (v Views) put(ctx context.Context, view View, replace bool) error {
	if view.Name == "" || strings.Contains(view.Name, "\x00") {
		return ErrViewName
	}
	end, err := v.catalog.change.begin(ctx, "a change of view "+view.Name)
	if err != nil {
		return err
	}
	defer end()
	return v.catalog.putView(ctx, view, replace)
}

// putView stores a view. The caller owns change.
func (c *Catalog) putView(ctx context.Context, v View, replaces bool) error {
	json, err := json.Marshal(v)
	if err != nil {
		return err
	}
	stored, err := c.write(ctx, scope{}, func() error {
		if !c.hasDatabase(v.Database) {
			return ErrDatabaseNotFound
		}
		return nil
	}, func(txn kv.Txn) error {
		names := [][]byte{keyspace.AppendName(nil, v.Database, v.Name), keyspace.AppendView(nil, v.Database, v.Name)}
		if replaces {
			names = names[:1]
		}
		for _, key := range names {
			if _, taken, err := txn.Get(ctx, key, nil); err != nil || taken {
				return cmp.Or(err, ErrViewExists)
			}
		}
		return txn.Set(keyspace.AppendView(nil, v.Database, v.Name), json)
	})
	if !stored || c.gateway != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.views[fullName(v.Database, v.Name)] = v
	return nil
}

// Drop removes a view. Errors: ErrViewNotFound.
func (v Views) Drop(ctx context.Context, database, name string) error {
	end, err := v.catalog.change.begin(ctx, "the end of view "+name)
	if err != nil {
		return err
	}
	defer end()
	return v.catalog.dropView(ctx, database, name)
}

// dropView removes a view. The caller owns change.
func (c *Catalog) dropView(ctx context.Context, database, name string) error {
	stored, err := c.write(ctx, scope{}, func() error {
		if _, ok := c.view(database, name); !ok {
			return ErrViewNotFound
		}
		return nil
	}, func(txn kv.Txn) error { return txn.Delete(keyspace.AppendView(nil, database, name)) })
	if !stored || c.gateway != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.views, fullName(database, name))
	return nil
}

// dropViews removes all views of a database. The caller owns change.
func (c *Catalog) dropViews(ctx context.Context, database string) error {
	for _, v := range c.Views().List(database) {
		if err := c.dropView(ctx, database, v.Name); err != nil && !errors.Is(err, ErrViewNotFound) {
			return err
		}
	}
	return nil
}
