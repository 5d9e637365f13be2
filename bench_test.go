// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"testing"

	"github.com/weftdb/weft"
)

type measured struct {
	Country    string  `weft:"country,key"`
	ID         int     `weft:"id,key"`
	Name       string  `weft:"name"`
	Population int64   `weft:"population"`
	Lat        float64 `weft:"lat"`
	Lon        float64 `weft:"lon"`
}

// BenchmarkTable measures the calls of package weft on a database in memory: what they cost above the engine.
func BenchmarkTable(b *testing.B) {
	ctx := b.Context()
	db, err := weft.OpenMemory(ctx, weft.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	items, err := weft.EnsureTableOf[measured](ctx, db, weft.TableSpec{Name: "items"})
	if err != nil {
		b.Fatal(err)
	}
	for id := range 1000 {
		check(items.Put(ctx, measured{"JP", id, "a city of Japan", 354_630, 34.68, 135.8}))
	}
	one := weft.Document{"country": "JP", "id": 500}
	hundred := weft.Query{Where: weft.All(weft.Attribute("country").Equal("JP"),
		weft.Attribute("id").Between(400, 499))}
	for name, call := range map[string]func() error{
		"get":       func() error { _, _, err := items.Table.Get(ctx, one); return err },
		"get-typed": func() error { _, _, err := items.Get(ctx, measured{Country: "JP", ID: 500}); return err },
		"put-typed": func() error { return items.Put(ctx, measured{"JP", 500, "a city", 354_630, 34.68, 135.8}) },
		"query-100": func() error { return each(items.Table, hundred, func(weft.Item) {}) },
		"query-100-typed": func() error {
			for _, err := range items.Query(ctx, hundred) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check(call())
			}
		})
	}
}
