// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft"
)

// weftStore is Weft, by its typed tables.
type weftStore struct {
	db           *weft.DB
	items, large weft.Typed[item]
}

func openWeft(ctx context.Context, dir string) (store, error) {
	db, err := weft.Open(ctx, dir, weft.Options{CacheBytes: cacheBytes})
	if err != nil {
		return nil, err
	}
	byOwner := weft.Key(weft.Number("owner"), weft.Number("at"))
	items, err := weft.EnsureTableOf[item](ctx, db, weft.TableSpec{Name: "items",
		Indexes: []weft.IndexSpec{{Name: "owner", Key: byOwner}}})
	large, largeErr := weft.EnsureTableOf[item](ctx, db, weft.TableSpec{Name: "large"})
	if err := errors.Join(err, largeErr); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &weftStore{db, items, large}, nil
}

func (s *weftStore) Close() error { return s.db.Close() }

func (s *weftStore) load(ctx context.Context, items []item) error {
	return s.items.PutAll(ctx, items...)
}

func (s *weftStore) put(ctx context.Context, large []item) error {
	if len(large) == 1 {
		return s.large.Put(ctx, large[0])
	}
	return s.large.PutAll(ctx, large...)
}

func (s *weftStore) get(ctx context.Context, id int64) (item, error) {
	x, ok, err := s.items.Get(ctx, item{ID: id})
	if err == nil && !ok {
		err = fmt.Errorf("item %d is missing", id)
	}
	return x, err
}

func (s *weftStore) scan(ctx context.Context, see func(*item)) error {
	return s.walk(ctx, weft.Query{}, see)
}

func (s *weftStore) query(ctx context.Context, owner int64, see func(*item)) error {
	return s.walk(ctx, weft.Query{Index: "owner", Where: weft.Attribute("owner").Equal(owner)}, see)
}

func (s *weftStore) walk(ctx context.Context, q weft.Query, see func(*item)) error {
	for x, err := range s.items.Query(ctx, q) {
		if err != nil {
			return err
		}
		see(&x)
	}
	return nil
}

func (s *weftStore) decoder(ctx context.Context, id int64) (func(*item) error, error) {
	found, _, err := s.items.Table.Get(ctx, item{ID: id})
	return func(x *item) error { return found.Decode(x) }, err
}
