// SPDX-License-Identifier: Apache-2.0

// Package dynamohttp is the server of DynamoDB's HTTP API: it reads requests, hands their bodies to package dynamodb
// and sends the answers, with the headers that AWS's SDKs look at.
//
// The server can't be made to run out of memory or to wait for ever, whatever its clients do. Bodies in, answers out
// and requests at work are counted against one budget (see Options.MemoryBytes); what finds no memory left waits a
// moment and is then asked to try again. A client that sends or takes its bytes too slowly is cut off. A bug in one
// request is logged and ends that request's connection, no more.
//
// Knows: HTTP, the names of operations, DynamoDB's error replies.
// Never: storage, other servers, what is inside a request's body.
package dynamohttp
