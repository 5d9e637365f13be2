// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"

	"github.com/weftdb/weft/internal/schema"
)

// Fillings returns the tables that are being filled: nobody finds them by their names yet, which are taken.
func (db *DB) Fillings() (all []*schema.Table) {
	for _, id := range db.catalog.IDs() {
		version, err := db.catalog.AcquireID(id)
		if err != nil {
			continue
		}
		if table := version.Table; table.Filling && table.State != schema.Dropping {
			all = append(all, table.Clone())
		}
		version.Release()
	}
	return all
}

// Filling returns the table of an id that is being filled. Errors: KindNotFound.
func (db *DB) Filling(id uint32) (*Table, error) {
	pin, err := db.PinID(id)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	table := pin.Descriptor()
	if !table.Filling || table.State == schema.Dropping {
		return nil, &Error{Kind: KindNotFound, Table: table.Name, Detail: "the table is not being filled"}
	}
	return &Table{db: db, database: table.Database, name: table.Name, filling: id}, nil
}

// Reveal lets a table that was filled be found by its name.
func (t *Table) Reveal(ctx context.Context) error {
	if err := t.db.askNamed(ctx, "dynamodb:CreateTable", t.database, t.name); err != nil {
		return err
	}
	id, err := t.id()
	if err != nil {
		return err
	}
	_, err = t.db.catalog.Change(ctx, id, func(table *schema.Table) error {
		table.Filling = false
		return nil
	}, nil)
	return wrap(t.name, err)
}

// Discard drops a table that is being filled.
func (t *Table) Discard(ctx context.Context) error {
	if err := t.db.askNamed(ctx, "dynamodb:DeleteTable", t.database, t.name); err != nil {
		return err
	}
	if t.filling == 0 {
		return &Error{Kind: KindInvalid, Table: t.name, Detail: "the table is not being filled"}
	}
	return wrap(t.name, t.db.drop(ctx, t.filling))
}
