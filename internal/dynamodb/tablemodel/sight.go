// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"cmp"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// IsHidden reports whether a table is not there for DynamoDB's clients: it belongs to another dialect alone.
func IsHidden(table *schema.Table) bool { return table.Rules.IsExclusive() }

// Space is the tables that clients see. The zero Space with a DB has those of the default database.
type Space struct {
	DB *database.DB
	// Database names the database of the tables. Default: the default one.
	Database string
	// Own says that the database is made with its first table.
	Own bool
}

// Name is the name of the database of the tables.
func (s Space) Name() string { return cmp.Or(s.Database, database.DefaultDatabase) }

// Make makes the database, if it is missing and to be made.
func (s Space) Make(ctx context.Context) error {
	if !s.Own || slices.Contains(s.DB.Databases(), s.Name()) {
		return nil
	}
	err := s.DB.CreateDatabase(ctx, s.Name())
	if database.KindOf(err) == database.KindExists {
		return nil
	}
	return err
}

// Pin takes the current version of a table that is not hidden. Errors: database.KindNotFound.
func (s Space) Pin(name string) (database.Pinned, error) {
	pin, err := s.DB.PinIn(s.Name(), name)
	if err == nil && IsHidden(pin.Descriptor()) {
		pin.Release()
		return database.Pinned{}, &database.Error{Kind: database.KindNotFound, Table: name, Detail: "no such table"}
	}
	return pin, err
}

// Open returns a table that is not hidden. Errors: database.KindNotFound.
func (s Space) Open(name string) (*database.Table, error) {
	pin, err := s.Pin(name)
	if err != nil {
		return nil, err
	}
	pin.Release()
	return s.DB.TableIn(s.Name(), name)
}

// Names returns up to limit names of tables that are not hidden, after the given one, in order.
func (s Space) Names(after string, limit int) []string {
	names := []string{}
	for {
		some := s.DB.Tables(s.Name(), after, limit)
		for _, name := range some {
			pin, err := s.Pin(name)
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
