// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"fmt"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// MySQL's codes that only definitions need.
const (
	codeDatabaseName fault.Code = 1102
	codeTableName    fault.Code = 1103
	codeIndexName    fault.Code = 1280
)

// stateSyntax is the SQLSTATE of statements that make no sense.
const stateSyntax = "42000"

// worded is an error of a code whose text says more than MySQL's own.
func worded(code fault.Code, format string, arguments ...any) *fault.Error {
	state := code.State()
	if state == "" {
		state = stateSyntax
	}
	return &fault.Error{Code: code, State: state, Message: fmt.Sprintf(format, arguments...)}
}

// refused is the error for what MySQL can do and a wide table can't.
func refused(format string, arguments ...any) *fault.Error {
	return worded(fault.NotSupported, format, arguments...)
}

// frozen is why keys stay as they are.
const frozen = "key columns and index columns can't be added, removed, retyped, reordered or renamed once rows are laid out by them"

// refusedAlter words why an action of ALTER TABLE is refused, and what to do instead.
func refusedAlter(t *Table, action *tree.RefusedAlter) error {
	if c, ok := t.Column(action.Column); ok && t.isHeld(c.Name) {
		return refused("%s '%s' is refused on table '%s': %s; make a new table with the key that you want and copy the rows", action.What, action.Column, t.Name, frozen)
	}
	switch action.What {
	case "ADD PRIMARY KEY", "DROP PRIMARY KEY":
		return refused("%s is refused on table '%s': the primary key is fixed when the table is made; make a new table and copy the rows", action.What, t.Name)
	case "ADD INDEX", "ADD KEY":
		return refused("%s is refused in ALTER TABLE: write CREATE INDEX name ON %s (columns)", action.What, t.Name)
	case "DROP INDEX", "DROP KEY":
		return refused("%s is refused in ALTER TABLE: write DROP INDEX name ON %s", action.What, t.Name)
	case "ADD UNIQUE", "ADD UNIQUE INDEX", "ADD UNIQUE KEY":
		return refused("%s is refused: %s", action.What, noUnique)
	case "ADD FOREIGN KEY", "ADD CONSTRAINT":
		return refused("%s is refused: %s", action.What, noForeignKey)
	case "RENAME":
		return refused("RENAME is refused: a table keeps its name; make a new table with CREATE TABLE .. LIKE %s and copy the rows", t.Name)
	case "MODIFY COLUMN", "CHANGE COLUMN", "RENAME COLUMN", "ALTER COLUMN":
		return refused("%s '%s' is refused: a column keeps its name, its type and its default; add another column", action.What, action.Column)
	}
	return refused("ALTER TABLE .. %s is refused: ALTER TABLE takes ADD COLUMN, DROP COLUMN, SET 'OPTION' = 'value' and COMPACT", action.What)
}

const (
	noUnique     = "only the primary key is unique; make the column part of the primary key of a table of its own"
	noForeignKey = "wide tables have no foreign keys; keep the reference in the application, or both rows under one key"
)

// isHeld says whether a column stands in the primary key or in the key of an index.
func (t *Table) isHeld(name string) bool {
	if at, ok := t.byName[name]; ok && t.Columns[at].KeyPart >= 0 {
		return true
	}
	return t.indexOn(name) != ""
}

// indexOn names an index whose key has the column, or is computed from it; "" if there is none.
func (t *Table) indexOn(name string) string {
	for i := range t.Indexes {
		for _, p := range t.Indexes[i].Schema.Key {
			for _, a := range p.Args {
				if a.Column == name {
					return t.Indexes[i].Name
				}
			}
		}
	}
	return ""
}
