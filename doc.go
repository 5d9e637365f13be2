// SPDX-License-Identifier: Apache-2.0

// Package weft is a wide-column database over one ordered, transactional key space, to be embedded in a program or served by cmd/weft.
//
// There are only a few types. A DB is opened over an engine (package kv/pebble is the usual one). It holds tables. A Table has a primary
// key of one or more columns and secondary indexes, ordered or computed, which always show the latest commit. An Item is a row in its stored
// bytes: a field is decoded only when it is asked for. Queries walk an index in order, in both directions, and stream.
//
//	store, err := pebble.Open(pebble.Options{Dir: "data"})
//	db, err := weft.Open(ctx, store, weft.Options{})
//	table, err := db.CreateTable(ctx, weft.TableSpec{Name: "cities", Key: weft.Columns("country", weft.String, "name", weft.String), PartitionParts: 1})
//	err = table.Put(ctx, weft.Document{"country": "JP", "name": "Nara", "population": 354630})
//	item, ok, err := table.Get(ctx, weft.Document{"country": "JP", "name": "Nara"})
//
// Every write is one atomic commit of the row and all its index entries, durable when the call returns. An error wraps *Error, whose Kind
// says what to do; after KindUnknownOutcome the write may or may not have happened.
//
// Knows: the public API, error kinds.
// Never: engines, protocols, net/http.
package weft
