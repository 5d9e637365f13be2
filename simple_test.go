// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"testing"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/zorder/codec"
)

// TestWalkEnds: a walk that has ended holds no version of its table, so that the next change of the schema need not wait for it.
func TestWalkEnds(t *testing.T) {
	db := embedded(t)
	table := mustTable(t, db, weft.TableSpec{Name: "t", Key: weft.Columns("pk", weft.String)})
	if err := table.Put(t.Context(), weft.Document{"pk": "a"}); err != nil {
		t.Fatal(err)
	}
	for _, goOn := range []bool{true, false} {
		if err := table.Documents(t.Context(), weft.Query{}, func(weft.Document) bool { return goOn }); err != nil {
			t.Fatal(err)
		}
	}
	c, err := table.Query(t.Context(), weft.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, name := range []string{"one", "two"} { // a change waits for those who hold the version before
		if err := table.AddIndex(ctx, weft.IndexSpec{Name: name, Key: weft.Columns("x", weft.String)}); err != nil {
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
	part, err := weft.ZOrder(codec.Attribute{Name: "lat", Type: codec.Type{Kind: codec.F64}, Bits: 16}, codec.Attribute{Name: "odd, name", Type: codec.Type{Kind: codec.I8}})
	if err != nil || part.Name != `zorder(lat f64:16, "odd, name" i8)` || part.Type != weft.Binary || len(part.Args) != 2 {
		t.Errorf("%+v, %v", part, err)
	}
	if _, err := weft.ZOrder(codec.Attribute{Name: "text", Type: codec.Type{Kind: codec.NFC, Bytes: 4}}); weft.KindOf(err) != weft.KindInvalid {
		t.Error(err)
	}
}

// TestAnyIndexReadsBack: an index that does not hold what the condition names is not asked for it.
func TestAnyIndexReadsBack(t *testing.T) {
	db := embedded(t)
	table := mustTable(t, db, weft.TableSpec{
		Name: "t", Key: weft.Columns("id", weft.Number),
		Indexes: []weft.IndexSpec{{Name: "by-x", Key: weft.Columns("x", weft.Number), Projection: weft.ProjectKeys}},
	})
	for i := range 300 {
		if err := table.Put(t.Context(), weft.Document{"id": i, "x": i, "kind": "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, any := range []bool{false, true} {
		found := 0
		q := weft.Query{AnyIndex: any, Where: weft.All(weft.Attribute("x").Equal(5), weft.Attribute("kind").Equal("a"))}
		if err := table.Documents(t.Context(), q, func(d weft.Document) bool { found += len(d); return true }); err != nil {
			t.Fatal(err)
		}
		if found != 3 {
			t.Errorf("any index %t: %d attributes were found, want 3", any, found)
		}
	}
}
