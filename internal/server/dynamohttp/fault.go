// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/weftdb/weft/internal/dynamodb"
)

// Faults that the door itself finds, by the names that AWS's front end gives them.
const (
	serviceNamespace  = "com.amazon.coral.service#"
	databaseNamespace = "com.amazonaws.dynamodb.v20120810#"
)

// errTooLong says that a body is longer than Options.BodyBytesMax.
var errTooLong = errors.New("dynamohttp: the body is too long")

// errEncoding says that a body is not encoded as its header says.
var errEncoding = errors.New("dynamohttp: the body's encoding is not gzip")

func serviceFault(status int, kind, message string) *dynamodb.Error {
	return &dynamodb.Error{Status: status, Type: serviceNamespace + kind, Message: message}
}

// unknownOperation is the answer to a target that names nothing.
func unknownOperation(target string) *dynamodb.Error {
	message := "The requested operation is not supported."
	if target == "" {
		message = "The header X-Amz-Target is missing: it names the operation, as in DynamoDB_20120810.GetItem."
	}
	return serviceFault(http.StatusBadRequest, "UnknownOperationException", message)
}

// faultOfBody is the answer to a body that could not be read.
func faultOfBody(err error) *dynamodb.Error {
	switch {
	case errors.Is(err, errTooLong):
		return serviceFault(http.StatusRequestEntityTooLarge, "RequestEntityTooLargeException", "The request is longer than 16 MB.")
	case errors.Is(err, errNoRoom):
		return noRoom()
	case errors.Is(err, errEncoding):
		return serviceFault(http.StatusBadRequest, "SerializationException", "The body can't be decoded as its Content-Encoding says.")
	}
	return serviceFault(http.StatusRequestTimeout, "RequestTimeoutException", "The request did not arrive in time.")
}

// noRoom asks the client to slow down. AWS's SDKs try again after a pause.
func noRoom() *dynamodb.Error {
	return serviceFault(http.StatusServiceUnavailable, "ServiceUnavailableException", "The server is at its limit of memory for requests. Try again in a moment.")
}

// internalFault hides what went wrong; the log has it under the request's id.
func internalFault(cause error) *dynamodb.Error {
	return &dynamodb.Error{Status: http.StatusInternalServerError, Type: databaseNamespace + "InternalServerError", Message: "Internal server error", Cause: cause}
}

// faultOf makes the answer to an error of the API.
func faultOf(err error) *dynamodb.Error {
	if fault, ok := errors.AsType[*dynamodb.Error](err); ok {
		return fault
	}
	if errors.Is(err, context.Canceled) {
		return serviceFault(http.StatusServiceUnavailable, "ServiceUnavailableException", "The server is shutting down.")
	}
	return internalFault(err)
}
