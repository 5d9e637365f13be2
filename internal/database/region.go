// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

type (
	// Region is a contiguous part of a table or an index. On an embedded engine regions are logical: ranges with
	// counts, at which parallel reads are cut. On a cluster they are its shards.
	Region = region.Shown
	// KeyValue is the value of one part of a region's first or last key.
	KeyValue = region.KeyValue
	// RegionSpec says with which regions a table or index begins.
	RegionSpec = region.Spec
	// RegionSettings say when regions are split and merged.
	RegionSettings = region.Settings
	// RegionSize is how large a region was when that was last looked at.
	RegionSize = region.Size
	// Traffic is the interface of regions to the code that counts requests.
	Traffic = region.Traffic
)

// OwnWork returns a context for code that maintains the database instead of using it, such as a program that checks its
// rows: what is read and written with it is not counted by Options.Traffic, and splits no regions.
func OwnWork(ctx context.Context) context.Context { return heat.OwnWork(ctx) }

// RegionsMax is the number of regions a table or index may begin with.
const RegionsMax = region.CountMax

// Regions returns the regions of a table ("") or index, in the order of keys. It reads up to some 50,000 entries.
// Errors: KindNotFound.
func (p Pinned) Regions(ctx context.Context, index string) ([]Region, error) {
	x, ok := p.table.Index(index)
	if !ok {
		return nil, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no index " + index}
	}
	if err := p.askWalk(ctx, &Query{Index: index}); err != nil { // regions begin at keys of items
		return nil, err
	}
	list, err := p.db.regions.Show(ctx, p.Descriptor().ID, x, p.sizer(ctx))
	return list, wrap(p.name(), err)
}

// RegionBorders returns the keys of the store at which regions of an index begin, and how many of them were there
// before the rows.
func (p Pinned) RegionBorders(ctx context.Context, index uint32) (borders [][]byte, preset int, err error) {
	return p.db.regions.Borders(ctx, p.table, index)
}

// Split makes regions of a table ("") or index begin where spec says. If there are entries and spec is only a number,
// they are cut into parts of about the same size. Nothing is moved; regions that nobody needs are merged after a day.
// added is the number of new ones. Errors: KindNotFound, KindInvalid.
func (t *Table) Split(ctx context.Context, index string, spec RegionSpec) (added int, err error) {
	if _, err := t.change(ctx, "dynamodb:UpdateTable"); err != nil {
		return 0, err
	}
	p, err := t.Pin()
	if err != nil {
		return 0, err
	}
	defer p.Release()
	x, ok := p.table.Index(index)
	if !ok {
		return 0, &Error{Kind: KindNotFound, Table: t.name, Detail: "no index " + index}
	}
	added, err = t.db.regions.SplitAs(ctx, p.Descriptor().ID, x, &spec, p.sizer(ctx))
	return added, wrap(t.name, err)
}

// AllRegions splits and merges the regions of all tables, and knows how large they were.
func (db *DB) AllRegions() *region.Keeper { return db.regions }

func (db *DB) startRegions(ctx context.Context) *region.Keeper {
	o := &db.options
	return region.Start(ctx, region.Options{
		Store: db.store, Catalog: db.catalog, Logger: o.Logger, Now: o.Now, Admin: db.admin, Traffic: o.Traffic,
		Settings:  o.Regions,
		Compile:   func(v *catalog.Version) *record.Table { return compileTable(v) },
		SizeOf:    func(ctx context.Context) func(kv.Range) int64 { return Pinned{db: db}.sizer(ctx) },
		TellSplit: db.changes.Divide,
	})
}

// regions are the specs of the table's own key and of its indexes.
func (s *TableSpec) regions() []*RegionSpec {
	list := []*RegionSpec{s.Regions}
	for i := range s.Indexes {
		list = append(list, s.Indexes[i].Regions)
	}
	return list
}
