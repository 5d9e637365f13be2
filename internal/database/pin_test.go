// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"testing"
	"testing/synctest"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestPinReleasedTwice: a pin that is released again, as itself, as a copy, or after others were taken and given back,
// counts once. A change of the schema still waits for every pin that is held.
func TestPinReleasedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := testdb.Open(t)
		table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.String)})
		held, spent := pin(t, table), pin(t, table)
		for range 3 {
			copied := spent
			copied.Release()
			spent.Release()
			pin(t, table).Release()
		}
		later := pin(t, table)
		spent.Release() // what it was held by may serve the later one
		tx, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lent, err := tx.PinIn("", "t")
		if err != nil {
			t.Fatal(err)
		}
		lent.Release() // it is the transaction's
		database.Pinned{}.Release()
		changed := false
		go func() {
			if err := table.Edit(t.Context(), func(*schema.Table) error { return nil }); err != nil {
				t.Error(err)
			}
			changed = true
		}()
		for _, release := range []func(){held.Release, later.Release, tx.Rollback} {
			if synctest.Wait(); changed {
				t.Error("the change did not wait for all pins")
			}
			release()
		}
		if synctest.Wait(); !changed {
			t.Error("the change waits for nobody")
		}
	})
}
