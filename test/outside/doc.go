// SPDX-License-Identifier: Apache-2.0

// Package outside holds tests that know nothing of how an answer is found, only what must be true of every answer: that
// it is the same with and without an index, whichever protocol made either.
//
// Knows: statements of SQL, operations of DynamoDB, what must not change an answer.
// Never: plans, keys, which index serves.
package outside
