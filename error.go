// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"errors"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/feed"
	"github.com/weftdb/weft/internal/rows/change"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/kv"
)

// Error is the error of every call of this package. errors.As finds it, and in it a *DuplicateError or a *Denied.
type Error struct {
	Kind   Kind
	Table  string // the table concerned, if any
	Detail string // what is wrong and what to do
	Err    error  // the cause, if any
}

// Error returns the detail, after the table's name.
func (e *Error) Error() string {
	if e.Table != "" {
		return "weft: table " + e.Table + ": " + e.Detail
	}
	return "weft: " + e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Kind classifies an error so that a program can act on it.
type Kind uint8

// The kinds of errors, in the order of those of package database.
const (
	// KindInternal: a bug or damaged data; Detail is for the log.
	KindInternal Kind = iota
	// KindNotFound: no such table or index.
	KindNotFound
	// KindExists: a table or index of that name exists.
	KindExists
	// KindInvalid: the request makes no sense: wrong key, wrong type, bad schema.
	KindInvalid
	// KindConditionFailed: the condition of a write was false, or another item has its values in a unique index;
	// nothing was written.
	KindConditionFailed
	// KindTooLarge: the write exceeds a limit of the engine.
	KindTooLarge
	// KindConflict: other writers won too often; try again.
	KindConflict
	// KindBusy: the table or index is being changed; try again later.
	KindBusy
	// KindReadOnly: the disk is nearly full; reads work.
	KindReadOnly
	// KindClosed: the database is closed or closing.
	KindClosed
	// KindCanceled: the context ended before the work was done; nothing was written.
	KindCanceled
	// KindUnknownOutcome: the write may or may not have taken effect.
	KindUnknownOutcome
	// KindUnavailable: this process may not answer now; nothing was written; try again, or ask another.
	KindUnavailable
	// KindDenied: the principal may not do that; nothing was read or written.
	KindDenied
)

// String returns the kind's name, such as "not found".
func (k Kind) String() string { return database.Kind(k).String() }

// KindOf returns the kind of an error of this package; any other error is internal. It is asked for an error that is
// not nil.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// ErrConditionFailed is wrapped by the error of a write whose condition was false.
var ErrConditionFailed = change.ErrConditionFailed

// ErrChangesGone is wrapped by the error of Table.Changes for a Position behind which changes may be gone: they are
// kept for 24 hours. It is of KindInvalid.
var ErrChangesGone = feed.ErrGone

// ErrLocked is wrapped by the error of Open for a folder that another process has open, or this one already. It is of
// KindUnavailable: try again once the other has ended.
var ErrLocked = kv.ErrLocked

// DuplicateError says that another item has the same key in a unique index. An Error of KindConditionFailed wraps it.
type DuplicateError struct {
	Index      string
	Attributes []string // of the index's key
	Values     []any    // what the item has in them, as a Document holds it
}

// Error names the index.
func (e *DuplicateError) Error() string {
	return "another item has the same values in the unique index " + e.Index
}

func duplicateOf(e *record.DuplicateError) *DuplicateError {
	if e == nil {
		return nil
	}
	out := &DuplicateError{Index: e.Index, Attributes: e.Columns}
	for _, v := range e.Values {
		out.Values = append(out.Values, goValue(v))
	}
	return out
}

// Denied says what a principal may not do. An Error of KindDenied wraps it.
type Denied struct {
	User      string // as in Principal
	Principal string // the user's ARN
	Action    string // such as dynamodb:PutItem
	Resource  string // its ARN
	By        string // the kind of policy that denies it: "identity" or "resource"; "" if no policy allows it
}

// Error is the text of AWS.
func (d *Denied) Error() string { return (*permission.Denied)(d).Error() }

// updateFaults say why an update has no result, instead of DynamoDB's words for it. // immutable
var updateFaults = map[expr.Fault]string{
	expr.FaultOperandType:      "an update adds to a value of another type: Add takes numbers, and sets of one type",
	expr.FaultMissingAttribute: "an update uses an attribute that the item lacks",
	expr.FaultInvalidPath: "an update leads to a place that the item lacks, or through a value that is no map or list," +
		" or two updates meet in one field",
}

// public makes an *Error of any error from below; an *Error passes unchanged.
func public(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	err = database.Wrap(err)
	out := &Error{Kind: Kind(database.KindOf(err)), Detail: err.Error(), Err: err}
	if e, ok := errors.AsType[*database.Error](err); ok {
		out.Table, out.Detail = e.Table, e.Reason()
	}
	if e, ok := errors.AsType[*expr.Error](err); ok && updateFaults[e.Fault] != "" {
		out.Detail = updateFaults[e.Fault]
	}
	if e, ok := errors.AsType[*record.DuplicateError](err); ok {
		out.Err = errors.Join(duplicateOf(e), err)
	}
	if e, ok := errors.AsType[*permission.Denied](err); ok {
		out.Err = errors.Join((*Denied)(e), err)
	}
	return out
}

func invalid(table, detail string) error {
	return &Error{Kind: KindInvalid, Table: table, Detail: detail}
}
