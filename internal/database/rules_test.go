// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestRules: what a dialect has to judge, nobody else writes, by no way.
func TestRules(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		ctx, item := t.Context(), testdoc.Document{"id": 1}
		for _, rules := range []schema.Rules{{}, {Dialect: "SQL", Puts: true}, {Dialect: "SQL", Deletes: true},
			{Dialect: "SQL", Puts: true, Deletes: true}} {
			name := "t"
			table := mustTable(t, db, database.TableSpec{Name: name, Key: database.Columns("id", schema.Number),
				Rules: rules})
			expect := func(what string, err error, refused bool) {
				t.Helper()
				if refused != (database.KindOf(err) == database.KindInvalid) || !refused && err != nil {
					t.Errorf("%+v: %s: %v", rules, what, err)
				}
			}
			expect("put", testdoc.Put(ctx, table, item), rules.Puts)
			_, err := testdoc.Update(ctx, table, item, govalue.Attribute("n").Add(1))
			expect("update", err, rules.Puts)
			expect("put in a transaction",
				db.Update(ctx, func(tx *database.Tx) error { return testdoc.PutIn(ctx, tx, name, item) }), rules.Puts)
			pin, err := db.PinIn("", name)
			if err != nil {
				t.Fatal(err)
			}
			row, err := item.AppendRow(nil, pin.Names())
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.WriteAll(ctx, []database.TableWrite{{Table: pin,
				Write: database.Write{Op: database.OpPut, Row: row}}})
			expect("put of several", err, rules.Puts)
			expect("put that is judged",
				pin.Write(ctx, &database.Write{Op: database.OpPut, Row: row, Judged: true}, &database.WriteResult{}),
				false)
			expect("delete", pin.Write(ctx, &database.Write{Op: database.OpDelete, Row: row}, &database.WriteResult{}),
				rules.Deletes)
			pin.Release()
			expect("expiry", table.SetExpiry(ctx, "e"), rules.Deletes)
			if err := db.DropTable(ctx, "", name); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestMark: of two transactions that mark an item the second one waits, or fails; unless both share the mark and hold
// items.
func TestMark(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("id", schema.Number)})
		for _, mode := range [][3]bool{{}, {true}, {true, true}, {true, false, true}, {true, true, true},
			{false, true, true}} {
			locks, shared := mode[0], mode[1]
			ctx := t.Context()
			begin := func() (*database.Tx, func(id int, shared bool) error) {
				tx, err := db.BeginWith(ctx, database.TxOptions{Locks: locks, Wait: time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				p, err := tx.PinIn("", "t")
				if err != nil {
					t.Fatal(err)
				}
				if row, err := (testdoc.Document{"id": 3}).AppendRow(nil, p.Names()); err != nil {
					t.Fatal(err)
				} else if _, _, err := tx.View().Get(ctx, p, row, nil); err != nil {
					// what a transaction reads first is what it conflicts with others from on
					t.Fatal(err)
				}
				return tx, func(id int, shared bool) error {
					row, err := testdoc.Document{"id": id}.AppendRow(nil, p.Names())
					if err == nil {
						_, err = tx.Mark(ctx, p, row, shared)
					}
					return err
				}
			}
			first, markFirst := begin()
			second, markSecond := begin()
			if err := markFirst(1, shared); err != nil {
				t.Fatal(err)
			}
			if err := markSecond(2, mode[2]); err != nil {
				t.Fatal(err)
			}
			held := markSecond(1, mode[2])
			if err := first.Commit(ctx); err != nil {
				t.Fatal(err)
			}
			if held == nil {
				held = second.Commit(ctx)
			}
			if both := locks && shared && mode[2] && db.Serializes(); both && held != nil ||
				!both && database.KindOf(held) != database.KindConflict {
				t.Errorf("locks %v, shared %v and %v: two marks of one item: %v", locks, shared, mode[2], held)
			}
			second.Rollback()
		}
	})
}
