// SPDX-License-Identifier: Apache-2.0

// Package design is the input of the key-design advisor as plain data: a table's keys and indexes in DynamoDB's terms,
// the shapes of its queries, a sample of its items, and counts per key.
//
// A Design comes from a running server, which fills one in from its catalog, a Log of query shapes and a sample; or
// from a document that a person writes, see Parse. Key attributes may be computed: ParsePart takes names such as
// concat(a,'#',b) apart.
//
// Knows: key schemas, names of computed keys, query shapes, the document's JSON.
// Never: what a good design is.
package design
