// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// boltStore is bbolt, whose commits are durable by default. It has a single bucket, since keys tell tables apart.
type boltStore struct {
	db     *bbolt.DB
	update func(func(*bbolt.Tx) error) error // Update, or Batch
}

func boltBucket() []byte { return []byte("bench") }

func openBolt(dir string, batch bool) (store, error) {
	db, err := bbolt.Open(filepath.Join(dir, "data"), 0o600, nil)
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket(boltBucket())
		return err
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if batch {
		return &boltStore{db, db.Batch}, nil
	}
	return &boltStore{db, db.Update}, nil
}

func (s *boltStore) Close() error { return s.db.Close() }

func (s *boltStore) load(_ context.Context, items []item) error { return s.write(spaceItems, items) }

func (s *boltStore) put(_ context.Context, large []item) error { return s.write(spaceLarge, large) }

func (s *boltStore) write(space byte, items []item) error {
	list, err := pairs(space, items)
	if err != nil {
		return err
	}
	return s.update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(boltBucket())
		for _, p := range list {
			if err := bucket.Put(p.key, p.value); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *boltStore) get(_ context.Context, id int64) (x item, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return json.Unmarshal(tx.Bucket(boltBucket()).Get(keyOf(spaceItems, id)), &x)
	})
	return x, err
}

func (s *boltStore) scan(_ context.Context, see func(*item)) error {
	return s.walk([]byte{spaceItems}, func(_ *bbolt.Bucket, _, value []byte) error { return seeJSON(value, see) })
}

func (s *boltStore) query(_ context.Context, owner int64, see func(*item)) error {
	return s.walk(keyOf(spaceOwner, owner), func(bucket *bbolt.Bucket, key, _ []byte) error {
		return seeJSON(bucket.Get(keyOf(spaceItems, idOf(key))), see)
	})
}

// walk visits the pairs whose keys begin with a prefix.
func (s *boltStore) walk(prefix []byte, visit func(bucket *bbolt.Bucket, key, value []byte) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(boltBucket())
		c := bucket.Cursor()
		for key, value := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = c.Next() {
			if err := visit(bucket, key, value); err != nil {
				return err
			}
		}
		return nil
	})
}

// seeJSON hands on a stored item.
func seeJSON(text []byte, see func(*item)) error {
	var x item
	if err := json.Unmarshal(text, &x); err != nil {
		return err
	}
	see(&x)
	return nil
}

func (s *boltStore) decoder(ctx context.Context, id int64) (func(*item) error, error) {
	return jsonDecoder(s.get(ctx, id))
}
