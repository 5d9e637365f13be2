// SPDX-License-Identifier: Apache-2.0

// Package plan decides how a SELECT is run. A statement is compiled once for a version of its table (Compile) and bound
// to its parameters for each execution (Select.Bind): what WHERE says of columns that keys are made of becomes
// conditions on stored values, the cheapest index is chosen by them, the access class is found, and what the keys do
// not decide remains to be judged row by row.
//
// A condition that is pushed down is always necessary: no row that WHERE accepts fails it. Whether it is sufficient,
// too, is known for each, and only then WHERE is not evaluated again.
//
// Knows: what conditions mean for keys; access classes and what refuses them; which order rows come in; what EXPLAIN
// says.
// Never: how rows are read, packets, sessions.
package plan
