// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// IsHidden reports whether a table is not there for DynamoDB's clients: it belongs to another dialect alone.
func IsHidden(table *schema.Table) bool { return table.Rules.IsExclusive() }

// Pin takes the current version of a table that is not hidden. Errors: database.KindNotFound.
func Pin(db *database.DB, name string) (database.Pinned, error) {
	return PinIn(db, database.DefaultDatabase, name)
}

// PinIn is Pin for a table of any database.
func PinIn(db *database.DB, databaseName, name string) (database.Pinned, error) {
	pin, err := db.PinIn(databaseName, name)
	if err == nil && IsHidden(pin.Descriptor()) {
		pin.Release()
		return database.Pinned{}, &database.Error{Kind: database.KindNotFound, Table: name, Detail: "no such table"}
	}
	return pin, err
}

// Table returns a table that is not hidden. Errors: database.KindNotFound.
func Table(db *database.DB, name string) (*database.Table, error) {
	pin, err := Pin(db, name)
	if err != nil {
		return nil, err
	}
	pin.Release()
	return db.Table(name)
}

// Names returns up to limit names of tables that are not hidden, after the given one, in order.
func Names(db *database.DB, after string, limit int) []string {
	names := []string{}
	for {
		some := db.Tables(database.DefaultDatabase, after, limit)
		for _, name := range some {
			pin, err := Pin(db, name)
			if err != nil {
				continue // hidden, or gone
			}
			pin.Release()
			if names = append(names, name); len(names) == limit {
				return names
			}
		}
		if len(some) < limit {
			return names
		}
		after = some[len(some)-1]
	}
}
