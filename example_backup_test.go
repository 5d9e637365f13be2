// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/kv/pebble"
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

	store, err := pebble.Open(pebble.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		log.Fatal(err)
	}
	db, err := weft.Open(ctx, store, weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	table, err := db.CreateTable(ctx, weft.TableSpec{Name: "orders", Key: weft.Columns("id", weft.String)})
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
	_, _ = db.Close(), store.Close()

	restored := filepath.Join(dir, "restored")
	if _, err := weft.Restore(ctx, backups, weft.RestoreOptions{Dir: restored}); err != nil {
		log.Fatal(err)
	}
	if store, err = pebble.Open(pebble.Options{Dir: restored}); err != nil {
		log.Fatal(err)
	}
	if db, err = weft.Open(ctx, store, weft.Options{}); err != nil {
		log.Fatal(err)
	}
	if table, err = db.Table("orders"); err != nil {
		log.Fatal(err)
	}
	item, found, err := table.Get(ctx, weft.Document{"id": "o1"})
	fmt.Println(item.Document()["total"], found, err)
	_, _ = db.Close(), store.Close()
	// Output: 12 true <nil>
}
