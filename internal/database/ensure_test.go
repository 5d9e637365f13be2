// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestEnsureTable: what is missing is made, what differs is refused, and the second time nothing happens.
func TestEnsureTable(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		curve, err := database.Part("zorder(lat lat, lon lon)", schema.Binary)
		if err != nil {
			t.Fatal(err)
		}
		words, err := database.Words("english", "title")
		if err != nil {
			t.Fatal(err)
		}
		spec := database.TableSpec{
			Name:    "t",
			Key:     database.Columns("a", schema.String, "concat(b,'#',c)", schema.String),
			Columns: []schema.Column{{Name: "n", Type: schema.Number}},
		}
		table, err := db.EnsureTable(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := testdoc.Put(ctx, table, testdoc.Document{"a": "x", "b": string(rune('a' + i)), "c": "c", "n": i, "lat": i,
				"lon": i, "title": "some words"}); err != nil {
				t.Fatal(err)
			}
		}
		spec.Indexes = []database.IndexSpec{
			{Name: "n", Key: database.Columns("n", schema.Number)},
			{Name: "place", Key: []schema.KeyPart{curve}, Projection: schema.ProjectKeys},
			{Name: "words", Search: true, Key: []schema.KeyPart{words}},
		}
		for range 2 {
			if _, err := db.EnsureTable(ctx, spec); err != nil {
				t.Fatal(err)
			}
			if c, err := table.Query(ctx, database.Query{Index: "n"}); err != nil || !c.Next() || c.Close() != nil {
				t.Errorf("the index does not answer: %v", err)
			}
		}
		for want, edit := range map[string]func(*database.TableSpec){
			`its key is ["a string" "concat(b,'#',c) string"`: func(s *database.TableSpec) {
				s.Key = database.Columns("a", schema.String)
			},
			`has 1 parts in its partition key, not 2`: func(s *database.TableSpec) { s.PartitionParts = 2 },
			`its key is`: func(s *database.TableSpec) { s.HashDistributed = true },
			`its column n is declared as number, not string`: func(s *database.TableSpec) {
				s.Columns = []schema.Column{{Name: "n", Type: schema.String}}
			},
			`it does not declare the column m`: func(s *database.TableSpec) {
				s.Columns = []schema.Column{{Name: "m", Type: schema.String}}
			},
			`its index n is not unique`: func(s *database.TableSpec) {
				s.Indexes = []database.IndexSpec{{Name: "n", Key: spec.Indexes[0].Key, Unique: true}}
			},
			`its index n holds other attributes`: func(s *database.TableSpec) {
				s.Indexes = []database.IndexSpec{{Name: "n", Key: spec.Indexes[0].Key, Projection: schema.ProjectKeys}}
			},
			`its index words is a search index`: func(s *database.TableSpec) {
				s.Indexes = []database.IndexSpec{{Name: "words", Key: spec.Indexes[0].Key}}
			},
		} {
			other := spec
			edit(&other)
			if _, err := db.EnsureTable(ctx, other); database.KindOf(err) != database.KindExists ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		before, _ := table.Indexes()
		if _, err := db.EnsureTable(ctx, database.TableSpec{Name: "t", Key: spec.Key}); err != nil {
			t.Errorf("a spec that asks for less: %v", err)
		}
		if after, _ := table.Indexes(); !reflect.DeepEqual(before, after) {
			t.Error("a spec that asks for less changes indexes")
		}
		spec.Indexes = append(
			spec.Indexes,
			database.IndexSpec{Name: "one", Key: database.Columns("title", schema.String), Unique: true},
		)
		if _, err := db.EnsureTable(ctx, spec); database.KindOf(err) != database.KindInvalid ||
			!strings.Contains(err.Error(), "index one can't be built") {
			t.Errorf("an index that can't be built: %v", err)
		}
	})
}
