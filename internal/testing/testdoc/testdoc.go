// SPDX-License-Identifier: Apache-2.0

// Package testdoc reads and writes items of package database as Go values, for tests of what lies below package weft.
//
// Knows: package database, Go values as attributes.
// Never: what the tests are about.
package testdoc

import (
	"context"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// Document is an item, or a key, as Go values. It takes what govalue.AppendValue does, and gives back what
// govalue.GoValue does.
type Document map[string]any

// AppendRow appends the document as a row with the given names. Errors: KindInvalid for a value of another type.
func (d Document) AppendRow(dst []byte, names value.Names) (value.Row, error) {
	return database.AppendRow(dst, names, map[string]any(d))
}

// Of returns all attributes of an item.
func Of(item database.Item) Document {
	all := Document{}
	attributes := item.Row.Attributes(item.Names)
	for attributes.Next() {
		all[string(attributes.Name())] = govalue.GoValue(attributes.Value())
	}
	return all
}

// Put stores an item, replacing one with the same key, if all conditions are true of the item as it was.
func Put(ctx context.Context, t *database.Table, item Document, conditions ...expr.Condition) error {
	_, err := Write(ctx, t, item, &database.Write{Op: database.OpPut, Condition: govalue.All(conditions...)})
	return err
}

// Delete removes the item with the given key; an absent one is no error.
func Delete(ctx context.Context, t *database.Table, key Document, conditions ...expr.Condition) error {
	_, err := Write(ctx, t, key, &database.Write{Op: database.OpDelete, Condition: govalue.All(conditions...)})
	return err
}

// Update changes the item with the given key, making one if there is none, and returns it as it is then.
func Update(ctx context.Context, t *database.Table, key Document, update *expr.Update,
	conditions ...expr.Condition) (database.Item, error) {
	return Write(ctx, t, key, &database.Write{Op: database.OpUpdate, Update: update,
		Condition: govalue.All(conditions...), NeedNew: true})
}

// Write does a write whose Row is given as a Document, and returns the item as it is then if w.NeedNew is set.
func Write(ctx context.Context, t *database.Table, document Document, w *database.Write) (database.Item, error) {
	p, err := t.Pin()
	if err != nil {
		return database.Item{}, err
	}
	defer p.Release()
	if w.Row, err = document.AppendRow(nil, p.Names()); err != nil {
		return database.Item{}, err
	}
	var result database.WriteResult
	if err := p.Write(ctx, w, &result); err != nil || !w.NeedNew {
		return database.Item{}, err
	}
	now, err := t.Pin() // the write may have given names numbers
	if err != nil {
		return database.Item{}, err
	}
	defer now.Release()
	return database.Item{Row: result.New, Names: now.Names()}, nil
}

// Get returns the item with the given key; ok is false if there is none.
func Get(ctx context.Context, t *database.Table, key Document) (item database.Item, ok bool, err error) {
	p, err := t.Pin()
	if err != nil {
		return item, false, err
	}
	defer p.Release()
	row, err := key.AppendRow(nil, p.Names())
	if err != nil {
		return item, false, err
	}
	found, ok, err := p.Get(ctx, row, nil)
	return database.Item{Row: found, Names: p.Names()}, ok, err
}

// Each walks a query to its end and calls visit for each item. visit ends the walk early by returning false.
func Each(ctx context.Context, t *database.Table, q database.Query, visit func(Document) bool) error {
	c, err := t.Query(ctx, q)
	if err != nil {
		return err
	}
	defer c.Close()
	for c.Next() && visit(Of(c.Item())) {
	}
	return c.Close()
}

// GetIn returns the item with the given key, as a transaction sees it, and guards it.
func GetIn(ctx context.Context, tx *database.Tx, table string, key Document) (item database.Item, ok bool, err error) {
	p, err := tx.PinIn("", table)
	if err != nil {
		return item, false, err
	}
	row, err := key.AppendRow(nil, p.Names())
	if err != nil {
		return item, false, err
	}
	found, ok, err := tx.GetGuarded(ctx, p, row)
	return database.Item{Row: found, Names: p.Names()}, ok, err
}

// PutIn is Put within a transaction.
func PutIn(ctx context.Context, tx *database.Tx, table string, item Document, conditions ...expr.Condition) error {
	return writeIn(ctx, tx, table, item, &database.Write{Op: database.OpPut, Condition: govalue.All(conditions...)})
}

// DeleteIn is Delete within a transaction.
func DeleteIn(ctx context.Context, tx *database.Tx, table string, key Document, conditions ...expr.Condition) error {
	return writeIn(ctx, tx, table, key, &database.Write{Op: database.OpDelete, Condition: govalue.All(conditions...)})
}

// UpdateIn is Update within a transaction.
func UpdateIn(ctx context.Context, tx *database.Tx, table string, key Document, update *expr.Update,
	conditions ...expr.Condition) error {
	return writeIn(ctx, tx, table, key, &database.Write{Op: database.OpUpdate, Update: update,
		Condition: govalue.All(conditions...)})
}

func writeIn(ctx context.Context, tx *database.Tx, table string, document Document, w *database.Write) error {
	p, err := tx.PinIn("", table)
	if err != nil {
		return err
	}
	if w.Row, err = document.AppendRow(nil, p.Names()); err != nil {
		return err
	}
	var result database.WriteResult
	return tx.Write(ctx, p, w, &result)
}

// QueryIn walks a table or index as a transaction sees it.
func QueryIn(ctx context.Context, tx *database.Tx, table string, q database.Query) (*database.Cursor, error) {
	p, err := tx.PinIn("", table)
	if err != nil {
		return nil, err
	}
	return tx.Walk(ctx, p, q)
}
