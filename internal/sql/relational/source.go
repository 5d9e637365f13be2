// SPDX-License-Identifier: Apache-2.0

// Package relational runs the statements that reach over several tables or nest: joins, subqueries, common table expressions, windows, unions,
// views and information_schema. It embeds go-mysql-server as a library, never as a server, and hands it tables that belong to somebody else: those
// of a Source, which is one snapshot or one transaction for the length of one statement.
//
// Names are case-sensitive below and are not in go-mysql-server: an exact match wins, else the only match without regard to case, else the name is
// ambiguous. Tables with dynamic columns show, besides what they declare, the names that the statement mentions.
//
// Knows: go-mysql-server: its plans, types, errors; how to turn its conditions into trees.
// Never: keys, access paths, transactions, packets, the definition of base tables.
package relational

import (
	"context"

	"github.com/weftdb/weft/internal/room"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/relational/value"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Source is the database as the relational engine sees it for one statement: one snapshot or one transaction. One goroutine uses it at a time.
type Source interface {
	// Databases are the names of all databases that the user may see, in any order, without the system's own.
	Databases() []string
	// Tables are the names of the tables of a database, in any order.
	Tables(database string) ([]string, error)
	// Table finds a table by its exact name.
	Table(database, name string) (Table, bool, error)
	// Views keeps the views; nil if there can be none.
	Views() Views
}

// Table is one table of a Source.
type Table interface {
	Name() string
	Comment() string
	// Columns are the key columns, the declared ones, and those dynamic ones that SELECT * is to show.
	Columns() []Column
	// Dynamic finds a column that Columns lacks but that rows may have; ok is false if the table has no dynamic columns or no such name may be.
	Dynamic(name string) (column Column, ok bool)
	// PrimaryKey are the names of the key's visible columns, in order.
	PrimaryKey() []string
	// Indexes are those that may serve lookups, the primary key first under the name PRIMARY.
	Indexes() []Index
	// Rows estimates how many rows there are.
	Rows() uint64
	// Scan walks rows. It chooses the access path, may answer more rows than asked for (the engine filters again), but never fewer, and may refuse:
	// an *fault.Error reaches the client as it is.
	Scan(ctx context.Context, request ScanRequest) (Rows, error)
	// Joined is asked before a join reads the whole table though its condition names these columns of it, none of which a key or index begins with, and
	// the other side can't be looked up either. Its error refuses the statement.
	Joined(columns []string, allowFiltering bool) error
	// Get reads the row of a key, whose values are in PrimaryKey's order, with what the statement has written to it. The row has the named columns, in
	// their order, and is the caller's.
	Get(ctx context.Context, key []datum.Datum, columns []string) (row []datum.Datum, ok bool, err error)
	// Insert writes a row of the named columns. With DuplicateUpdate, Get has found no row of its key. What is written may wait until the statement has read
	// all: rows of scans under way do not change.
	Insert(ctx context.Context, columns []string, row []datum.Datum, rule tree.DuplicateRule) error
	// Update sets the named columns of the row of a key, whose values are in PrimaryKey's order.
	Update(ctx context.Context, key []datum.Datum, columns []string, values []datum.Datum) error
	// Delete removes the row of a key.
	Delete(ctx context.Context, key []datum.Datum) error
}

// Column is one column of a Table.
type Column struct {
	Name    string
	Type    datum.Type
	NotNull bool
	// Default is the default as SQL writes it, such as 'a' or 5 or CURRENT_TIMESTAMP; "" for none.
	Default string
	Comment string
	// Dynamic says that the column was not declared.
	Dynamic bool
}

// Index is a way to rows by the values of some columns.
type Index struct {
	Name    string
	Columns []IndexColumn
	// Unique says that no two rows have the same values of all Columns: the primary key alone.
	Unique bool
	// Unordered says that the rows of a range do not come in the order of Columns, as with hashed keys.
	Unordered bool
	Comment   string
}

// IndexColumn is a column of an index.
type IndexColumn struct {
	Name       string
	Descending bool
}

// PrimaryName is the name under which Table.Indexes lists the primary key.
const PrimaryName = "PRIMARY"

// ScanRequest says which rows of a table are wanted.
type ScanRequest struct {
	// Columns are the names of the wanted columns, in the order in which Rows gives them. There may be none: then only the number of rows counts.
	Columns []string
	// Where are conditions over this table's columns that all hold for each row wanted. tree.Column has the bare Name.
	Where []tree.Expression
	// Index names the index whose Ranges the engine chose, "" if it chose none. Only Ordered binds the table to it.
	Index string
	// Ranges are alternatives, in the index's order if Ordered; a row wanted is in one of them at least. Nil if Index is "".
	Ranges []Range
	// Ordered asks for the rows in the order of Index: ascending by its columns, NULL first, texts bytewise.
	Ordered bool
	// Reverse turns the order of Ordered around; Ranges are turned already.
	Reverse bool
	// AllowFiltering says that the statement had the hint _l_allow_filtering_.
	AllowFiltering bool
}

// Range bounds the first columns of an index, one Interval each; further ones are free.
type Range []Interval

// Interval bounds one column. The zero value holds every value but NULL.
type Interval struct {
	Low, High Limit
	// Null says that NULL is within.
	Null bool
	// NullOnly says that nothing else is.
	NullOnly bool
}

// Limit is one end of an Interval.
type Limit struct {
	Bounded   bool
	Inclusive bool
	Value     datum.Datum
}

// Equal says whether the interval is one value, and which.
func (i *Interval) Equal() (datum.Datum, bool) {
	if i.Null || !i.Low.Bounded || !i.High.Bounded || !i.Low.Inclusive || !i.High.Inclusive {
		return datum.Null, false
	}
	same, err := value.Same(i.Low.Value, i.High.Value)
	return i.Low.Value, same && err == nil
}

// Rows is a walk over rows.
type Rows interface {
	// Next returns the next row, io.EOF after the last. The row is the caller's until the next call.
	Next() ([]datum.Datum, error)
	Close() error
}

// View is a stored SELECT.
type View struct {
	Name string
	// Select is the text of the SELECT, Statement that of the whole CREATE VIEW.
	Select    string
	Statement string
	SQLMode   string
}

// Views keeps views. Names are case-sensitive.
type Views interface {
	List(database string) ([]View, error)
	Get(database, name string) (View, bool, error)
	Put(database string, view View) error
	Drop(database, name string) error
}

// Session is who asks, and with which settings.
type Session struct {
	User         string
	Host         string
	Database     string // "" for none
	ConnectionID uint32
	// Variables are the system variables that differ from their defaults, by their names in lower case. Unknown ones are passed over.
	Variables map[string]datum.Datum
	// UserVariables are those written @name, by their names without @ in lower case.
	UserVariables map[string]datum.Datum
	// Hints are those of the statement, by their names in lower case, where they are not in its text any more.
	Hints []tree.Hint
	// HeldBytesMax bounds what sorts, hash joins and the like hold in memory for the statement, about. 0 means 256 MiB.
	HeldBytesMax int64
	// Memory is what the statements of all sessions share for that. nil is no bound.
	Memory *room.Room
}
