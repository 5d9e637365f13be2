// SPDX-License-Identifier: Apache-2.0

// Package change is one conditional write of one row: what it asks for, what it makes of the row as it was, and that it
// is written or refused.
//
// Knows: conditions, updates, replacing and deleting; what that does to the cells of a table that has rules of cells.
// Never: transactions and their retries, latches, protocols.
package change

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/record"
)

// Op is the kind of a Write.
type Op uint8

// The operations.
const (
	OpPut    Op = iota // replaces the item by Row
	OpUpdate           // applies Update to the item, or to one made of its key alone
	OpDelete           // removes the item; an absent one is no error
	OpCheck            // writes nothing: only Condition counts
)

// Write is one conditional write of one item.
type Write struct {
	Op Op
	// Row is the item (OpPut) or its key attributes, built with the table's Names.
	Row value.Row
	// Update is the change of OpUpdate. One that does nothing but remove makes no item where there is none.
	Update *expr.Update
	// Condition must be true of the item as it is, absent or not; nil is always true.
	Condition expr.Condition
	// NeedOld and NeedNew ask for copies of the item before and after; NeedSizes for Change even where it costs a read.
	NeedOld, NeedNew, NeedSizes bool
	// AtMS is the time of the written cells, in Unix milliseconds, on a table with CellRules: a later one counts,
	// whatever is written first. 0 is the clock, and wins over what was written before by the clock. LifeMS is the time
	// it lives, if that is shorter than the table's life; 0 is the table's.
	AtMS, LifeMS int64
	// Written names the attributes that an OpPut writes: the others stand in Row because the item has them, and keep
	// their times. nil: Row replaces the item. It matters on tables with CellRules only.
	Written [][]byte
	// Edits, if not nil, says what an OpUpdate without Update does to single cells, on a table with CellRules. It is
	// handed the row as it is stored, nil for none, which holds the name of each of the table's cells, and the present;
	// both are its own until it returns. No edits: nothing is written. It is called again after a conflict.
	Edits func(stored value.Row, nowMS int64) ([]cell.Edit, error)
	// Known says that Before is the item as the transaction sees it, nil for none: it is not read again. Tables with
	// CellRules read it all the same.
	Known  bool
	Before value.Row
	// Judged says that the dialect has judged the write which keeps rules about the table's rows (schema.Rules).
	Judged bool
	// AsStored makes Row, of an OpPut, what is stored: with the history of its cells, as another store has it. No rule
	// is asked for, and no clock.
	AsStored bool
	// Validate, if not nil, sees the item before and after, if there is either, and can refuse the write with its
	// error, which is wrapped in a *RefusedError.
	Validate func(old, new value.Row) error
}

// Result is the result of a Write. Old and New are the caller's. After a failed condition Old is set if NeedOld was.
type Result struct {
	Old, New value.Row
	Change   record.Change
}

// ErrNoCells is wrapped by the error of a write or a Query that speaks of the times of cells to a table without
// CellRules.
var ErrNoCells = errors.New("the table keeps no times of its cells; give it rules of cells")

// RulesError is the error of a write to a table whose rows another dialect keeps rules about.
type RulesError struct{ Dialect string }

func (e *RulesError) Error() string {
	return e.Dialect + " has rules about the table's rows (such as FOREIGN KEY, CHECK, generated columns or column families), which such a write can't keep: write through " + e.Dialect
}

// ErrHeld is the error of a write to a table whose rows are being copied into the one that will take its place.
var ErrHeld = errors.New("the table gets another primary key, and no row can be written until that is done; try again")

// ErrCopied is the cause where a transaction meets a table that took another one's place after the transaction began:
// what it reads is from before the rows were copied.
var ErrCopied = errors.New("the table got another primary key after the transaction began; begin it again")

// ErrConditionFailed is the error of a write whose condition was false.
var ErrConditionFailed = errors.New("the condition is false for the item")

// RefusedError is a write that makes no sense, or that its Validate refuses.
type RefusedError struct {
	Text string // what is wrong and what to do, or
	Err  error  // what Validate said
}

func (e *RefusedError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return e.Text
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// TransactionError says which writes of a transaction were refused, and why. Nothing was written.
type TransactionError struct {
	// Refusals has an element for each write: nil for one that could have been done, else why it could not.
	Refusals []error
}

// Error returns the first refusal and how many there are.
func (e *TransactionError) Error() string {
	first, count := error(nil), 0
	for _, refusal := range e.Refusals {
		if refusal != nil && first == nil {
			first = refusal
		}
		if refusal != nil {
			count++
		}
	}
	return fmt.Sprintf("%d of %d writes of the transaction were refused: %v", count, len(e.Refusals), first)
}

// Unwrap returns the refusals.
func (e *TransactionError) Unwrap() []error {
	return slices.DeleteFunc(slices.Clone(e.Refusals), func(err error) bool { return err == nil })
}
