// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestBoxesWithinTheirRims asks a Z-order index for boxes whose bounds are values of items, left out or not: an item on
// the rim, one that lacks a column, and a zero with a sign are found as a full scan finds them.
func TestBoxesWithinTheirRims(t *testing.T) {
	db, _ := openHooked(t, vfs.NewMem(), database.Options{})
	random := rounds.Random(t)
	place := mustPart(t, "zorder(a i64 nulls=first, c f64 nulls=first)", schema.Binary)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "id", "int"),
		Indexes: []database.IndexSpec{{Name: "z", Key: []schema.KeyPart{place}, KeepNulls: true}}})
	number := func() float64 {
		return []float64{math.Copysign(0, -1), 0, 1, float64(random.IntN(40) - 20)}[random.IntN(4)]
	}
	for id := range 600 {
		item := testdoc.Document{"id": id, "n": random.IntN(2)}
		if random.IntN(9) > 0 {
			item["a"] = int(number())
		}
		if random.IntN(9) > 0 {
			item["c"] = number() / 4
		}
		if err := testdoc.Put(t.Context(), table, item); err != nil {
			t.Fatal(err)
		}
	}
	sides := func(name string, low, high any) []expr.Condition {
		f := govalue.Attribute(name)
		switch random.IntN(3) {
		case 0:
			return []expr.Condition{f.Greater(low), f.Less(high)}
		case 1:
			return []expr.Condition{f.Between(low, high)}
		}
		return []expr.Condition{f.AtLeast(low), f.AtMost(high)}
	}
	for range rounds.Of(t, 300) {
		where := govalue.All(append(append(sides("a", int(number())-3, int(number())+9),
			sides("c", number()/4-random.Float64(), number()/4+3)...), govalue.Attribute("n").Equal(1))...)
		found, err := walk(t.Context(), table, database.Query{Index: "z", Where: where})
		if err != nil {
			t.Fatal(err)
		}
		all, err := walk(t.Context(), table, database.Query{Filter: where})
		if err != nil || len(found) != len(all) {
			t.Fatalf("%s: %d items, a full scan finds %d, %v", expr.Notation{}.AppendCondition(nil, where), len(found),
				len(all), err)
		}
	}
}
