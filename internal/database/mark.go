// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/kv"
)

// Mark is a state to go back to, of the whole database or of the tables of one of its databases: for tests.
type Mark struct {
	db   *DB
	mark *catalog.Mark
}

// Mark remembers the present state. A mark is kept in memory and ends with the store; while one stands, the keys of all
// that is changed are noted there. Errors: KindInvalid where the store has no marks: a folder that was opened without,
// or one that others use, too. KindDenied without the right to back up the whole store.
func (db *DB) Mark(ctx context.Context) (*Mark, error) {
	if err := db.errClosed(); err != nil {
		return nil, err
	}
	if err := db.guard.All(ctx, "dynamodb:CreateBackup"); err != nil {
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
// another one by then. It takes time for the changes since the mark, not for all rows. Later marks stand.
// Errors: KindNotFound for a mark that is over; KindDenied without the right to restore all tables.
func (m *Mark) Return(ctx context.Context) error { return m.back(ctx, nil) }

// ReturnDatabase is Return for the tables, views and tokens of one database; tokens begins those. All others are as
// they were, and whoever uses them goes on: only a transaction that was begun before and commits later has a conflict
// there, too. Tables that were made since are gone. Tasks such as backups stay. Errors: also KindNotFound if there is
// no such database any more, KindInvalid if a table was renamed into it or out of it.
func (m *Mark) ReturnDatabase(ctx context.Context, name, tokens string) error {
	return m.back(ctx, &catalog.Part{Database: name, Tokens: tokens, JobTable: job.TableOf})
}

// back returns to the mark with a part; nil: with everything.
func (m *Mark) back(ctx context.Context, only *catalog.Part) error {
	if err := m.db.errClosed(); err != nil {
		return err
	}
	if err := m.db.guard.All(ctx, "dynamodb:RestoreTableFromBackup"); err != nil {
		return err
	}
	resume, err := m.db.jobs.Rest(ctx)
	if err != nil {
		return wrap("", err)
	}
	err = m.db.catalog.Return(ctx, m.mark, only)
	m.db.statistics.Reset()
	err = errors.Join(err, resume(context.WithoutCancel(ctx)))
	m.db.tasks.WakeAll()
	return wrap("", err)
}

// Forget ends the mark. Ending it twice is no error.
func (m *Mark) Forget() error { return wrap("", m.mark.Forget()) }
