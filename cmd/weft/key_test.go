// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/order"
)

// TestKey: the keys of rows and index entries are told with the table, the index and the values.
func TestKey(t *testing.T) {
	s, _ := openServer(t, nil)
	db := s.database.(*openedDatabase).db
	_, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "cities", Key: database.Columns("country", schema.String, "n", schema.Int),
			Indexes: []database.IndexSpec{{Name: "by-name", Key: database.Columns("name", schema.String)}}})
	if err != nil {
		t.Fatal(err)
	}
	table, err := db.Table("cities")
	if err != nil {
		t.Fatal(err)
	}
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	d := p.Descriptor()
	p.Release()
	country := order.AppendBytes(nil, []byte("JP"))
	row := order.AppendInt(bytes.Clone(country), 7)
	for _, one := range []struct {
		name string
		key  []byte
		want string
	}{
		{"row", append(keyspace.AppendRows(nil, d.ID, 0), row...),
			"  row of table cities\n    country = \"JP\"\n    n = 7\n"},
		{"a part of a key", append(keyspace.AppendRows(nil, d.ID, 0), country...),
			"  row of table cities\n    country = \"JP\"\n"},
		{"entry", append(order.AppendBytes(keyspace.AppendRows(nil, d.ID, d.Indexes[0].ID), []byte("Nara")), row...),
			"  entry of index by-name of table cities\n    name = \"Nara\"\n  of the row\n    country = \"JP\"\n    n = 7\n"},
		{"no index", keyspace.AppendRows(nil, d.ID, 99), "  table cities, which has no index 99\n"},
		{"no table", keyspace.AppendRows(nil, 99, 0), "  there is no table 99\n"},
		{"no row", keyspace.AppendTables(nil), ""},
	} {
		var out bytes.Buffer
		explainRow(&out, db, one.key)
		if out.String() != one.want {
			t.Errorf("%s: got\n%swant\n%s", one.name, &out, one.want)
		}
		page, err := get(admin(s), fmt.Sprintf("/key?key=0x%x", one.key))
		if err != nil || page != "200 "+one.want {
			t.Errorf("%s: the page is %q, %v", one.name, page, err)
		}
	}
	mustGet(t, admin(s), "/key?key=rubbish", "400 ")
}
