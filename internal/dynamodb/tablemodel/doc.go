// SPDX-License-Identifier: Apache-2.0

// Package tablemodel is DynamoDB's model of a table: the members of CreateTable and UpdateTable, their rules, their
// meaning as a schema, and the description of a schema that DescribeTable shows.
//
// Settings that only DynamoDB has, such as a billing mode, are stored next to the schema as Settings, in JSON. All
// else, the attribute definitions among it, is read off the schema; so tables that were made elsewhere have
// descriptions, too.
//
// Knows: the shapes of table requests and descriptions, their rules and Amazon's texts for breaking them.
// Never: databases, operations, items, HTTP.
package tablemodel
