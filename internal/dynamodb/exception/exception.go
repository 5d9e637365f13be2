// SPDX-License-Identifier: Apache-2.0

// Package exception is what DynamoDB answers when it refuses a request: the exceptions with their name spaces and HTTP statuses, the
// texts of faulty members, and the one table from the database's kinds of errors to exceptions.
//
// Knows: DynamoDB's exceptions, how their bodies are written, the kinds of errors of package weft.
// Never: operations, tables, sockets.
package exception

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/expression"
)

// The name spaces of exceptions: DynamoDB's own, and those of the framework below it.
const (
	DynamoDB = "com.amazonaws.dynamodb.v20120810#"
	Validate = "com.amazon.coral.validate#"
	Service  = "com.amazon.coral.service#"
)

// Kind tells exceptions apart by what a client did to meet them.
type Kind uint8

// The kinds of exceptions.
const (
	Refused  Kind = iota // the request, or the state that it found
	Conflict             // other writers of the same items, or the conditions of a transaction
)

// Error is an exception of DynamoDB's.
type Error struct {
	Kind    Kind
	Status  int    // of HTTP
	Type    string // the exception with its name space, such as "com.amazon.coral.validate#ValidationException"
	Message string // "" = none
	// Extra is more members for the body, as JSON without braces: `"Item":{...}`. nil = none.
	Extra []byte
	// Cause is what went wrong inside, for the log; nil for faults of the request.
	Cause error
}

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

// Name returns the exception without its name space.
func (e *Error) Name() string { return e.Type[strings.IndexByte(e.Type, '#')+1:] }

// AppendJSON appends the body of the answer.
func (e *Error) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"__type":`...)
	dst = attributejson.AppendString(dst, []byte(e.Type))
	if e.Message != "" {
		member := `,"message":`
		switch e.Type {
		case Service + "SerializationException", Service + "AccessDeniedException", DynamoDB + "TransactionCanceledException":
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

// exception is what one kind of the database's errors is to a client of DynamoDB. An empty message is the error's own detail.
type exception struct {
	status  int
	name    string
	message string
}

// exceptionOf is the one table of the database's errors.
func exceptionOf(kind weft.Kind) exception {
	switch kind {
	case weft.KindNotFound:
		return exception{400, DynamoDB + "ResourceNotFoundException", "Requested resource not found"}
	case weft.KindExists:
		return exception{400, DynamoDB + "ResourceInUseException", ""}
	case weft.KindInvalid:
		return exception{400, Validate + "ValidationException", ""}
	case weft.KindConditionFailed:
		return exception{400, DynamoDB + "ConditionalCheckFailedException", "The conditional request failed"}
	case weft.KindTooLarge:
		return exception{400, Validate + "ValidationException", ""}
	case weft.KindConflict:
		return exception{400, DynamoDB + "TransactionConflictException", "Transaction is ongoing for the item"}
	case weft.KindBusy:
		return exception{400, DynamoDB + "ResourceInUseException", ""}
	case weft.KindReadOnly:
		return exception{503, Service + "ServiceUnavailableException", "The disk is nearly full: only reads and deletes of whole tables work until there is space again"}
	case weft.KindClosed:
		return exception{503, Service + "ServiceUnavailableException", "The service is shutting down"}
	case weft.KindCanceled:
		return exception{503, Service + "ServiceUnavailableException", "The request was given up before it was done"}
	case weft.KindUnavailable:
		return exception{503, Service + "ServiceUnavailableException", "This gateway may not answer now; send the request again"}
	case weft.KindUnknownOutcome:
		return exception{500, DynamoDB + "InternalServerError", "The write may or may not have happened: read the item to find out"}
	case weft.KindInternal:
		return exception{500, DynamoDB + "InternalServerError", "Internal server error"}
	}
	return exception{}
}

// Of makes an *Error of any error that an operation ends in.
func Of(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*expression.Error](err); ok {
		return Validation(e.Message)
	}
	if e, ok := errors.AsType[*weft.EvaluationError](err); ok {
		return Validation(e.Message)
	}
	if e, ok := jsonError(err); ok {
		return e
	}
	if e, ok := errors.AsType[*weft.DuplicateError](err); ok {
		return &Error{Status: 400, Type: DynamoDB + "ConditionalCheckFailedException", Message: DuplicateText(e), Cause: err}
	}
	row := exceptionOf(weft.KindOf(err))
	e := &Error{Status: row.status, Type: row.name, Message: row.message, Cause: err}
	if weft.KindOf(err) == weft.KindConflict {
		e.Kind = Conflict
	}
	if e.Message == "" {
		e.Message = detailOf(err)
	}
	return e
}

// DuplicateText words a value that another item has in a unique index, which DynamoDB doesn't know: it is told as a condition that failed.
func DuplicateText(e *weft.DuplicateError) string {
	return "The conditional request failed: another item has the same values in the unique index " + e.Index
}

// detailOf is what an error of the database says to people, without the names of packages.
func detailOf(err error) string {
	e, ok := errors.AsType[*weft.Error](err)
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
func Validation(message string) *Error {
	return &Error{Status: 400, Type: Validate + "ValidationException", Message: message}
}

// Validationf is a ValidationException with a formatted message.
func Validationf(format string, args ...any) *Error { return Validation(fmt.Sprintf(format, args...)) }

// InvalidValue is a ValidationException that begins as most about parameters do.
func InvalidValue(format string, args ...any) *Error {
	return Validation("One or more parameter values were invalid: " + fmt.Sprintf(format, args...))
}

// Serialization is a SerializationException: the body is not what its members' types want.
func Serialization(message string) *Error {
	return &Error{Status: 400, Type: Service + "SerializationException", Message: message}
}

// UnknownOperation is the exception for a name that is no operation.
func UnknownOperation() *Error {
	return &Error{Status: 400, Type: Service + "UnknownOperationException"}
}

// Modelled is an exception of DynamoDB's own, such as "ResourceInUseException".
func Modelled(name, message string) *Error {
	return &Error{Status: 400, Type: DynamoDB + name, Message: message}
}

// AccessDenied is an AccessDeniedException.
func AccessDenied(message string) *Error {
	return &Error{Status: 400, Type: Service + "AccessDeniedException", Message: message}
}
