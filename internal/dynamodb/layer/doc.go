// SPDX-License-Identifier: Apache-2.0

// Package layer is the table of what AWS does with a request on items before it looks for the table: which members an operation takes and
// needs, in which order their faults are told, and which checks of the request as a whole follow.
//
// It is AWS's validation since the summer of 2026. PutItem, UpdateItem and DeleteItem have the new one whole, the reading operations
// in part, BatchWriteItem and the transactions hardly.
//
// Knows: the members of requests, the rows of the table, the texts about members that don't go together.
// Never: JSON, expressions, tables, sockets.
package layer
