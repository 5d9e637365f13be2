// SPDX-License-Identifier: Apache-2.0

// Package hbase carries out HBase's calls on Weft's tables.
//
// An HBase table is a table whose key is the row key, and whose attributes are cells with timestamps: the attribute
// "f:q" is the column q of the family f. The families, with their versions and lives, stand in the table's descriptor.
// Rows change in one commit each.
//
// What differs from HBase: marks of deletions end a fixed time after they were set, or after their timestamp if that is
// later; versions beyond a family's number are gone at once, not with the next flush; and of two changes in one
// millisecond by the server's clock the later one counts.
//
// Knows: namespaces, tables, families, cells, scanners and their leases; which action each operation needs.
// Never: Thrift, connections.
package hbase
