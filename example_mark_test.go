// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"fmt"

	"github.com/weftdb/weft"
)

// A test goes back to what was prepared.
func ExampleDB_Mark() {
	db, closeAll := openMemory()
	defer closeAll()
	ctx := context.Background()
	cities, err := db.CreateTable(ctx, weft.TableSpec{Name: "cities", Key: weft.Key(weft.String("name"))})
	check(err)
	check(cities.Put(ctx, weft.Document{"name": "Porto"}))
	mark, err := db.Mark(ctx)
	check(err)

	check(cities.Put(ctx, weft.Document{"name": "Lisbon"}))
	check(db.Table("cities").Drop(ctx))
	check(mark.Return(ctx))
	show(cities, weft.Query{}, "name")
	fmt.Println(db.Tables(""))

	check(mark.Forget())
	fmt.Println(weft.KindOf(mark.Return(ctx)))
	// Output:
	// [Porto]
	// [cities]
	// not found
}
