// SPDX-License-Identifier: Apache-2.0

package database

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Table is a table by name. It holds nothing: a table that is dropped and made again is found under the same Table.
type Table struct {
	db       *DB
	database string
	name     string
	filling  uint32 // the id of a table that is not found by its name yet; 0: it is
}

// Table returns the table of that name in the default database. Errors: KindNotFound.
func (db *DB) Table(name string) (*Table, error) { return db.TableIn(DefaultDatabase, name) }

// TableIn returns a table of a database. Errors: KindNotFound.
func (db *DB) TableIn(database, name string) (*Table, error) {
	t := &Table{db: db, database: databaseOr(database), name: name}
	_, err := t.id()
	if err != nil {
		return nil, err
	}
	return t, nil
}

// TableNamed returns a table of a database that may not be there: its methods are of KindNotFound then.
func (db *DB) TableNamed(database, name string) *Table {
	return &Table{db: db, database: databaseOr(database), name: name}
}

func (t *Table) id() (uint32, error) {
	p, err := t.Pin()
	if err != nil {
		return 0, err
	}
	defer p.Release()
	return p.Descriptor().ID, nil
}

// Name returns the table's name.
func (t *Table) Name() string { return t.name }

// Pinned is one version of a table, held for one request: its schema does not change under the request, and changes of
// the schema wait for it. It must be released soon. Copies are the same pin: one Release is for all.
type Pinned struct {
	db      *DB
	version *catalog.Version
	table   *record.Table
	hold    *hold // nil: somebody else's pin, or none
	turn    uint64
}

// hold makes the first Release of a pin count and no other. It serves one pin after another: turn is the number of them
// that were released, and a pin whose turn is over has no part in the next one's.
type hold struct{ turn atomic.Uint64 }

// Pin takes the current version. Errors: KindNotFound.
func (t *Table) Pin() (Pinned, error) {
	if t.filling != 0 {
		return t.db.PinID(t.filling)
	}
	return t.db.PinIn(t.database, t.name)
}

// PinIn takes the current version of a table; database is "" for the default one. Errors: KindNotFound, KindClosed.
func (db *DB) PinIn(database, name string) (Pinned, error) {
	if err := db.errClosed(); err != nil {
		return Pinned{}, err
	}
	version, err := db.catalog.Acquire(databaseOr(database), name)
	if errors.Is(err, kv.ErrFenced) {
		return Pinned{}, &Error{Kind: KindUnavailable, Table: name, Detail: ErrNoLease.Error(), Err: err}
	}
	if err != nil {
		return Pinned{}, &Error{Kind: KindNotFound, Table: name, Detail: "no such table", Err: err}
	}
	return db.newPin(version), nil
}

// PinID takes the current version of the table of an id, as keys of the store have it. Errors: KindNotFound.
func (db *DB) PinID(id uint32) (Pinned, error) {
	version, err := db.catalog.AcquireID(id)
	if err != nil {
		return Pinned{}, &Error{Kind: KindNotFound, Detail: fmt.Sprintf("no table of id %d", id), Err: err}
	}
	return db.newPin(version), nil
}

// newPin makes a version that was acquired a pin.
func (db *DB) newPin(version *catalog.Version) Pinned {
	h := db.holds.Get().(*hold)
	return Pinned{db: db, version: version, table: compileTable(version), hold: h, turn: h.turn.Load()}
}

// unreleasable is the pin without the right to release it.
func (p Pinned) unreleasable() Pinned {
	p.hold = nil
	return p
}

func compileTable(version *catalog.Version) *record.Table {
	return version.Derive(func(v *catalog.Version) any { return record.Compile(v.Table, v.Names) }).(*record.Table)
}

// Release gives the version back. Releasing twice is no error, and neither is releasing a copy.
func (p Pinned) Release() {
	if p.hold == nil || !p.hold.turn.CompareAndSwap(p.turn, p.turn+1) {
		return
	}
	p.version.Release()
	p.db.holds.Put(p.hold)
}

// Descriptor returns the schema, which must not be changed.
func (p Pinned) Descriptor() *schema.Table { return p.version.Table }

// Names returns the dictionary with which rows of this table are built and read.
func (p Pinned) Names() value.Names { return p.version.Names }

// AttributeNamesMax is the number of attribute names of a table that are kept in its dictionary. Items may have
// attributes of any number of names; those that come later stand in no list.
const AttributeNamesMax = catalog.NamesMax - 3 // the database's own names of cells

// AttributeNames returns the attribute names that the table has seen, at most AttributeNamesMax. The slice must not be
// changed.
func (p Pinned) AttributeNames() []string {
	all := p.version.Names.All()
	if p.table.Cells == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return cell.IsHidden([]byte(name)) })
}

// AttributeCount is the number of AttributeNames. It allocates nothing.
func (p Pinned) AttributeCount() int {
	count := len(p.version.Names.All())
	if p.table.Cells == nil {
		return count
	}
	for _, hidden := range [...]string{cell.History, cell.Due, cell.Existence} {
		if _, known := p.version.Names.ID([]byte(hidden)); known {
			count--
		}
	}
	return count
}

// name is the table's name, for errors.
func (p Pinned) name() string { return p.version.Table.Name }

// index returns an index that answers queries.
func (p Pinned) index(name string) (*record.Index, error) {
	x, ok := p.table.Index(name)
	if !ok {
		return nil, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no index " + name}
	}
	if x.State != schema.Active {
		return nil, &Error{Kind: KindBusy, Table: p.name(), Detail: "index " + name + " is still being built"}
	}
	return x, nil
}
