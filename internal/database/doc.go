// SPDX-License-Identifier: Apache-2.0

// Package database is the database that all protocols and package weft share: tables of rows with indexes, queries,
// transactions and background work over one store.
//
// A dialect pins the version of a table that it works with (Pinned), plans and walks Queries on it, and hands it Writes
// of encoded rows. Parts that do work of their own are reached themselves: DB.Changes (streams), DB.Recovery (backups),
// DB.Tasks, DB.Jobs, DB.AllRegions.
//
// Every write is one atomic commit of the row and all its index entries, durable when the call returns. An error wraps
// *Error, whose Kind says what to do.
//
// Knows: tables, their versions, items, index choice, transactions, error kinds.
// Never: engines, protocols, net/http.
package database
