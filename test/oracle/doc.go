// SPDX-License-Identifier: Apache-2.0

// Package oracle is a second, independent implementation of DynamoDB's operations on items, made to find faults in the
// first. Its model keeps tables as Go maps, indexes by sorting, numbers as decimal digits; expressions are trees that
// are rendered as text for the database and evaluated as trees by the model. Random requests go to both, and every
// answer must be the same.
//
// Where DynamoDB leaves something open the model follows what Weft promises: a scan is in primary-key order, entries of
// an index with equal keys are in the order of the table's key.
//
// Knows: DynamoDB's rules for items: sizes, conditions, updates, indexes, pages, capacity, transactions, statements of
// PartiQL and the texts of errors.
// Never: any package of the database. Only the tests do, and they only hand requests over.
package oracle
