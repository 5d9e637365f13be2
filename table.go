// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"iter"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// Table is a handle of a table: of a DB, whose writes are commits of their own, or of a Tx, whose writes happen
// with it. It is safe for concurrent use if it is a DB's. The zero value is no table of any DB: its methods fail with
// KindInvalid.
type Table struct {
	db       *DB
	tx       *Tx // nil: a commit of its own for each write
	table    *database.Table
	database string
	stamp    Stamp
}

// Name returns the table's name.
func (t *Table) Name() string {
	if t == nil || t.table == nil {
		return ""
	}
	return t.table.Name()
}

// attached refuses a table that no DB has made.
func (t *Table) attached() error {
	if t == nil || t.table == nil {
		return invalid("", "this table belongs to no database: DB.Table, DB.EnsureTable and TableOf return those that do")
	}
	return nil
}

// pin takes the version of the table that a call works with. It must be released.
func (t *Table) pin() (database.Pinned, error) {
	if err := t.attached(); err != nil {
		return database.Pinned{}, err
	}
	if t.tx != nil {
		if t.tx.ended {
			return database.Pinned{}, invalid(t.Name(), "the transaction of this table has ended")
		}
		p, err := t.tx.tx.PinIn(t.database, t.Name())
		return p, public(err)
	}
	p, err := t.table.Pin()
	return p, public(err)
}

// outside refuses what can't be part of a transaction.
func (t *Table) outside(ctx context.Context, what string) error {
	if err := t.attached(); err != nil {
		return err
	}
	if t.tx != nil {
		return invalid(t.Name(), what+" can't be part of a transaction: use a table of the DB, outside of Update")
	}
	return t.db.outside(ctx, what)
}

// Drop removes the table at once; background work frees its space. Errors: KindNotFound.
func (t *Table) Drop(ctx context.Context) error {
	if err := t.outside(ctx, "Drop"); err != nil {
		return err
	}
	return public(t.db.db.DropTable(ctx, t.database, t.Name()))
}

// Indexes describes the table's indexes.
func (t *Table) Indexes() ([]Index, error) {
	p, err := t.pin()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	var indexes []Index
	for _, list := range []iter.Seq[*schema.Index]{p.Descriptor().Declared(), p.Descriptor().Searches()} {
		for x := range list {
			if x.State != schema.Retiring && x.State != schema.Dropping {
				indexes = append(indexes, indexOf(x))
			}
		}
	}
	return indexes, nil
}

// AddIndex begins to build an index of a table that is in use, and returns as soon as it has begun, once cursors
// and transactions that began before have ended. WaitIndex waits for its end; until then queries that name the
// index fail with KindBusy. Errors: KindExists, KindInvalid.
func (t *Table) AddIndex(ctx context.Context, spec IndexSpec) error {
	if err := t.outside(ctx, "AddIndex"); err != nil {
		return err
	}
	in, err := spec.internal()
	if err != nil {
		return err
	}
	return public(t.table.AddIndex(ctx, in))
}

// WaitIndex returns once an index answers queries. Errors: KindNotFound; KindInvalid if the index can't have some
// item, which it names; ctx's.
func (t *Table) WaitIndex(ctx context.Context, name string) error {
	if err := t.outside(ctx, "WaitIndex"); err != nil {
		return err
	}
	return public(t.table.WaitIndex(ctx, name))
}

// Progress is the progress of building an index.
type Progress struct {
	Done     int64 // items that the build has passed
	Expected int64 // items of the table, estimated; never below Done
	// Fault is why the build makes no progress, "" if it does: it is tried again until the items that it is about
	// are changed, or the index is dropped.
	Fault string
	// Duplicate is the item that another one shares its key with, if that is the fault.
	Duplicate *DuplicateError
}

// BuildProgress returns how far the build of an index is; building is false for an index that is not being built.
// Errors: KindNotFound.
func (t *Table) BuildProgress(ctx context.Context, index string) (progress Progress, building bool, err error) {
	p, err := t.pin()
	if err != nil {
		return Progress{}, false, err
	}
	defer p.Release()
	in, building, err := p.BuildProgress(ctx, index)
	progress = Progress{Done: in.Done, Expected: in.Expected, Fault: in.Fault, Duplicate: duplicateOf(in.Duplicate)}
	return progress, building, public(err)
}

// DropIndex removes an index: it stops answering at once; background work frees its space. Errors: KindNotFound.
func (t *Table) DropIndex(ctx context.Context, name string) error {
	if err := t.outside(ctx, "DropIndex"); err != nil {
		return err
	}
	return public(t.table.DropIndex(ctx, name))
}

// SetExpiry makes items expire at the time that an attribute holds, a number of seconds since 1970-01-01 UTC; ""
// ends that. Expired items are deleted in the background, soon after that time, and may be seen until then. Errors:
// KindNotFound, KindBusy; KindInvalid if items expire by another attribute.
func (t *Table) SetExpiry(ctx context.Context, attribute string) error {
	if err := t.outside(ctx, "SetExpiry"); err != nil {
		return err
	}
	return public(t.table.SetExpiry(ctx, attribute))
}

// Report is the result of Verify.
type Report struct {
	Rows    int64
	Entries int64    // of all indexes that can be used
	Faults  []string // the first ones, for people
	More    int64    // faults besides those listed
}

// Verify compares every entry of every index with the items, at one snapshot.
func (t *Table) Verify(ctx context.Context) (Report, error) {
	if err := t.outside(ctx, "Verify"); err != nil {
		return Report{}, err
	}
	report, err := t.table.Verify(ctx)
	return Report(report), public(err)
}

// Region is a range of adjacent keys of a table or an index: the unit of splits and of parallel reads.
type Region struct {
	ID string
	// Start and End are the values of key parts at which it begins and ends, by their names; empty: with the table.
	Start, End Document
	Items      int64  // about how many
	Bytes      int64  // of them, about
	Leader     string // address of the store that serves it; "" in a folder or in memory
}

// Regions returns the regions of the table ("") or of an index, in the order of keys. It reads up to some 50,000
// entries. Errors: KindNotFound.
func (t *Table) Regions(ctx context.Context, index string) ([]Region, error) {
	p, err := t.pin()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	shown, err := p.Regions(ctx, index)
	var list []Region
	for i := range shown {
		r := &shown[i]
		list = append(list, Region{
			ID: r.ID, Start: keyDocument(r.Start), End: keyDocument(r.End), Items: r.Rows, Bytes: r.Bytes,
			Leader: r.Leader,
		})
	}
	return list, public(err)
}

func keyDocument(parts []database.KeyValue) Document {
	d := Document{}
	for _, part := range parts {
		if !part.Hidden {
			d[part.Name] = goValue(part.Value)
		}
	}
	return d
}

// Split cuts the table ("") or an index into about count regions of about the same size; added is the number of new
// ones there are more. Nothing is moved; regions that nobody needs are merged after a day. Errors: KindNotFound,
// KindInvalid.
func (t *Table) Split(ctx context.Context, index string, count int) (added int, err error) {
	if err := t.outside(ctx, "Split"); err != nil {
		return 0, err
	}
	added, err = t.table.Split(ctx, index, database.RegionSpec{Count: count})
	return added, public(err)
}
