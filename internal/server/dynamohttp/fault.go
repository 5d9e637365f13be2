// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// errTooLong says that a body is longer than Options.BodyBytesMax.
var errTooLong = errors.New("dynamohttp: the body is too long")

// errEncoding says that a body is not encoded as its header says.
var errEncoding = errors.New("dynamohttp: the body is not encoded as it says, or in a way that is not known")

// unknownOperation is the answer to a target that names nothing, or no target.
func unknownOperation() *exception.Error { return exception.New(exception.KindUnknownOperation, "") }

// refusedOrigin is the answer to a web page that may not ask.
func refusedOrigin() *exception.Error {
	return exception.New(exception.KindForeignOrigin,
		"Requests from web pages of this origin are refused: start the server with --origins local or any to allow them.")
}

func refusedHost() *exception.Error {
	return exception.New(exception.KindForeignOrigin,
		"This server does not go by the name in the header Host: call it localhost, or by its IP address, or start it with --hosts NAME.")
}

// brokenBody is the answer to a body that is no JSON.
func brokenBody() *exception.Error { return exception.Serialization("") }

// preferBroken returns the fault, or, if the body is no JSON, what AWS says to that before it looks at anything else.
// To have no body is another matter, and comes last.
func (x *exchange) preferBroken(fault *exception.Error) *exception.Error {
	if len(x.body) > 0 && !json.Valid(x.body) {
		return brokenBody()
	}
	return fault
}

// recheck looks again at a fault that the operation has found while it read the body: further on, the body may turn out
// to be no JSON, which AWS notices first.
func (x *exchange) recheck(fault *exception.Error) *exception.Error {
	switch fault.Kind {
	case exception.KindValidation:
		return x.preferBroken(fault)
	case exception.KindSerialization:
		reader := attributejson.NewReader(x.body) // stricter than encoding/json
		if err := reader.Skip(); err != nil || reader.End() != nil {
			return brokenBody()
		}
	}
	return fault
}

// faultOfBody is the answer to a body that could not be read.
func faultOfBody(err error) *exception.Error {
	switch {
	case errors.Is(err, errTooLong):
		return exception.New(exception.KindTooLong, "The request is longer than 16 MB.")
	case errors.Is(err, errNoMemory), errors.Is(err, errStalled):
		return memoryFault()
	case errors.Is(err, errEncoding):
		return exception.New(exception.KindSerialization, "The body can't be decoded as its Content-Encoding says.")
	}
	return exception.New(exception.KindTimeout, "The request did not arrive in time.")
}

// memoryFault asks the client to slow down. AWS's SDKs try again after a pause.
func memoryFault() *exception.Error {
	return exception.New(exception.KindUnavailable,
		"The server is at its limit of memory for requests. Try again in a moment.")
}

// internalFault hides what went wrong; the log has it under the request's id.
func internalFault(cause error) *exception.Error {
	return &exception.Error{Message: "Internal server error", Cause: cause}
}

// faultOf makes the answer to an error of the API.
func faultOf(err error) *exception.Error {
	if fault, ok := errors.AsType[*exception.Error](err); ok {
		return fault
	}
	if errors.Is(err, context.Canceled) {
		return exception.New(exception.KindUnavailable, "The server is shutting down.")
	}
	return internalFault(err)
}
