// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"slices"
	"sync"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
)

// tables keeps what SQL makes of descriptors, by the tables' ids.
type tables struct {
	mu    sync.RWMutex
	known map[uint32]*definition.Table
}

// tablesMax is the number of tables that are kept; then all are forgotten.
const tablesMax = 10_000

// of returns a table as SQL sees it.
func (t *tables) of(d *schema.Table) (*definition.Table, error) {
	t.mu.RLock()
	known := t.known[d.ID]
	t.mu.RUnlock()
	if known != nil && known.Descriptor == d {
		return known, nil
	}
	made, err := definition.Of(d)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= tablesMax {
		clear(t.known)
	}
	t.known[d.ID] = made
	return made, nil
}

// checkDatabase is an error if there is no database of that name.
func (e *Engine) checkDatabase(_ context.Context, name string) error {
	if name == informationSchema || slices.Contains(e.db.Databases(), name) {
		return nil
	}
	return schemas.UnknownDatabase(e.db, name)
}

// informationSchema is the database of tables about tables.
const informationSchema = "information_schema"

// resolve completes a table's name by the current database, or the one of a temporary table that is found by it.
func (s *Session) resolve(n tree.Name) (database, name string, err error) {
	if own, ok, err := s.temporary(n); ok || err != nil {
		return own.Database, own.Name, err
	}
	return s.base(n)
}

// base is resolve without temporary tables.
func (s *Session) base(n tree.Name) (dbName, name string, err error) {
	if database.IsTemporary(n.Database) {
		_, _, err = s.temporary(n)
	}
	if n.Database != "" {
		return n.Database, n.Name, err
	}
	if s.database == "" {
		return "", "", fault.New(fault.NoDatabase)
	}
	return s.database, n.Name, nil
}

// heldTable is the version of a table that a statement works with.
type heldTable struct {
	database.Pinned
	owned bool // it has to be released
}

// pin takes the current version of a table, or the one that the open transaction works with. Errors: fault.NoSuchTable,
// fault.UnknownDatabase.
func (s *Session) pin(dbName, name string) (p heldTable, err error) {
	if tx := s.tx(); tx != nil {
		p.Pinned, err = tx.PinIn(dbName, name)
	} else {
		p.Pinned, err = s.engine.db.PinIn(dbName, name)
		p.owned = err == nil
	}
	if err == nil {
		return p, nil
	}
	if database.KindOf(err) != database.KindNotFound {
		return p, err
	}
	if unknown := s.engine.checkDatabase(context.Background(), dbName); unknown != nil {
		return p, unknown
	}
	if s.isView(tree.Name{Database: dbName, Name: name}) {
		return p, fault.Because(err, fault.NoSuchTable, dbName, name)
	}
	return p, schemas.UnknownTable(s.engine.db, err, dbName, name)
}

// release gives a version back, if it is the statement's own.
func (p *heldTable) release() {
	if p.owned {
		p.owned = false
		p.Release()
	}
}

// table pins a table and returns what SQL sees of it, unless there are no rows of it that the user has a privilege for;
// 0 asks for none. The caller releases the pin.
func (s *Session) table(n tree.Name, p account.Privileges) (*definition.Table, heldTable, error) {
	database, name, err := s.resolve(n)
	if err != nil {
		return nil, heldTable{}, err
	}
	if at := (account.Level{Database: database, Table: name}); p != 0 && !s.rights.Everything() && !s.may(p, at, true) {
		if err := s.refuse(p, at); err != nil {
			return nil, heldTable{}, err
		}
	}
	if p&(account.Insert|account.Update|account.Delete) != 0 {
		if err := s.awaitRows(s.running, database, name); err != nil {
			return nil, heldTable{}, err
		}
	}
	return s.tableOf(database, name)
}

func (s *Session) tableOf(database, name string) (*definition.Table, heldTable, error) {
	p, err := s.pin(database, name)
	if err != nil {
		return nil, heldTable{}, err
	}
	t, err := s.engine.tables.of(p.Descriptor())
	if err != nil {
		p.release()
		return nil, heldTable{}, err
	}
	return t, p, nil
}
