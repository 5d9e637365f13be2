// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"strings"
	"testing"

	"github.com/weftdb/weft"
)

// TestMisuse wants mistakes to be told where they are made, in words of this package.
func TestMisuse(t *testing.T) {
	ctx := t.Context()
	db, err := weft.OpenMemory(ctx, weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	pens, err := db.CreateTable(ctx, weft.TableSpec{Name: "pens", Key: weft.Key(weft.String("id"))})
	if err != nil {
		t.Fatal(err)
	}
	pen := weft.Document{"id": "a", "n": 1}
	if err := pens.Put(ctx, pen); err != nil {
		t.Fatal(err)
	}
	update := func(u weft.Update, conditions ...weft.Condition) error {
		_, err := pens.Update(ctx, pen, u, conditions...)
		return err
	}
	set := weft.Attribute("m").Set(1)
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"no item", pens.Put(ctx, nil), "an item is a struct or a map with string keys, not nil"},
		{"a key that is no item", pens.Delete(ctx, "a"), "not a value of the type string"},
		{"no name", update(weft.Field{}.Set(1)), "has no name"},
		{"no name in a condition", update(set, weft.Attribute("").Missing()), "has no name"},
		{"an odd step", update(weft.Attribute("x", 1.5).Remove()), "attribute x: a step is the name"},
		{"a negative position", update(set, weft.Attribute("x", -1).Exists()), "position -1"},
		{"two updates of one field", update(weft.Updates(set, set)), "two updates meet in one field"},
		{"a word added to a number", update(weft.Attribute("n").Add("x")), "Add takes numbers"},
		{"a negative limit", queryFault(ctx, pens, weft.Query{Limit: -1}), "pens: a negative Limit"},
		{"no such function", create(ctx, db, weft.String("hash99(id)")), "hash99(id): there is no such function"},
		{"no key", create(ctx, db), "table other: it has no key"},
		{"a value decoded into", decodeFault(ctx, pens, pen), "weft: an item is decoded into a pointer"},
	} {
		if c.err == nil || weft.KindOf(c.err) != weft.KindInvalid || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
}

func create(ctx context.Context, db *weft.DB, parts ...weft.KeyPart) error {
	_, err := db.CreateTable(ctx, weft.TableSpec{Name: "other", Key: weft.Key(parts...)})
	return err
}

func queryFault(ctx context.Context, table *weft.Table, q weft.Query) error {
	for _, err := range table.Query(ctx, q) {
		return err
	}
	return nil
}

func decodeFault(ctx context.Context, table *weft.Table, key weft.Document) error {
	item, _, err := table.Get(ctx, key)
	if err != nil {
		return err
	}
	return item.Decode(struct{}{})
}

// TestEndedTransaction refuses what comes after the end of a transaction, and savepoints that are none.
func TestEndedTransaction(t *testing.T) {
	ctx := t.Context()
	db, err := weft.OpenMemory(ctx, weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	tx, err := db.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	tx.Savepoint()
	for _, n := range []int{-1, 1} {
		if err := tx.RollbackTo(n); weft.KindOf(err) != weft.KindInvalid {
			t.Errorf("savepoint %d: %v", n, err)
		}
	}
	if err := tx.RollbackTo(0); err != nil {
		t.Error(err)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(ctx); weft.KindOf(err) != weft.KindInvalid {
		t.Errorf("a second Commit: %v", err)
	}
	if err := tx.RollbackTo(0); weft.KindOf(err) != weft.KindInvalid {
		t.Errorf("RollbackTo after Commit: %v", err)
	}
}
