// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/change"
	"github.com/weftdb/weft/internal/rows/record"
)

// Error is the error of every call of this package. Its fields are the Kind, the Table concerned, if any, Detail, which says what is wrong and what to do,
// and Err, the cause, if any.
type Error = database.Error

// Kind classifies an error so that a program can act on it.
type Kind = database.Kind

// The kinds of errors.
const (
	KindInternal        = database.KindInternal        // a bug or damaged data; Detail is for the log
	KindNotFound        = database.KindNotFound        // no such table or index
	KindExists          = database.KindExists          // a table or index of that name exists
	KindInvalid         = database.KindInvalid         // the request makes no sense: wrong key, wrong type, bad schema
	KindConditionFailed = database.KindConditionFailed // the condition of a write was false, or another item has its values in a unique index; nothing was written
	KindTooLarge        = database.KindTooLarge        // the write exceeds a limit of the engine
	KindConflict        = database.KindConflict        // other writers won too often; try again
	KindBusy            = database.KindBusy            // the table or index is being changed; try again later
	KindReadOnly        = database.KindReadOnly        // the disk is nearly full; reads work
	KindClosed          = database.KindClosed          // the database is closed or closing
	KindCanceled        = database.KindCanceled        // the context ended before the work was done; nothing was written
	KindUnknownOutcome  = database.KindUnknownOutcome  // the write may or may not have taken effect
	KindUnavailable     = database.KindUnavailable     // this process may not answer now; nothing was written; try again, or ask another
	KindDenied          = database.KindDenied          // the principal may not do that; nothing was read or written
)

// KindOf returns the kind of an error of this package; any other error is internal.
func KindOf(err error) Kind { return database.KindOf(err) }

// ErrConditionFailed is wrapped by the error of a write whose condition was false.
var ErrConditionFailed = change.ErrConditionFailed

// DuplicateError is an item with the same key as another one in a unique index, in an Error of KindConditionFailed.
type DuplicateError = record.DuplicateError
