// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft"
)

// TestTables: a table of a transaction has the methods of one, sees the transaction's writes, and nobody else does.
func TestTables(t *testing.T) {
	db, ctx := open(t), t.Context()
	check(db.CreateDatabase(ctx, "shop"))
	key := weft.Key(weft.Number("id"))
	outer := makeTable(
		t,
		db,
		weft.TableSpec{Name: "t", Key: key, Indexes: []weft.IndexSpec{{Name: "n", Key: weft.Key(weft.Number("n"))}}},
	)
	makeTable(t, db, weft.TableSpec{Database: "shop", Name: "t", Key: key})
	check(outer.Put(ctx, weft.Document{"id": 1, "n": 9}))
	check(db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
		table, other := tx.Table("t"), tx.TableIn("shop", "t")
		check(table.PutAll(ctx, weft.Document{"id": 2, "n": 5}, weft.Document{"id": 3, "n": 7}))
		check(table.Delete(ctx, weft.Document{"id": 1}))
		check(other.Put(ctx, weft.Document{"id": 1}))
		item, err := table.Update(ctx, weft.Document{"id": 3}, weft.Attribute("fresh").Set("new"))
		if err != nil || item.Text("fresh") != "new" {
			t.Error(item.Document(), err)
		}
		items, err := table.GetAll(ctx, weft.Document{"id": 1}, weft.Document{"id": 2})
		if err != nil || items[0].Exists() || !items[1].Exists() {
			t.Error(items, err)
		}
		if got := ids(table, weft.Query{Index: "n"}); got != "2 3" {
			t.Error(got)
		}
		if got := ids(outer, weft.Query{Index: "n"}); got != "1" {
			t.Errorf("others see %s", got)
		}
		return nil
	}))
	if got := ids(outer, weft.Query{Index: "n", Reverse: true}) + ", " +
		ids(db.TableIn("shop", "t"), weft.Query{}); got != "3 2, 1" {
		t.Error(got)
	}
}

func ids(table *weft.Table, q weft.Query) string {
	var found []string
	check(each(table, q, func(item weft.Item) {
		x, _ := item.Value("id")
		found = append(found, x.(interface{ String() string }).String())
	}))
	return strings.Join(found, " ")
}

// TestPastTheTransaction: inside Update, what would not be part of the transaction is refused, and does nothing.
func TestPastTheTransaction(t *testing.T) {
	db, ctx := open(t), t.Context()
	spec := weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))}
	table := makeTable(t, db, spec)
	check(db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
		in := tx.Table("t")
		_, update := table.Update(ctx, weft.Document{"id": 1}, weft.Update{})
		_, create := db.CreateTable(ctx, spec)
		for call, err := range map[string]error{
			"put": table.Put(ctx, weft.Document{"id": 1}), "all": table.PutAll(ctx, weft.Document{"id": 1}),
			"delete": table.Delete(ctx, weft.Document{"id": 1}),
			"update": update, "create": create, "drop": table.Drop(ctx), "index": in.AddIndex(ctx, weft.IndexSpec{}),
			"stream": in.SetStream(ctx, weft.StreamNew),
			"inner":  db.Update(ctx, func(context.Context, *weft.Tx) error { return nil }),
		} {
			if weft.KindOf(err) != weft.KindInvalid {
				t.Errorf("%s: %v", call, err)
			}
		}
		if err := table.Put(ctx, weft.Document{"id": 1}); !strings.Contains(err.Error(), "use tx.Table inside Update") {
			t.Error(err)
		}
		for _, err := range in.Query(ctx, weft.Query{}) {
			t.Errorf("an item, %v", err)
		}
		check(in.Put(ctx, weft.Document{"id": 5}))
		for range in.Query(ctx, weft.Query{}) {
			if err := in.Put(ctx, weft.Document{"id": 6}); weft.KindOf(err) != weft.KindInvalid ||
				!strings.Contains(err.Error(), "still open") {
				t.Errorf("a write within a loop: %v", err)
			}
		}
		return in.Put(ctx, weft.Document{"id": 7})
	}))
	if got := ids(table, weft.Query{}); got != "5 7" {
		t.Error(got)
	}
	own := errors.New("own")
	if err := db.Update(ctx, func(context.Context, *weft.Tx) error { return own }); err != own {
		t.Errorf("the error of the program's own function is %v", err)
	}
}

// TestAfterTheTransaction: a table of a transaction that has ended fails, and does nothing.
func TestAfterTheTransaction(t *testing.T) {
	db, ctx := open(t), t.Context()
	makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))})
	var late *weft.Table
	check(db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
		late = tx.Table("t")
		return late.Put(ctx, weft.Document{"id": 1})
	}))
	if err := late.Put(ctx, weft.Document{"id": 2}); err == nil {
		t.Error("a write after the end")
	}
	if _, _, err := late.Get(ctx, weft.Document{"id": 1}); err == nil {
		t.Error("a read after the end")
	}
	if _, err := late.Cursor(ctx, weft.Query{}); err == nil {
		t.Error("a query after the end")
	}
	if got := ids(db.Table("t"), weft.Query{}); got != "1" {
		t.Error(got)
	}
}

// TestCursorHoldsTable: a change of a table that waits in vain says what it waits for.
func TestCursorHoldsTable(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))})
	c, err := table.Cursor(ctx, weft.Query{})
	check(err)
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	err = table.AddIndex(short, weft.IndexSpec{Name: "n", Key: weft.Key(weft.Number("n"))})
	if weft.KindOf(err) != weft.KindCanceled || !strings.Contains(err.Error(), "a cursor, a transaction or a request") {
		t.Error(err)
	}
	check(c.Close())
	check(table.WaitIndex(ctx, "n")) // the change is stored
}
