// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

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
