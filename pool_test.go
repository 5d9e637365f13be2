// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"bytes"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/testdb"
)

// TestPanicKeepsMemory: memory that was in use when a panic ended a write serves no other write, and the item's latch is free again.
func TestPanicKeepsMemory(t *testing.T) {
	db := testdb.Open(t)
	table := mustTable(t, db, weft.TableSpec{Name: "t", Key: weft.Columns("pk", weft.String)})
	p := pin(t, table)
	write := func(validate func(old, new weft.Row) error) error {
		w := weft.Write{Op: weft.OpUpdate, Row: row(t, p, weft.Document{"pk": "x"}), Update: weft.Attribute("n").Add(1), Validate: validate}
		return p.Write(t.Context(), &w, new(weft.WriteResult))
	}
	var kept, copied []byte
	func() {
		defer func() { _ = recover() }()
		_ = write(func(_, new weft.Row) error {
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
