// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/tuning"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// CurveAttribute says how one attribute of a Z-order index is coded.
type CurveAttribute = tuning.Attribute

// PageIndex is the attribute by which the page keys of a Z-order index name the very index that they were made on, by
// its id: rows stand in another order in the one that replaces it. Page keys of a Query with AnyIndex carry it, too.
const PageIndex = tuning.PageAttribute

// ErrPageKey is wrapped by the error of a Query whose After was made on an index that is no longer there, or on another
// one.
var ErrPageKey = tuning.ErrPageKey

// CurveOf returns how the attributes of a Z-order index are coded, in their order, and how well that suits its rows
// now, which it finds out by reading a sample of some thousands. The list is empty for other indexes. "" is the table's
// own key. Errors: KindNotFound, KindBusy.
func (p Pinned) CurveOf(ctx context.Context, index string) ([]CurveAttribute, error) {
	x, err := p.index(index)
	if err != nil {
		return nil, err
	}
	reader, err := p.db.store.Read(heat.OwnWork(ctx))
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	defer reader.Close()
	list, err := tuning.Describe(ctx, reader, p.table, x, p.sizer(ctx))
	return list, wrap(p.name(), err)
}

// RebuildIndex begins to build a Z-order index anew, with codecs learned from the table's rows as they are now. The
// index answers queries all the while. Background work does the same where it pays; see Options.RebuildInterval. It
// returns as soon as the build has begun; WaitJobs waits for its end. Errors: KindNotFound; KindBusy while the index is
// being built; KindInvalid for an index none of whose codecs is learned from rows.
func (t *Table) RebuildIndex(ctx context.Context, index string) error {
	id, err := t.change(ctx, "dynamodb:UpdateTable")
	if err != nil {
		return err
	}
	return wrap(t.name, t.db.keeper.Rebuild(ctx, id, index))
}

// Rebuild looks at all Z-order indexes now, as background work does every Options.RebuildInterval: it begins to rebuild
// those with rows enough to learn codecs from, and those whose codecs no longer suit their rows, and drops those that
// were replaced longer than Options.PageKeyLife ago. begun is the number of rebuilds it has begun.
func (db *DB) Rebuild(ctx context.Context) (begun int, err error) {
	begun, err = db.keeper.Look(ctx, true)
	return begun, wrap("", err)
}

func (db *DB) startKeeper() *tuning.Keeper {
	o := &db.options
	return tuning.Start(tuning.Options{
		Store: db.store, Catalog: db.catalog, Logger: o.Logger, Now: o.Now, Change: db.changeAll,
		Compile:  func(v *catalog.Version) *record.Table { return compileTable(v) },
		SizeOf:   func(ctx context.Context) func(kv.Range) int64 { return Pinned{db: db}.sizer(ctx) },
		Owned:    db.ownsRebuilds,
		Interval: o.RebuildInterval, RowsMin: o.RebuildRowsMin, PageKeyLife: o.PageKeyLife,
	})
}

// learnFor learns the codecs of an index to be added to the table from its rows.
func (t *Table) learnFor(ctx context.Context, spec *IndexSpec) (sample *schema.Sample, err error) {
	p, err := t.Pin()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	spec.Key, sample, err = t.db.keeper.Learn(ctx, p.table, spec.Key)
	return sample, wrap(t.name, err)
}

// CanLearn reports whether the table has a Z-order index whose codes are to be learned from rows and were not yet.
func (p Pinned) CanLearn() bool {
	return slices.ContainsFunc(p.Descriptor().Indexes, isUnlearned)
}

func isUnlearned(x schema.Index) bool {
	return x.State == schema.Active && x.Rebuild == nil && x.Sample == nil && tuning.CanLearn(x.Key)
}

// LearnFrom learns the codes of Z-order indexes from rows that are about to be loaded into the table, which must be
// empty and in nobody else's use. learned is the number of indexes that have learned some. Errors: KindInvalid for a
// table that has rows.
func (t *Table) LearnFrom(ctx context.Context, rows []value.Row) (learned int, err error) {
	if _, err := t.change(ctx, "dynamodb:UpdateTable"); err != nil {
		return 0, err
	}
	p, err := t.Pin()
	if err != nil {
		return 0, err
	}
	keys, samples, err := t.learnKeys(ctx, p, rows)
	id := p.Descriptor().ID
	p.Release() // before the change, which waits for it
	if err != nil || len(keys) == 0 {
		return 0, wrap(t.name, err)
	}
	err = t.db.changeAll(ctx, id, func(table *schema.Table) ([]job.Job, error) {
		for i := range table.Indexes {
			if x := &table.Indexes[i]; keys[x.ID] != nil && isUnlearned(*x) {
				x.Key, x.Sample = keys[x.ID], samples[x.ID]
			}
		}
		return nil, table.Validate()
	})
	return len(keys), wrap(t.name, err)
}

// learnKeys returns the learned keys of indexes by their ids, and the sample from which each was learned.
func (t *Table) learnKeys(ctx context.Context, p Pinned, rows []value.Row) (keys map[uint32][]schema.KeyPart,
	samples map[uint32]*schema.Sample, err error) {
	if why := p.Loading().Able(ctx); why != nil {
		return nil, nil, invalid(t.name,
			"codes are learned from rows that are not there yet for an empty table only: %v", why)
	}
	keys, samples = map[uint32][]schema.KeyPart{}, map[uint32]*schema.Sample{}
	for _, x := range p.Descriptor().Indexes {
		if !isUnlearned(x) {
			continue
		}
		key, sample, err := tuning.LearnFrom(x.Key, rows, p.Names())
		if err != nil {
			return nil, nil, err
		}
		if sample != nil {
			sample.AtMS = t.db.options.Now().UnixMilli()
			keys[x.ID], samples[x.ID] = key, sample
		}
	}
	return keys, samples, nil
}

// pageKey returns the key of an entry as a row, with the index's id where the page key must name it.
func (c *Cursor) pageKey(key []byte) (value.Row, error) {
	row, err := c.pin.decodeKey(nil, c.index, key)
	if err != nil || !c.anyIndex && (c.index.IsPrimary() || !c.index.Curved()) {
		return row, err
	}
	row, err = tuning.AppendPage(nil, c.index, row, c.pin.Names())
	return row, wrap(c.pin.name(), err)
}
