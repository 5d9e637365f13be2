// SPDX-License-Identifier: Apache-2.0

// Package legacy reads the parameters that DynamoDB's requests had before there were expressions, and turns them into
// the trees that expressions make:
//
//	Conditions   Expected, QueryFilter, ScanFilter with ConditionalOperator; KeyConditions
//	Updates      AttributeUpdates
//	Names        AttributesToGet
//
// DynamoDB judges a request in phases, and so does each of the three types. Read takes the parameter from the body: its
// errors are those of package attributejson, and none of them is a ValueError, since faulty attribute values are judged
// with the meaning. Constrain adds what single members get wrong to the faults of the request's other members.
// Condition, Keys, Update and Paths judge the meaning and build the tree; their errors are *expression.Error in
// DynamoDB's words.
//
// A name is always one attribute's, whatever letters it has: "a.b" leads into nothing.
//
// Conditions, Updates and Names own the memory that they read into. Trees alias it: they are good until the next Read
// or Reset, and never alias the request's body. The caller checks which parameters may go together, and the rules of
// keys.
//
// Knows: the older parameters, their operators, actions, rules and error texts.
// Never: tables, keys of tables, evaluation, the text of expressions.
package legacy
