// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"testing"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/testdb"
)

// TestRules: what a dialect has to judge, nobody else writes, by no way.
func TestRules(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *weft.DB) {
		ctx, item := t.Context(), weft.Document{"id": 1}
		for _, rules := range []weft.Rules{{}, {Dialect: "SQL", Puts: true}, {Dialect: "SQL", Deletes: true}, {Dialect: "SQL", Puts: true, Deletes: true}} {
			name := "t"
			table := mustTable(t, db, weft.TableSpec{Name: name, Key: weft.Columns("id", weft.Number), Rules: rules})
			expect := func(what string, err error, refused bool) {
				t.Helper()
				if refused != (weft.KindOf(err) == weft.KindInvalid) || !refused && err != nil {
					t.Errorf("%+v: %s: %v", rules, what, err)
				}
			}
			expect("put", table.Put(ctx, item), rules.Puts)
			_, err := table.Update(ctx, item, weft.Attribute("n").Add(1))
			expect("update", err, rules.Puts)
			expect("put in a transaction", db.Update(ctx, func(tx *weft.Tx) error { return tx.Put(ctx, name, item) }), rules.Puts)
			pin, err := db.Pin(name)
			if err != nil {
				t.Fatal(err)
			}
			row, err := item.AppendRow(nil, pin.Names())
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.WriteAll(ctx, []weft.TableWrite{{Table: pin, Write: weft.Write{Op: weft.OpPut, Row: row}}})
			expect("put of several", err, rules.Puts)
			expect("put that is judged", pin.Write(ctx, &weft.Write{Op: weft.OpPut, Row: row, Judged: true}, &weft.WriteResult{}), false)
			expect("delete", pin.Write(ctx, &weft.Write{Op: weft.OpDelete, Row: row}, &weft.WriteResult{}), rules.Deletes)
			pin.Release()
			expect("expiry", table.SetExpiry(ctx, "e"), rules.Deletes)
			if err := db.DropTable(ctx, "", name); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestMark: of two transactions that mark an item the second one waits, or fails; unless both share the mark and hold items.
func TestMark(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *weft.DB) {
		mustTable(t, db, weft.TableSpec{Name: "t", Key: weft.Columns("id", weft.Number)})
		for _, mode := range [][3]bool{{}, {true}, {true, true}, {true, false, true}, {true, true, true}, {false, true, true}} {
			locks, shared := mode[0], mode[1]
			ctx := t.Context()
			begin := func() (*weft.Tx, func(id int, shared bool) error) {
				tx, err := db.BeginWith(ctx, weft.TxOptions{Locks: locks, Wait: time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				p, err := tx.Pin("t")
				if err != nil {
					t.Fatal(err)
				}
				if row, err := (weft.Document{"id": 3}).AppendRow(nil, p.Names()); err != nil {
					t.Fatal(err)
				} else if _, _, err := tx.GetRow(ctx, p, row, nil); err != nil { // what a transaction reads first is what it conflicts with others from on
					t.Fatal(err)
				}
				return tx, func(id int, shared bool) error {
					row, err := weft.Document{"id": id}.AppendRow(nil, p.Names())
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
			if both := locks && shared && mode[2] && db.Serializes(); both && held != nil || !both && weft.KindOf(held) != weft.KindConflict {
				t.Errorf("locks %v, shared %v and %v: two marks of one item: %v", locks, shared, mode[2], held)
			}
			second.Rollback()
		}
	})
}
