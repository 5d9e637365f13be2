// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

// The ways to read a box.
const (
	methodLearned   = "Z-order, quantile codes"
	methodRaw       = "Z-order, raw codes"
	methodSingle    = "best single-column index"
	methodComposite = "best composite index"
	methodScan      = "full scan"
)

func methods() []string {
	return []string{methodLearned, methodRaw, methodSingle, methodComposite, methodScan}
}

const (
	tableName   = "rows"
	partition   = "all"
	learnedName = "learned"
	rawName     = "raw"
)

// weftPeer is Weft in process, used through the exported API alone.
type weftPeer struct {
	data    *dataset
	store   closer
	compact func(context.Context, kv.Range) error
	db      *database.DB
	table   *database.Table
	indexes int
	names   map[string][]string // of the indexes, by method and column
}

// closer is a store as it is closed.
type closer interface{ Close() error }

func openWeft(ctx context.Context, c *config, d *dataset) (*weftPeer, error) {
	w := &weftPeer{data: d}
	var err error
	if c.Memory {
		store := mem.Open(mem.Options{})
		w.store, w.compact = store, func(context.Context, kv.Range) error { return nil }
		w.db, err = database.Open(ctx, store, database.Options{Logger: slog.New(slog.DiscardHandler)})
	} else {
		store, fault := pebble.Open(pebble.Options{Dir: filepath.Join(c.Dir, "weft-"+d.name)})
		if fault != nil {
			return nil, fault
		}
		w.store, w.compact = store, store.Compact
		w.db, err = database.Open(ctx, store, database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler)})
	}
	if err != nil {
		return nil, errors.Join(err, w.store.Close())
	}
	if err = w.load(ctx); err == nil {
		err = w.compact(ctx, kv.Range{})
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close closes the database and its store.
func (w *weftPeer) Close() error { return errors.Join(w.db.Close(), w.store.Close()) }

// loadItems is the number of rows one transaction writes.
const loadItems = 500

func (w *weftPeer) load(ctx context.Context) (err error) {
	w.table, err = w.db.CreateTable(ctx,
		database.TableSpec{Name: tableName, Key: database.Columns("id", schema.Number)})
	if err != nil {
		return err
	}
	for from := 0; from < len(w.data.rows); from += loadItems {
		err := w.db.Update(ctx, func(tx *database.Tx) error {
			for i := from; i < min(from+loadItems, len(w.data.rows)); i++ {
				item := testdoc.Document{"id": i, "partition": partition}
				for j, column := range w.data.columns {
					item[column.name] = w.data.rows[i][j]
				}
				if err := testdoc.PutIn(ctx, tx, tableName, item); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return w.addIndexes(ctx)
}

// addIndexes builds all indexes over the loaded rows, one after the other.
func (w *weftPeer) addIndexes(ctx context.Context) error {
	if err := w.addIndex(ctx, learnedName, w.curve("")); err != nil {
		return err
	}
	if err := w.addIndex(ctx, rawName, w.curve(" codec=raw")); err != nil {
		return err
	}
	w.names = map[string][]string{}
	for i, column := range w.data.columns {
		single := "by_" + column.name
		if err := w.addIndex(ctx, single, column.name); err != nil {
			return err
		}
		parts := []string{column.name}
		for j, other := range w.data.columns {
			if j != i {
				parts = append(parts, other.name)
			}
		}
		composite := "by_" + strings.Join(parts, "_")
		if err := w.addIndex(ctx, composite, parts...); err != nil {
			return err
		}
		w.names[methodSingle] = append(w.names[methodSingle], single)
		w.names[methodComposite] = append(w.names[methodComposite], composite)
	}
	return nil
}

// curve is the key part of a Z-order index.
func (w *weftPeer) curve(suffix string) string {
	list := make([]string, len(w.data.columns))
	for i, column := range w.data.columns {
		list[i] = column.name + " " + column.declared + suffix
	}
	return "zorder(" + strings.Join(list, ", ") + ")"
}

// addIndex builds an index whose entries hold keys only, all in one partition.
func (w *weftPeer) addIndex(ctx context.Context, name string, parts ...string) error {
	spec := database.IndexSpec{Name: name, PartitionParts: 1}
	for _, text := range append([]string{"partition"}, parts...) {
		kind := schema.Number
		switch {
		case text == "partition":
			kind = schema.String
		case strings.HasPrefix(text, "zorder("):
			kind = schema.Binary
		}
		part, err := database.Part(text, kind)
		if err != nil {
			return err
		}
		spec.Key = append(spec.Key, part)
	}
	spec.Projection = schema.ProjectKeys
	w.indexes++
	if err := w.table.AddIndex(ctx, spec); err != nil {
		return err
	}
	return w.db.WaitJobs(ctx)
}

// outcome is the cost of one query.
type outcome struct {
	examined, seeks, fetched, returned int64
	took                               time.Duration
}

// query runs one query by one method.
func (w *weftPeer) query(ctx context.Context, method string, q *query) (outcome, error) {
	best := w.data.narrowest(q)
	run := database.Query{Where: w.where(q), Fetch: true}
	switch method {
	case methodLearned:
		run.Index = learnedName
	case methodRaw:
		run.Index = rawName
	case methodScan:
	default:
		run.Index = w.names[method][best]
	}
	begun := time.Now()
	cursor, err := w.table.Query(ctx, run)
	if err != nil {
		return outcome{}, err
	}
	for cursor.Next() {
	}
	took := time.Since(begun)
	counts := cursor.Counts()
	return outcome{counts.Looked(), counts.Seeks, counts.Fetched, counts.Returned, took}, cursor.Close()
}

func (w *weftPeer) where(q *query) expr.Condition {
	conditions := []expr.Condition{govalue.Attribute("partition").Equal(partition)}
	for i, column := range w.data.columns {
		if q.isBound(i) {
			conditions = append(conditions, govalue.Attribute(column.name).Between(q.low[i], q.high[i]))
		}
	}
	return govalue.All(conditions...)
}

// keyPart is the Z-order part of an index's key.
func (w *weftPeer) keyPart(name string) (schema.KeyPart, error) {
	indexes, err := w.table.Indexes()
	if err != nil {
		return schema.KeyPart{}, err
	}
	at := slices.IndexFunc(indexes, func(x schema.Index) bool { return x.Name == name })
	if at < 0 || len(indexes[at].Key) < 2 || indexes[at].Key[1].Curve == nil {
		return schema.KeyPart{}, fmt.Errorf("index %q has no curve", name)
	}
	return indexes[at].Key[1], nil
}
