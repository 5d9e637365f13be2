// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"bytes"
	"testing"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestPanicKeepsMemory: memory that was in use when a panic ended a write serves no other write, and the item's latch
// is free again.
func TestPanicKeepsMemory(t *testing.T) {
	db := testdb.Open(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.String)})
	p := pin(t, table)
	write := func(validate func(old, new value.Row) error) error {
		w := database.Write{Op: database.OpUpdate, Row: row(t, p, testdoc.Document{"pk": "x"}),
			Update: govalue.Attribute("n").Add(1), Validate: validate}
		return p.Write(t.Context(), &w, new(database.WriteResult))
	}
	var kept, copied []byte
	func() {
		defer func() { _ = recover() }()
		_ = write(func(_, new value.Row) error {
			kept, copied = new, bytes.Clone(new)
			panic("planted")
		})
	}()
	for range 3 {
		if err := write(nil); err != nil {
			t.Fatal(err)
		}
	}
	if kept == nil || !bytes.Equal(kept, copied) {
		t.Errorf("what the panic left behind was overwritten: %x became %x", copied, kept)
	}
}
