// SPDX-License-Identifier: Apache-2.0

package hbase_test

import (
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestTruncateEnables: one commit empties a table and enables it, so that a crash leaves either the one or the other.
func TestTruncateEnables(t *testing.T) {
	api, ctx := &hbase.API{DB: testdb.Open(t)}, t.Context()
	name := hbase.TableName{Namespace: database.DefaultDatabase, Name: "t"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(api.CreateTable(ctx, &hbase.Table{TableName: name, Families: []hbase.Family{{Name: "f", Versions: 1}}}, nil))
	cell := hbase.CellWrite{Column: hbase.Column{Family: []byte("f")}, Value: []byte("v")}
	must(api.Put(ctx, name, []*hbase.Put{{Row: []byte("r"), Cells: []hbase.CellWrite{cell}}}))
	must(api.Disable(ctx, name))
	must(api.TruncateTable(ctx, name))
	p, err := api.DB.PinIn(name.Namespace, name.Name)
	must(err)
	defer p.Release()
	table, _, err := hbase.TableOf(p.Descriptor())
	must(err)
	if table.Disabled || p.Descriptor().Version != 1 {
		t.Errorf("disabled: %t; the new table's descriptor was changed %d times", table.Disabled,
			p.Descriptor().Version-1)
	}
	row, err := api.Get(ctx, name, &hbase.Get{Row: []byte("r")})
	must(err)
	if len(row.Cells) > 0 {
		t.Errorf("the row is there: %v", row)
	}
}
