// SPDX-License-Identifier: Apache-2.0

// Package expression reads DynamoDB's expression languages: conditions and filters, key conditions, projections and
// updates. It turns text with placeholders into the trees of package expr, with the placeholders' names and values in
// place.
//
// The four Parse functions share one parser and one Substitutions, which remembers the placeholders that were used over
// all the expressions of a request. Faults of a text are reported in DynamoDB's words. A fault of syntax is reported
// first; of several other faults, the one that DynamoDB would tell (see rank).
//
// Trees alias the text, the names and the values they were parsed from; all of these must stay unchanged as long as the
// tree is used.
//
// Knows: the grammars, reserved words, limits and error texts of DynamoDB's expressions.
// Never: tables, keys of tables, evaluation, JSON.
package expression
