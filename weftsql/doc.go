// SPDX-License-Identifier: Apache-2.0

// Package weftsql runs Weft's SQL within the program, through database/sql: no server, no port, no packets.
//
//	import _ "github.com/weftdb/weft/weftsql"
//
//	db, err := sql.Open("weft", "file:data") // or "mem:"
//
// Connector is the same over a weft.DB that is open already, so that SQL and the API of package weft share it.
//
// The dialect is MySQL's as Weft has it, and so are the numbers of errors (see Error). Placeholders are question marks.
//
// # Data sources
//
//	file:data      the folder data, created if it is missing
//	mem:           an empty database in memory, of its own for each sql.DB
//	mem:orders     one in memory that all data sources of this name share, until the last of them is closed
//
// A folder is open once: all data sources of a process that name it share its database. Other processes are refused. A
// program that has opened the folder by itself uses Connector. Settings follow a question mark, with & between them:
//
//	database=shop          the database to begin in
//	loc=Europe%2FBerlin    Options.Location
//	multiStatements=true   Options.MultiStatements
//	clientFoundRows=true   Options.FoundRows
//
// The database is opened with the first connection, and closed by sql.DB.Close.
//
// # Values
//
// Arguments are those of database/sql: integers (unsigned ones whole), floats, bool, []byte, string, time.Time, nil,
// driver.Valuer, and pointers to these. Bytes that are UTF-8 are a text where the column wants one. A nil []byte is
// NULL. Named arguments are refused.
//
// Answers come as those of MySQL's usual driver do, so that programs and libraries written for it work unchanged:
// integers, BOOLEAN and YEAR as int64, uint64 above its range; FLOAT and DOUBLE as float64; DATE, DATETIME and
// TIMESTAMP as time.Time; BIT, texts, DECIMAL, TIME and JSON as []byte, which Scan turns into a string where one is
// wanted.
//
// # Times
//
// A DATETIME and a TIMESTAMP hold what a clock shows, without a zone. Options.Location, UTC by default, says where that
// clock hangs: arguments are converted to it, and answers are in it. Sessions have it as their time_zone. Arguments are
// rounded to microseconds. The zero time.Time stands for MySQL's 0000-00-00, in both directions.
//
// # Statements
//
// Rows are read from the database while the program takes them, a few batches ahead; Close ends the statement where it
// is. A connection runs one statement at a time: another statement in the same transaction or sql.Conn first gathers
// the rows that are left of the one before, up to 64 MiB. The end of a context ends the statement.
//
// Knows: database/sql/driver, package sql's sessions, the databases that a data source names.
// Never: syntax, packets, how rows are found.
package weftsql
