// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
)

// Put stores an item, a Document, a struct (see Item.Decode) or an Item, replacing one with the same key. If
// conditions are given, all must be true of the item as it was; otherwise the error is of KindConditionFailed.
func (t *Table) Put(ctx context.Context, item any, conditions ...Condition) error {
	_, err := t.write(ctx, &database.Write{Op: database.OpPut}, item, conditions)
	return err
}

// Delete removes the item with the given key; an absent one is no error. A key is a Document or a struct that has
// the attributes of the primary key; others in it are not looked at.
func (t *Table) Delete(ctx context.Context, key any, conditions ...Condition) error {
	_, err := t.write(ctx, &database.Write{Op: database.OpDelete}, key, conditions)
	return err
}

// Update changes the item with the given key, making one if there is none, and returns it as it is then.
func (t *Table) Update(ctx context.Context, key any, update Update, conditions ...Condition) (Item, error) {
	u, err := update.internal()
	if err != nil {
		return Item{}, t.fault(err)
	}
	return t.write(ctx, &database.Write{Op: database.OpUpdate, Update: u, NeedNew: true}, key, conditions)
}

// write does one write, of the item or of the key that it is about.
func (t *Table) write(ctx context.Context, w *database.Write, about any, conditions []Condition) (Item, error) {
	all := All(conditions...)
	if all.err != nil {
		return Item{}, t.fault(all.err)
	}
	if err := t.mayWrite(ctx); err != nil {
		return Item{}, err
	}
	p, err := t.pin()
	if err != nil {
		return Item{}, err
	}
	defer p.Release()
	if err := t.fill(p, w, about, all.condition); err != nil {
		return Item{}, err
	}
	var result database.WriteResult
	if t.tx != nil {
		err = t.tx.tx.Write(ctx, p, w, &result)
	} else {
		err = p.Write(ctx, w, &result)
	}
	if err != nil || !w.NeedNew {
		return Item{}, public(err)
	}
	return t.item(result.New)
}

func (t *Table) fault(err error) error {
	return &Error{Kind: KindInvalid, Table: t.Name(), Detail: err.Error(), Err: err}
}

// fill completes a write.
func (t *Table) fill(p database.Pinned, w *database.Write, about any, condition expr.Condition) (err error) {
	w.Condition, w.AtMS, w.LifeMS = condition, t.stamp.AtMS, t.stamp.LifeMS
	if w.Op == database.OpPut {
		w.Row, err = rowOf(p, about)
	} else {
		w.Row, err = appendKey(nil, p, about)
	}
	return err
}

// appendKey encodes a key behind dst, which it may leave alone.
func appendKey(dst []byte, p database.Pinned, key any) (value.Row, error) {
	if _, ok := key.(Item); ok {
		return rowOf(p, key)
	}
	row, err := p.KeyRow(dst, key)
	return row, public(err)
}

// rowOf encodes an item.
func rowOf(p database.Pinned, item any) (row value.Row, err error) {
	if i, ok := item.(Item); ok && i.Exists() {
		row, err = value.Rename(nil, i.item.Row, i.item.Names, p.Names())
	} else {
		row, err = database.AppendRow(nil, p.Names(), item)
	}
	return row, public(err)
}

// item returns the item after a write, whose new attributes may have got numbers meanwhile.
func (t *Table) item(row value.Row) (Item, error) {
	p, err := t.table.Pin()
	if err != nil {
		return Item{}, public(err)
	}
	defer p.Release()
	return Item{database.Item{Row: row, Names: p.Names()}}, nil
}

// PutAll stores several items with different keys in one commit, or none of them. Errors: KindTooLarge if they are
// more than 64 MiB together.
func (t *Table) PutAll(ctx context.Context, items ...any) error {
	return t.writeAll(ctx, database.OpPut, items)
}

// DeleteAll removes the items with different keys in one commit.
func (t *Table) DeleteAll(ctx context.Context, keys ...any) error {
	return t.writeAll(ctx, database.OpDelete, keys)
}

func (t *Table) writeAll(ctx context.Context, op database.Op, list []any) error {
	if err := t.mayWrite(ctx); err != nil {
		return err
	}
	if t.tx != nil {
		for _, about := range list {
			if _, err := t.write(ctx, &database.Write{Op: op}, about, nil); err != nil {
				return err
			}
		}
		return nil
	}
	p, err := t.pin()
	if err != nil {
		return err
	}
	defer p.Release()
	writes := make([]database.TableWrite, len(list))
	for i := range list {
		writes[i] = database.TableWrite{Table: p, Write: database.Write{Op: op}}
		if err := t.fill(p, &writes[i].Write, list[i], nil); err != nil {
			return err
		}
	}
	_, err = t.db.db.WriteAll(ctx, writes)
	return public(err)
}

// Get returns the item with the given key; ok is false if there is none. In a transaction the item is guarded: the
// commit fails if another one changes it.
func (t *Table) Get(ctx context.Context, key any) (item Item, ok bool, err error) {
	return t.get(ctx, key, new(buffers))
}

// buffers have room for a key and for the item that it finds.
type buffers struct{ key, row []byte }

// get is Get that puts the item into buffers. In a transaction the item has its own bytes.
func (t *Table) get(ctx context.Context, key any, b *buffers) (item Item, ok bool, err error) {
	p, err := t.pin()
	if err != nil {
		return Item{}, false, err
	}
	defer p.Release()
	row, err := appendKey(b.key[:0], p, key)
	if err != nil {
		return Item{}, false, err
	}
	if _, ofItem := key.(Item); !ofItem {
		b.key = row
	}
	if t.tx != nil {
		row, ok, err = t.tx.tx.GetGuarded(ctx, p, row)
	} else {
		row, ok, err = p.Get(ctx, row, b.row[:0])
	}
	if err != nil || !ok {
		return Item{}, false, public(err)
	}
	if t.tx == nil {
		b.row = row
	}
	return Item{database.Item{Row: row, Names: p.Names()}}, true, nil
}

// GetAll returns the items with the given keys, in their order, at one snapshot; where there is none, the zero
// Item, which does not exist.
func (t *Table) GetAll(ctx context.Context, keys ...any) ([]Item, error) {
	if err := t.attached(); err != nil {
		return nil, err
	}
	items := make([]Item, len(keys))
	if t.tx != nil {
		for i, key := range keys {
			var err error
			if items[i], _, err = t.Get(ctx, key); err != nil {
				return nil, err
			}
		}
		return items, nil
	}
	p, err := t.pin()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	reads := make([]database.KeyRead, len(keys))
	for i, key := range keys {
		reads[i].Table = p
		if reads[i].Key, err = appendKey(nil, p, key); err != nil {
			return nil, err
		}
	}
	_, err = t.db.db.GetAll(ctx, reads, func(i int, row value.Row) error {
		if row != nil {
			items[i] = Item{database.Item{Row: row, Names: p.Names()}}.Clone()
		}
		return nil
	})
	if err != nil {
		return nil, public(err)
	}
	return items, nil
}
