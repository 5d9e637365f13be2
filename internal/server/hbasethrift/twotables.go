// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/hbasethrift/hbase2"
)

// GetRegionLocation says where a row is.
func (t *two) GetRegionLocation(ctx context.Context, table, row []byte, _ bool) (*hbase2.THRegionLocation, error) {
	name, err := hbase.ParseTableName(table)
	if err != nil {
		return nil, t.io(ctx, err)
	}
	l, err := t.api().Location(ctx, name, row)
	return t.locationTwo(table, &l), t.io(ctx, err)
}

// GetAllRegionLocations says where all rows are. Those of a table that is not there are nowhere.
func (t *two) GetAllRegionLocations(ctx context.Context, table []byte) ([]*hbase2.THRegionLocation, error) {
	name, err := hbase.ParseTableName(table)
	if err != nil {
		return nil, t.io(ctx, err)
	}
	list, err := t.api().Locations(ctx, name)
	if hbase.IsTableNotFound(err) {
		err = nil
	}
	locations := make([]*hbase2.THRegionLocation, len(list))
	for i := range list {
		locations[i] = t.locationTwo(table, &list[i])
	}
	return locations, t.io(ctx, err)
}

func (t *two) locationTwo(table []byte, l *hbase.Location) *hbase2.THRegionLocation {
	host, port := t.place()
	no, replica := false, int32(0)
	return &hbase2.THRegionLocation{
		ServerName: &hbase2.TServerName{HostName: host, Port: &port},
		RegionInfo: &hbase2.THRegionInfo{
			RegionId: l.ID, TableName: table, StartKey: orEmpty(l.Start), EndKey: orEmpty(l.Stop), Offline: &no, Split: &no, ReplicaId: &replica,
		},
	}
}

// orEmpty keeps a field that has no bytes from being left out.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func nameTwo(n *hbase2.TTableName) (hbase.TableName, error) {
	if n == nil {
		return hbase.TableName{}, refuse("the call needs a table's name")
	}
	if len(n.Ns) == 0 {
		return hbase.ParseTableName(n.Qualifier)
	}
	return hbase.ParseTableName(bytes.Join([][]byte{n.Ns, n.Qualifier}, []byte(":")))
}

func tableNameTwo(n hbase.TableName) *hbase2.TTableName {
	return &hbase2.TTableName{Ns: []byte(n.Namespace), Qualifier: []byte(n.Name)}
}

// named does what one call does with a table's name.
func (t *two) named(ctx context.Context, n *hbase2.TTableName, do func(context.Context, hbase.TableName) error) error {
	name, err := nameTwo(n)
	if err == nil {
		err = do(ctx, name)
	}
	return t.io(ctx, err)
}

// CreateTable makes a table whose regions begin at keys.
func (t *two) CreateTable(ctx context.Context, desc *hbase2.TTableDescriptor, splitKeys [][]byte) error {
	table, err := tableTwo(desc)
	if err == nil {
		err = t.api().CreateTable(ctx, table, splitKeys)
	}
	return t.io(ctx, err)
}

// ModifyTable replaces a table's description.
func (t *two) ModifyTable(ctx context.Context, desc *hbase2.TTableDescriptor) error {
	table, err := tableTwo(desc)
	if err == nil {
		err = t.api().ModifyTable(ctx, table)
	}
	return t.io(ctx, err)
}

func tableTwo(desc *hbase2.TTableDescriptor) (*hbase.Table, error) {
	name, err := nameTwo(desc.TableName)
	if err != nil {
		return nil, err
	}
	table := &hbase.Table{TableName: name}
	if table.Attributes, err = textsOf(desc.Attributes); err != nil {
		return nil, err
	}
	for _, c := range desc.Columns {
		f, err := familyTwo(c)
		if err != nil {
			return nil, err
		}
		table.Families = append(table.Families, f)
	}
	return table, nil
}

// textsOf are attributes that are kept.
func textsOf(attributes map[string][]byte) (map[string]string, error) {
	texts := map[string]string{}
	for name, text := range attributes {
		if !utf8.ValidString(name) || !utf8.Valid(text) {
			return nil, refuse("attribute %q is no text in UTF-8: leave it out", name)
		}
		texts[name] = string(text)
	}
	return texts, nil
}

// The attributes of families that say what fields of a description say as well, by HBase's names. Fields win.
const (
	attributeVersions    = "VERSIONS"
	attributeVersionsMin = "MIN_VERSIONS"
	attributeLife        = "TTL"
	attributeKeepDeleted = "KEEP_DELETED_CELLS"
	attributeScope       = "REPLICATION_SCOPE"
)

// fill sets the fields of a family's description that are missing and of which an attribute speaks. It takes these attributes out of f's.
func fill(f *hbase.Family, c *hbase2.TColumnFamilyDescriptor) (*hbase2.TColumnFamilyDescriptor, error) {
	filled := *c
	for name, field := range map[string]**int32{attributeVersions: &filled.MaxVersions, attributeVersionsMin: &filled.MinVersions, attributeLife: &filled.TimeToLive, attributeScope: &filled.Scope} {
		text, ok := f.Attributes[name]
		delete(f.Attributes, name)
		if !ok || *field != nil {
			continue
		}
		if name == attributeLife && strings.EqualFold(text, "FOREVER") {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, refuse("family %s: attribute %s must be a number, not %q", c.Name, name, text)
		}
		*field = new(int32(n))
	}
	text, ok := f.Attributes[attributeKeepDeleted]
	delete(f.Attributes, attributeKeepDeleted)
	if ok && filled.KeepDeletedCells == nil && !strings.EqualFold(text, "FALSE") {
		filled.KeepDeletedCells = new(hbase2.TKeepDeletedCells_TRUE)
	}
	return &filled, nil
}

// The attributes of families that are kept and change nothing, by HBase's names.
const (
	attributeBlockSize   = "BLOCKSIZE"
	attributeBloom       = "BLOOMFILTER"
	attributeCompression = "COMPRESSION"
	attributeEncoding    = "DATA_BLOCK_ENCODING"
	attributeInMemory    = "IN_MEMORY"
	attributeBlockCache  = "BLOCKCACHE"
)

// familyTwo reads a family's description. What it says of how HBase stores cells is kept, and changes nothing; what would change answers and can't is refused.
func familyTwo(c *hbase2.TColumnFamilyDescriptor) (f hbase.Family, err error) {
	f = hbase.Family{Name: string(c.Name), Versions: 1}
	if f.Attributes, err = textsOf(c.Attributes); err != nil {
		return f, err
	}
	if c, err = fill(&f, c); err != nil {
		return f, err
	}
	for name, text := range c.Configuration {
		if !utf8.ValidString(name) || !utf8.ValidString(text) {
			return f, refuse("the configuration %q of family %s is no text in UTF-8: leave it out", name, c.Name)
		}
	}
	f.Configuration = c.Configuration
	if c.MaxVersions != nil {
		f.Versions = int(*c.MaxVersions)
	}
	f.VersionsMin = int(c.GetMinVersions())
	if f.LifeMS, err = lifeOfFamily(c.TimeToLive); err != nil {
		return f, err
	}
	if c.KeepDeletedCells != nil && *c.KeepDeletedCells != hbase2.TKeepDeletedCells_FALSE {
		return f, refuse("family %s: KEEP_DELETED_CELLS is not supported: leave it out", c.Name)
	}
	if c.GetScope() != 0 {
		return f, refuse("family %s: REPLICATION_SCOPE is not supported: leave it out", c.Name)
	}
	keep := func(name, text string, given bool) {
		if given {
			f.Attributes[name] = text
		}
	}
	keep(attributeBlockSize, strconv.Itoa(int(c.GetBlockSize())), c.BlockSize != nil)
	keep(attributeBloom, c.GetBloomnFilterType().String(), c.BloomnFilterType != nil)
	keep(attributeCompression, c.GetCompressionType().String(), c.CompressionType != nil)
	keep(attributeEncoding, c.GetDataBlockEncoding().String(), c.DataBlockEncoding != nil)
	keep(attributeInMemory, strconv.FormatBool(c.GetInMemory()), c.InMemory != nil)
	keep(attributeBlockCache, strconv.FormatBool(c.GetBlockCacheEnabled()), c.BlockCacheEnabled != nil)
	return f, nil
}

// lifeOfFamily is a life in seconds; the greatest number is for ever, and so is -1, which older clients send.
func lifeOfFamily(seconds *int32) (ms int64, err error) {
	switch {
	case seconds == nil || *seconds == math.MaxInt32 || *seconds == -1:
		return 0, nil
	case *seconds <= 0:
		return 0, refuse("a family's TTL must be positive: it is in seconds, and %d is for ever", math.MaxInt32)
	}
	return int64(*seconds) * 1000, nil
}

// secondsOf is lifeOfFamily's other direction. A life that SQL set to a part of a second is rounded up.
func secondsOf(ms int64) int32 {
	if ms == 0 {
		return math.MaxInt32
	}
	return int32(min((ms+999)/1000, math.MaxInt32-1))
}

func descriptorTwo(table *hbase.Table) *hbase2.TTableDescriptor {
	durability := hbase2.TDurability_USE_DEFAULT
	d := &hbase2.TTableDescriptor{TableName: tableNameTwo(table.TableName), Attributes: map[string][]byte{}, Durability: &durability}
	for name, text := range table.Attributes {
		d.Attributes[name] = []byte(text)
	}
	for i := range table.Families {
		d.Columns = append(d.Columns, familyDescriptorTwo(&table.Families[i]))
	}
	return d
}

func familyDescriptorTwo(f *hbase.Family) *hbase2.TColumnFamilyDescriptor {
	take := func(name, preset string) string { return cmp.Or(f.Attributes[name], preset) }
	truth := func(name, preset string) *bool {
		is := strings.EqualFold(take(name, preset), "true")
		return &is
	}
	blockSize, _ := strconv.ParseInt(take(attributeBlockSize, "65536"), 10, 32)
	bloom, _ := hbase2.TBloomFilterTypeFromString(take(attributeBloom, "ROW"))
	compression, err := hbase2.TCompressionAlgorithmFromString(take(attributeCompression, "NONE"))
	if err != nil {
		compression = hbase2.TCompressionAlgorithm_NONE
	}
	encoding, _ := hbase2.TDataBlockEncodingFromString(take(attributeEncoding, "NONE"))
	size, versions, least, life, scope := int32(blockSize), int32(min(f.Versions, math.MaxInt32)), int32(f.VersionsMin), secondsOf(f.LifeMS), int32(0)
	keep, no, yes, replication := hbase2.TKeepDeletedCells_FALSE, false, true, int16(0)
	d := &hbase2.TColumnFamilyDescriptor{
		Name: []byte(f.Name), BlockSize: &size, BloomnFilterType: &bloom, CompressionType: &compression, DataBlockEncoding: &encoding, DfsReplication: &replication,
		KeepDeletedCells: &keep, MaxVersions: &versions, MinVersions: &least, Scope: &scope, TimeToLive: &life,
		BlockCacheEnabled: truth(attributeBlockCache, "true"), InMemory: truth(attributeInMemory, "false"),
		CacheBloomsOnWrite: &no, CacheDataOnWrite: &no, CacheIndexesOnWrite: &no, EvictBlocksOnClose: &no, CompressTags: &yes,
		Attributes: attributesTwo(f), Configuration: f.Configuration,
	}
	return d
}

// attributesTwo are all attributes of a family, by HBase's names: those that were given, and what HBase takes for the others.
func attributesTwo(f *hbase.Family) map[string][]byte {
	all := map[string]string{
		attributeBlockCache: "true", attributeBlockSize: "65536", attributeBloom: "ROW", attributeCompression: "NONE", attributeEncoding: "NONE", attributeInMemory: "false",
		"CACHE_BLOOMS_ON_WRITE": "false", "CACHE_DATA_ON_WRITE": "false", "CACHE_INDEX_ON_WRITE": "false", "COMPRESS_TAGS": "true", "DFS_REPLICATION": "0",
		"EVICT_BLOCKS_ON_CLOSE": "false", "INDEX_BLOCK_ENCODING": "NONE", attributeKeepDeleted: "FALSE", attributeScope: "0",
		attributeVersions: strconv.Itoa(f.Versions), attributeVersionsMin: strconv.Itoa(f.VersionsMin), attributeLife: strconv.Itoa(int(secondsOf(f.LifeMS))),
	}
	texts := make(map[string][]byte, len(all))
	for name, text := range all {
		texts[name] = []byte(text)
	}
	for name, text := range f.Attributes {
		if text != "" {
			texts[name] = []byte(text)
		}
	}
	return texts
}

// GetTableDescriptor describes a table.
func (t *two) GetTableDescriptor(ctx context.Context, table *hbase2.TTableName) (*hbase2.TTableDescriptor, error) {
	list, err := t.GetTableDescriptors(ctx, []*hbase2.TTableName{table})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// GetTableDescriptors describes tables.
func (t *two) GetTableDescriptors(ctx context.Context, tables []*hbase2.TTableName) ([]*hbase2.TTableDescriptor, error) {
	list := make([]*hbase2.TTableDescriptor, len(tables))
	for i, n := range tables {
		name, err := nameTwo(n)
		if err != nil {
			return nil, t.io(ctx, err)
		}
		table, err := t.api().Describe(ctx, name)
		if err != nil {
			return nil, t.io(ctx, err)
		}
		list[i] = descriptorTwo(table)
	}
	return list, nil
}

// TableExists says whether there is an HBase table of that name.
func (t *two) TableExists(ctx context.Context, tableName *hbase2.TTableName) (exists bool, err error) {
	err = t.named(ctx, tableName, func(ctx context.Context, name hbase.TableName) (err error) {
		exists, err = t.api().Exists(ctx, name)
		return err
	})
	return exists, err
}

// tables are the descriptions of a namespace's tables, all for "", whose names match a pattern.
func (t *two) tables(ctx context.Context, namespace, pattern string) ([]*hbase.Table, error) {
	list, err := t.api().Tables(ctx, namespace)
	if err != nil || pattern == "" {
		return list, err
	}
	matches, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		return nil, refuse("the pattern is not supported: %s", err)
	}
	kept := list[:0]
	for _, table := range list {
		if matches.MatchString(table.TableName.String()) {
			kept = append(kept, table)
		}
	}
	return kept, nil
}

func descriptorsTwo(tables []*hbase.Table) []*hbase2.TTableDescriptor {
	list := make([]*hbase2.TTableDescriptor, len(tables))
	for i, table := range tables {
		list[i] = descriptorTwo(table)
	}
	return list
}

func namesTwo(tables []*hbase.Table) []*hbase2.TTableName {
	list := make([]*hbase2.TTableName, len(tables))
	for i, table := range tables {
		list[i] = tableNameTwo(table.TableName)
	}
	return list
}

// GetTableDescriptorsByPattern describes the tables whose names match.
func (t *two) GetTableDescriptorsByPattern(ctx context.Context, pattern string, _ bool) ([]*hbase2.TTableDescriptor, error) {
	tables, err := t.tables(ctx, "", pattern)
	return descriptorsTwo(tables), t.io(ctx, err)
}

// GetTableDescriptorsByNamespace describes a namespace's tables.
func (t *two) GetTableDescriptorsByNamespace(ctx context.Context, name string) ([]*hbase2.TTableDescriptor, error) {
	tables, err := t.inNamespace(ctx, name)
	return descriptorsTwo(tables), t.io(ctx, err)
}

// GetTableNamesByPattern returns the names of tables that match.
func (t *two) GetTableNamesByPattern(ctx context.Context, pattern string, _ bool) ([]*hbase2.TTableName, error) {
	tables, err := t.tables(ctx, "", pattern)
	return namesTwo(tables), t.io(ctx, err)
}

// GetTableNamesByNamespace returns the names of a namespace's tables.
func (t *two) GetTableNamesByNamespace(ctx context.Context, name string) ([]*hbase2.TTableName, error) {
	tables, err := t.inNamespace(ctx, name)
	return namesTwo(tables), t.io(ctx, err)
}

func (t *two) inNamespace(ctx context.Context, name string) ([]*hbase.Table, error) {
	if err := t.api().HasNamespace(ctx, name); err != nil {
		return nil, err
	}
	return t.tables(ctx, name, "")
}

// DeleteTable removes a disabled table.
func (t *two) DeleteTable(ctx context.Context, tableName *hbase2.TTableName) error {
	return t.named(ctx, tableName, t.api().DropTable)
}

// TruncateTable removes all rows of a disabled table, and enables it. Its regions stay where they are.
func (t *two) TruncateTable(ctx context.Context, tableName *hbase2.TTableName, _ bool) error {
	return t.named(ctx, tableName, t.api().TruncateTable)
}

// EnableTable lets calls on rows in.
func (t *two) EnableTable(ctx context.Context, tableName *hbase2.TTableName) error {
	return t.named(ctx, tableName, t.api().Enable)
}

// DisableTable refuses calls on rows.
func (t *two) DisableTable(ctx context.Context, tableName *hbase2.TTableName) error {
	return t.named(ctx, tableName, t.api().Disable)
}

// described says something of a table's description.
func (t *two) described(ctx context.Context, tableName *hbase2.TTableName, is func(*hbase.Table) bool) (answer bool, err error) {
	err = t.named(ctx, tableName, func(ctx context.Context, name hbase.TableName) error {
		table, err := t.api().Describe(ctx, name)
		answer = err == nil && is(table)
		return err
	})
	return answer, err
}

// IsTableEnabled says whether a table is enabled.
func (t *two) IsTableEnabled(ctx context.Context, tableName *hbase2.TTableName) (bool, error) {
	return t.described(ctx, tableName, func(table *hbase.Table) bool { return !table.Disabled })
}

// IsTableDisabled says whether a table is disabled.
func (t *two) IsTableDisabled(ctx context.Context, tableName *hbase2.TTableName) (bool, error) {
	return t.described(ctx, tableName, func(table *hbase.Table) bool { return table.Disabled })
}

// IsTableAvailable reports whether a table is there and enabled: all regions of such a table are served.
func (t *two) IsTableAvailable(ctx context.Context, tableName *hbase2.TTableName) (bool, error) {
	return t.IsTableAvailableWithSplit(ctx, tableName, nil)
}

// IsTableAvailableWithSplit reports also whether regions begin at keys.
func (t *two) IsTableAvailableWithSplit(ctx context.Context, tableName *hbase2.TTableName, splitKeys [][]byte) (available bool, err error) {
	err = t.named(ctx, tableName, func(ctx context.Context, name hbase.TableName) error {
		table, err := t.api().Describe(ctx, name)
		if err != nil || table.Disabled {
			if hbase.IsTableNotFound(err) {
				return nil
			}
			return err
		}
		list, err := t.api().Locations(ctx, name)
		begins := map[string]bool{}
		for i := range list {
			begins[string(list[i].Start)] = true
		}
		available = err == nil && !slices.ContainsFunc(splitKeys, func(key []byte) bool { return !begins[string(key)] })
		return err
	})
	return available, err
}

// AddColumnFamily adds a family.
func (t *two) AddColumnFamily(ctx context.Context, tableName *hbase2.TTableName, column *hbase2.TColumnFamilyDescriptor) error {
	return t.withFamily(ctx, tableName, column, t.api().AddFamily)
}

// ModifyColumnFamily replaces the description of a family.
func (t *two) ModifyColumnFamily(ctx context.Context, tableName *hbase2.TTableName, column *hbase2.TColumnFamilyDescriptor) error {
	return t.withFamily(ctx, tableName, column, t.api().ModifyFamily)
}

func (t *two) withFamily(ctx context.Context, tableName *hbase2.TTableName, column *hbase2.TColumnFamilyDescriptor, do func(context.Context, hbase.TableName, hbase.Family) error) error {
	return t.named(ctx, tableName, func(ctx context.Context, name hbase.TableName) error {
		f, err := familyTwo(column)
		if err != nil {
			return err
		}
		return do(ctx, name, f)
	})
}

// DeleteColumnFamily removes a family with its cells.
func (t *two) DeleteColumnFamily(ctx context.Context, tableName *hbase2.TTableName, column []byte) error {
	return t.named(ctx, tableName, func(ctx context.Context, name hbase.TableName) error {
		return t.api().DropFamily(ctx, name, string(column))
	})
}

// CreateNamespace makes a namespace.
func (t *two) CreateNamespace(ctx context.Context, d *hbase2.TNamespaceDescriptor) error {
	err := checkNamespace(d)
	if err == nil {
		err = t.api().CreateNamespace(ctx, d.Name)
	}
	return t.io(ctx, err)
}

// ModifyNamespace can change nothing, since namespaces have no settings.
func (t *two) ModifyNamespace(ctx context.Context, d *hbase2.TNamespaceDescriptor) error {
	err := checkNamespace(d)
	if err == nil {
		err = t.api().HasNamespace(ctx, d.Name)
	}
	return t.io(ctx, err)
}

func checkNamespace(d *hbase2.TNamespaceDescriptor) error {
	if len(d.Configuration) > 0 {
		return refuse("namespace %s: namespaces have no settings: leave the configuration out", d.Name)
	}
	return nil
}

// DeleteNamespace removes an empty namespace.
func (t *two) DeleteNamespace(ctx context.Context, name string) error {
	return t.io(ctx, t.api().DropNamespace(ctx, name))
}

// GetNamespaceDescriptor describes a namespace.
func (t *two) GetNamespaceDescriptor(ctx context.Context, name string) (*hbase2.TNamespaceDescriptor, error) {
	return &hbase2.TNamespaceDescriptor{Name: name}, t.io(ctx, t.api().HasNamespace(ctx, name))
}

// ListNamespaceDescriptors describes all namespaces.
func (t *two) ListNamespaceDescriptors(ctx context.Context) ([]*hbase2.TNamespaceDescriptor, error) {
	names, err := t.ListNamespaces(ctx)
	list := make([]*hbase2.TNamespaceDescriptor, len(names))
	for i, name := range names {
		list[i] = &hbase2.TNamespaceDescriptor{Name: name}
	}
	return list, err
}

// ListNamespaces returns the names of all namespaces.
func (t *two) ListNamespaces(ctx context.Context) ([]string, error) {
	names, err := t.api().Namespaces(ctx)
	return names, t.io(ctx, err)
}
