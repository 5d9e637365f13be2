// SPDX-License-Identifier: Apache-2.0

// Package failure gives the errors of all layers below package database one type, with a kind that says what to do.
//
// Knows: kinds, the causes that the layers below return.
// Never: protocols, engines.
package failure

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
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/kv"
)

// Kind classifies an error so that a program can act on it. Each protocol has one table from kinds to its own errors.
type Kind uint8

// The kinds of errors.
const (
	Internal Kind = iota // a bug or damaged data; Detail is for the log
	NotFound             // no such table or index
	Exists               // a table or index of that name exists
	Invalid              // the request makes no sense: wrong key, wrong type, bad schema
	// the condition of a write was false, or another item has its values in a unique index; nothing was written
	ConditionFailed
	TooLarge       // the write exceeds a limit of the engine
	Conflict       // other writers won too often; try again
	Busy           // the table or index is being changed; try again later
	ReadOnly       // the disk is nearly full; reads work
	Closed         // the database is closed or closing
	Canceled       // the context ended before the work was done; nothing was written
	UnknownOutcome // the write may or may not have taken effect
	Unavailable    // this gateway may not answer now; nothing was written; ask again, or another
	Denied         // the principal may not do that; nothing was read or written
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

// Error is the error of every call of package database.
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

// Reason is Error without the names of the product and of the table, for protocols that add their own.
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

// KindOf returns the kind of an error that is an *Error; any other error is Internal.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// kindOfCause maps the sentinels of the layers below, most specific first.
func kindOfCause(err error) Kind {
	for _, row := range []struct {
		cause error
		kind  Kind
	}{
		{kv.ErrUnknownOutcome, UnknownOutcome},
		{kv.ErrConflict, Conflict},
		{record.ErrLatchWait, Conflict},
		{record.ErrDeadlock, Conflict},
		{record.ErrManyLatches, TooLarge},
		{kv.ErrFenced, Unavailable},
		{kv.ErrUnavailable, Unavailable},
		{catalog.ErrReturned, Unavailable},
		{kv.ErrNoMark, NotFound},
		{gateway.ErrNotOwner, Unavailable},
		{kv.ErrTooLarge, TooLarge},
		{kv.ErrReadOnly, ReadOnly},
		{kv.ErrClosed, Closed},
		{kv.ErrLocked, Unavailable},
		{kv.ErrSnapshotExpired, Conflict},
		{catalog.ErrExists, Exists},
		{catalog.ErrNotFound, NotFound},
		{catalog.ErrDatabaseExists, Exists},
		{catalog.ErrDatabaseNotFound, NotFound},
		{catalog.ErrDatabaseNotEmpty, Invalid},
		{catalog.ErrMoved, Invalid},
		{catalog.ErrNumbers, Invalid},
		{record.ErrNoKey, Invalid},
		{change.ErrConditionFailed, ConditionFailed},
		{change.ErrNoCells, Invalid},
		{change.ErrHeld, Busy},
		{change.ErrCopied, Conflict},
		{access.ErrPartUnbound, Invalid},
		{access.ErrNoField, Invalid},
		{query.ErrTooManyRows, Invalid},
		{query.ErrSegmentsOld, Invalid},
		{query.ErrNear, Invalid},
		{tuning.ErrPageKey, Invalid},
		{region.ErrSpec, Invalid},
		{tuning.ErrRaw, Invalid},
		{backup.ErrCannotShip, Invalid},
		{tuning.ErrNoIndex, NotFound},
		{tuning.ErrBusy, Busy},
		{account.ErrExists, Exists},
		{account.ErrNotFound, NotFound},
		{account.ErrName, Invalid}, {account.ErrSimilar, Exists},
		{account.ErrPassword, Invalid},
		{account.ErrPolicyName, Invalid},
		{account.ErrTooManyPolicies, Invalid},
		{account.ErrNoPolicy, Invalid},
		{context.Canceled, Canceled},
		{context.DeadlineExceeded, Canceled},
	} {
		if errors.Is(err, row.cause) {
			return row.kind
		}
	}
	return kindOfType(err)
}

func kindOfType(err error) Kind {
	if isType[*record.DuplicateError](err) {
		return ConditionFailed
	}
	if isType[*permission.Denied](err) {
		return Denied
	}
	if isType[*indexkey.TypeError](err) || isType[*indexkey.EmptyError](err) || isType[*indexkey.SizeError](err) ||
		isType[*indexkey.TooManyError](err) || isType[*expr.Error](err) || isType[*access.IndexError](err) ||
		isType[*record.ColumnTypeError](err) || isType[*change.RefusedError](err) || isType[*change.RulesError](err) ||
		isType[*account.PolicyError](err) {
		return Invalid
	}
	return Internal
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Wrap makes an *Error of any error from below; an *Error passes unchanged, and so does nil.
func Wrap(table string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Kind: kindOfCause(err), Table: table, Err: err}
}

// New returns an error of a kind; table is "" where it is about none. The detail is formatted as by fmt.Sprintf.
func New(kind Kind, table, format string, args ...any) error {
	return &Error{Kind: kind, Table: table, Detail: fmt.Sprintf(format, args...)}
}
