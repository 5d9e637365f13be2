// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/hbasethrift/hbase1"
)

// named does what one call does with a table's name.
func (o *one) named(ctx context.Context, table []byte, do func(context.Context, hbase.TableName) error) error {
	name, err := hbase.ParseTableName(table)
	if err == nil {
		err = do(ctx, name)
	}
	return o.io(ctx, err)
}

// EnableTable lets calls on rows in.
func (o *one) EnableTable(ctx context.Context, tableName []byte) error {
	return o.named(ctx, tableName, o.api().Enable)
}

// DisableTable refuses calls on rows.
func (o *one) DisableTable(ctx context.Context, tableName []byte) error {
	return o.named(ctx, tableName, o.api().Disable)
}

// IsTableEnabled says whether a table is enabled.
func (o *one) IsTableEnabled(ctx context.Context, tableName []byte) (enabled bool, err error) {
	err = o.named(ctx, tableName, func(ctx context.Context, name hbase.TableName) error {
		table, err := o.api().Describe(ctx, name)
		enabled = err == nil && !table.Disabled
		return err
	})
	return enabled, err
}

// Compact and MajorCompact rewrite the rows of a table without what nobody sees any more. They return at once.
func (o *one) Compact(ctx context.Context, tableNameOrRegionName []byte) error {
	return o.MajorCompact(ctx, tableNameOrRegionName)
}

// MajorCompact is Compact.
func (o *one) MajorCompact(ctx context.Context, tableNameOrRegionName []byte) error {
	table, _, _ := bytes.Cut(tableNameOrRegionName, []byte(",")) // a region's name begins with its table's
	return o.named(ctx, table, o.api().Compact)
}

// GetTableNames returns the names of all tables.
func (o *one) GetTableNames(ctx context.Context) ([][]byte, error) {
	tables, err := o.api().Tables(ctx, "")
	names := make([][]byte, len(tables))
	for i, table := range tables {
		names[i] = []byte(table.TableName.String())
	}
	return names, o.io(ctx, err)
}

// GetTableNamesWithIsTableEnabled returns the names of all tables, and whether they are enabled.
func (o *one) GetTableNamesWithIsTableEnabled(ctx context.Context) (map[string]bool, error) {
	tables, err := o.api().Tables(ctx, "")
	enabled := make(map[string]bool, len(tables))
	for _, table := range tables {
		enabled[table.TableName.String()] = !table.Disabled
	}
	return enabled, o.io(ctx, err)
}

// GetColumnDescriptors describes the families of a table. Their names end with a colon here.
func (o *one) GetColumnDescriptors(ctx context.Context, tableName []byte) (families map[string]*hbase1.ColumnDescriptor, err error) {
	families = map[string]*hbase1.ColumnDescriptor{}
	err = o.named(ctx, tableName, func(ctx context.Context, name hbase.TableName) error {
		table, err := o.api().Describe(ctx, name)
		if err != nil {
			return err
		}
		for i := range table.Families {
			d := descriptorOne(&table.Families[i])
			families[string(d.Name)] = d
		}
		return nil
	})
	return families, err
}

func descriptorOne(f *hbase.Family) *hbase1.ColumnDescriptor {
	d := hbase1.NewColumnDescriptor()
	d.Name, d.MaxVersions, d.TimeToLive = []byte(f.Name+":"), int32(min(f.Versions, 1<<31-1)), secondsOf(f.LifeMS)
	if text, ok := f.Attributes[attributeCompression]; ok {
		d.Compression = []byte(text)
	}
	if text, ok := f.Attributes[attributeBloom]; ok {
		d.BloomFilterType = []byte(text)
	}
	d.InMemory = strings.EqualFold(f.Attributes[attributeInMemory], "true")
	d.BlockCacheEnabled = strings.EqualFold(f.Attributes[attributeBlockCache], "true")
	return d
}

// CreateTable makes a table.
func (o *one) CreateTable(ctx context.Context, tableName []byte, columnFamilies []*hbase1.ColumnDescriptor) error {
	name, err := hbase.ParseTableName(tableName)
	table := &hbase.Table{TableName: name}
	for _, d := range columnFamilies {
		f := hbase.Family{Name: strings.TrimSuffix(string(d.Name), ":"), Versions: int(d.MaxVersions), Attributes: map[string]string{
			attributeCompression: string(d.Compression), attributeBloom: string(d.BloomFilterType),
			attributeInMemory: strconv.FormatBool(d.InMemory), attributeBlockCache: strconv.FormatBool(d.BlockCacheEnabled),
		}}
		if err == nil {
			f.LifeMS, err = lifeOfFamily(&d.TimeToLive)
		}
		table.Families = append(table.Families, f)
	}
	if err == nil {
		err = o.api().CreateTable(ctx, table, nil)
	}
	if hbase.IsTableExists(err) {
		return &hbase1.AlreadyExists{Message: o.fail(ctx, err).message}
	}
	return o.argument(ctx, err)
}

// DeleteTable removes a disabled table.
func (o *one) DeleteTable(ctx context.Context, tableName []byte) error {
	return o.named(ctx, tableName, o.api().DropTable)
}

// GetTableRegions says where the rows of a table are.
func (o *one) GetTableRegions(ctx context.Context, tableName []byte) (regions []*hbase1.TRegionInfo, err error) {
	regions = []*hbase1.TRegionInfo{}
	err = o.named(ctx, tableName, func(ctx context.Context, name hbase.TableName) error {
		list, err := o.api().Locations(ctx, name)
		for i := range list {
			regions = append(regions, o.regionOne(&list[i]))
		}
		if hbase.IsTableNotFound(err) {
			return nil
		}
		return err
	})
	return regions, err
}

// GetRegionInfo says where a row of HBase's own table of regions points: a table's name, a row's key and the rest of a region's name, with commas between.
func (o *one) GetRegionInfo(ctx context.Context, row []byte) (*hbase1.TRegionInfo, error) {
	table, rest, _ := bytes.Cut(row, []byte(","))
	key := rest
	if i := bytes.LastIndexByte(rest, ','); i >= 0 {
		key = rest[:i]
	}
	var found *hbase1.TRegionInfo
	err := o.named(ctx, table, func(ctx context.Context, name hbase.TableName) error {
		l, err := o.api().Location(ctx, name, key)
		found = o.regionOne(&l)
		return err
	})
	return found, err
}

func (o *one) regionOne(l *hbase.Location) *hbase1.TRegionInfo {
	host, port := o.place()
	return &hbase1.TRegionInfo{StartKey: orEmpty(l.Start), EndKey: orEmpty(l.Stop), ID: l.ID, Name: []byte(l.Name), Version: 1, ServerName: []byte(host), Port: port}
}
