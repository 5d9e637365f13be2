// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"iter"
	"reflect"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/value"
)

// Tables is a DB, or a Tx.
type Tables interface {
	// Table returns a table of the default database.
	Table(name string) *Table
	// TableIn returns a table of any database.
	TableIn(database, name string) *Table
}

// Typed is a Table whose items are structs of the type T; see Item.Decode for their tags. Its other methods are
// those of the Table in it. The zero value is no table of any DB, as that of Table.
type Typed[T any] struct{ *Table }

// TableOf returns a table of the default database whose items are Ts.
func TableOf[T any](of Tables, name string) Typed[T] { return Typed[T]{of.Table(name)} }

// EnsureTableOf is DB.EnsureTable for a table whose items are Ts. If spec has no Key, it is made of the fields of T
// with the option key, in their order:
//
//	Country string `weft:"country,key"`
func EnsureTableOf[T any](ctx context.Context, db *DB, spec TableSpec) (Typed[T], error) {
	if len(spec.Key) == 0 {
		key, err := declaredKey(reflect.TypeFor[T]())
		if err != nil {
			return Typed[T]{}, err
		}
		spec.Key = key
	}
	t, err := db.EnsureTable(ctx, spec)
	return Typed[T]{t}, err
}

// declaredKey returns the key that a struct type declares.
func declaredKey(t reflect.Type) (key []KeyPart, err error) {
	parts := map[value.Kind]func(string) KeyPart{
		value.String: String, value.Number: Number, value.Binary: Binary, value.Bool: Bool, value.Timestamp: Timestamp,
	}
	for _, f := range govalue.KeyFields(t) {
		part, ok := parts[f.Kind]
		if !ok {
			return nil, invalid("", "the field for "+f.Name+" of "+t.String()+" has a type that no key can have")
		}
		key = append(key, part(f.Name))
	}
	return key, nil
}

// In returns the table as a transaction sees it.
func (t Typed[T]) In(tx *Tx) Typed[T] {
	if t.attached() != nil {
		return t
	}
	return Typed[T]{tx.TableIn(t.database, t.Name())}
}

// decode makes a T of an item.
func decode[T any](item Item, ok bool, err error) (T, bool, error) {
	var x T
	if err != nil || !ok {
		return x, false, err
	}
	err = item.Decode(&x)
	return x, err == nil, err
}

// Get returns the item with the given key, which is a Document, or a struct such as T with the attributes of the
// key; ok is false if there is none.
func (t Typed[T]) Get(ctx context.Context, key any) (item T, ok bool, err error) {
	if err := t.attached(); err != nil {
		return item, false, err
	}
	b, _ := t.db.buffers.Get().(*buffers)
	if b == nil {
		b = new(buffers)
	}
	item, ok, err = decode[T](t.get(ctx, key, b)) // a struct holds none of the item's bytes
	if cap(b.row) <= pooledMax && cap(b.key) <= pooledMax {
		t.db.buffers.Put(b) // not after a panic, when it may still be in use
	}
	return item, ok, err
}

// pooledMax is the number of bytes that a buffer in the pool may hold.
const pooledMax = 64 << 10

// GetAll returns the items with the given keys, in their order; nil where there is none.
func (t Typed[T]) GetAll(ctx context.Context, keys ...any) ([]*T, error) {
	found, err := t.Table.GetAll(ctx, keys...)
	items := make([]*T, len(found))
	for i := range found {
		if !found[i].Exists() {
			continue
		}
		items[i] = new(T)
		if err := found[i].Decode(items[i]); err != nil {
			return nil, err
		}
	}
	return items, err
}

// Put is Table.Put.
func (t Typed[T]) Put(ctx context.Context, item T, conditions ...Condition) error {
	return t.Table.Put(ctx, &item, conditions...)
}

// PutAll is Table.PutAll.
func (t Typed[T]) PutAll(ctx context.Context, items ...T) error {
	list := make([]any, len(items))
	for i := range items {
		list[i] = &items[i]
	}
	return t.Table.PutAll(ctx, list...)
}

// Update is Table.Update.
func (t Typed[T]) Update(ctx context.Context, key any, update Update, conditions ...Condition) (T, error) {
	item, err := t.Table.Update(ctx, key, update, conditions...)
	x, _, err := decode[T](item, true, err)
	return x, err
}

// Query is Table.Query.
func (t Typed[T]) Query(ctx context.Context, q Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var x, zero T
		for item, err := range t.items(ctx, q, false) {
			if x = zero; err == nil {
				err = item.Decode(&x)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}
