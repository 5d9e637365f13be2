// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/index/tuning"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/change"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/kv"
)

// Kind classifies an error so that a program can act on it. Each protocol has one table from kinds to its own errors.
type Kind uint8

// The kinds of errors.
const (
	KindInternal Kind = iota // a bug or damaged data; Detail is for the log
	KindNotFound             // no such table or index
	KindExists               // a table or index of that name exists
	KindInvalid              // the request makes no sense: wrong key, wrong type, bad schema
	// the condition of a write was false, or another item has its values in a unique index; nothing was written
	KindConditionFailed
	KindTooLarge       // the write exceeds a limit of the engine
	KindConflict       // other writers won too often; try again
	KindBusy           // the table or index is being changed; try again later
	KindReadOnly       // the disk is nearly full; reads work
	KindClosed         // the database is closed or closing
	KindCanceled       // the context ended before the work was done; nothing was written
	KindUnknownOutcome // the write may or may not have taken effect
	KindUnavailable    // this gateway may not answer now; nothing was written; ask again, or another
	KindDenied         // the principal may not do that; nothing was read or written
	kindCount
)

// Kinds returns all kinds, for tables that must cover them.
func Kinds() []Kind {
	kinds := make([]Kind, kindCount)
	for i := range kinds {
		kinds[i] = Kind(i)
	}
	return kinds
}

// String returns the kind's name.
func (k Kind) String() string {
	names := [kindCount]string{"internal", "not found", "exists", "invalid", "condition failed", "too large",
		"conflict", "busy", "read-only",
		"closed", "canceled", "unknown outcome", "unavailable", "denied"}
	if k < kindCount {
		return names[k]
	}
	return fmt.Sprintf("kind %d", k)
}

// Error is the error of every call of this package.
type Error struct {
	Kind   Kind
	Table  string // the table concerned, if any
	Detail string // what is wrong and what to do, for people
	Err    error  // the cause, if any
}

// Error joins the table, the detail and the cause, each said once.
func (e *Error) Error() string {
	if e.Table != "" {
		return "weft: table " + e.Table + ": " + e.Reason()
	}
	return "weft: " + e.Reason()
}

// Reason is Error without the names of this package and of the table, for protocols that add their own.
func (e *Error) Reason() string {
	switch {
	case e.Detail == "" && e.Err != nil:
		return e.cause()
	case e.Err != nil && !strings.Contains(e.Detail, e.cause()):
		return e.Detail + ": " + e.cause()
	case e.Detail == "":
		return e.Kind.String()
	}
	return e.Detail
}

// cause is the text of the cause, without the names of the packages that it comes from and without the table's, which
// stands before it.
func (e *Error) cause() string {
	text := e.Err.Error()
	for {
		name, rest, ok := strings.Cut(text, ": ")
		if !ok || strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
			break
		}
		text = rest
	}
	if e.Table != "" {
		text = strings.TrimPrefix(text, "table "+e.Table+": ")
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an error of this package; any other error is internal.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// Errors of key encoding that dialects word in their own way; found with errors.As in an Error of KindInvalid.
type (
	// KeyTypeError is a key attribute of the wrong type.
	KeyTypeError = indexkey.TypeError
	// KeyEmptyError is an empty key attribute.
	KeyEmptyError = indexkey.EmptyError
	// KeySizeError is a key attribute that is too long.
	KeySizeError = indexkey.SizeError
	// ColumnTypeError is an attribute whose value is not of the type that its column is declared with.
	ColumnTypeError = record.ColumnTypeError
	// DuplicateError is an item with the same key as another one in a unique index, in an Error of KindConditionFailed.
	DuplicateError = record.DuplicateError
	// SizeError is a key, a value or a transaction that is larger than what the store takes, in an Error of
	// KindTooLarge.
	SizeError = kv.SizeError
	// EvaluationError is a fault found while an expression was evaluated over an item.
	EvaluationError = expr.Error
)

// ErrNoKey is wrapped by the error for an item or key that lacks an attribute of the primary key.
var ErrNoKey = record.ErrNoKey

// kinds maps the sentinels of the layers below, most specific first.
func kindOfCause(err error) Kind {
	for _, row := range []struct {
		cause error
		kind  Kind
	}{
		{kv.ErrUnknownOutcome, KindUnknownOutcome},
		{kv.ErrConflict, KindConflict},
		{ErrLockWait, KindConflict},
		{ErrDeadlock, KindConflict},
		{ErrManyLocks, KindTooLarge},
		{kv.ErrFenced, KindUnavailable},
		{kv.ErrUnavailable, KindUnavailable},
		{catalog.ErrReturned, KindUnavailable},
		{kv.ErrNoMark, KindNotFound},
		{gateway.ErrNotOwner, KindUnavailable},
		{kv.ErrTooLarge, KindTooLarge},
		{kv.ErrReadOnly, KindReadOnly},
		{kv.ErrClosed, KindClosed},
		{kv.ErrLocked, KindUnavailable},
		{kv.ErrSnapshotExpired, KindConflict},
		{catalog.ErrExists, KindExists},
		{catalog.ErrNotFound, KindNotFound},
		{catalog.ErrDatabaseExists, KindExists},
		{catalog.ErrDatabaseNotFound, KindNotFound},
		{catalog.ErrDatabaseNotEmpty, KindInvalid},
		{catalog.ErrMoved, KindInvalid},
		{catalog.ErrNumbers, KindInvalid},
		{record.ErrNoKey, KindInvalid},
		{change.ErrConditionFailed, KindConditionFailed},
		{change.ErrNoCells, KindInvalid},
		{access.ErrPartUnbound, KindInvalid},
		{access.ErrNoField, KindInvalid},
		{query.ErrTooManyRows, KindInvalid},
		{query.ErrSegmentsOld, KindInvalid},
		{query.ErrNear, KindInvalid},
		{tuning.ErrPageKey, KindInvalid},
		{region.ErrSpec, KindInvalid},
		{tuning.ErrRaw, KindInvalid},
		{backup.ErrCannotShip, KindInvalid},
		{tuning.ErrNoIndex, KindNotFound},
		{tuning.ErrBusy, KindBusy},
		{account.ErrExists, KindExists},
		{account.ErrNotFound, KindNotFound},
		{account.ErrName, KindInvalid}, {account.ErrSimilar, KindExists},
		{account.ErrPassword, KindInvalid},
		{account.ErrPolicyName, KindInvalid},
		{account.ErrTooManyPolicies, KindInvalid},
		{account.ErrNoPolicy, KindInvalid},
		{context.Canceled, KindCanceled},
		{context.DeadlineExceeded, KindCanceled},
	} {
		if errors.Is(err, row.cause) {
			return row.kind
		}
	}
	return kindOfType(err)
}

func kindOfType(err error) Kind {
	if isType[*record.DuplicateError](err) {
		return KindConditionFailed
	}
	if isType[*Denied](err) {
		return KindDenied
	}
	if isType[*indexkey.TypeError](err) || isType[*indexkey.EmptyError](err) || isType[*indexkey.SizeError](err) ||
		isType[*indexkey.TooManyError](err) || isType[*expr.Error](err) || isType[*access.IndexError](err) ||
		isType[*record.ColumnTypeError](err) || isType[*change.RefusedError](err) || isType[*change.RulesError](err) ||
		isType[*account.PolicyError](err) {
		return KindInvalid
	}
	return KindInternal
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// wrap makes an *Error of any error from below; an *Error passes unchanged.
func wrap(table string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Kind: kindOfCause(err), Table: table, Err: err}
}

// Wrap makes an *Error of an error of any layer below; an *Error passes unchanged.
func Wrap(err error) error { return wrap("", err) }

func invalid(table, format string, args ...any) error {
	return &Error{Kind: KindInvalid, Table: table, Detail: fmt.Sprintf(format, args...)}
}
