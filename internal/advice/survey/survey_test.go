// SPDX-License-Identifier: Apache-2.0

package survey_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestSurvey asks a database a few queries and looks at what the advisor would be handed.
func TestSurvey(t *testing.T) {
	queries := survey.NewQueries()
	db := testdb.OpenWith(t, database.Options{Walked: queries.Observe})
	table, err := db.CreateTable(t.Context(), database.TableSpec{
		Name: "orders", Key: database.Columns("customer", schema.String, "id", schema.Number),
		Indexes: []database.IndexSpec{{Name: "by-day", Key: database.Columns("day", schema.String),
			Projection: schema.ProjectKeys}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if err := testdoc.Put(t.Context(), table,
			testdoc.Document{"customer": fmt.Sprintf("c%d", i%7), "id": i, "day": "2026-01-01",
				"paid": i%2 == 0}); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(q database.Query) {
		t.Helper()
		if err := testdoc.Each(t.Context(), table, q, func(testdoc.Document) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		ask(database.Query{
			Where: govalue.All(govalue.Attribute("customer").Equal("c1"), govalue.Attribute("id").AtLeast(10),
				govalue.Attribute("id").Less(100)),
			Filter: govalue.Attribute("paid").Equal(true), Reverse: true,
		})
	}
	ask(database.Query{Index: "by-day", Where: govalue.Attribute("day").Equal("2026-01-01"), ExaminedMax: 5})

	paid, day := govalue.Attribute("paid"), govalue.Attribute("day")
	ask(database.Query{Filter: govalue.Any(paid.Equal(true), govalue.All(day.AtLeast("2026"), paid.Equal(false)),
		govalue.Not(day.Equal("2027")))})
	ask(database.Query{Filter: govalue.Any(day.Equal("2026"), day.Equal("2027"))})

	d, err := survey.Of(t.Context(), db, "orders")
	if err != nil {
		t.Fatal(err)
	}
	if d.Table.Items != 500 || len(d.Sample) == 0 || len(d.Sample) > 500 || d.Table.Key.String() != "customer | id" ||
		d.Table.Types["id"] != "N" {
		t.Errorf("%+v, %d rows", d.Table, len(d.Sample))
	}
	if len(d.Table.Indexes) != 1 || d.Table.Indexes[0].Projection != "KEYS_ONLY" || d.Table.Indexes[0].Items != 500 {
		t.Errorf("indexes: %+v", d.Table.Indexes)
	}
	for _, row := range d.Sample {
		if len(row) != 4 {
			t.Fatalf("row %v", row)
		}
	}
	queries.Describe(d)
	shapes := d.Shapes
	if len(shapes) != 4 {
		t.Fatalf("%d shapes: %+v", len(shapes), shapes)
	}
	first := shapes[0]
	want := []design.Bound{
		{Attribute: "customer", Operator: design.Equal},
		{Attribute: "id", Operator: design.Range, Low: design.Number("10"), High: design.Number("100")},
		{Attribute: "paid", Operator: design.Equal},
	}
	if fmt.Sprint(first.Bounds) != fmt.Sprint(want) || !first.Descending || first.Index != "" ||
		first.Read < first.Returned {
		t.Errorf("%+v", first)
	}
	either := slices.IndexFunc(shapes, func(s design.Shape) bool { return len(s.Any) > 0 })
	alternatives := []design.Bound{{Attribute: "paid", Operator: design.Equal},
		{Attribute: "paid", Operator: design.Equal}, {Attribute: "day", Operator: design.Exists}}
	if either < 0 || fmt.Sprint(shapes[either].Any) != fmt.Sprint(alternatives) {
		t.Errorf("alternatives: %+v", shapes)
	}
	if !slices.ContainsFunc(shapes, func(s design.Shape) bool {
		return fmt.Sprint(s.Bounds) == fmt.Sprint([]design.Bound{{Attribute: "day", Operator: design.Equal}}) &&
			s.Index == ""
	}) {
		t.Errorf("OR over one attribute: %+v", shapes)
	}
	if second := shapes[slices.IndexFunc(shapes,
		func(s design.Shape) bool { return s.Index != "" })]; second.Index != "by-day" || second.Limit != 5 ||
		second.Returned != 5 {
		t.Errorf("%+v", second)
	}
	if d.Observed <= 0 || d.Table.Queries != 5 || d.Table.Indexes[0].Queries != 1 || d.Table.Indexes[0].Age <= 0 {
		t.Errorf("%v, %v queries of the table, %+v", d.Observed, d.Table.Queries, d.Table.Indexes)
	}
	if _, err := survey.Of(t.Context(), db, "none"); database.KindOf(err) != database.KindNotFound {
		t.Error(err)
	}
}

// TestMany looks at some of many queries, which stand for all.
func TestMany(t *testing.T) {
	q := survey.NewQueries()
	const queries = 100_000
	for i := range queries {
		q.Observe(&database.Walk{Table: "t", Index: []string{"rare", "often"}[min(i%10, 1)]})
	}
	d := &design.Design{Table: design.Table{Name: "t"}}
	q.Describe(d)
	shapes := d.Shapes
	if len(shapes) != 2 || shapes[0].Index != "often" {
		t.Fatalf("%+v", shapes)
	}
	// 0.9, 11 standard deviations to either side
	if share := shapes[0].Rate / (shapes[0].Rate + shapes[1].Rate); share < 0.87 || share > 0.93 {
		t.Errorf("a share of %.3f", share)
	}
}
