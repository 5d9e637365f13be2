// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/internal/testing/teststore"
)

// identityColumns are the columns of the keys below, with values that functions of keys don't tell apart.
var identityColumns = map[string][]any{
	"s": {"a", "ab", "b", "abc", "bc", "c", "é", "\xa9\xc3", "1", "12", "-"},
	"t": {"-a", "bc", "c", "2", "12", "a"},
	"n": {1, 12, 120, 21, 210, -12, -120, 9007199254740993, 9007199254740992, 0},
	"m": {0.5, 0.25, 1, 1.000000001, 1e30, -3, 300, 70000},
}

// randomKey returns a key of one to three parts, computed ones among them, and the columns that it is made of.
func randomKey(t *testing.T, random *rand.Rand) (key []schema.KeyPart, columns []string) {
	texts := []string{
		"s string", "t string", "n number", "desc(m) number", "hash8(s) binary", "hash8(n) binary",
		"hash32(s,t) binary", "reverse(s) string", "reverse(n) number",
		"concat(s,t) string", "concat(s,'-',n) string", "concat(n,s) string", "zorder(n u8, m i8) binary",
		"zorder(m f32, n f32:8) binary", "zorder(s text[1]) binary",
		"zorder(s text[1], n number:16) binary",
	}
	types := map[string]schema.Type{"string": schema.String, "number": schema.Number, "binary": schema.Binary}
	seen := map[string]bool{}
	for range 1 + random.IntN(3) {
		text := texts[random.IntN(len(texts))]
		at := strings.LastIndexByte(text, ' ')
		if part := mustPart(t, text[:at], types[text[at+1:]]); !seen[part.Name] {
			seen[part.Name] = true
			key = append(key, part)
			for _, a := range part.Args {
				if a.Column != "" && !seen["column "+a.Column] {
					seen["column "+a.Column] = true
					columns = append(columns, a.Column)
				}
			}
		}
	}
	return key, columns
}

// TestDistinctItems: whatever a table's key is, items that differ in its attributes are different items, and are found
// by these.
func TestDistinctItems(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	db := testdb.Open(t)
	for round := range 60 {
		key, columns := randomKey(t, random)
		spec := database.TableSpec{Name: fmt.Sprintf("t%d", round), Key: key, PartitionParts: 1 + random.IntN(len(key)),
			HashDistributed: random.IntN(2) == 0}
		table, err := db.CreateTable(t.Context(), spec)
		if err != nil {
			t.Fatal(key, err)
		}
		items := map[string]testdoc.Document{}
		for i := range 100 {
			item := testdoc.Document{}
			for _, c := range columns {
				item[c] = identityColumns[c][random.IntN(len(identityColumns[c]))]
			}
			name := fmt.Sprint(item)
			item["v"] = i
			if err := testdoc.Put(t.Context(), table, item); err != nil {
				t.Fatal(key, err)
			}
			items[name] = item
		}
		checkItems(t, table, spec, columns, items)
	}
}

func checkItems(t *testing.T, table *database.Table, spec database.TableSpec, columns []string,
	items map[string]testdoc.Document) {
	t.Helper()
	where := fmt.Sprint(spec.Name, " of ", columns, spec.Key)
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	count := func(q database.Query) (n int) {
		cursor, err := pin.Query(t.Context(), q)
		if err != nil {
			t.Fatal(where, err)
		}
		for cursor.Next() {
			n++
		}
		if err := cursor.Close(); err != nil {
			t.Fatal(where, err)
		}
		return n
	}
	if n := count(database.Query{}); n != len(items) {
		t.Fatalf("%s: %d of %d items are left", where, n, len(items))
	}
	for _, item := range items {
		key := testdoc.Document{}
		var equal []expr.Condition
		for _, c := range columns {
			key[c] = item[c]
			equal = append(equal, govalue.Attribute(c).Equal(item[c]))
		}
		got, _, err := testdoc.Get(t.Context(), table, key)
		if err != nil || fmt.Sprint(got.Attribute("v")) != fmt.Sprint(item["v"]) {
			t.Fatalf("%s: %v has %v, not %v: %v", where, key, got, item["v"], err)
		}
		if n := count(database.Query{Where: govalue.All(equal...)}); n != 1 {
			t.Fatalf("%s: %d items have %v", where, n, key)
		}
	}
}

// TestOlderKeys: a table that was made when keys held computed parts alone opens, and its items are found by the part
// and by its columns.
func TestOlderKeys(t *testing.T) {
	store, admin := teststore.Open(t)
	c, err := catalog.Open(t.Context(), store, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key := []schema.KeyPart{mustPart(t, "concat(s,'-',t)", schema.String)}
	old := &schema.Table{Database: database.DefaultDatabase, Name: "old", UUID: "x", NextIndexID: 1,
		Primary: schema.Index{Key: key, PartitionParts: 1}}
	if err := c.Create(t.Context(), old, nil); err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), store, database.Options{Admin: admin})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table, err := db.Table("old")
	if err != nil {
		t.Fatal(err)
	}
	if err := testdoc.Put(t.Context(), table, testdoc.Document{"s": "a", "t": "b", "v": 1}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []testdoc.Document{{"concat(s,'-',t)": "a-b"}, {"s": "a", "t": "b"}} {
		if item, _, err := testdoc.Get(t.Context(), table, key); err != nil || item.Text("s") != "a" {
			t.Errorf("%v: %v, %v", key, item, err)
		}
	}
}
