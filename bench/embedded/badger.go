// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/dgraph-io/badger/v4"
)

// badgerStore is Badger, told to sync each commit.
type badgerStore struct{ db *badger.DB }

func openBadger(_ context.Context, dir string) (store, error) {
	db, err := badger.Open(badger.DefaultOptions(dir).WithSyncWrites(true).WithLogger(nil).
		WithBlockCacheSize(cacheBytes))
	return &badgerStore{db}, err
}

func (s *badgerStore) Close() error { return s.db.Close() }

func (s *badgerStore) load(_ context.Context, items []item) error { return s.write(spaceItems, items) }

func (s *badgerStore) put(_ context.Context, large []item) error { return s.write(spaceLarge, large) }

func (s *badgerStore) write(space byte, items []item) error {
	list, err := pairs(space, items)
	if err != nil {
		return err
	}
	return s.db.Update(func(txn *badger.Txn) error {
		for _, p := range list {
			if err := txn.Set(p.key, p.value); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *badgerStore) get(_ context.Context, id int64) (x item, err error) {
	err = s.db.View(func(txn *badger.Txn) error {
		return seeKey(txn, keyOf(spaceItems, id), func(found *item) { x = *found })
	})
	return x, err
}

// seeKey hands on the item with a key.
func seeKey(txn *badger.Txn, key []byte, see func(*item)) error {
	found, err := txn.Get(key)
	if err != nil {
		return err
	}
	return found.Value(func(text []byte) error { return seeJSON(text, see) })
}

func (s *badgerStore) scan(_ context.Context, see func(*item)) error {
	return s.walk([]byte{spaceItems}, true, func(_ *badger.Txn, found *badger.Item) error {
		return found.Value(func(text []byte) error { return seeJSON(text, see) })
	})
}

func (s *badgerStore) query(_ context.Context, owner int64, see func(*item)) error {
	return s.walk(keyOf(spaceOwner, owner), false, func(txn *badger.Txn, found *badger.Item) error {
		return seeKey(txn, keyOf(spaceItems, idOf(found.Key())), see)
	})
}

// walk visits what has keys that begin with a prefix, with values fetched ahead or not.
func (s *badgerStore) walk(prefix []byte, values bool, visit func(*badger.Txn, *badger.Item) error) error {
	return s.db.View(func(txn *badger.Txn) error {
		options := badger.DefaultIteratorOptions
		options.Prefix, options.PrefetchValues = prefix, values
		walk := txn.NewIterator(options)
		defer walk.Close()
		for walk.Rewind(); walk.Valid(); walk.Next() {
			if err := visit(txn, walk.Item()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *badgerStore) decoder(ctx context.Context, id int64) (func(*item) error, error) {
	return jsonDecoder(s.get(ctx, id))
}
