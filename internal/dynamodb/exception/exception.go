// SPDX-License-Identifier: Apache-2.0

// Package exception defines the errors with which DynamoDB refuses a request: the exceptions with their name spaces and
// HTTP statuses, the texts of faulty members, and the one table from the database's kinds of errors to exceptions.
//
// Knows: DynamoDB's exceptions, how their bodies are written, the kinds of errors of package database.
// Never: operations, tables, sockets.
package exception

import (
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/security/permission"
)

// Error is an exception of DynamoDB's.
type Error struct {
	Kind    Kind
	Message string // "" = none
	// Extra is more members for the body, as JSON without braces: `"Item":{...}`. nil = none.
	Extra []byte
	// Cause is the internal error, for the log; nil for faults of the request.
	Cause error
}

// New makes an exception.
func New(kind Kind, message string) *Error { return &Error{Kind: kind, Message: message} }

// Error returns the exception's short name, the message and the cause.
func (e *Error) Error() string {
	text := e.Name()
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Cause != nil {
		text += " (" + e.Cause.Error() + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Status returns the HTTP status of the answer.
func (e *Error) Status() int { return e.Kind.Status() }

// Name returns the exception's name, without its name space.
func (e *Error) Name() string { return e.Kind.Name() }

// AppendJSON appends the body of the answer.
func (e *Error) AppendJSON(dst []byte) []byte {
	class := &classes[e.Kind]
	dst = append(dst, `{"__type":`...)
	dst = attributejson.AppendString(dst, []byte(class.name))
	if e.Message != "" {
		member := `,"message":`
		if class.title {
			member = `,"Message":`
		}
		dst = append(dst, member...)
		dst = attributejson.AppendString(dst, []byte(e.Message))
	}
	if e.Extra != nil {
		dst = append(append(dst, ','), e.Extra...)
	}
	return append(dst, '}')
}

// translation is DynamoDB's error for a kind of the database's errors. An empty message is the error's own detail.
func translation(kind database.Kind) (k Kind, message string) {
	switch kind {
	case database.KindNotFound:
		return KindResourceNotFound, "Requested resource not found"
	case database.KindExists, database.KindBusy:
		return KindResourceInUse, ""
	case database.KindInvalid, database.KindTooLarge:
		return KindValidation, ""
	case database.KindConditionFailed:
		return KindConditionFailed, "The conditional request failed"
	case database.KindConflict:
		return KindTransactionConflict, "Transaction is ongoing for the item"
	case database.KindReadOnly:
		return KindUnavailable, "The disk is nearly full: only reads and deletes of whole tables work until there is space again"
	case database.KindClosed:
		return KindUnavailable, "The service is shutting down"
	case database.KindCanceled:
		return KindUnavailable, "The request was given up before it was done"
	case database.KindUnavailable:
		return KindInternal, "The gateway or its store could not answer in time; nothing was written: send the request again"
	case database.KindDenied:
		return KindAccessDenied, ""
	case database.KindUnknownOutcome:
		return KindInternal, "The write may or may not have happened: read the item to find out"
	case database.KindInternal:
	}
	return KindInternal, "Internal server error"
}

// Of makes an *Error of any error that an operation ends in.
func Of(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*expression.Error](err); ok {
		return Validation(e.Message)
	}
	if e, ok := errors.AsType[*database.EvaluationError](err); ok {
		return Validation(e.Message)
	}
	if e, ok := jsonError(err); ok {
		return e
	}
	if e, ok := errors.AsType[*database.DuplicateError](err); ok {
		return &Error{Kind: KindConditionFailed, Message: DuplicateText(e), Cause: err}
	}
	e := &Error{Cause: err}
	if e.Kind, e.Message = translation(database.KindOf(err)); e.Message == "" {
		e.Message = detailOf(err)
	}
	return e
}

// DuplicateText words a value that another item has in a unique index, which DynamoDB doesn't know: it is reported as a
// condition that failed.
func DuplicateText(e *database.DuplicateError) string {
	return "The conditional request failed: another item has the same values in the unique index " + e.Index
}

// detailOf returns the text of the database's error without the names of packages.
func detailOf(err error) string {
	e, ok := errors.AsType[*database.Error](err)
	switch {
	case ok && e.Detail != "":
		return e.Detail
	case ok && e.Err != nil:
		return e.Err.Error()
	}
	return err.Error()
}

// jsonError words the errors of reading a body.
func jsonError(err error) (*Error, bool) {
	if e, ok := errors.AsType[*attributejson.ValueError](err); ok {
		return Validation(e.Text), true
	}
	if e, ok := errors.AsType[*attributejson.TypeError](err); ok {
		return Serialization(e.Message()), true
	}
	if e, ok := errors.AsType[*attributejson.SyntaxError](err); ok {
		return Serialization(fmt.Sprintf("The body is not valid JSON: %s at byte %d", e.Text, e.Offset)), true
	}
	return nil, false
}

// Validation is a ValidationException.
func Validation(message string) *Error { return New(KindValidation, message) }

// Validationf is a ValidationException with a formatted message.
func Validationf(format string, args ...any) *Error { return Validation(fmt.Sprintf(format, args...)) }

// InvalidValue is a ValidationException that begins as most about parameters do.
func InvalidValue(format string, args ...any) *Error {
	return Validation("One or more parameter values were invalid: " + fmt.Sprintf(format, args...))
}

// Serialization is a SerializationException: the body is not what its members' types want.
func Serialization(message string) *Error { return New(KindSerialization, message) }

// Authorization returns the API's error for a denied request: a *permission.Denied as an AccessDeniedException. Other
// errors stay as they are.
func Authorization(err error) error {
	if denied, ok := errors.AsType[*permission.Denied](err); ok {
		return &Error{Kind: KindAccessDenied, Message: denied.Error(), Cause: err}
	}
	return err
}
