// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Limits bound one statement.
type Limits struct {
	RowsMax      int // rows written; 0: as many as BytesMax allows. LindormTable has 2,000
	BytesMax     int // bytes of rows written, or of the rows that a statement is about; default 64 MiB
	BytesAdvised int // above this a statement is warned; default 2 MiB, negative: never
	// KeyColumnBytesMax and KeyBytesMax bound one column of a key, and a whole one; defaults 2,048 bytes and 6 KiB.
	KeyColumnBytesMax, KeyBytesMax int
	ValueBytesMax                  int // one value outside of the key; default 2 MiB
}

// tooManyRows reports whether rows are more than a statement may write.
func (l *Limits) tooManyRows(rows int) bool { return l.RowsMax > 0 && rows > l.RowsMax }

func (l Limits) withDefaults() Limits {
	l.BytesMax = cmp.Or(l.BytesMax, 64<<20)
	l.BytesAdvised = cmp.Or(l.BytesAdvised, 2<<20)
	l.KeyColumnBytesMax = cmp.Or(l.KeyColumnBytesMax, 2048)
	l.KeyBytesMax = cmp.Or(l.KeyBytesMax, 6<<10)
	l.ValueBytesMax = cmp.Or(l.ValueBytesMax, 2<<20)
	return l
}

// InsertMode says what an INSERT does when the key already exists.
type InsertMode uint8

// The modes.
const (
	InsertByTable   InsertMode = iota // as the table says
	InsertOverwrite                   // the named columns overwrite
	InsertError                       // error 1062
)

// InsertModeOf reads what a database keeps; "" leaves it to the table.
func InsertModeOf(text string) InsertMode {
	switch text {
	case "upsert":
		return InsertOverwrite
	case "error":
		return InsertError
	}
	return InsertByTable
}

// ruleOf is the rule of an INSERT into a table.
func ruleOf(rule tree.DuplicateRule, t *definition.Table, o Options) tree.DuplicateRule {
	switch {
	case rule != tree.DuplicateByMode:
		return rule
	case o.Insert == InsertError, o.Insert == InsertByTable && t.InsertFails:
		return tree.DuplicateError
	}
	return tree.Overwrite
}

// OnDuplicate says in words what an INSERT does about a key that is there, and why. ofDatabase says that the mode is
// the database's, not the session's.
func OnDuplicate(rule tree.DuplicateRule, t *definition.Table, mode InsertMode, ofDatabase bool) string {
	words := map[tree.DuplicateRule]string{
		tree.Overwrite: "the named columns overwrite", tree.DuplicateError: "error 1062",
		tree.DuplicateIgnore: "the row is left out",
		tree.DuplicateUpdate: "ON DUPLICATE KEY UPDATE", tree.ReplaceRow: "the row is replaced",
	}[ruleOf(rule, t, Options{Insert: mode})]
	switch {
	case rule != tree.DuplicateByMode:
		return words + ": the statement says so"
	case mode != InsertByTable && ofDatabase:
		return words + ": insert_mode of database '" + t.Database + "' says so"
	case mode != InsertByTable:
		return words + ": insert_mode of the session says so"
	}
	return words + ": the table was made so (INSERT_MODE)"
}

// Options say how statements are compiled.
type Options struct {
	// DynamicVarbinary takes undeclared columns as VARBINARY, written as hexadecimal digits, instead of by the types of
	// their values.
	DynamicVarbinary bool
	// UnboundedDelete allows DELETE and UPDATE without WHERE, also in tables of LindormTable's kind.
	UnboundedDelete bool
	// Insert says what an INSERT does when the key already exists; the zero value leaves it to the table.
	Insert InsertMode
	// Columns is the number of columns that the query of an INSERT .. SELECT inserts. Sources stand behind them.
	Columns int
	Sources []Source
}

// Call is one execution of a statement.
type Call struct {
	DB *database.DB
	// Tx is the transaction to write in; nil: the statement is a commit of its own, tried again if other writers win.
	Tx *database.Tx
	// LockWait is the time a statement without Tx waits for a row that a transaction holds; 0: without a limit.
	LockWait time.Duration
	// Serializable says how a statement without Tx runs.
	Serializable bool
	// Pin is the version of the table that the statement was compiled for, of Tx if that is set; Others are those of
	// further targets.
	Pin    database.Pinned
	Others []database.Pinned
	// Context holds the parameters, the clock and the session.
	Context *evaluate.Context
	// Read runs the query of a statement that has one within the transaction that it writes in. use is called with each
	// row, which is used again. The warning is about an inefficient query that was let through; "": none.
	Read func(ctx context.Context, tx *database.Tx, use func(row []datum.Datum) error) (warning string, err error)
	// Keys are the items that the query can find, if WHERE names them; nil: it doesn't.
	Keys   [][]byte
	Limits Limits
	// ZeroIsNumber stores 0 in a column with AUTO_INCREMENT instead of the next number.
	ZeroIsNumber bool
	// FoundRows makes UPDATE count the rows that it matched instead of those that it changed.
	FoundRows bool
	// Tables reads a table of its descriptor, where foreign keys lead to other tables. Default: definition.Of.
	Tables func(d *schema.Table) (*definition.Table, error)
	// Lax is an sql_mode that is not strict: values that columns refuse are stored as they fit, and those for generated
	// columns, which dumps of MariaDB have, are ignored, both with a warning.
	Lax bool
	// ZeroDates allows values that are 0000-00-00. The default of a column may always be.
	ZeroDates bool
	// Unchecked is foreign_key_checks = 0.
	Unchecked bool
	// Memory is the budget that the rows of all statements share; nil: no bound.
	Memory *memory.Budget
	// Kept counts what the transaction holds until it ends. nil: the statement is a commit of its own.
	Kept *memory.Share

	rows      [][]datum.Datum // of an INSERT .. SELECT
	ignores   bool            // values that columns refuse are stored as they fit
	fitsNulls bool            // if Lax says that, NULLs count: not where an INSERT has one row
	adjusted  []Warning       // about those
}

// Warning is one line of SHOW WARNINGS.
type Warning struct {
	Code    fault.Code
	Message string
}

// Effect is the effect of a statement.
type Effect struct {
	Affected uint64 // as MySQL counts
	Warnings []Warning
	Info     string // "" or such as "Rows matched: 1  Changed: 1  Warnings: 0"
	// Broken says, after an error, that some writes of the statement are part of the transaction already: it must be
	// rolled back.
	Broken bool
	// InsertID is the number that the first new row got from AUTO_INCREMENT, 0 for none; GivenID the last one that a
	// row brought with it, or that of the row that ON DUPLICATE KEY UPDATE changed.
	InsertID, GivenID uint64
}

// Statement is a compiled INSERT, UPDATE or DELETE. It serves many sessions at once.
type Statement interface {
	// Run does it. Errors: *fault.Error; those of package database.
	Run(ctx context.Context, call *Call) (Effect, error)
}

// target is the table of a statement, as all kinds of statements need it.
type target struct {
	table    *definition.Table
	keys     int   // how many columns the key has
	required []int // columns outside of the key that must not be NULL
	options  Options
	rules    *rules // nil: there are none
}

func targetOf(t *definition.Table, o Options) (known target, err error) {
	known = target{table: t, keys: len(KeyNames(t)), options: o}
	for i := range t.Columns {
		if t.Columns[i].NotNull && t.Columns[i].KeyPart < 0 {
			known.required = append(known.required, i)
		}
	}
	known.rules, err = rulesOf(t)
	return known, err
}

// column finds a column that a statement writes.
func (t *target) column(name string) (definition.Column, error) {
	if name == "" {
		return definition.Column{}, fault.New(fault.WrongColumnName, name)
	}
	column, ok := t.table.Column(name)
	if !ok {
		return column, t.table.UnknownColumn(name, "field list")
	}
	return column, nil
}

// CheckHints refuses hints about times of cells where they mean nothing: in statements that find what they write.
func CheckHints(hints []tree.Hint) error {
	for _, hint := range hints {
		switch hint.Name {
		case "_l_ts_", "_l_versions_", "_l_ts_min_", "_l_ts_max_":
			return fault.Message(fault.Unsupported,
				"the hint %s is only for SELECT (and _l_ts_ also for INSERT and UPSERT): omit it", hint.Name)
		}
	}
	return nil
}

// stampOf is the time that the hint _l_ts_ gives to written cells; 0 is the clock's.
func (t *target) stampOf(hints []tree.Hint) (atMS int64, err error) {
	for _, hint := range hints {
		if hint.Name != "_l_ts_" {
			if err := CheckHints([]tree.Hint{hint}); err != nil {
				return 0, err
			}
			continue
		}
		if atMS, err = strconv.ParseInt(hint.Argument, 10, 64); err != nil || atMS <= 0 || atMS == math.MaxInt64 {
			return 0, fault.New(fault.WrongArguments,
				"hint _l_ts_, which takes milliseconds such as _l_ts_(1705786502068)")
		}
		if t.table.Descriptor.Cells == nil {
			return 0, fault.Message(fault.Unsupported,
				"table %s keeps no cell timestamps; to add them, use ALTER TABLE %s SET 'MUTABILITY'='MUTABLE_ALL'",
				t.table.Name, t.table.Name)
		}
	}
	return atMS, nil
}
