// SPDX-License-Identifier: Apache-2.0

package database

import (
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

type (
	// Error is the error of every call of this package.
	Error = failure.Error
	// Kind classifies an error so that a program can act on it.
	Kind = failure.Kind
)

// The kinds of errors.
const (
	KindInternal        = failure.Internal
	KindNotFound        = failure.NotFound
	KindExists          = failure.Exists
	KindInvalid         = failure.Invalid
	KindConditionFailed = failure.ConditionFailed
	KindTooLarge        = failure.TooLarge
	KindConflict        = failure.Conflict
	KindBusy            = failure.Busy
	KindReadOnly        = failure.ReadOnly
	KindClosed          = failure.Closed
	KindCanceled        = failure.Canceled
	KindUnknownOutcome  = failure.UnknownOutcome
	KindUnavailable     = failure.Unavailable
	KindDenied          = failure.Denied
)

// KindOf returns the kind of an error of this package; any other error is internal.
func KindOf(err error) Kind { return failure.KindOf(err) }

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

// Wrap makes an *Error of an error of any layer below; an *Error passes unchanged.
func Wrap(err error) error { return wrap("", err) }

func wrap(table string, err error) error { return failure.Wrap(table, err) }

func invalid(table, format string, args ...any) error {
	return failure.New(KindInvalid, table, format, args...)
}
