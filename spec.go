// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// TableSpec describes a table to be made.
type TableSpec struct {
	// Database is the name space. Default: the default one, whose tables DynamoDB's API serves.
	Database string
	Name     string
	// Key is the primary key; its first PartitionParts parts are the partition key. Default of PartitionParts: 1.
	Key            []KeyPart
	PartitionParts int
	// HashDistributed prefixes every key by a hash of its partition key, so that growing partition keys do not meet
	// at one end of the table. Items of one partition stay in order, partitions do not. Default: ordered.
	HashDistributed bool
	// Columns are declared columns that are not in the key. A write of a value that the type does not take is
	// refused. Items may have attributes that are not declared.
	Columns []Column
	Indexes []IndexSpec
	// Regions is the number of regions that the table begins with. Default: 1, and on a cluster four for each node.
	Regions int
	// Cells gives attributes timestamps, lives and versions. Default: none.
	Cells *CellRules
	// Expiry is the attribute with the time at which an item expires; see Table.SetExpiry. Default: items don't
	// expire.
	Expiry string
	// Stream keeps the changes of items for 24 hours; see Table.Changes. Default: StreamOff.
	Stream Stream
	// RecoveryDays keeps the changes of so many days, at most 35, so that the table can be restored as it was at
	// any moment of them. Default: none.
	RecoveryDays int
}

// Column is a declared column.
type Column struct {
	Name string
	Type Type // default: strings, numbers and binaries
}

// IndexSpec describes an index to be made.
type IndexSpec struct {
	Name string
	Key  []KeyPart
	// PartitionParts is the number of leading key parts that make up the index's partition key. Default: 1.
	PartitionParts int
	// Local says that the index shares the table's partition key, as DynamoDB's local secondary indexes do.
	Local bool
	// KeepNulls gives items that lack a key attribute an entry, too, before all others. Default: the index leaves
	// them out.
	KeepNulls bool
	// Unique lets no two items have the same key in the index, except for keys with a missing attribute or a null.
	// The later writer gets a *DuplicateError.
	Unique bool
	// Search makes a search index: each part of Key is a field, Words of texts or a plain attribute, and queries
	// find items by them in any combination. It keeps nulls and holds no other attributes.
	Search bool
	// Async leaves changes of items to a job that brings a search index up to date after their commits. Default:
	// their commits do.
	Async *Async
	// KeysOnly keeps all attributes but the keys out of the index, and Include all but the keys and those that it
	// names. Default: the index holds whole items.
	KeysOnly bool
	Include  []string
}

// Async says which changes of items an asynchronous search index learns of after their commits.
type Async struct {
	// EntriesMax is the number of entries of the index a change may write or delete within its commit; one that takes
	// more is left to the job. 0: all are left.
	EntriesMax int
}

// Index says how an index is made and whether it can be used.
type Index struct {
	IndexSpec
	// Active says that queries can use the index; its build has ended.
	Active bool
}

func (s *TableSpec) internal() (database.TableSpec, error) {
	key, err := schemaParts(s.Key)
	if err != nil {
		return database.TableSpec{}, err
	}
	in := database.TableSpec{
		Database: s.Database, Name: s.Name, Key: key, PartitionParts: s.PartitionParts,
		HashDistributed: s.HashDistributed, Cells: s.Cells.internal(), Stream: s.Stream.internal(),
		RecoveryDays: s.RecoveryDays,
	}
	for _, c := range s.Columns {
		in.Columns = append(in.Columns, schema.Column{Name: c.Name, Type: c.Type.internal()})
	}
	for i := range s.Indexes {
		index, err := s.Indexes[i].internal()
		if err != nil {
			return database.TableSpec{}, err
		}
		in.Indexes = append(in.Indexes, index)
	}
	if s.Regions > 0 {
		in.Regions = &region.Spec{Count: s.Regions}
	}
	return in, nil
}

func (s *IndexSpec) internal() (database.IndexSpec, error) {
	key, err := schemaParts(s.Key)
	if err != nil {
		return database.IndexSpec{}, err
	}
	in := database.IndexSpec{
		Name: s.Name, Key: key, PartitionParts: s.PartitionParts, Local: s.Local, KeepNulls: s.KeepNulls,
		Unique: s.Unique, Search: s.Search, Async: (*schema.Async)(s.Async), Include: s.Include,
	}
	switch {
	case len(s.Include) > 0:
		in.Projection = schema.ProjectInclude
	case s.KeysOnly:
		in.Projection = schema.ProjectKeys
	default:
		in.Projection = schema.ProjectAll
	}
	return in, nil
}

// indexOf describes an index that is there.
func indexOf(x *schema.Index) Index {
	spec := IndexSpec{
		Name: x.Name, Key: keyParts(x.Visible()), PartitionParts: x.PartitionParts, Local: x.Local,
		KeepNulls: x.KeepNulls, Unique: x.Unique, Search: x.Search, Async: (*Async)(x.Async), Include: x.Include,
	}
	if x.Search {
		spec.KeepNulls = false // as all of them do
	}
	spec.KeysOnly = x.Projection == schema.ProjectKeys && !x.Search
	return Index{IndexSpec: spec, Active: x.State == schema.Active}
}
