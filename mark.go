// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/database"
)

// Mark is a state of the whole database to go back to, for tests. It ends with the DB.
type Mark struct{ mark *database.Mark }

// Mark remembers the present state. A database in memory can always do that, one in a folder if it was opened with
// Options.Marks. Until the mark is forgotten, memory grows with the number of different keys that are changed.
// Errors: KindInvalid for other databases.
func (db *DB) Mark(ctx context.Context) (*Mark, error) {
	if err := db.outside(ctx, "Mark"); err != nil {
		return nil, err
	}
	mark, err := db.db.Mark(ctx)
	if err != nil {
		return nil, public(err)
	}
	return &Mark{mark}, nil
}

// Return brings the database back to the mark, as often as it is called: tables, items, indexes, streams, views and
// databases. Users stay as they are. It takes time for the changes since, not for all items. A transaction
// that was begun before and is committed afterwards fails with KindConflict, a request that works with a table as it is
// no longer with KindUnavailable. Later marks stand. Errors: KindNotFound for a mark that was forgotten.
func (m *Mark) Return(ctx context.Context) error { return public(m.mark.Return(ctx)) }

// Forget ends the mark. Ending it twice is no error.
func (m *Mark) Forget() error { return public(m.mark.Forget()) }
