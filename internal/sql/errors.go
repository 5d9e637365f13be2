// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/fault"
)

// codes is the one table from the kinds of package database's errors to MySQL's codes. It is immutable.
var codes = map[database.Kind]fault.Code{
	database.KindInternal:        fault.Unknown,
	database.KindNotFound:        fault.NoSuchTable,
	database.KindExists:          fault.TableExists,
	database.KindInvalid:         fault.Unknown,
	database.KindConditionFailed: fault.Unknown,
	database.KindTooLarge:        fault.Refused,
	database.KindConflict:        fault.Deadlock,
	database.KindBusy:            fault.LockWaitTimeout,
	database.KindReadOnly:        fault.ReadOnlyServer,
	database.KindClosed:          fault.ShuttingDown,
	database.KindCanceled:        fault.Interrupted,
	database.KindUnknownOutcome:  fault.UnknownOutcome,
	database.KindUnavailable:     fault.LockWaitTimeout, // nothing was committed: the transaction can be run again
	database.KindDenied:          fault.TableDenied,
}

// faultOf makes an error of any layer one that clients of MySQL understand; one that is such already passes unchanged.
// ctx is the statement's.
func faultOf(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := fault.Of(err); ok && (f.Code != fault.Interrupted || !errors.Is(context.Cause(ctx), errTimeout)) {
		return f
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeout):
		return fault.Because(err, fault.StatementTimeout)
	case errors.Is(cause, errKilled):
		return fault.Because(err, fault.Interrupted)
	}
	switch {
	case errors.Is(err, spill.ErrFull):
		return fault.Because(err, fault.DiskFull)
	case errors.Is(err, database.ErrLockWait):
		return fault.Because(err, fault.LockWaitTimeout)
	case errors.Is(err, database.ErrHeld):
		return fault.Because(err, fault.TableChanged, database.ErrHeld)
	case errors.Is(err, database.ErrCopied):
		return fault.Because(err, fault.TableChanged, database.ErrCopied)
	case errors.Is(err, database.ErrManyLocks):
		e := fault.New(fault.ManyLocks)
		e.Message = fmt.Sprintf("The total number of locks exceeds the lock table size: a transaction may lock %d rows; change or lock fewer, and commit sooner", database.LocksMax)
		return e
	}
	known, ok := errors.AsType[*database.Error](err)
	switch {
	case ok:
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Because(err, fault.Interrupted)
	default:
		known = &database.Error{Kind: database.KindInternal, Err: err}
	}
	return ofKind(known)
}

// ofKind words an error of package database. Its text follows MySQL's own words, without the names of layers.
func ofKind(known *database.Error) error {
	if f := ofValue(known); f != nil {
		f.Err = known
		return f
	}
	code := codes[known.Kind]
	f := &fault.Error{Code: code, State: code.State(), Message: known.Reason(), Err: known}
	switch known.Kind {
	case database.KindConflict, database.KindClosed, database.KindCanceled:
		return fault.Because(known, code)
	case database.KindBusy, database.KindUnavailable:
		f.Message = fault.New(code).Message + ": " + known.Reason()
	case database.KindUnknownOutcome:
		f.Message = "Got error during COMMIT: the outcome is unknown; read the rows back before you retry"
	case database.KindReadOnly:
		f.Message = "The server is read-only for now, so it cannot execute this statement: " + known.Reason()
	case database.KindInternal:
		f.Message = "Internal error: " + known.Reason()
	}
	if known.Table != "" && code == fault.Unknown {
		f.Message = "Table '" + known.Table + "': " + f.Message
	}
	return f
}

// ofValue words an error about a value or a size; nil if it is none.
func ofValue(err error) *fault.Error {
	if e, ok := errors.AsType[*database.KeySizeError](err); ok {
		return fault.Message(fault.KeyTooLong,
			"Specified key was too long; max key length is %d bytes (column '%s', by which rows or an index are sorted, has %d): "+
				"shorten the value, or drop the index", e.BytesMax, e.Part.Name, e.Bytes)
	}
	if e, ok := errors.AsType[*database.KeyEmptyError](err); ok {
		return fault.Message(fault.IncorrectValue,
			"Incorrect string value: '' for column '%s': a key column can't be empty", e.Part.Name)
	}
	e, ok := errors.AsType[*database.SizeError](err)
	switch {
	case !ok:
		return nil
	case e.What == "key":
		return fault.Message(fault.KeyTooLong,
			"Specified key was too long; max key length is %d bytes (the key of a row or of an index entry would take %d): "+
				"shorten the values of its columns", e.BytesMax, e.Bytes)
	case e.What == "value":
		return fault.Message(fault.RowTooLarge,
			"Row size too large: a row or an index entry would take %d bytes; the limit is %d; "+
				"shorten its values, or split it into several rows", e.Bytes, e.BytesMax)
	}
	return fault.Message(fault.TransactionTooLarge,
		"Multi-statement transaction required more than %d bytes of storage: write fewer rows in one statement, or commit sooner", e.BytesMax)
}

// Why a statement's context ended. They are immutable.
var (
	errTimeout = errors.New("sql: the statement took longer than max_execution_time")
	errKilled  = errors.New("sql: the statement was killed")
)
