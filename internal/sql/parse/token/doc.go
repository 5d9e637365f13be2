// SPDX-License-Identifier: Apache-2.0

// Package token is SQL as a row of tokens: the lexer, the values of literals, and what can be said of a statement
// without its grammar: where it ends in a text of several, and the fingerprint that statements share which differ in
// literals only.
//
// Tokens alias the statement's bytes.
//
// Knows: how SQL is spelled.
// Never: what a statement means.
package token
