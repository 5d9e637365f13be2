// SPDX-License-Identifier: Apache-2.0

package variable

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// Isolation is a level of isolation.
type Isolation uint8

// The levels, in the order of strength.
const (
	ReadUncommitted Isolation = iota
	ReadCommitted
	RepeatableRead
	Serializable
)

// IsolationOf is the level of a name as the variable shows it.
func IsolationOf(shown string) Isolation { return Isolation(max(slices.Index(isolations, shown), 0)) }

// String is the level's name as the variable shows it.
func (i Isolation) String() string { return isolations[i] }

// Insertion says what an INSERT does when the key already exists.
type Insertion uint8

// The ways, in the order of package modify's.
const (
	ByTable   Insertion = iota // as its table was made
	Upsert                     // the named columns overwrite
	Duplicate                  // error 1062
)

// Settings are the variables that govern what statements do.
type Settings struct {
	Autocommit bool
	// ReadOnly is of transactions that begin later.
	ReadOnly bool
	// Inefficient is about queries that bind no key, in the order of package plan's ways; MultiGetMax is the number of
	// keys one may look up.
	Inefficient uint8
	MultiGetMax int
	// RowsMax (0: not at all) and BytesMax bound what one statement writes; above BytesAdvised it is warned.
	RowsMax, BytesMax, BytesAdvised int
	// KeyColumnBytesMax, KeyBytesMax and ValueBytesMax bound one column of a key, a whole key, and a value outside of
	// it.
	KeyColumnBytesMax, KeyBytesMax, ValueBytesMax int
	// StatementTimeout is 0 for none.
	StatementTimeout time.Duration
	// LongQuery is from when on a statement is slow.
	LongQuery time.Duration
	// Isolation is of transactions that begin later, and LockConflicts says that they wait for rows of others instead
	// of failing when they commit.
	Isolation     Isolation
	LockConflicts bool
	// LockWait is the time a statement waits for a row that another transaction holds.
	LockWait time.Duration
	// IdleTransaction is the time a transaction may wait for its next statement.
	IdleTransaction time.Duration
	// IdleSession is the time a session may wait for its next statement.
	IdleSession time.Duration
	// Lax is a sql_mode without STRICT_TRANS_TABLES and STRICT_ALL_TABLES.
	Lax bool
	// StrictDivision is a sql_mode with ERROR_FOR_DIVISION_BY_ZERO and a strict mode.
	StrictDivision bool
	// LooseGroups is a sql_mode without ONLY_FULL_GROUP_BY.
	LooseGroups bool
	// ZeroDates is a sql_mode without NO_ZERO_DATE, or without a strict mode.
	ZeroDates bool
	// KeysUnchecked is foreign_key_checks = 0.
	KeysUnchecked bool
	// UnboundedDelete allows DELETE and UPDATE without WHERE, also in tables of LindormTable's kind.
	UnboundedDelete bool
	// Insert says what an INSERT does when the key already exists.
	Insert Insertion
	// DynamicVarbinary makes undeclared columns VARBINARY, as LindormTable has them, instead of typed by their values.
	DynamicVarbinary bool
	// SortBytesMax is the memory of one sort; SortSpill lets it go on on disk. GroupBytesMax is the memory of GROUP BY
	// and DISTINCT.
	SortBytesMax  int64
	SortSpill     bool
	GroupBytesMax int64
	// RelationalBytesMax is the memory of all that a statement over several tables sorts, hashes and keeps.
	RelationalBytesMax int64
	// AnsiQuotes, PipesAsConcat, NoBackslashEscapes and RealAsFloat are the modes of sql_mode that say how texts are
	// read; NoAutoValueOnZero is the one about AUTO_INCREMENT.
	AnsiQuotes, PipesAsConcat, NoBackslashEscapes, RealAsFloat, NoAutoValueOnZero bool
	// Zone is the zone of time_zone; nil is UTC.
	Zone *Zone
	// SelectLimit is the LIMIT of a SELECT that has none; 0 for none.
	SelectLimit int64
	// AnyReplica lets queries outside transactions read any replica of the data.
	AnyReplica bool
	// SearchWait is the time a query waits for asynchronous search indexes to follow what was committed before; 0: it
	// does not.
	SearchWait time.Duration
}

// settings reads the values that mean something.
func (c *Catalog) settings(v *Values) Settings {
	shown := func(name string) string {
		at, _ := c.find(name)
		return v.texts[at]
	}
	number := func(name string) int64 {
		n, err := strconv.ParseInt(shown(name), 10, 64)
		if err != nil { // above the largest int64
			return math.MaxInt64
		}
		return n
	}
	s := Settings{
		Autocommit: shown("autocommit") == "ON", ReadOnly: shown("transaction_read_only") == "ON",
		MultiGetMax: int(number("multi_get_keys_max")), RowsMax: int(number("statement_rows_max")),
		BytesMax: int(number("statement_bytes_max")), BytesAdvised: int(number("statement_bytes_advised")),
		KeyColumnBytesMax: int(number("key_column_bytes_max")), KeyBytesMax: int(number("key_bytes_max")),
		ValueBytesMax:    int(number("value_bytes_max")),
		StatementTimeout: time.Duration(number("max_execution_time")) * time.Millisecond,
		Isolation:        IsolationOf(shown("transaction_isolation")), LockConflicts: shown("weft_conflicts") == "wait",
		LockWait:        time.Duration(number("innodb_lock_wait_timeout")) * time.Second,
		IdleTransaction: time.Duration(number("idle_transaction_timeout")) * time.Second,
		IdleSession:     time.Duration(number("wait_timeout")) * time.Second,
		KeysUnchecked:   shown("foreign_key_checks") == "OFF", UnboundedDelete: shown("unbounded_delete") == "ON",
		DynamicVarbinary: shown("dynamic_columns") == "varbinary",
		SortBytesMax:     number("sort_buffer_size"), SortSpill: shown("sort_spill") == "ON",
		GroupBytesMax:      number("group_buffer_size"),
		RelationalBytesMax: number("relational_buffer_size"),
		AnyReplica:         shown("weft_replica_read") == "any",
		SearchWait:         time.Duration(number("weft_search_wait")) * time.Millisecond,
	}
	if long, err := strconv.ParseFloat(shown("long_query_time"), 64); err == nil {
		s.LongQuery = time.Duration(long * float64(time.Second))
	}
	s.modes(shown("sql_mode"))
	switch shown("insert_mode") {
	case "upsert":
		s.Insert = Upsert
	case "error":
		s.Insert = Duplicate
	}
	s.Zone, _ = c.ZoneNamed(shown("time_zone"))
	s.Inefficient = uint8(slices.Index(verdicts, shown("inefficient_query")))
	if limit := number("sql_select_limit"); limit < math.MaxInt64 {
		s.SelectLimit = limit
	}
	return s
}
