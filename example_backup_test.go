// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/storage"
)

// A backup is made while the database is used. It is restored to a new folder.
func ExampleDB_Backup() {
	dir, err := os.MkdirTemp("", "weft")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, backups := context.Background(), storage.Folder(filepath.Join(dir, "backups"))

	db, err := weft.Open(ctx, filepath.Join(dir, "data"), weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	table, err := db.CreateTable(ctx, weft.TableSpec{Name: "orders", Key: weft.Key(weft.String("id"))})
	if err != nil {
		log.Fatal(err)
	}
	if err := table.Put(ctx, weft.Document{"id": "o1", "total": 12}); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Backup(ctx, backups, weft.BackupOptions{Keep: 7}); err != nil {
		log.Fatal(err)
	}
	if err := table.Delete(ctx, weft.Document{"id": "o1"}); err != nil {
		log.Fatal(err)
	}
	_ = db.Close()

	restored := filepath.Join(dir, "restored")
	if _, err := weft.Restore(ctx, backups, restored, weft.RestoreOptions{}); err != nil {
		log.Fatal(err)
	}
	if db, err = weft.Open(ctx, restored, weft.Options{}); err != nil {
		log.Fatal(err)
	}
	item, found, err := db.Table("orders").Get(ctx, weft.Document{"id": "o1"})
	fmt.Println(item.Document()["total"], found, err)
	_ = db.Close()
	// Output: 12 true <nil>
}

// Changes are shipped as they are made, so that the loss of a machine costs about a second, and a mistake nothing: any
// moment of the last days can be brought back, to another folder.
func ExampleDB_Ship() {
	dir, err := os.MkdirTemp("", "weft")
	check(err)
	defer os.RemoveAll(dir)
	ctx, shipped := context.Background(), storage.Folder(filepath.Join(dir, "shipped"))
	db, err := weft.Open(ctx, filepath.Join(dir, "data"), weft.Options{})
	check(err)
	check(db.Ship(ctx, shipped, weft.ShipOptions{Keep: 48 * time.Hour}))
	awaitShipped := func(moment time.Time) {
		for at, ok := db.Shipped(); !ok || at.Before(moment); at, ok = db.Shipped() {
			time.Sleep(10 * time.Millisecond)
		}
	}
	awaitShipped(time.Now()) // the backup that it begins with

	orders, err := db.EnsureTable(ctx, weft.TableSpec{Name: "orders", Key: weft.Key(weft.String("id"))})
	check(err)
	check(orders.Put(ctx, weft.Document{"id": "o1"}))
	before := time.Now()
	time.Sleep(5 * time.Millisecond)
	check(orders.Delete(ctx, weft.Document{"id": "o1"})) // by mistake
	awaitShipped(before)
	check(db.Close())

	restored := filepath.Join(dir, "restored")
	_, err = weft.RestoreShipped(ctx, shipped, restored, before, weft.RestoreOptions{})
	check(err)
	db, err = weft.Open(ctx, restored, weft.Options{})
	check(err)
	show(db.Table("orders"), weft.Query{}, "id")
	check(db.Close())
	// Output: [o1]
}
