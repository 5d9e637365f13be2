// SPDX-License-Identifier: Apache-2.0

// Package keyspace is the one map of the key space. Tree is its only description: the builders, the parser, the
// printer, `weft key` and the architecture page follow from it, and a golden print of it is the alarm for a change of
// layout. Keys hold table ids, never names, so that a table made again inherits nothing.
//
// Knows: every prefix of the key space, its owner and its order.
// Never: types of columns, the meaning of values.
package keyspace

// FormatVersion is the version of the layout. It stands at the key meta/format of every store; the next higher one says
// that a list of features follows there, see package catalog.
const FormatVersion = 1

// Section is one region of the key space: all keys that start with Tag.
type Section struct {
	Tag    byte
	Name   string
	Fields []Field
	Owner  string // the package that reads and writes it
	Doc    string
}

// Field is one component of a key after the tag.
type Field struct {
	Name string
	Kind FieldKind
}

// FieldKind is how a field is encoded.
type FieldKind uint8

// The kinds of fields.
const (
	Number FieldKind = iota // order.AppendUvarint
	Text                    // order.AppendBytes
	Stamp                   // kv.StampBytes bytes, big-endian: a commit's place in the order of commits
	Rest                    // the remaining bytes as they are; always last
)

// Tags of the sections, in physical order.
const (
	tagMeta      = 0x01
	tagTable     = 0x02
	tagName      = 0x03
	tagAttribute = 0x04
	tagBoundary  = 0x05
	tagJob       = 0x06
	tagToken     = 0x07
	tagRegion    = 0x08
	tagGateway   = 0x09
	tagOwner     = 0x0a
	tagAccount   = 0x10
	tagView      = 0x11
	tagCounter   = 0x12
	tagAccessKey = 0x13
	tagAdmin     = 0x14
	tagTask      = 0x15
	tagPiece     = 0x16
	tagJournal   = 0x18
	tagOutbox    = 0x19
	tagBorder    = 0x1a
	tagFollowed  = 0x1b
	tagSent      = 0x1c
	tagRow       = 0x20
)

// Tree lists all sections in physical order.
func Tree() []Section {
	return []Section{
		{tagMeta, "meta", []Field{{"word", Text}}, "catalog",
			"format version, id sequences, databases and their options, generation of the schema and its last changes, the last ring"},
		{tagTable, "table", []Field{{"table", Number}}, "catalog", "table descriptor, JSON"},
		{tagName, "name", []Field{{"database", Text}, {"name", Text}}, "catalog", "table id by name"},
		{tagAttribute, "attribute", []Field{{"table", Number}, {"id", Number}}, "catalog", "attribute name by id"},
		{tagBoundary, "boundary", []Field{{"table", Number}, {"index", Number}, {"version", Number}}, "catalog",
			"keys that cut an index into segments of a parallel scan"},
		{tagJob, "job", []Field{{"job", Number}}, "job", "long work and how far it got, JSON"},
		{tagToken, "token", []Field{{"bucket", Number}, {"id", Text}}, "weft",
			"transactions done, by their clients' tokens, in buckets of time"},
		{tagRegion, "region", []Field{{"table", Number}, {"index", Number}, {"start", Rest}}, "region",
			"a region that begins at a key of an index, JSON"},
		{tagGateway, "gateway", []Field{{"id", Text}}, "gateway",
			"a process that shares the store: its lease, and the schema that it has, JSON"},
		{tagOwner, "owner", []Field{{"work", Text}}, "gateway", "id of the gateway that does work for all"},
		{tagAccount, "account", []Field{{"name", Text}}, "account", "a user with the verifiers of passwords, JSON"},
		{tagView, "view", []Field{{"database", Text}, {"name", Text}}, "catalog", "a query with a name, JSON"},
		{tagCounter, "counter", []Field{{"table", Number}, {"counter", Number}}, "catalog",
			"the first number that no gateway has been given"},
		{tagAccessKey, "accesskey", []Field{{"id", Text}}, "account",
			"whose key signs requests, with its secret encrypted, JSON"},
		{tagAdmin, "admintoken", []Field{{"id", Text}}, "account",
			"whose token lets in at the admin port, with its hash, JSON"},
		{tagTask, "task", []Field{{"kind", Text}, {"id", Text}}, "task",
			"work that a client asked for, such as a backup, and how it went, JSON"},
		{tagPiece, "piece", []Field{{"backup", Text}, {"piece", Number}}, "tablecopy",
			"part of a backup of a table: entries, compressed"},
		{tagJournal, "journal", []Field{{"table", Number}, {"bucket", Number}, {"stamp", Stamp}, {"key", Rest}},
			"journal", "changes of rows, in the order of their commits"},
		{tagOutbox, "outbox", []Field{{"table", Number}, {"bucket", Number}, {"stamp", Stamp}, {"key", Rest}},
			"journal", "on a cluster: changes of rows that have no place in the journal yet"},
		{tagBorder, "border", []Field{{"table", Number}, {"stamp", Stamp}}, "journal",
			"where a shard of a table's streams ends and the next begins"},
		{tagFollowed, "followed", []Field{{"table", Number}, {"bucket", Number}}, "journal",
			"how far the asynchronous indexes of a table have followed its changes"},
		{tagSent, "sent", []Field{{"table", Number}, {"stream", Text}, {"bucket", Number}}, "database",
			"how far a table's changes went to a stream of Kinesis: the key of the next one in the journal"},
		{tagRow, "row", []Field{{"table", Number}, {"index", Number}, {"key", Rest}}, "record",
			"rows (index 0) and index entries"},
	}
}
