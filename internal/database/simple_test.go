// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/zorder/codec"
)

// TestWalkEnds: a walk that has ended holds no version of its table, so that the next change of the schema need not
// wait for it.
func TestWalkEnds(t *testing.T) {
	db := embedded(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.String)})
	if err := testdoc.Put(t.Context(), table, testdoc.Document{"pk": "a"}); err != nil {
		t.Fatal(err)
	}
	for _, goOn := range []bool{true, false} {
		if err := testdoc.Each(t.Context(), table, database.Query{},
			func(testdoc.Document) bool { return goOn }); err != nil {
			t.Fatal(err)
		}
	}
	c, err := table.Query(t.Context(), database.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, name := range []string{"one", "two"} { // a change waits for those who hold the version before
		if err := table.AddIndex(ctx, database.IndexSpec{Name: name,
			Key: database.Columns("x", schema.String)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.WaitJobs(ctx); err != nil {
		t.Fatal(err)
	}
	if err := table.SetExpiry(ctx, "at"); err != nil {
		t.Fatal(err)
	}
	if indexes, err := table.Indexes(); err != nil || len(indexes) != 2 {
		t.Fatalf("%d indexes are shown, %v", len(indexes), err)
	}
}

// TestZOrder: a key part made of structs is the one that its name spells.
func TestZOrder(t *testing.T) {
	part, err := database.ZOrder(codec.Attribute{Name: "lat", Type: codec.Type{Kind: codec.F64}, Bits: 16},
		codec.Attribute{Name: "odd, name", Type: codec.Type{Kind: codec.I8}})
	if err != nil || part.Name != `zorder(lat f64:16, "odd, name" i8)` || part.Type != schema.Binary ||
		len(part.Args) != 2 {
		t.Errorf("%+v, %v", part, err)
	}
	if _, err := database.ZOrder(codec.Attribute{Name: "text",
		Type: codec.Type{Kind: codec.NFC, Bytes: 4}}); database.KindOf(err) != database.KindInvalid {
		t.Error(err)
	}
}

// TestAnyIndexReadsBack: an index that does not hold what the condition names is not asked for it.
func TestAnyIndexReadsBack(t *testing.T) {
	db := embedded(t)
	table := mustTable(t, db, database.TableSpec{
		Name: "t", Key: database.Columns("id", schema.Number),
		Indexes: []database.IndexSpec{{Name: "by-x", Key: database.Columns("x", schema.Number),
			Projection: schema.ProjectKeys}},
	})
	for i := range 300 {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": i, "x": i, "kind": "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, any := range []bool{false, true} {
		found := 0
		q := database.Query{AnyIndex: any,
			Where: govalue.All(govalue.Attribute("x").Equal(5), govalue.Attribute("kind").Equal("a"))}
		if err := testdoc.Each(t.Context(), table, q,
			func(d testdoc.Document) bool { found += len(d); return true }); err != nil {
			t.Fatal(err)
		}
		if found != 3 {
			t.Errorf("any index %t: %d attributes were found, want 3", any, found)
		}
	}
}
