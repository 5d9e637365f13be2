// SPDX-License-Identifier: Apache-2.0

// Package policy reads AWS's IAM policies and decides by them what a principal may do. The grammar and the meaning are
// those of the IAM user guide ("IAM JSON policy elements reference" and "Policy evaluation logic").
//
// Knows: statements, wildcards, variables, condition operators, how decisions combine.
// Never: users' identities, the actions of operations, the place of policies.
package policy
