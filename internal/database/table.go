// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/zorder/codec"
)

// TableSpec describes a table to be made.
type TableSpec struct {
	// Database is the name space. Default: DefaultDatabase.
	Database string
	Name     string
	// Key is the primary key; its first PartitionParts parts are the partition key. Default of PartitionParts: 1.
	Key            []schema.KeyPart
	PartitionParts int
	// HashDistributed prefixes every key by a hash of its partition key, so that growing partition keys do not meet at
	// one end of the table. Items of one partition stay in order, partitions do not. Default: ordered.
	HashDistributed bool
	// Columns are declared columns that are not in the key. A write of one that its type does not take is refused with
	// a *ColumnTypeError, whoever writes; AnyType takes all values. Rows may have attributes that are not declared.
	Columns []schema.Column
	Indexes []IndexSpec
	// Regions says with which regions the table begins. Default: with one, and on a cluster with four for each node, up
	// to 64.
	Regions *RegionSpec
	// Cells gives attributes times, lives and versions. Default: none.
	Cells *cell.Rules
	// Rules says which writes a dialect has to judge. Default: none.
	Rules schema.Rules
	// Stream switches a stream of the table's changes on, with these images. Default: none is on.
	Stream *schema.Images
	// RecoveryDays keeps the changes of so many days, so that the table can be restored as it was at any moment of
	// them. Default: none are kept.
	RecoveryDays int
	// Dialect is kept with the table for a dialect, unread.
	Dialect map[string]json.RawMessage
	// Filling makes a table that nobody finds by its name before it is Revealed: rows are loaded into it first. Its
	// name is taken.
	Filling bool
	// Task is filed in the commit that makes the table. Default: none.
	Task *TableTask
}

// IndexSpec describes an index to be made.
type IndexSpec struct {
	Name           string
	Key            []schema.KeyPart
	PartitionParts int // default: 1
	Local          bool
	KeepNulls      bool
	// Unique lets no two items have the same key in the index, but for keys that hold a null. A write that would
	// make a second one fails with a *DuplicateError.
	Unique bool
	// Search makes a search index, of which each part of Key is a field: a column, or Words. It keeps nulls and
	// projects nothing else.
	Search bool
	// Async leaves changes of items to a job that brings a search index up to date after their commits; nil: their
	// commits do.
	Async      *schema.Async
	Projection schema.Projection
	Include    []string
	Regions    *RegionSpec // as of a table
	Dialect    map[string]json.RawMessage
}

// Columns makes plain key parts of pairs of a name (string) and a Type. It panics on anything else, as a literal with a
// wrong type would not compile.
func Columns(pairs ...any) []schema.KeyPart {
	parts := make([]schema.KeyPart, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		part, err := Part(pairs[i].(string), pairs[i+1].(schema.Type))
		if err != nil {
			panic(err) // lint:invariant the arguments are literals of the program
		}
		parts = append(parts, part)
	}
	return parts
}

// Part makes a key part of a column's name or of an expression such as `concat(day,'#',user)`, `hash32(id)`,
// `reverse(id)` or `desc(at)`.
func Part(name string, t schema.Type) (schema.KeyPart, error) {
	part, _, err := keytext.Parse(name, t)
	if err != nil {
		return schema.KeyPart{}, &Error{Kind: KindInvalid, Err: err}
	}
	return part, nil
}

// ZOrder makes a key part that joins several attributes, the first of which owns the first bit: see docs/zorder.md.
// Errors: KindInvalid.
func ZOrder(attributes ...codec.Attribute) (schema.KeyPart, error) {
	return Part("zorder("+codec.Format(attributes)+")", schema.Binary)
}

// CreateTable makes a table and returns it. Errors: KindExists, KindInvalid; KindNotFound for a database that is not
// there.
func (db *DB) CreateTable(ctx context.Context, spec TableSpec) (*Table, error) {
	if err := db.guard.Named(ctx, "dynamodb:CreateTable", spec.Database, spec.Name); err != nil {
		return nil, err
	}
	table := db.describe(&spec)
	if spec.Cells != nil {
		table.AddCellIndex(schema.Active)
	}
	if spec.Stream != nil {
		if err := db.changes.StreamOn(table, *spec.Stream); err != nil {
			return nil, err
		}
	}
	if err := db.recovery.Keep(table, spec.RecoveryDays); err != nil {
		return nil, err
	}
	made, err := db.create(ctx, table, spec.regions(), spec.Task)
	if err == nil && !table.JournalSettled() { // it can be restored to any moment from when this returns
		err = wrap(table.Name, db.changes.SettleTable(ctx, table.ID))
	}
	return made, err
}

// describe returns the schema of a spec, without the parts that are switched on later.
func (db *DB) describe(spec *TableSpec) *schema.Table {
	key, columns := schema.Identified(spec.Key, spec.Columns)
	table := &schema.Table{
		Database: databaseOr(spec.Database), Name: spec.Name, UUID: uuid.NewString(),
		CreatedAtMS: db.options.Now().UnixMilli(), NextIndexID: 1,
		Columns: columns, Rules: spec.Rules, Dialect: spec.Dialect, Filling: spec.Filling,
		Primary: schema.Index{Key: distribute(spec.HashDistributed, key, spec.PartitionParts),
			PartitionParts: max(spec.PartitionParts, 1)},
	}
	for _, index := range spec.Indexes {
		addIndex(table, index, schema.Active, table.CreatedAtMS)
	}
	if spec.Cells != nil {
		rules := *spec.Cells
		rules.SinceMS, rules.Pending, table.Cells = 0, false, &rules
	}
	return table
}

// CreateLike makes a table as another store has it, by its schema.Outline, for rows that are loaded as they were stored
// there. Nobody finds it by its name before it is Revealed, and its changes are not kept: its stream and its recovery
// are to be switched on when the rows are there. Errors: those of CreateTable.
func (db *DB) CreateLike(ctx context.Context, outline *schema.Table) (*Table, error) {
	table := outline.Clone()
	if err := db.guard.Named(ctx, "dynamodb:CreateTable", table.Database, table.Name); err != nil {
		return nil, err
	}
	table.UUID, table.CreatedAtMS, table.Filling, table.Streams, table.Recovery = uuid.NewString(), db.nowMS(), true,
		nil, nil
	return db.create(ctx, table, make([]*RegionSpec, 1+len(table.Indexes)), nil)
}

// create stores a table that has no id yet, and files a task with it, if there is one.
func (db *DB) create(ctx context.Context, table *schema.Table, regions []*RegionSpec, filed *TableTask) (*Table,
	error) {
	if table.IsFollowed() {
		if err := db.changes.Need(table.Name); err != nil {
			return nil, err
		}
	}
	if err := table.Validate(); err != nil {
		return nil, &Error{Kind: KindInvalid, Table: table.Name, Err: err}
	}
	if err := db.recovery.CheckArrivals(ctx, table.Database, table.Name); err != nil {
		return nil, err
	}
	presets, err := db.regions.Presets(ctx, table, regions)
	if err == nil {
		err = db.catalog.Create(ctx, table, func(txn kv.Txn) error {
			if err := db.regions.Begin(ctx, txn, table.ID, presets); err != nil || filed == nil {
				return err
			}
			return task.Open(ctx, txn, filed.Kind, filed.ID, filed.Detail(table))
		})
	}
	if err != nil {
		return nil, wrap(table.Name, err)
	}
	db.regions.Publish(ctx, table.ID, presets)
	if filed != nil {
		db.tasks.Wake(filed.Kind)
	}
	if _, expires := table.Expiry(); expires || table.Cells != nil {
		db.jobs.Watch(table.ID)
	}
	if table.Filling {
		return db.Filling(table.ID)
	}
	return &Table{db: db, database: table.Database, name: table.Name}, nil
}

func databaseOr(name string) string {
	if name == "" {
		return DefaultDatabase
	}
	return name
}

func distribute(hash bool, key []schema.KeyPart, partitionParts int) []schema.KeyPart {
	if !hash {
		return key
	}
	return append([]schema.KeyPart{keytext.HashDistribution(key, max(partitionParts, 1))}, key...)
}

// addIndex gives the index an id and the table's distribution.
func addIndex(table *schema.Table, spec IndexSpec, state schema.State, nowMS int64) *schema.Index {
	hash := len(table.Primary.Key) > 0 && table.Primary.Key[0].Hidden && !spec.Search
	if spec.Search {
		spec.KeepNulls, spec.Projection, spec.Key = true, schema.ProjectKeys, schema.Numbered(spec.Key)
	}
	table.Indexes = append(table.Indexes, schema.Index{
		ID: table.NextIndexID, Name: spec.Name, Key: distribute(hash, spec.Key, spec.PartitionParts),
		PartitionParts: max(spec.PartitionParts, 1),
		Local:          spec.Local, KeepNulls: spec.KeepNulls, Unique: spec.Unique, Search: spec.Search,
		Async:      spec.Async,
		Projection: spec.Projection, Include: spec.Include, State: state, CreatedAtMS: nowMS, Dialect: spec.Dialect,
	})
	table.NextIndexID++
	return &table.Indexes[len(table.Indexes)-1]
}

// Tables returns up to limit names of the database's tables after the given one, in order.
func (db *DB) Tables(database, after string, limit int) []string {
	return db.catalog.Tables(databaseOr(database), after, limit)
}

// DropTable makes a table vanish at once; a job frees its space. Errors: KindNotFound.
func (db *DB) DropTable(ctx context.Context, database, name string) error {
	if err := db.guard.Named(ctx, "dynamodb:DeleteTable", database, name); err != nil {
		return err
	}
	version, err := db.catalog.Acquire(databaseOr(database), name)
	if err != nil {
		return wrap(name, err)
	}
	id := version.Table.ID
	version.Release()
	return wrap(name, db.drop(ctx, id))
}

func (db *DB) drop(ctx context.Context, id uint32) error {
	return db.change(ctx, id, job.Job{Kind: job.DropTable, Table: id}, func(table *schema.Table, work *job.Job) error {
		if table.State == schema.Dropping {
			return catalog.ErrNotFound
		}
		table.State, work.Database, work.Title = schema.Dropping, table.Database, table.Name
		return nil
	})
}

// change edits a descriptor and files a job for the rest, in one transaction.
func (db *DB) change(ctx context.Context, id uint32, work job.Job, edit func(*schema.Table, *job.Job) error) error {
	return db.changeAll(ctx, id, func(table *schema.Table) ([]job.Job, error) {
		err := edit(table, &work)
		return []job.Job{work}, err
	})
}

// changeAll is change for any number of jobs.
func (db *DB) changeAll(ctx context.Context, id uint32, edit func(*schema.Table) ([]job.Job, error)) error {
	var work []job.Job
	table, err := db.catalog.Change(ctx, id, func(table *schema.Table) (err error) {
		work, err = edit(table)
		return err
	}, func(txn kv.Txn) error {
		for i := range work {
			if err := job.File(ctx, txn, &work[i], db.nowMS()); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range work {
		if table != nil {
			db.jobs.Add(work[i])
		}
	}
	return err
}

// AddIndex starts to build an index on a table in use. Codecs of a Z-order are learned from the rows before, unless
// they are declared codec=raw. It returns as soon as the build has begun; the index answers queries once its State is
// Active. Errors: KindExists, KindInvalid.
func (t *Table) AddIndex(ctx context.Context, spec IndexSpec) error {
	id, err := t.change(ctx, "dynamodb:UpdateTable")
	if err != nil {
		return err
	}
	if err := t.db.changes.Need(t.name); err != nil && spec.Async != nil {
		return err
	}
	sample, err := t.learnFor(ctx, &spec)
	if err != nil {
		return err
	}
	presets := region.Presets{}
	err = t.db.change(ctx, id, job.Job{Kind: job.BuildIndex, Table: id},
		func(table *schema.Table, work *job.Job) error {
			if _, exists := table.Index(spec.Name); exists {
				return &Error{Kind: KindExists, Table: t.name, Detail: fmt.Sprintf("an index %s exists", spec.Name)}
			}
			index := addIndex(table, spec, schema.DeleteOnly, t.db.options.Now().UnixMilli())
			index.Sample, work.Index = sample, index.ID
			if err := table.Validate(); err != nil {
				return &Error{Kind: KindInvalid, Table: t.name, Err: err}
			}
			clear(presets)
			return t.db.regions.Preset(ctx, presets, index, spec.Regions)
		})
	if err == nil {
		t.db.regions.Presplit(ctx, id, presets)
	}
	return wrap(t.name, err)
}

// DropIndex removes an index: it stops answering at once, a job frees its space. Errors: KindNotFound.
func (t *Table) DropIndex(ctx context.Context, name string) error {
	id, err := t.change(ctx, "dynamodb:UpdateTable")
	if err != nil {
		return err
	}
	return wrap(t.name, t.db.changeAll(ctx, id, func(table *schema.Table) ([]job.Job, error) {
		index, ok := table.Index(name)
		if !ok || index.IsPrimary() || index.State == schema.Retiring || index.State == schema.Dropping {
			return nil, &Error{Kind: KindNotFound, Table: t.name, Detail: fmt.Sprintf("no index %s", name)}
		}
		index.State = schema.Retiring
		work := []job.Job{{Kind: job.DropIndex, Table: id, Index: index.ID}}
		for other := range table.Rebuilds(name) {
			if other.State != schema.Retiring && other.State != schema.Dropping {
				other.State = schema.Retiring
				work = append(work, job.Job{Kind: job.DropIndex, Table: id, Index: other.ID})
			}
		}
		return work, nil
	}))
}

// Rename gives the table another name, in another database perhaps; edit sees the descriptor before that. Errors: those
// of Edit, KindExists.
func (t *Table) Rename(ctx context.Context, database, name string, edit func(*schema.Table) error) error {
	id, err := t.change(ctx, "dynamodb:DeleteTable") // the old name is gone
	if err == nil {
		err = t.db.guard.Named(ctx, "dynamodb:CreateTable", database, name)
	}
	if err == nil {
		_, err = t.db.catalog.RenameTable(ctx, id, databaseOr(database), name, edit)
	}
	return wrap(name, err)
}

// RenameAttributes is Edit that also gives attributes other names, one after another, in all rows and keys at
// once: rows hold a number for each. edit sees the descriptor before that. No row may have an attribute of a new name
// that is not renamed first. Errors: those of Edit, KindInvalid if a computed key part names an attribute.
func (t *Table) RenameAttributes(ctx context.Context, renamings []Renaming, edit func(*schema.Table) error) error {
	id, err := t.change(ctx, "dynamodb:UpdateTable")
	if err != nil {
		return err
	}
	_, err = t.db.catalog.Rename(ctx, id, renamings, edit)
	if errors.Is(err, catalog.ErrNamesFull) {
		err = &Error{Kind: KindInvalid, Table: t.name, Err: err}
	}
	return wrap(t.name, err)
}

// Edit changes what is kept with the table: what a dialect keeps, there and with its indexes; declared columns; rules
// of cells; streams, destinations and recovery, which DB.Changes and DB.Recovery switch. edit gets a copy of the
// descriptor.
//
// A declared type governs writes that come after; rows stay as they are. What was written before the table had rules of
// cells counts as written now. Reads follow new rules at once; rows that outlive or underlive the old ones are
// rewritten in the background. Rules can't be taken away: zero ones ask for nothing but times. Errors: KindNotFound,
// KindInvalid, edit's.
func (t *Table) Edit(ctx context.Context, edit func(*schema.Table) error) error {
	id, err := t.change(ctx, "dynamodb:UpdateTable")
	if err != nil {
		return err
	}
	pending, unsettled := false, false
	err = t.db.changeAll(ctx, id, func(table *schema.Table) ([]job.Job, error) {
		var before *cell.Rules
		if table.Cells != nil {
			rules := *table.Cells
			before = &rules
		}
		if err := edit(table); err != nil {
			return nil, err
		}
		work, err := t.db.beginCells(table, before)
		if err != nil {
			return nil, err
		}
		if err := table.Validate(); err != nil {
			return nil, &Error{Kind: KindInvalid, Table: table.Name, Err: err}
		}
		pending, unsettled = table.Cells != nil && table.Cells.Pending, !table.JournalSettled()
		return work, nil
	})
	if err == nil && pending {
		err = t.db.jobs.Enforce(ctx, id)
	}
	if err == nil && unsettled {
		err = t.db.changes.SettleTable(ctx, id)
	}
	return wrap(t.name, err)
}

// Fillings returns the tables that are being filled: nobody finds them by their names yet, which are taken.
func (db *DB) Fillings() []*schema.Table { return db.catalog.Fillings() }

// Filling returns the table of an id that is being filled. Errors: KindNotFound.
func (db *DB) Filling(id uint32) (*Table, error) {
	for _, table := range db.Fillings() {
		if table.ID == id {
			return &Table{db: db, database: table.Database, name: table.Name, filling: id}, nil
		}
	}
	return nil, &Error{Kind: KindNotFound, Detail: fmt.Sprintf("no table of id %d is being filled", id)}
}

// Reveal lets a table that was filled be found by its name.
func (t *Table) Reveal(ctx context.Context) error {
	id, err := t.change(ctx, "dynamodb:CreateTable")
	if err == nil {
		_, err = t.db.catalog.Change(ctx, id, func(table *schema.Table) error { table.Filling = false; return nil },
			nil)
	}
	return wrap(t.name, err)
}

// Discard drops a table that is being filled. Errors: KindNotFound for one that is not.
func (t *Table) Discard(ctx context.Context) error {
	if err := t.db.guard.Named(ctx, "dynamodb:DeleteTable", t.database, t.name); err != nil {
		return err
	}
	return wrap(t.name, t.db.drop(ctx, t.filling))
}
