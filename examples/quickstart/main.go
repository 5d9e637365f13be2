// SPDX-License-Identifier: Apache-2.0

// Program quickstart keeps cities in the folder data, and prints the largest ones of a country. It can be run any
// number of times.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/weftdb/weft"
)

// City is an item of the table: the fields with the option key are its key.
type City struct {
	Country    string `weft:"country,key"`
	Name       string `weft:"name,key"`
	Population int    `weft:"population"`
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	db, err := weft.Open(ctx, "data", weft.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	bySize := weft.Key(weft.String("country"), weft.Number("population").Desc())
	cities, err := weft.EnsureTableOf[City](ctx, db, weft.TableSpec{
		Name:    "cities",
		Indexes: []weft.IndexSpec{{Name: "largest", Key: bySize}},
	})
	if err != nil {
		return err
	}
	err = cities.PutAll(ctx,
		City{"JP", "Nara", 354_630}, City{"JP", "Osaka", 2_753_862}, City{"JP", "Kobe", 1_525_152})
	if err != nil {
		return err
	}
	largest := weft.Query{Index: "largest", Where: weft.Attribute("country").Equal("JP"), Limit: 2}
	for city, err := range cities.Query(ctx, largest) {
		if err != nil {
			return err
		}
		fmt.Println(city.Name, city.Population)
	}
	return nil
}
