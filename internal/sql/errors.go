// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/fault"
)

// codes is the one table from the kinds of package weft's errors to MySQL's codes. It is immutable.
var codes = map[weft.Kind]fault.Code{
	weft.KindInternal:        fault.Unknown,
	weft.KindNotFound:        fault.NoSuchTable,
	weft.KindExists:          fault.TableExists,
	weft.KindInvalid:         fault.Unknown,
	weft.KindConditionFailed: fault.Unknown,
	weft.KindTooLarge:        fault.Refused,
	weft.KindConflict:        fault.Deadlock,
	weft.KindBusy:            fault.LockWaitTimeout,
	weft.KindReadOnly:        fault.ReadOnlyServer,
	weft.KindClosed:          fault.ShuttingDown,
	weft.KindCanceled:        fault.Interrupted,
	weft.KindUnknownOutcome:  fault.UnknownOutcome,
	weft.KindUnavailable:     fault.Deadlock, // nothing was committed: the transaction can be run again
}

// faultOf makes an error of any layer one that clients of MySQL understand; one that is such already passes unchanged. ctx is the statement's.
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
	case errors.Is(err, weft.ErrLockWait):
		return fault.Because(err, fault.LockWaitTimeout)
	case errors.Is(err, weft.ErrManyLocks):
		e := fault.New(fault.ManyLocks)
		e.Message = fmt.Sprintf("The total number of locks exceeds the lock table size: a transaction can hold %d rows; change or lock fewer in one, and commit sooner", weft.LocksMax)
		return e
	}
	var known *weft.Error
	if !errors.As(err, &known) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return fault.Because(err, fault.Interrupted)
		}
		return fault.Because(err, fault.Unknown, err.Error())
	}
	code := codes[known.Kind]
	switch known.Kind {
	case weft.KindConflict, weft.KindClosed, weft.KindCanceled:
		return fault.Because(err, code)
	case weft.KindUnknownOutcome:
		return fault.Because(err, code, "Got error during COMMIT: it is not known whether the changes were made; read them back before you try again")
	}
	return &fault.Error{Code: code, State: code.State(), Message: known.Error(), Err: err}
}

// Why a statement's context ended. They are immutable.
var (
	errTimeout = errors.New("sql: the statement took longer than max_execution_time")
	errKilled  = errors.New("sql: the statement was killed")
)
