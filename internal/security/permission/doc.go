// SPDX-License-Identifier: Apache-2.0

// Package permission decides whether a user may do something, for all protocols alike. Every operation asks for an
// action on a resource, both named as AWS names them: SQL's SELECT asks for dynamodb:PartiQLSelect. Actions that AWS
// has no name for are weft's own.
//
// Knows: users and their policies, which it keeps for a second; how the policies of users and of resources decide
// together.
// Never: protocols, which action an operation asks for, tables.
package permission
