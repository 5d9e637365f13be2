// SPDX-License-Identifier: Apache-2.0

// Package result defines the answers of statements: columns, rows and counts, and the sinks that take them while they
// are produced.
//
// Knows: the shape of answers.
// Never: syntax, packets, tables.
package result

import "github.com/weftdb/weft/internal/sql/datum"

// Column describes one column of an answer.
type Column struct {
	Database      string
	Table         string // its alias, if the statement gives one
	OriginalTable string
	Name          string // its alias, if the statement gives one
	OriginalName  string
	Type          datum.Type
	NotNull       bool
	PrimaryKey    bool
}

// Sink takes the answers of statements in their order. A result set is Columns, any number of Row, and Done; a
// statement without rows is Done alone. An error of the sink ends the statement: nobody listens any more. Rows are the
// sink's until the call returns only.
type Sink interface {
	Columns(columns []Column) error
	Row(row []datum.Datum) error
	Done(done Done) error
}

// Done ends the answer of one statement.
type Done struct {
	Affected     uint64 // rows written
	LastInsertID uint64
	Warnings     int
	Info         string // a sentence for people, such as "Records: 2  Duplicates: 0  Warnings: 0"
	More         bool   // the text holds another statement, whose answer follows
}
