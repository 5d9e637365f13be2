// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/hbase"
)

// named does what one call does with a table's name.
func (o *one) named(ctx context.Context, a *takenOne, do func(context.Context, hbase.TableName) error) error {
	return namedTable(a.table, func(name hbase.TableName) error { return do(ctx, name) })
}

// enableTable lets calls on rows in.
func (o *one) enableTable(ctx context.Context, a *takenOne) error {
	return o.named(ctx, a, o.api().Enable)
}

// disableTable refuses calls on rows.
func (o *one) disableTable(ctx context.Context, a *takenOne) error {
	return o.named(ctx, a, o.api().Disable)
}

// isTableEnabled reports whether a table is enabled.
func (o *one) isTableEnabled(ctx context.Context, a *takenOne) (enabled bool, err error) {
	err = o.named(ctx, a, func(ctx context.Context, name hbase.TableName) error {
		table, err := o.api().Describe(ctx, name)
		enabled = err == nil && !table.Disabled
		return err
	})
	return enabled, err
}

// compact rewrites the rows of a table without their invisible cells. It returns at once.
func (o *one) compact(ctx context.Context, a *takenOne) error {
	a.table, _, _ = bytes.Cut(a.table, []byte(",")) // a region's name begins with its table's
	return o.named(ctx, a, o.api().Compact)
}

// tables are the descriptions of all tables.
func (o *one) tables(ctx context.Context, _ *takenOne) ([]*hbase.Table, error) {
	return o.api().Tables(ctx, "")
}

// columnDescriptors describes the families of a table. Their names end with a colon here.
func (o *one) columnDescriptors(ctx context.Context, a *takenOne) (families []familyOne, err error) {
	err = o.named(ctx, a, func(ctx context.Context, name hbase.TableName) error {
		table, err := o.api().Describe(ctx, name)
		if err != nil {
			return err
		}
		for i := range table.Families {
			families = append(families, familyOf(&table.Families[i]))
		}
		return nil
	})
	return families, err
}

func familyOf(f *hbase.Family) familyOne {
	d := newFamilyOne()
	d.name, d.versions, d.life = []byte(f.Name+":"), int32(min(f.Versions, 1<<31-1)), secondsOf(f.LifeMS)
	if text, ok := f.Attributes[attributeCompression]; ok {
		d.compression = []byte(text)
	}
	if text, ok := f.Attributes[attributeBloom]; ok {
		d.bloomFilter = []byte(text)
	}
	d.inMemory = strings.EqualFold(f.Attributes[attributeInMemory], "true")
	d.isCached = strings.EqualFold(f.Attributes[attributeBlockCache], "true")
	return d
}

// family is familyOf's other direction.
func (d *familyOne) family() (f hbase.Family, err error) {
	f = hbase.Family{Name: strings.TrimSuffix(string(d.name), ":"), Versions: int(d.versions),
		Attributes: map[string]string{
			attributeCompression: string(d.compression), attributeBloom: string(d.bloomFilter),
			attributeInMemory: strconv.FormatBool(d.inMemory), attributeBlockCache: strconv.FormatBool(d.isCached),
		}}
	f.LifeMS, err = lifeOfFamily(&d.life)
	return f, err
}

// createTable makes a table.
func (o *one) createTable(ctx context.Context, a *takenOne) error {
	name, err := hbase.ParseTableName(a.table)
	table := &hbase.Table{TableName: name}
	for i := range a.families {
		if err == nil {
			var f hbase.Family
			f, err = a.families[i].family()
			table.Families = append(table.Families, f)
		}
	}
	if err != nil {
		return err
	}
	return o.api().CreateTable(ctx, table, nil)
}

// deleteTable removes a disabled table.
func (o *one) deleteTable(ctx context.Context, a *takenOne) error {
	return o.named(ctx, a, o.api().DropTable)
}

// tableRegions says where the rows of a table are. Those of a table that is not there are nowhere.
func (o *one) tableRegions(ctx context.Context, a *takenOne) (regions []place, err error) {
	err = o.named(ctx, a, func(ctx context.Context, name hbase.TableName) error {
		list, err := o.api().Locations(ctx, name)
		for i := range list {
			regions = append(regions, o.placeOf(nil, list[i]))
		}
		if hbase.IsTableNotFound(err) {
			return nil
		}
		return err
	})
	return regions, err
}

// regionInfo says where a row of HBase's own table of regions points: a table's name, a row's key and the rest of a
// region's name, with commas between.
func (o *one) regionInfo(ctx context.Context, a *takenOne) (region place, err error) {
	table, rest, _ := bytes.Cut(a.row, []byte(","))
	key := rest
	if i := bytes.LastIndexByte(rest, ','); i >= 0 {
		key = rest[:i]
	}
	err = namedTable(table, func(name hbase.TableName) error {
		l, err := o.api().Location(ctx, name, key)
		region = o.placeOf(nil, l)
		return err
	})
	return region, err
}
