// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// The names of values by their numbers in the IDL; those without a name are not used. immutable
var (
	bloomFilters = []string{"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"}
	compressions = []string{"LZO", "GZ", "NONE", "SNAPPY", "LZ4", "BZIP2", "ZSTD"}
	encodings    = []string{0: "NONE", 2: "PREFIX", 3: "DIFF", 4: "FAST_DIFF", 7: "ROW_INDEX_V1"}
)

// unset is the name of a value that has none.
const unset = "<UNSET>"

func nameOf(names []string, value int32) string {
	if value < 0 || int(value) >= len(names) {
		return unset
	}
	return cmp.Or(names[value], unset)
}

// valueOf is the number of a name, and that of another one if there is none.
func valueOf(names []string, name, preset string) int32 {
	i := slices.Index(names, name)
	if i < 0 || name == "" {
		i = slices.Index(names, preset)
	}
	return int32(i)
}

// The attributes of families that say what fields of a description say as well, by HBase's names. Fields win.
const (
	attributeVersions    = "VERSIONS"
	attributeVersionsMin = "MIN_VERSIONS"
	attributeLife        = "TTL"
	attributeKeepDeleted = "KEEP_DELETED_CELLS"
	attributeScope       = "REPLICATION_SCOPE"
)

// The attributes of families that are kept and change nothing, by HBase's names.
const (
	attributeBlockSize   = "BLOCKSIZE"
	attributeBloom       = "BLOOMFILTER"
	attributeCompression = "COMPRESSION"
	attributeEncoding    = "DATA_BLOCK_ENCODING"
	attributeInMemory    = "IN_MEMORY"
	attributeBlockCache  = "BLOCKCACHE"
)

// immutable
var tableShape = thriftwire.Shape{Name: "TTableDescriptor", Required: 1 << 1,
	Types: []thriftwire.Type{1: thriftwire.Struct, 2: thriftwire.List, 3: thriftwire.Map}}

// readTable reads a TTableDescriptor.
func (t *callArguments) readTable(r *thriftwire.Reader) {
	table, name, attributes := new(hbase.Table), tableName{}, texts{kept: map[string]string{}}
	families := []familyTwo(nil)
	for f := (thriftwire.Field{}); r.Next(&f, &tableShape); {
		switch f.ID {
		case 1:
			name = readTableName(r)
		case 2:
			families = readList(r, thriftwire.Struct, readFamily)
		case 3:
			attributes.read(r)
		}
	}
	err := error(nil)
	if table.TableName, err = name.parse(); err == nil {
		table.Attributes, err = attributes.kept, attributes.err
	}
	for i := range families {
		if err == nil {
			var f hbase.Family
			f, err = families[i].family()
			table.Families = append(table.Families, f)
		}
	}
	if t.desc = table; err != nil {
		t.refuse(err)
	}
}

// readColumnFamily reads the call's TColumnFamilyDescriptor.
func (t *callArguments) readColumnFamily(r *thriftwire.Reader) {
	d := readFamily(r)
	f, err := d.family()
	if t.column = &f; err != nil {
		t.refuse(err)
	}
}

// texts are attributes that are kept.
type texts struct {
	kept map[string]string
	err  error
}

func (t *texts) read(r *thriftwire.Reader) {
	readPairs(r, func(key, value []byte) {
		if t.kept[string(key)] = string(value); !utf8.Valid(key) || !utf8.Valid(value) {
			t.err = refuse("attribute %q is no text in UTF-8: leave it out", key)
		}
	})
}

// familyTwo is the part of a TColumnFamilyDescriptor that is kept or has an effect.
type familyTwo struct {
	name             []byte
	attributes       texts
	configuration    map[string]string
	fields           map[string]string // by the names of attributes
	versions         *int32
	versionsMin      *int32
	life             *int32
	scope            *int32
	hasDeletedOption bool
	keepsDeleted     bool
}

// immutable
var familyShape = thriftwire.Shape{Name: "TColumnFamilyDescriptor", Required: 1 << 1, Types: []thriftwire.Type{
	1: thriftwire.Bytes, 2: thriftwire.Map, 3: thriftwire.Map, 4: thriftwire.I32, 5: thriftwire.I32, 6: thriftwire.I32,
	8: thriftwire.I32, 9: thriftwire.I32, 10: thriftwire.I32, 11: thriftwire.I32, 12: thriftwire.I32,
	13: thriftwire.I32,
	14: thriftwire.Bool, 20: thriftwire.Bool,
}}

func readFamily(r *thriftwire.Reader) familyTwo {
	d := familyTwo{attributes: texts{kept: map[string]string{}}, fields: map[string]string{}}
	for f := (thriftwire.Field{}); r.Next(&f, &familyShape); {
		switch f.ID {
		case 1:
			d.name = r.Bytes()
		case 2:
			d.attributes.read(r)
		case 3:
			d.configuration = map[string]string{}
			readPairs(r, func(key, value []byte) { d.configuration[string(key)] = string(value) })
		case 4:
			d.fields[attributeBlockSize] = strconv.Itoa(int(r.I32()))
		case 5:
			d.fields[attributeBloom] = nameOf(bloomFilters, r.I32())
		case 6:
			d.fields[attributeCompression] = nameOf(compressions, r.I32())
		case 8:
			d.fields[attributeEncoding] = nameOf(encodings, r.I32())
		case 9:
			d.hasDeletedOption, d.keepsDeleted = true, r.I32() != 0
		case 10:
			d.versions = new(r.I32())
		case 11:
			d.versionsMin = new(r.I32())
		case 12:
			d.scope = new(r.I32())
		case 13:
			d.life = new(r.I32())
		case 14:
			d.fields[attributeBlockCache] = strconv.FormatBool(r.Bool())
		case 20:
			d.fields[attributeInMemory] = strconv.FormatBool(r.Bool())
		}
	}
	return d
}

// fill sets what is missing and of which an attribute speaks. It takes these attributes out of those that are kept.
func (d *familyTwo) fill() error {
	kept := d.attributes.kept
	for name, field := range map[string]**int32{
		attributeVersions: &d.versions, attributeVersionsMin: &d.versionsMin, attributeLife: &d.life,
		attributeScope: &d.scope,
	} {
		text, ok := kept[name]
		delete(kept, name)
		if !ok || *field != nil || name == attributeLife && strings.EqualFold(text, "FOREVER") {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return refuse("family %s: attribute %s must be a number, not %q", d.name, name, text)
		}
		*field = new(int32(n))
	}
	text, ok := kept[attributeKeepDeleted]
	delete(kept, attributeKeepDeleted)
	d.keepsDeleted = d.keepsDeleted || ok && !d.hasDeletedOption && !strings.EqualFold(text, "FALSE")
	return nil
}

// family is the description as package hbase has it. Settings of how HBase stores cells are kept, and change nothing;
// those that would change answers and can't are refused.
func (d *familyTwo) family() (f hbase.Family, err error) {
	f = hbase.Family{Name: string(d.name), Versions: 1, Attributes: d.attributes.kept, Configuration: d.configuration}
	if d.attributes.err != nil {
		return f, d.attributes.err
	}
	if err := d.fill(); err != nil {
		return f, err
	}
	for name, text := range d.configuration {
		if !utf8.ValidString(name) || !utf8.ValidString(text) {
			return f, refuse("the configuration %q of family %s is no text in UTF-8: leave it out", name, d.name)
		}
	}
	if d.versions != nil {
		f.Versions = int(*d.versions)
	}
	if d.versionsMin != nil {
		f.VersionsMin = int(*d.versionsMin)
	}
	if f.LifeMS, err = lifeOfFamily(d.life); err != nil {
		return f, err
	}
	if d.keepsDeleted {
		return f, refuse("family %s: KEEP_DELETED_CELLS is not supported: leave it out", d.name)
	}
	if d.scope != nil && *d.scope != 0 {
		return f, refuse("family %s: REPLICATION_SCOPE is not supported: leave it out", d.name)
	}
	maps.Copy(f.Attributes, d.fields)
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

// writeTableTwo writes a TTableDescriptor.
func writeTableTwo(w *thriftwire.Writer, table *hbase.Table) {
	outer := w.Open()
	w.Field(thriftwire.Struct, 1)
	writeTableName(w, table.TableName)
	if len(table.Families) > 0 {
		w.List(2, thriftwire.Struct, len(table.Families))
		for i := range table.Families {
			writeFamilyTwo(w, &table.Families[i])
		}
	}
	writeTexts(w, 3, table.Attributes)
	w.I32(4, 0) // the durability: the preset
	w.Close(outer)
}

// writeTexts writes a field of texts in the order of their names.
func writeTexts(w *thriftwire.Writer, id int16, list map[string]string) {
	w.Map(id, thriftwire.Bytes, thriftwire.Bytes, len(list))
	for _, name := range slices.Sorted(maps.Keys(list)) {
		w.PutText(name)
		w.PutText(list[name])
	}
}

// writeFamilyTwo writes a TColumnFamilyDescriptor.
func writeFamilyTwo(w *thriftwire.Writer, f *hbase.Family) {
	take := func(name, preset string) string { return cmp.Or(f.Attributes[name], preset) }
	truth := func(name, preset string) bool { return strings.EqualFold(take(name, preset), "true") }
	blockSize, _ := strconv.ParseInt(take(attributeBlockSize, "65536"), 10, 32)
	outer := w.Open()
	w.Text(1, f.Name)
	writeTexts(w, 2, attributesTwo(f))
	if f.Configuration != nil {
		writeTexts(w, 3, f.Configuration)
	}
	w.I32(4, int32(blockSize))
	w.I32(5, valueOf(bloomFilters, take(attributeBloom, "ROW"), "NONE"))
	w.I32(6, valueOf(compressions, take(attributeCompression, "NONE"), "NONE"))
	w.I16(7, 0) // replicas in HDFS
	w.I32(8, valueOf(encodings, take(attributeEncoding, "NONE"), "NONE"))
	w.I32(9, 0) // deleted cells are not kept
	w.I32(10, int32(min(f.Versions, math.MaxInt32)))
	w.I32(11, int32(f.VersionsMin))
	w.I32(12, 0) // nothing is replicated
	w.I32(13, secondsOf(f.LifeMS))
	w.Bool(14, truth(attributeBlockCache, "true"))
	for id := int16(15); id <= 19; id++ { // what is cached on writes and evicted on closing; tags are compressed
		w.Bool(id, id == 18)
	}
	w.Bool(20, truth(attributeInMemory, "false"))
	w.Close(outer)
}

// attributesTwo are all attributes of a family, by HBase's names: those that were given, and what HBase takes for the
// others.
func attributesTwo(f *hbase.Family) map[string]string {
	all := map[string]string{
		attributeBlockCache: "true", attributeBlockSize: "65536", attributeBloom: "ROW", attributeCompression: "NONE",
		attributeEncoding: "NONE", attributeInMemory: "false",
		"CACHE_BLOOMS_ON_WRITE": "false", "CACHE_DATA_ON_WRITE": "false", "CACHE_INDEX_ON_WRITE": "false",
		"COMPRESS_TAGS": "true", "DFS_REPLICATION": "0",
		"EVICT_BLOCKS_ON_CLOSE": "false", "INDEX_BLOCK_ENCODING": "NONE", attributeKeepDeleted: "FALSE",
		attributeScope:    "0",
		attributeVersions: strconv.Itoa(f.Versions), attributeVersionsMin: strconv.Itoa(f.VersionsMin),
		attributeLife: strconv.Itoa(int(secondsOf(f.LifeMS))),
	}
	for name, text := range f.Attributes {
		if text != "" {
			all[name] = text
		}
	}
	return all
}
