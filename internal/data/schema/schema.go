// SPDX-License-Identifier: Apache-2.0

// Package schema says what a table and its indexes are, as plain data: key parts, types, projections, states. A Table
// is immutable once it is published: a change makes a new one with a higher Version.
//
// Knows: what a table and an index are; what each index state allows.
// Never: where they are stored, how keys are encoded, any dialect's syntax.
package schema

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/value"
)

// Table describes one table: its primary key, its indexes and the settings of each dialect.
type Table struct {
	ID          uint32 `json:"id"`
	Database    string `json:"database"` // "default" is DynamoDB's name space
	Name        string `json:"name"`
	UUID        string `json:"uuid"`
	Version     uint64 `json:"version"` // grows with each change of the descriptor
	State       State  `json:"state"`
	CreatedAtMS int64  `json:"createdAtMS"` // Unix milliseconds
	// Filling says that rows are still being loaded into the table before anybody may see it: it has its name, but is
	// not found by it.
	Filling bool `json:"filling,omitempty"`
	// Held names the process that puts the rows into another table, which will take this one's place: none may be
	// written meanwhile. "" is none.
	Held string `json:"held,omitempty"`
	// Copied says that the rows were there before the table had its name, which was another table's: a snapshot from
	// before does not have them.
	Copied bool `json:"copied,omitempty"`
	// Primary is the index with ID 0 whose entries are the rows themselves.
	Primary Index `json:"primary"`
	// Columns are the declared non-key columns, for dialects that have them.
	Columns []Column `json:"columns,omitempty"`
	Indexes []Index  `json:"indexes,omitempty"`
	// Cells are the rules by which attributes have times, lives and versions; nil for a table that keeps the last write
	// only.
	Cells *cell.Rules `json:"cells,omitempty"`
	// Rules says which writes of rows only a dialect may do, since it has rules about them that the database does not
	// know.
	Rules Rules `json:"rules,omitzero"`
	// Streams holds the streams of the table's changes, the newest last: the one that is switched on, and ended ones
	// that can be read still.
	Streams []Stream `json:"streams,omitempty"`
	// Destinations are streams of Kinesis that the table's changes go to, the newest last, and those that lately did.
	Destinations []Destination `json:"destinations,omitempty"`
	// Recovery keeps what is needed to restore the table as it was; nil: nothing is kept.
	Recovery *Recovery `json:"recovery,omitempty"`
	// Renames counts how often an attribute got another name. Versions that differ in it have dictionaries of their
	// own.
	Renames uint32 `json:"renames,omitempty"`
	// NextIndexID is the id that the next index gets; ids are never used twice.
	NextIndexID uint32 `json:"nextIndexID"`
	// Dialect holds each dialect's settings of the table, by the dialect's name. The database never looks inside.
	Dialect map[string]json.RawMessage `json:"dialect,omitempty"`
}

// Rules are the writes of rows that a dialect has to check. The zero value has none.
type Rules struct {
	Dialect string `json:"dialect,omitempty"` // its name, such as SQL
	Puts    bool   `json:"puts,omitempty"`    // what a row becomes
	Deletes bool   `json:"deletes,omitempty"` // that a row goes
	// Features are the other parts of the dialect that a program must know to write rows correctly: see Table.Features.
	Features []string `json:"features,omitempty"`
	// Referrers are the other tables whose rows need those of this one, so that it may not go before them. Some may be
	// gone.
	Referrers []Referrer `json:"referrers,omitempty"`
	// Exclusive hides the table from other dialects than the one named: its rows hold what they have no words for. See
	// IsExclusive.
	Exclusive bool `json:"exclusive,omitempty"`
}

// IsExclusive reports whether other dialects must not see the table. Tables of HBase that were made before Exclusive
// was kept are known by their dialect.
func (r Rules) IsExclusive() bool { return r.Exclusive || r.Dialect == "HBase" }

// Referrer is a table that refers to another one.
type Referrer struct {
	Database string `json:"database"`
	Table    string `json:"table"`
}

// Column is a declared column.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// Index is an ordered set of entries derived from the rows. The table's own rows are its Primary index.
type Index struct {
	ID   uint32    `json:"id"`
	Name string    `json:"name,omitempty"`
	Key  []KeyPart `json:"key"`
	// PartitionParts is the number of leading visible key parts that form the partition key (DynamoDB's HASH). The
	// hidden part is not counted.
	PartitionParts int `json:"partitionParts"`
	// Local marks an index that shares the table's partition key (DynamoDB's LSI).
	Local bool `json:"local,omitempty"`
	// KeepNulls makes rows that miss a key column appear in the index, nulls first; otherwise the index is sparse.
	KeepNulls bool `json:"keepNulls,omitempty"`
	// Search marks an index of words and values: each part of Key is a field with entries of its own, which are found
	// in any combination. Its parts have a Field each, and it keeps nulls. See package record for its entries.
	Search bool `json:"search,omitempty"`
	// Async lets rows stand in a search index only after their commit, by a job that follows the table's changes; nil:
	// the commit writes their entries.
	Async *Async `json:"async,omitempty"`
	// Unique forbids two rows with the same key in the index, except for keys that hold a null.
	Unique     bool       `json:"unique,omitempty"`
	Projection Projection `json:"projection"`
	// Include names the attributes projected besides the keys when Projection is ProjectInclude.
	Include []string `json:"include,omitempty"`
	State   State    `json:"state"`
	// CreatedAtMS is when the index was made, in Unix milliseconds; 0 for those made before this was kept.
	CreatedAtMS int64 `json:"createdAtMS,omitempty"`
	// Partial marks an index whose build passed over rows that do not fit it, so that not even a predicate that
	// the key guarantees makes its answer that of the whole table.
	Partial bool `json:"partial,omitempty"`
	// Internal marks an index that the database keeps for its own work: no query names it, no dialect shows it. Its
	// name begins with InternalPrefix, as no other's does.
	Internal bool `json:"internal,omitempty"`
	// Lenient leaves rows whose attributes can't stand in the key out of the index, where others refuse to write them.
	Lenient bool `json:"lenient,omitempty"`
	// Rebuild ties an internal index to the one that it replaces or was replaced by; nil for others.
	Rebuild *Rebuild `json:"rebuild,omitempty"`
	// Sample describes the sample from which the codecs of the key's curves were learned; nil if there was none. It
	// never changes once it is set.
	Sample *Sample `json:"sample,omitempty"`
	// Dialect holds each dialect's settings of the index.
	Dialect map[string]json.RawMessage `json:"dialect,omitempty"`
}

// Async says which changes of rows are left to the job that follows the table's changes. It is immutable.
type Async struct {
	// EntriesMax is the number of entries of the index a change of a row may write or delete within its commit; one
	// that takes more is left. 0: all are left.
	EntriesMax int `json:"entriesMax,omitempty"`
}

// KeyPart is one component of an index key: a column, or a pure function of columns.
type KeyPart struct {
	// Name is how dialects name this part: the column's name, or the expression as it was written, such as
	// "concat(a,'#',b)".
	Name     string   `json:"name"`
	Function Function `json:"function,omitempty"`
	// Args are the function's inputs. A plain part has one column argument.
	Args []Argument `json:"args"`
	// Type is the type of the part's value, and so of its encoding; it never changes.
	Type Type `json:"type"`
	// Descending complements the encoding.
	Descending bool `json:"descending,omitempty"`
	// Curve is how a part of the function ZOrder joins its columns; nil for others.
	Curve *Curve `json:"curve,omitempty"`
	// Field is the number of a field of a search index, which stays its own; 0 for parts of other indexes.
	Field uint32 `json:"field,omitempty"`
	// Analyzer is how a part of the function Words cuts texts into words, with the version: see package search.
	Analyzer string `json:"analyzer,omitempty"`
	// Pattern makes a field of a search index that of all columns whose names match its argument: see MatchesPattern.
	// Each of them has entries of its own.
	Pattern bool `json:"pattern,omitempty"`
	// Hidden marks the hash prefix of a hash-distributed table, which no dialect shows.
	Hidden bool `json:"hidden,omitempty"`
	// Identity marks a plain part that Identified added behind a table's key: dialects don't show it as a part, but its
	// column belongs to the key.
	Identity bool `json:"identity,omitempty"`
}

// Argument is an input of a key function: a column, or a literal text when Column is empty.
type Argument struct {
	Column string `json:"column,omitempty"`
	// the type the column's value must have; AnyType takes string, number or binary
	Type    Type   `json:"type,omitempty"`
	Literal string `json:"literal,omitempty"`
	// Codec is the encoding of the column's values where rows hold bytes. Type is the type of the decoded values.
	Codec value.Codec `json:"codec,omitzero"`
}

// Visible returns the key parts that dialects see: all but the hidden hash prefix.
func (x *Index) Visible() []KeyPart {
	if len(x.Key) > 0 && x.Key[0].Hidden {
		return x.Key[1:]
	}
	return x.Key
}

// Stated returns the key parts that were declared: the visible ones except those that Identified added.
func (x *Index) Stated() []KeyPart {
	visible := x.Visible()
	n := len(visible)
	for n > 0 && visible[n-1].Identity {
		n--
	}
	return visible[:n]
}

// IsIdentified reports whether columns follow the declared parts in the key.
func (x *Index) IsIdentified() bool { return len(x.Key) > 0 && x.Key[len(x.Key)-1].Identity }

// Partition returns the visible parts of the partition key.
func (x *Index) Partition() []KeyPart { return x.Visible()[:x.PartitionParts] }

// Sort returns the visible parts after the partition key.
func (x *Index) Sort() []KeyPart { return x.Visible()[x.PartitionParts:] }

// IsPrimary reports whether the index is the table itself.
func (x *Index) IsPrimary() bool { return x.ID == 0 }

// Column returns the column that a plain part (or desc of one) stands for; "" for a computed part and for a pattern.
func (p *KeyPart) Column() string {
	if p.Function == Plain && len(p.Args) == 1 && !p.Pattern {
		return p.Args[0].Column
	}
	return ""
}

// Computed reports whether the part's value is a function of columns rather than a column.
func (p *KeyPart) Computed() bool { return p.Function != Plain }

// Covers reports whether a part is a pattern that a column's name matches. Names that begin with a zero byte, as those
// of package cell do, match none.
func (p *KeyPart) Covers(column string) bool {
	return p.Pattern && !strings.HasPrefix(column, "\x00") && MatchesPattern(p.Args[0].Column, column)
}

// MatchesPattern reports whether a name matches a pattern, in which `*` is any run of characters, and `?` one byte.
func MatchesPattern(pattern, name string) bool {
	star, from := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// HasWordsOf reports whether the part is the words of some columns, in any order, for queries in words.
func (p *KeyPart) HasWordsOf(columns []string) bool {
	if p.Function != Words || len(p.Args) != len(columns) || strings.HasPrefix(p.Analyzer, "trigram/") {
		return false
	}
	return !slices.ContainsFunc(p.Args, func(a Argument) bool { return !slices.Contains(columns, a.Column) })
}

// Index returns the index with the given name, the primary one for "". Internal ones are not found.
func (t *Table) Index(name string) (*Index, bool) {
	if name == "" {
		return &t.Primary, true
	}
	for x := range t.those(func(x *Index) bool { return !x.Internal }) {
		if x.Name == name {
			return x, true
		}
	}
	return nil, false
}

// Declared yields the ordered secondary indexes that users made, in their order: all but the internal ones and those
// for searches.
func (t *Table) Declared() iter.Seq[*Index] {
	return t.those(func(x *Index) bool { return !x.Internal && !x.Search })
}

// Searches yields the search indexes, in their order.
func (t *Table) Searches() iter.Seq[*Index] {
	return t.those(func(x *Index) bool { return x.Search && !x.Internal })
}

func (t *Table) those(are func(*Index) bool) iter.Seq[*Index] {
	return func(yield func(*Index) bool) {
		for i := range t.Indexes {
			if x := &t.Indexes[i]; are(x) && !yield(x) {
				return
			}
		}
	}
}

// FieldIndex is a field of a search index as an index by itself, whose key is the field's value, or one of its words.
// column is the one that is meant of those of a pattern, which holds no nulls.
func (x *Index) FieldIndex(field int, column string) Index {
	part := x.Key[field]
	alone := Index{ID: x.ID, Name: x.Name, Key: x.Key[field : field+1], PartitionParts: 1,
		KeepNulls: part.Function != Words && !part.Pattern, Projection: ProjectKeys, State: x.State}
	if part.Pattern {
		argument := part.Args[0]
		argument.Column = column
		part.Name, part.Args, part.Pattern = column, []Argument{argument}, false
		alone.Key = []KeyPart{part}
	}
	return alone
}

// Numbered gives the fields of a search index that have no number one each.
func Numbered(key []KeyPart) []KeyPart {
	key = slices.Clone(key)
	next := uint32(1)
	for i := range key {
		next = max(next, key[i].Field+1)
	}
	for i := range key {
		if key[i].Field == 0 {
			key[i].Field = next
			next++
		}
	}
	return key
}

// IndexByID returns the index with the given id, internal ones too.
func (t *Table) IndexByID(id uint32) (*Index, bool) {
	if id == t.Primary.ID {
		return &t.Primary, true
	}
	for i := range t.Indexes {
		if t.Indexes[i].ID == id {
			return &t.Indexes[i], true
		}
	}
	return nil, false
}

// Clone returns a copy that may be changed: all slices and maps of the table and its indexes are new.
func (t *Table) Clone() *Table {
	c := *t
	c.Primary = t.Primary.clone()
	c.Columns = append([]Column(nil), t.Columns...)
	c.Indexes = make([]Index, len(t.Indexes))
	for i := range t.Indexes {
		c.Indexes[i] = t.Indexes[i].clone()
	}
	c.Dialect = cloneDialect(t.Dialect)
	c.Streams, c.Destinations = append([]Stream(nil), t.Streams...), append([]Destination(nil), t.Destinations...)
	if t.Recovery != nil {
		c.Recovery = new(Recovery)
		*c.Recovery = *t.Recovery
	}
	if t.Cells != nil {
		c.Cells = t.Cells.Clone()
	}
	return &c
}

func (x *Index) clone() Index {
	c := *x
	c.Key = append([]KeyPart(nil), x.Key...)
	c.Include = append([]string(nil), x.Include...)
	c.Dialect = cloneDialect(x.Dialect)
	return c
}

func cloneDialect(m map[string]json.RawMessage) map[string]json.RawMessage {
	if m == nil {
		return nil
	}
	c := make(map[string]json.RawMessage, len(m))
	for k, v := range m {
		c[k] = append(json.RawMessage(nil), v...)
	}
	return c
}
