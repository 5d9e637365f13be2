// SPDX-License-Identifier: Apache-2.0

// Package archive keeps tables as files that other programs read, in a folder or a bucket: DynamoDB's JSON, CSV or
// Parquet, each table with its definition, so that a database is made of an archive again, with the very rows. It
// writes the files of DynamoDB's exports, too.
//
// Knows: the files of an archive, how values of each type stand in them, how tables are made of them.
// Never: the command line, kinds of storages, how rows are derived and sorted.
package archive
