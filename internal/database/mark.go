// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/kv"
)

// Mark is a state of the whole database to go back to: for tests.
type Mark struct {
	db   *DB
	mark *catalog.Mark
}

// Mark remembers the present state. A mark is kept in memory and ends with the store; while one stands, the keys of all
// that is changed are noted there. Errors: KindInvalid where the store has no marks: a folder that was opened without,
// or one that others use, too. KindDenied for who may not back up the whole store.
func (db *DB) Mark(ctx context.Context) (*Mark, error) {
	if err := db.errClosed(); err != nil {
		return nil, err
	}
	if err := db.askBackup(ctx); err != nil {
		return nil, err
	}
	marker, ok := kv.MarkerOf(db.store)
	if !ok || db.gateway != nil {
		return nil, invalid("", "only a database in memory or in a folder of its own can be marked")
	}
	mark, err := db.catalog.Mark(ctx, marker)
	if errors.Is(err, kv.ErrUnsupported) {
		return nil, invalid("", "the folder was opened without marks: open it with Options.Marks, or serve it with --test-controls")
	}
	if err != nil {
		return nil, wrap("", err)
	}
	return &Mark{db, mark}, nil
}

// Return brings the database back to the mark: tables, items, indexes, views, databases, streams and numbers of
// counters. Users stay, and ids are not given out again. What is being written meanwhile is done before or after it, or
// refused: with KindConflict what was begun before and commits later, with KindUnavailable a request whose table is
// another one by then. It takes time for what was changed since the mark, not for what there is. Marks that were made
// later are over. Errors: KindNotFound for a mark that is over; KindDenied for who may not restore all tables.
func (m *Mark) Return(ctx context.Context) error {
	if err := m.db.errClosed(); err != nil {
		return err
	}
	if err := m.db.askAll(ctx, "dynamodb:RestoreTableFromBackup"); err != nil {
		return err
	}
	resume, err := m.db.jobs.Rest(ctx)
	if err != nil {
		return wrap("", err)
	}
	err = m.db.catalog.Return(ctx, m.mark)
	m.db.statistics.Reset()
	err = errors.Join(err, resume(context.WithoutCancel(ctx)))
	m.db.tasks.WakeAll()
	return wrap("", err)
}

// Forget ends the mark. Ending it twice is no error.
func (m *Mark) Forget() error { return wrap("", m.mark.Forget()) }
