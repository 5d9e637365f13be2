// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"strings"

	"github.com/weftdb/weft/internal/catalog"
)

// StoredView is a query with a name, which a dialect keeps beside the tables: it shares their names. A View is a snapshot, and something else.
type StoredView = catalog.View

// Errors of stored views, of KindNotFound and KindExists.
var (
	ErrViewNotFound = catalog.ErrViewNotFound
	ErrViewExists   = catalog.ErrViewExists
)

// StoredViews returns the stored views of a database in the order of their names.
func (db *DB) StoredViews(database string) []StoredView {
	return db.catalog.Views(databaseOr(database))
}

// StoredView returns a stored view; ok is false if there is none of the name.
func (db *DB) StoredView(database, name string) (view StoredView, ok bool) {
	return db.catalog.View(databaseOr(database), name)
}

// PutStoredView keeps a view. Errors: KindExists if a table or view has the name, KindNotFound if there is no such database; KindInvalid for an
// empty name or one with a zero byte.
func (db *DB) PutStoredView(ctx context.Context, v StoredView) error {
	if v.Name == "" || strings.Contains(v.Name, "\x00") {
		return invalid("", "%q is no name of a view", v.Name)
	}
	v.Database = databaseOr(v.Database)
	return wrap("", db.catalog.PutView(ctx, v))
}

// DropStoredView forgets a view. Errors: KindNotFound.
func (db *DB) DropStoredView(ctx context.Context, database, name string) error {
	return wrap("", db.catalog.DropView(ctx, databaseOr(database), name))
}
