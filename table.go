// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/change"
)

// TableSpec describes a table to be made.
type TableSpec struct {
	// Database is the name space. Default: the default one, whose tables DynamoDB's API serves.
	Database string
	Name     string
	// Key is the primary key; its first PartitionParts parts are the partition key. Default of PartitionParts: 1.
	Key            []KeyPart
	PartitionParts int
	// HashDistributed prefixes every key by a hash of its partition key, so that growing partition keys do not meet at one end of the table. Items of one
	// partition stay in order, partitions do not. Default: ordered.
	HashDistributed bool
	// Columns are declared columns that are not in the key. A write of a value that the type does not take is refused. Items may have attributes that are not
	// declared.
	Columns []Column
	Indexes []IndexSpec
	// Regions is the number of regions that the table begins with. Default: 1, and on a cluster four for each node.
	Regions int
	// Cells gives attributes timestamps, lives and versions. Default: none.
	Cells *CellRules
}

func (s *TableSpec) internal() database.TableSpec {
	in := database.TableSpec{
		Database: s.Database, Name: s.Name, Key: schemaParts(s.Key), PartitionParts: s.PartitionParts, HashDistributed: s.HashDistributed, Cells: s.Cells.internal(),
	}
	for _, c := range s.Columns {
		in.Columns = append(in.Columns, schema.Column{Name: c.Name, Type: schema.Type(c.Type)})
	}
	for i := range s.Indexes {
		in.Indexes = append(in.Indexes, s.Indexes[i].internal())
	}
	if s.Regions > 0 {
		in.Regions = &region.Spec{Count: s.Regions}
	}
	return in
}

// Column is a declared column.
type Column struct {
	Name string
	Type Type
}

// IndexSpec describes an index to be made.
type IndexSpec struct {
	Name string
	Key  []KeyPart
	// PartitionParts is the number of leading key parts that make up the index's partition key. Default: 1.
	PartitionParts int
	// Local says that the index shares the table's partition key, as DynamoDB's local secondary indexes do.
	Local bool
	// KeepNulls gives items that lack a key attribute an entry, too, before all others. Default: the index leaves them out.
	KeepNulls bool
	// Unique lets no two items have the same key in the index, except for keys with a missing attribute or a null. The later writer gets a *DuplicateError.
	Unique bool
	// Search makes a search index: each part of Key is a field, Words of texts or a plain attribute, and queries find items by them in any combination. It keeps
	// nulls and holds no other attributes.
	Search bool
	// Async leaves changes of items to a job that brings a search index up to date after their commits. Default: their commits do.
	Async *Async
	// KeysOnly keeps all attributes but the keys out of the index, and Include all but the keys and those that it names. Default: the index holds whole
	// items.
	KeysOnly bool
	Include  []string
}

// Async says which changes of items an asynchronous search index learns of after their commits.
type Async struct {
	// EntriesMax is the number of entries of the index a change may write or delete within its commit; one that takes more is left to the job. 0: all are left.
	EntriesMax int
}

func (s *IndexSpec) internal() database.IndexSpec {
	in := database.IndexSpec{Name: s.Name, Key: schemaParts(s.Key), PartitionParts: s.PartitionParts, Local: s.Local, KeepNulls: s.KeepNulls, Unique: s.Unique, Search: s.Search, Async: (*schema.Async)(s.Async), Include: s.Include}
	switch {
	case len(s.Include) > 0:
		in.Projection = schema.ProjectInclude
	case s.KeysOnly:
		in.Projection = schema.ProjectKeys
	default:
		in.Projection = schema.ProjectAll
	}
	return in
}

// Index says how an index is made and whether it can be used.
type Index struct {
	IndexSpec
	// Active says that queries can use the index; its build has ended.
	Active bool
}

// Table is a handle of a table. It is safe for concurrent use.
type Table struct {
	table *database.Table
	stamp Stamp
}

func tableOf(t *database.Table, err error) (*Table, error) {
	if err != nil {
		return nil, err
	}
	return &Table{table: t}, nil
}

// Name returns the table's name.
func (t *Table) Name() string { return t.table.Name() }

// Put stores an item, replacing one with the same key. If conditions are given, all must be true of the item as it was; otherwise the error is of
// KindConditionFailed.
func (t *Table) Put(ctx context.Context, item Document, conditions ...Condition) error {
	_, err := t.write(ctx, item, &database.Write{Op: change.OpPut}, conditions)
	return err
}

// Delete removes the item with the given key; an absent one is no error.
func (t *Table) Delete(ctx context.Context, key Document, conditions ...Condition) error {
	_, err := t.write(ctx, key, &database.Write{Op: change.OpDelete}, conditions)
	return err
}

// Update changes the item with the given key, making one if there is none, and returns it as it is then.
func (t *Table) Update(ctx context.Context, key Document, update Update, conditions ...Condition) (Item, error) {
	u, err := update.internal()
	if err != nil {
		return Item{}, err
	}
	return t.write(ctx, key, &database.Write{Op: change.OpUpdate, Update: u, NeedNew: true}, conditions)
}

func (t *Table) write(ctx context.Context, d Document, w *database.Write, conditions []Condition) (Item, error) {
	all := All(conditions...)
	if all.err != nil {
		return Item{}, &database.Error{Kind: database.KindInvalid, Table: t.Name(), Err: all.err}
	}
	w.Condition, w.AtMS, w.LifeMS = all.condition, t.stamp.AtMS, t.stamp.LifeMS
	item, err := t.table.WriteDocument(ctx, database.Document(d), w)
	return Item{item}, err
}

// Get returns the item with the given key; ok is false if there is none.
func (t *Table) Get(ctx context.Context, key Document) (item Item, ok bool, err error) {
	found, ok, err := t.table.Get(ctx, database.Document(key))
	return Item{found}, ok, err
}

// Query walks the table or an index at one snapshot. The cursor must be closed; changes of the table wait for it.
func (t *Table) Query(ctx context.Context, q Query) (*Cursor, error) {
	in, err := q.internal()
	if err != nil {
		return nil, err
	}
	c, err := t.table.Query(ctx, in)
	return cursorOf(c, q.Limit, err)
}

// Documents walks a Query to its end and calls visit for each item. visit ends the walk early by returning false.
func (t *Table) Documents(ctx context.Context, q Query, visit func(Document) bool) error {
	c, err := t.Query(ctx, q)
	if err != nil {
		return err
	}
	defer c.Close()
	for c.Next() && visit(c.Item().Document()) {
	}
	return c.Close()
}

// Indexes describes the table's indexes.
func (t *Table) Indexes() ([]Index, error) {
	found, err := t.table.Indexes()
	indexes := make([]Index, 0, len(found))
	for i := range found {
		x := &found[i]
		spec := IndexSpec{Name: x.Name, Key: keyParts(x.Visible()), PartitionParts: x.PartitionParts, Local: x.Local, KeepNulls: x.KeepNulls, Unique: x.Unique, Include: x.Include}
		spec.KeysOnly = x.Projection == schema.ProjectKeys
		indexes = append(indexes, Index{IndexSpec: spec, Active: x.State == schema.Active})
	}
	return indexes, err
}

// AddIndex starts to build an index of a table that is in use. It returns as soon as the build has begun; queries can use the index once it is Active, and
// fail with KindBusy until then. Errors: KindExists, KindInvalid.
func (t *Table) AddIndex(ctx context.Context, spec IndexSpec) error {
	return t.table.AddIndex(ctx, spec.internal())
}

// Progress is how far the build of an index is.
type Progress struct {
	Done     int64 // items that the build has passed
	Expected int64 // items of the table, estimated; never below Done
	// Fault is why the build makes no progress, "" if it does: it is tried again until the items that it is about are changed, or the index is dropped.
	Fault string
	// Duplicate is the item that another one shares its key with, if that is the fault.
	Duplicate *DuplicateError
}

// BuildProgress returns how far the build of an index is; building is false for an index that is not being built. Errors: KindNotFound.
func (t *Table) BuildProgress(ctx context.Context, index string) (progress Progress, building bool, err error) {
	p, err := t.table.Pin()
	if err != nil {
		return Progress{}, false, err
	}
	defer p.Release()
	in, building, err := p.BuildProgress(ctx, index)
	return Progress{Done: in.Done, Expected: in.Expected, Fault: in.Fault, Duplicate: in.Duplicate}, building, err
}

// DropIndex removes an index: it stops answering at once; background work frees its space. Errors: KindNotFound.
func (t *Table) DropIndex(ctx context.Context, name string) error {
	return t.table.DropIndex(ctx, name)
}

// SetExpiry makes items expire at the time that an attribute holds, in seconds since 1970-01-01 UTC; "" ends that. Expired items are deleted in the
// background, soon after that time, and may be seen until then. Errors: KindNotFound, KindBusy, KindInvalid.
func (t *Table) SetExpiry(ctx context.Context, attribute string) error {
	return t.table.SetExpiry(ctx, attribute)
}

// Report is what Verify found.
type Report struct {
	Rows    int64
	Entries int64    // of all indexes that can be used
	Faults  []string // the first ones, for people
	More    int64    // faults besides those listed
}

// Verify compares every entry of every index with the items, at one snapshot.
func (t *Table) Verify(ctx context.Context) (Report, error) {
	report, err := t.table.Verify(ctx)
	return Report(report), err
}
