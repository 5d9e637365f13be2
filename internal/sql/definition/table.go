// SPDX-License-Identifier: Apache-2.0

// Package definition is a table as SQL sees it: its columns with their SQL types, its key, its options and its indexes,
// derived from the descriptor that all protocols share; and the way back, from DDL to requests to package database.
//
// Knows: how SQL's columns, types, options and indexes are kept in a descriptor.
// Never: rows, sessions, how a statement is run.
package definition

import (
	"iter"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Table is one version of a table as SQL sees it. It is made once for each version of the descriptor and not changed
// after.
type Table struct {
	Descriptor *schema.Table
	Database   string
	Name       string
	// Columns are the key columns and the declared ones, as SHOW COLUMNS lists them. A table made over DynamoDB has its
	// key columns only.
	Columns []Column
	// Key are the visible parts of the primary key, in order.
	Key []KeyPart
	// Dynamic says that names other than those of Columns may be written and read, as in every table made over
	// DynamoDB.
	Dynamic   bool
	Wildcards []Wildcard
	// Options are the options of WITH and SET, by their names in upper case.
	Options map[string]string
	Indexes []Index
	// InsertFails says that an INSERT of a key that is there is an error, as in MySQL, and does not overwrite, as in
	// LindormTable. Queries that no key serves are answered, or refused, in the same manner.
	InsertFails bool
	// Families are the column families of a table that was made over HBase; nil for other tables.
	Families []string

	// Stream is the part of items that the records of the table's stream show, such as KEYS_ONLY; "" if no stream is
	// on. RecoveryDays is for how many days the table can be restored as it was; 0 if it can't.
	Stream       string
	RecoveryDays int

	ForeignKeys []ForeignKey
	Referrers   []Referrer
	Checks      []Check

	// Deleting names the columns that were dropped and whose bytes may still be in rows: nothing of that name is seen
	// or made until a compaction has removed them.
	Deleting []string

	byName map[string]int // position in Columns
}

// Column is one column.
type Column struct {
	Name    string
	Type    datum.Type
	NotNull bool
	// KeyPart is the position in Table.Key of the part that holds the column: its own, or else the first that is
	// computed from it, such as reverse(id); -1 if the column is not in the key.
	KeyPart int
	// Default is the constant that a row gets where the column is not named; DefaultNow is DEFAULT NOW() or
	// CURRENT_TIMESTAMP.
	Default    *datum.Datum
	DefaultNow bool
	// DefaultExpression is computed for each row, such as UUID(); nil: none.
	DefaultExpression tree.Expression
	// Generated computes the column from others of its row whenever the row is written; nil: the column is given its
	// values. Virtual is MySQL's word for such a column that is not stored; here both are.
	Generated tree.Expression
	Virtual   bool
	// UpdateNow is ON UPDATE CURRENT_TIMESTAMP: the column gets the time at which its row was changed.
	UpdateNow bool
	Comment   string
	// AutoIncrement says that the column gets the next number where it is not given one.
	AutoIncrement bool
	// Invisible is the key of a table that was made without one, or holds an expression that an index is on: no list of
	// all columns has it.
	Invisible bool
	// Original says that the column was declared with its table, so that no row was ever written that holds another
	// type. It is not known of tables that are older than this field.
	Original bool
	// Dynamic says that the column was not declared: Type is Untyped, and each value has its own type.
	Dynamic bool
}

// KeyPart is a visible part of a key.
type KeyPart struct {
	// Column is the position in Table.Columns; -1 for a computed part, and for a column of an index that is not
	// declared (Index.Schema tells which: its part is not Computed then).
	Column     int
	Name       string // the column's, or the expression such as hash32(id)
	Descending bool
}

// Wildcard declares the type of all columns whose names match, such as `*_str` VARCHAR: `*` is any run of characters,
// `?` one.
type Wildcard struct {
	Pattern string
	Type    datum.Type
}

// Index is a secondary index.
type Index struct {
	Name    string
	Key     []KeyPart
	Include []string
	// Covers says which columns the index holds besides its keys: "" only Include, else COVERED_ALL_COLUMNS_IN_SCHEMA
	// or COVERED_DYNAMIC_COLUMNS.
	Covers  string
	Options map[string]string
	// Schema is the index as all protocols share it, with its state; it is the descriptor's own.
	Schema *schema.Index
}

// HasDefault reports whether a row gets a value in the column where none is given.
func (c *Column) HasDefault() bool {
	return c.Default != nil || c.DefaultNow || c.DefaultExpression != nil
}

// The columns of pages. No row has them: as dynamic columns they would be NULL, which says that there are no more
// pages.
const (
	NextCursor    = "_l_next_cursor_"
	CurrentCursor = "_l_current_cursor_"
)

// Column finds a column by its name, which is case-sensitive: a declared one, else one that matches a wildcard, else a
// dynamic one where the table has those. The result is a copy.
func (t *Table) Column(name string) (Column, bool) {
	if i, ok := t.byName[name]; ok {
		return t.Columns[i], true
	}
	if slices.Contains(t.Deleting, name) || name == NextCursor || name == CurrentCursor {
		return Column{}, false
	}
	for i := range t.Wildcards {
		if t.Wildcards[i].Matches(name) {
			return Column{Name: name, Type: t.Wildcards[i].Type, KeyPart: -1}, true
		}
	}
	if t.Dynamic {
		return Column{Name: name, KeyPart: -1, Dynamic: true}, true
	}
	return Column{}, false
}

// Names are the names of its columns.
func (t *Table) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range t.Columns {
			if !t.Columns[i].Invisible && !yield(t.Columns[i].Name) {
				return
			}
		}
	}
}

// CheckCursor refuses the columns of pages where they are no columns.
func CheckCursor(name string) error {
	if name != NextCursor && name != CurrentCursor {
		return nil
	}
	return fault.New(fault.NotSupported,
		name+" is only allowed in a SELECT from one table, without subqueries, with the hint /*+ _l_allow_cursor_ */: "+
			NextCursor+
			" as an item of the select list, "+CurrentCursor+" = '..' as a condition that AND joins to the others")
}

// UnknownColumn is the error for a column that the table doesn't have. where is the clause that names it.
func (t *Table) UnknownColumn(name, where string) error {
	return fault.New(fault.UnknownColumn, name, where).Meant(name, t.Names())
}

// UnknownIndex is the error for an index that the table doesn't have.
func (t *Table) UnknownIndex(code fault.Code, name string) *fault.Error {
	e := fault.New(code, name)
	if code == fault.NoSuchIndex {
		e = fault.New(code, name, t.Name)
	}
	return e.Meant(name, func(yield func(string) bool) {
		for i := range t.Indexes {
			if !yield(t.Indexes[i].Name) {
				return
			}
		}
	})
}

// Matches reports whether the pattern fits the name.
func (w *Wildcard) Matches(name string) bool { return schema.MatchesPattern(w.Pattern, name) }
