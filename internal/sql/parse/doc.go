// SPDX-License-Identifier: Apache-2.0

// Package parse reads SQL: a lexer, a recursive-descent parser that makes trees of package tree, and the fingerprint
// under which plans of statements that differ in literals only are shared.
//
// The dialect is MySQL's, with LindormTable's additions.
//
// The lexer aliases the statement's bytes; a tree holds copies only, so that it outlives the statement.
//
// Knows: how the dialect is written.
// Never: whether what a statement names exists, what it means.
package parse
