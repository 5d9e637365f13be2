// SPDX-License-Identifier: Apache-2.0

// Package weft is a wide-column database over one ordered, transactional key space, to be embedded in a program or
// served by cmd/weft.
//
// Open opens a folder, OpenMemory a database for a test, OpenStore one over any store, such as a TiKV cluster.
// EnsureTable makes a table, or finds the one that an earlier run has made. A program runs the same the second
// time:
//
//	db, err := weft.Open(ctx, "data", weft.Options{})
//	cities, err := db.EnsureTable(ctx, weft.TableSpec{
//		Name: "cities",
//		Key:  weft.Key(weft.String("country"), weft.String("name")),
//	})
//	err = cities.Put(ctx, weft.Document{"country": "JP", "name": "Nara", "population": 354630})
//	item, ok, err := cities.Get(ctx, weft.Document{"country": "JP", "name": "Nara"})
//
// An item goes in as a Document or as a struct with tags, and comes out as an Item, which decodes what it is asked
// for; a Typed table, from TableOf, gives structs. Conditions and updates are made of an Attribute:
//
//	population := weft.Attribute("population")
//	item, err = cities.Update(ctx, key, population.Add(1), population.Less(1_000_000))
//
// A Query walks a table or an index in order, in a loop; a TableSpec names the indexes, ordered or computed, for
// words or for places. All of them show the latest commit.
//
//	for item, err := range cities.Query(ctx, weft.Query{Where: weft.Attribute("country").Equal("JP")}) {
//
// Update runs a function in a transaction, whose tables have the same methods. Changes reads what was committed to
// a table, in order, from a position that can be kept in a transaction. Backup copies the store while it is used,
// RestoreAt takes a table back to a moment.
//
// Every write is one atomic commit of the row and all its index entries, durable when the call returns. An error
// wraps *Error, whose Kind says what to do; after KindUnknownOutcome the write may or may not have happened.
//
// Knows: the public API, error kinds, the engines of a folder and of memory.
// Never: protocols, net/http.
package weft
