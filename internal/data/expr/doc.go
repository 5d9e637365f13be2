// SPDX-License-Identifier: Apache-2.0

// Package expr is the typed tree of conditions, updates and projections, and their evaluation over one stored row.
// Languages parse into it; the planner reads it; whoever writes a row applies it.
//
// A tree is plain data. Nodes are pointers, so that a type switch can name each of them in one way only, and a tree is
// never changed once it is built: any number of goroutines may evaluate one tree at once.
//
//	Condition: *Compare *Between *In *And *Or *Not *Exists *NotExists *HasType *BeginsWith *Contains
//	Operand:   *Path *Literal *Size *IfNotExists *ListAppend *Arithmetic
//
// Evaluation follows DynamoDB. An attribute that is not there makes every comparison false, except <>, which it makes
// true. Operands of different types are unequal and have no order; no comparison fails because of the types it meets.
// An update computes all its right-hand sides over the row as it was.
//
// Values stay in their encoded form from end to end: a comparison reads the row's own bytes, and an update copies what
// it does not touch.
//
// Knows: nodes, document paths, evaluation over a value.Row.
// Never: any language's syntax, indexes, where a row comes from.
package expr
