// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weftdb/weft"
)

// A search index finds items by the words of their texts and by values, in any combination, in the same commit as the
// items.
func ExampleWords() {
	ctx := context.Background()
	db, err := weft.OpenMemory(ctx, weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	table, err := db.CreateTable(ctx, weft.TableSpec{
		Name: "articles", Key: weft.Key(weft.Number("id")),
		Indexes: []weft.IndexSpec{{Name: "find", Search: true,
			Key: weft.Key(weft.Number("year"), weft.Words("english", "title", "text"))}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range []weft.Document{
		{"id": 1, "title": "Running shoes", "text": "Light shoes for long runs", "year": 2024},
		{"id": 2, "title": "Red shoes", "text": "A shoe for the evening", "year": 2025},
		{"id": 3, "title": "Apples", "text": "Red and green", "year": 2025},
	} {
		if err := table.Put(ctx, item); err != nil {
			log.Fatal(err)
		}
	}
	search := weft.Query{Search: &weft.Search{Attributes: []string{"title", "text"}, Text: "+shoe -run", Boolean: true}}
	for item, err := range table.Query(ctx, search) {
		if err != nil {
			log.Fatal(err)
		}
		d := item.Document()
		fmt.Println(d["title"])
	}
	recent := weft.Query{AnyIndex: true, Where: weft.Attribute("year").AtLeast(2025)}
	for item, err := range table.Query(ctx, recent) {
		if err != nil {
			log.Fatal(err)
		}
		d := item.Document()
		fmt.Println(d["id"], d["title"])
	}
	// Output:
	// Red shoes
	// 2 Red shoes
	// 3 Apples
}

// An asynchronous index costs a commit nothing. A search that must see what was written before waits for it.
func ExampleSearch() {
	ctx := context.Background()
	db, err := weft.OpenMemory(ctx, weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	table, err := db.CreateTable(ctx, weft.TableSpec{
		Name: "pages", Key: weft.Key(weft.Number("id")),
		Indexes: []weft.IndexSpec{{Name: "words", Search: true, Async: &weft.Async{},
			Key: weft.Key(weft.Words("english", "text"))}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := table.Put(ctx, weft.Document{"id": 1, "text": "Light shoes for long runs"}); err != nil {
		log.Fatal(err)
	}
	search := weft.Query{Search: &weft.Search{Attributes: []string{"text"}, Text: "running", Wait: true}}
	for item, err := range table.Query(ctx, search) {
		if err != nil {
			log.Fatal(err)
		}
		d := item.Document()
		fmt.Println(d["text"])
	}
	// Output:
	// Light shoes for long runs
}
