// SPDX-License-Identifier: Apache-2.0

// Package guard stands between Pebble and what can go wrong below it: it turns errors of files that a store can't do
// without into one end of the store that every waiting caller hears of, slows down what would spin, and knows who is
// still inside.
//
// Knows: Pebble's files, which of them are vital, its ways to fail.
// Never: keys, transactions, what the files hold.
package guard
