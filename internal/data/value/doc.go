// SPDX-License-Identifier: Apache-2.0

// Package value is the one representation of data in Weft: a value is its encoded bytes. A value from a client is
// encoded once; literals of expressions, stored rows and results are the same bytes, compared, measured and cut up in
// place, without maps or trees of interfaces.
//
// # Values
//
// A Value is a tag byte and a payload:
//
//	Null, False, True       nothing
//	Number                  order.AppendDecimal, so that bytes.Compare orders numbers
//	String, Binary          uvarint length, bytes
//	Int, Float, Timestamp   8 bytes, order's encoding (SQL's scalars; over DynamoDB they are shown as N)
//	List                    uvarint byte length of the rest, uvarint count, values
//	Map                     uvarint byte length of the rest, uvarint count, entries (uvarint length, name, value) by name
//	StringSet, NumberSet, BinarySet
//	                        uvarint byte length of the rest, uvarint count, values in the order of Compare, none twice
//
// The byte length lets a reader step over a document without looking into it. Every value has one encoding only
// (shortest uvarints, sorted names and members), so equal values are equal bytes; the exception is one number held as
// different kinds, which Equal knows. Documents nest NestingMax deep, as in DynamoDB.
//
// # Rows
//
// A Row is an item: its DynamoDB size, the number of attributes, and the attributes under their ids from the table's
// dictionary of names (Names), or under the name itself where the dictionary has none. See Row.
//
// Functions that read a Value or a Row never panic, whatever the bytes; one that can't report an error takes what is
// not well-formed as missing. Validate makes sure of bytes from elsewhere. Nothing here allocates, apart from growing
// dst and the buffers of a RowBuilder, unless its comment says so.
//
// Knows: the kinds of data, their comparison, DynamoDB's sizes, the stored form of values and rows.
// Never: wire formats, syntax, keys, tables.
package value
