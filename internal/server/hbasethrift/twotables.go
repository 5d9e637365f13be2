// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"regexp"
	"slices"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// place is the location of rows of a table, under the client's name of it.
type place struct {
	table []byte
	host  string
	port  int32
	hbase.Location
}

// regionLocation says where a row is.
func (t *two) regionLocation(ctx context.Context, a *callArguments) (p place, err error) {
	err = namedTable(a.table, func(name hbase.TableName) error {
		l, err := t.api().Location(ctx, name, a.row)
		p = t.placeOf(a.table, l)
		return err
	})
	return p, err
}

// allRegionLocations says where all rows are. Those of a table that is not there are nowhere.
func (t *two) allRegionLocations(ctx context.Context, a *callArguments) (places []place, err error) {
	err = namedTable(a.table, func(name hbase.TableName) error {
		list, err := t.api().Locations(ctx, name)
		for i := range list {
			places = append(places, t.placeOf(a.table, list[i]))
		}
		if hbase.IsTableNotFound(err) {
			return nil
		}
		return err
	})
	return places, err
}

func (c calls) placeOf(table []byte, l hbase.Location) place {
	host, port := c.address()
	return place{table, host, port, l}
}

// The answers of Thrift2's calls on tables. immutable
var (
	givesLocation    = structOf("THRegionLocation", writePlace)
	givesLocations   = listOf("THRegionLocation", writePlace)
	givesDescriptor  = structOf("TTableDescriptor", writeTableTwo)
	givesDescriptors = listOf("TTableDescriptor", writeTableTwo)
	givesNames       = listOf("TTableName",
		func(w *thriftwire.Writer, t *hbase.Table) { writeTableName(w, t.TableName) })
	givesNamespace  = structOf("TNamespaceDescriptor", writeNamespace)
	givesNamespaces = listOf("TNamespaceDescriptor", writeNamespace)
	givesTexts      = answer[[]string]{"list<string>", func(w *thriftwire.Writer, list []string) {
		w.List(0, thriftwire.Bytes, len(list))
		for _, text := range list {
			w.PutText(text)
		}
	}}
)

// writePlace writes a THRegionLocation.
func writePlace(w *thriftwire.Writer, p *place) {
	location := w.Open()
	server := w.Struct(1)
	w.Text(1, p.host)
	w.I32(2, p.port)
	w.Close(server)
	region := w.Struct(2)
	w.I64(1, p.ID)
	w.Binary(2, p.table)
	w.Binary(3, p.Start)
	w.Binary(4, p.Stop)
	w.Bool(5, false) // offline
	w.Bool(6, false) // split
	w.I32(7, 0)      // the replica
	w.Close(region)
	w.Close(location)
}

func writeNamespace(w *thriftwire.Writer, name *string) {
	outer := w.Open()
	w.Text(1, *name)
	w.Close(outer)
}

// tableName is a TTableName.
type tableName struct{ ns, qualifier []byte }

// immutable
var tableNameShape = thriftwire.Shape{Name: "TTableName", Required: 1 << 2,
	Types: []thriftwire.Type{1: thriftwire.Bytes, 2: thriftwire.Bytes}}

func readTableName(r *thriftwire.Reader) (n tableName) {
	for f := (thriftwire.Field{}); r.Next(&f, &tableNameShape); {
		switch f.ID {
		case 1:
			n.ns = r.Bytes()
		case 2:
			n.qualifier = r.Bytes()
		}
	}
	return n
}

func (t *callArguments) readName(r *thriftwire.Reader) { t.names = []tableName{readTableName(r)} }

// parse is the name as package hbase has it.
func (n tableName) parse() (hbase.TableName, error) {
	if len(n.ns) == 0 {
		return hbase.ParseTableName(n.qualifier)
	}
	return hbase.ParseTableName(bytes.Join([][]byte{n.ns, n.qualifier}, []byte(":")))
}

func writeTableName(w *thriftwire.Writer, n hbase.TableName) {
	outer := w.Open()
	w.Text(1, n.Namespace)
	w.Text(2, n.Name)
	w.Close(outer)
}

// named does what one call does with a table's name.
func (t *callArguments) named(ctx context.Context, do func(context.Context, hbase.TableName) error) error {
	if len(t.names) == 0 {
		return refuse("the call needs a table's name")
	}
	name, err := t.names[0].parse()
	if err == nil {
		err = t.refusal()
	}
	if err != nil {
		return err
	}
	return do(ctx, name)
}

// createTable makes a table whose regions begin at keys.
func (t *two) createTable(ctx context.Context, a *callArguments) error {
	if err := a.refusal(); err != nil {
		return err
	}
	return t.api().CreateTable(ctx, a.desc, a.keys)
}

// modifyTable replaces a table's description.
func (t *two) modifyTable(ctx context.Context, a *callArguments) error {
	if err := a.refusal(); err != nil {
		return err
	}
	return t.api().ModifyTable(ctx, a.desc)
}

// tableDescriptor describes a table.
func (t *two) tableDescriptor(ctx context.Context, a *callArguments) (table hbase.Table, err error) {
	list, err := t.tableDescriptors(ctx, a)
	if err != nil {
		return table, err
	}
	return list[0], nil
}

// tableDescriptors describes tables.
func (t *two) tableDescriptors(ctx context.Context, a *callArguments) ([]hbase.Table, error) {
	list := make([]hbase.Table, len(a.names))
	for i, n := range a.names {
		name, err := n.parse()
		if err != nil {
			return nil, err
		}
		table, err := t.api().Describe(ctx, name)
		if err != nil {
			return nil, err
		}
		list[i] = *table
	}
	return list, nil
}

// tableExists reports whether there is an HBase table of that name.
func (t *two) tableExists(ctx context.Context, a *callArguments) (exists bool, err error) {
	err = a.named(ctx, func(ctx context.Context, name hbase.TableName) (err error) {
		exists, err = t.api().Exists(ctx, name)
		return err
	})
	return exists, err
}

// tables are the descriptions of a namespace's tables, all for "", whose names match a pattern.
func (t *two) tables(ctx context.Context, namespace, pattern string) ([]hbase.Table, error) {
	list, err := t.api().Tables(ctx, namespace)
	if err != nil {
		return nil, err
	}
	matches, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		return nil, refuse("the pattern is not supported: %s", err)
	}
	kept := make([]hbase.Table, 0, len(list))
	for _, table := range list {
		if pattern == "" || matches.MatchString(table.TableName.String()) {
			kept = append(kept, *table)
		}
	}
	return kept, nil
}

// tablesOfPattern are the tables whose names match.
func (t *two) tablesOfPattern(ctx context.Context, a *callArguments) ([]hbase.Table, error) {
	return t.tables(ctx, "", a.text)
}

// tablesOfNamespace are a namespace's tables.
func (t *two) tablesOfNamespace(ctx context.Context, a *callArguments) ([]hbase.Table, error) {
	if err := t.api().HasNamespace(ctx, a.text); err != nil {
		return nil, err
	}
	return t.tables(ctx, a.text, "")
}

// deleteTable removes a disabled table.
func (t *two) deleteTable(ctx context.Context, a *callArguments) error {
	return a.named(ctx, t.api().DropTable)
}

// truncateTable removes all rows of a disabled table, and enables it. Its regions stay where they are.
func (t *two) truncateTable(ctx context.Context, a *callArguments) error {
	return a.named(ctx, t.api().TruncateTable)
}

// enableTable lets calls on rows in.
func (t *two) enableTable(ctx context.Context, a *callArguments) error {
	return a.named(ctx, t.api().Enable)
}

// disableTable refuses calls on rows.
func (t *two) disableTable(ctx context.Context, a *callArguments) error {
	return a.named(ctx, t.api().Disable)
}

// described says something of a table's description.
func (t *two) described(ctx context.Context, a *callArguments, is func(*hbase.Table) bool) (answer bool, err error) {
	err = a.named(ctx, func(ctx context.Context, name hbase.TableName) error {
		table, err := t.api().Describe(ctx, name)
		answer = err == nil && is(table)
		return err
	})
	return answer, err
}

// isTableEnabled reports whether a table is enabled.
func (t *two) isTableEnabled(ctx context.Context, a *callArguments) (bool, error) {
	return t.described(ctx, a, func(table *hbase.Table) bool { return !table.Disabled })
}

// isTableDisabled reports whether a table is disabled.
func (t *two) isTableDisabled(ctx context.Context, a *callArguments) (bool, error) {
	return t.described(ctx, a, func(table *hbase.Table) bool { return table.Disabled })
}

// isTableAvailable reports whether a table is there and enabled, and regions begin at the keys: all regions of such a
// table are served.
func (t *two) isTableAvailable(ctx context.Context, a *callArguments) (available bool, err error) {
	err = a.named(ctx, func(ctx context.Context, name hbase.TableName) error {
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
		available = err == nil && !slices.ContainsFunc(a.keys, func(key []byte) bool { return !begins[string(key)] })
		return err
	})
	return available, err
}

// addColumnFamily adds a family.
func (t *two) addColumnFamily(ctx context.Context, a *callArguments) error {
	return a.named(ctx, func(ctx context.Context,
		name hbase.TableName) error {
		return t.api().AddFamily(ctx, name, *a.column)
	})
}

// modifyColumnFamily replaces the description of a family.
func (t *two) modifyColumnFamily(ctx context.Context, a *callArguments) error {
	return a.named(ctx, func(ctx context.Context, name hbase.TableName) error {
		return t.api().ModifyFamily(ctx, name, *a.column)
	})
}

// deleteColumnFamily removes a family with its cells.
func (t *two) deleteColumnFamily(ctx context.Context, a *callArguments) error {
	return a.named(ctx, func(ctx context.Context, name hbase.TableName) error {
		return t.api().DropFamily(ctx, name, string(a.columnName))
	})
}

// namespace is a TNamespaceDescriptor.
type namespace struct {
	name        string
	hasSettings bool
}

// immutable
var namespaceShape = thriftwire.Shape{Name: "TNamespaceDescriptor", Required: 1 << 1,
	Types: []thriftwire.Type{1: thriftwire.Bytes, 2: thriftwire.Map}}

func (t *callArguments) readNamespace(r *thriftwire.Reader) {
	for f := (thriftwire.Field{}); r.Next(&f, &namespaceShape); {
		switch f.ID {
		case 1:
			t.namespace.name = r.Text()
		case 2:
			readPairs(r, func(_, _ []byte) { t.namespace.hasSettings = true })
		}
	}
	if t.namespace.hasSettings {
		t.refuse(refuse("namespace %s: namespaces have no settings: leave the configuration out", t.namespace.name))
	}
}

// createNamespace makes a namespace.
func (t *two) createNamespace(ctx context.Context, a *callArguments) error {
	if err := a.refusal(); err != nil {
		return err
	}
	return t.api().CreateNamespace(ctx, a.namespace.name)
}

// modifyNamespace can change nothing, since namespaces have no settings.
func (t *two) modifyNamespace(ctx context.Context, a *callArguments) error {
	if err := a.refusal(); err != nil {
		return err
	}
	return t.api().HasNamespace(ctx, a.namespace.name)
}

// deleteNamespace removes an empty namespace.
func (t *two) deleteNamespace(ctx context.Context, a *callArguments) error {
	return t.api().DropNamespace(ctx, a.text)
}

// namespaceDescriptor describes a namespace.
func (t *two) namespaceDescriptor(ctx context.Context, a *callArguments) (string, error) {
	return a.text, t.api().HasNamespace(ctx, a.text)
}

// namespaces returns the names of all namespaces.
func (t *two) namespaces(ctx context.Context, _ *callArguments) ([]string, error) {
	return t.api().Namespaces(ctx)
}
