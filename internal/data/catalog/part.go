// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"errors"
	"strings"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// ErrMoved is the error of a return to a mark for a part that had or has other tables by their ids: one was renamed
// into or out of its database meanwhile.
var ErrMoved = errors.New("catalog: a table was moved to or from another database since the mark; return for all databases together")

// Part is the part of a store that belongs to one database: its tables, views and work, and clients' tokens.
type Part struct {
	Database string
	// Tokens begins the tokens of its clients; "" for no tokens.
	Tokens string
	// JobTable reads the table from the record of a job.
	JobTable func(record []byte) (table uint32, err error)
}

// within is a Part at a mark and now, by ids. A nil one is everything.
type within struct {
	*Part
	tables map[uint32]bool
	jobs   map[uint64]bool
}

// hasTable reports whether a table belongs to the part.
func (w *within) hasTable(id uint32) bool { return w == nil || w.tables[id] }

// has reports whether a key belongs to the part.
func (w *within) has(key []byte) bool {
	if w == nil {
		return true
	}
	to := keyspace.BelongsTo(key)
	return w.tables[to.Table] || w.jobs[to.Job] || to.Database == w.Database ||
		w.Tokens != "" && strings.HasPrefix(to.Token, w.Tokens)
}

// within finds what belongs to a part: what did at the mark, and what does now. The caller owns change.
func (c *Catalog) within(ctx context.Context, m *Mark, p *Part) (*within, error) {
	if p == nil {
		return nil, nil
	}
	w := &within{p, map[uint32]bool{}, map[uint64]bool{}}
	now, err := c.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer now.Close()
	states := []kv.Snapshot{m.state.State(), now}
	for _, state := range states {
		if err := w.addTables(ctx, state); err != nil {
			return nil, err
		}
	}
	if len(w.tables) > 0 && !c.hasDatabase(p.Database) {
		return nil, ErrDatabaseNotFound
	}
	for _, state := range states {
		if err := errors.Join(w.checkTables(ctx, state), w.addJobs(ctx, state)); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// addTables adds the tables that a state has.
func (w *within) addTables(ctx context.Context, state kv.Snapshot) error {
	return each(ctx, state, keyspace.AppendNames(nil, w.Database), func(_, id []byte) error {
		table, _, err := order.CutUvarint(id)
		w.tables[uint32(table)] = true
		return err
	})
}

// checkTables returns ErrMoved if a state has one of the tables elsewhere.
func (w *within) checkTables(ctx context.Context, state kv.Snapshot) error {
	for id := range w.tables {
		table, err := storedTable(ctx, state, id)
		if err != nil {
			return err
		}
		if table != nil && table.Database != w.Database {
			return ErrMoved
		}
	}
	return nil
}

// addJobs adds the jobs on the tables that a state has.
func (w *within) addJobs(ctx context.Context, state kv.Snapshot) error {
	return each(ctx, state, keyspace.AppendJobs(nil), func(key, record []byte) error {
		table, err := w.JobTable(record)
		if w.tables[table] {
			w.jobs[keyspace.BelongsTo(key).Job] = true
		}
		return err
	})
}

// each calls visit for all entries below a prefix, and ends at its first error.
func each(ctx context.Context, state kv.Snapshot, prefix []byte, visit func(key, value []byte) error) error {
	cursor := state.Scan(ctx, prefixRange(prefix), false)
	for cursor.Next() {
		if err := visit(cursor.Key(), cursor.Value()); err != nil {
			return errors.Join(err, cursor.Close())
		}
	}
	return cursor.Close()
}
