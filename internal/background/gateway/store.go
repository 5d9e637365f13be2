// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"

	"github.com/weftdb/weft/kv"
)

// Leased returns the store as the gateway's requests use it: it commits while there is a lease, and what it reads was
// read before the lease had passed; else the error is kv.ErrFenced.
func (g *Gateway) Leased() kv.Store { return &leasedStore{Store: g.Store, gateway: g} }

type leasedStore struct {
	kv.Store
	gateway *Gateway
}

// Unwrap returns the store below.
func (s *leasedStore) Unwrap() kv.Store { return s.Store }

func (s *leasedStore) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return s.gateway.got(s.Store.Get(ctx, key, dst))
}

func (s *leasedStore) Read(ctx context.Context) (kv.Reader, error) {
	reader, err := s.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	return &leasedReader{reader, s.gateway}, nil
}

func (s *leasedStore) Begin(ctx context.Context) (kv.Txn, error) {
	g := s.gateway
	lease, seen := g.leases.Load(), g.underway.begin()
	txn, err := s.Store.Begin(ctx)
	if err != nil {
		g.underway.end(seen)
		return nil, err
	}
	return &leasedTxn{Txn: txn, gateway: g, lease: lease, seen: seen}, nil
}

// got passes on what was read, unless it may be of after the lease.
func (g *Gateway) got(value []byte, ok bool, err error) ([]byte, bool, error) {
	if err == nil && g.late() {
		return nil, false, kv.ErrFenced
	}
	return value, ok, err
}

func (g *Gateway) getMany(found func(int, []byte, bool) error) func(int, []byte, bool) error {
	return func(i int, value []byte, ok bool) error {
		if g.late() {
			return kv.ErrFenced
		}
		return found(i, value, ok)
	}
}

type leasedReader struct {
	kv.Reader
	gateway *Gateway
}

func (r *leasedReader) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return r.gateway.got(r.Reader.Get(ctx, key, dst))
}

func (r *leasedReader) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	return r.Reader.GetMany(ctx, keys, r.gateway.getMany(found))
}

func (r *leasedReader) Scan(ctx context.Context, bounds kv.Range, reverse bool) kv.Cursor {
	return &leasedCursor{Cursor: r.Reader.Scan(ctx, bounds, reverse), gateway: r.gateway}
}

type leasedTxn struct {
	kv.Txn
	gateway *Gateway
	lease   uint64 // the number of the one that it began under
	seen    int64
	ended   bool
}

// UnwrapTxn returns the transaction below, for its kv.Renewer: reads still go through this one.
func (t *leasedTxn) UnwrapTxn() kv.Txn { return t.Txn }

func (t *leasedTxn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return t.gateway.got(t.Txn.Get(ctx, key, dst))
}

func (t *leasedTxn) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	return t.Txn.GetMany(ctx, keys, t.gateway.getMany(found))
}

func (t *leasedTxn) Scan(ctx context.Context, bounds kv.Range, reverse bool) kv.Cursor {
	return &leasedCursor{Cursor: t.Txn.Scan(ctx, bounds, reverse), gateway: t.gateway}
}

// Commit commits under the lease that the transaction began under: what Oldest returned in between does not count the
// transactions of a gateway without lease.
func (t *leasedTxn) Commit(ctx context.Context) error {
	g := t.gateway
	defer t.end()
	g.commits.RLock()
	defer g.commits.RUnlock()
	if !g.joined.Load() || t.lease != g.leases.Load() {
		t.Txn.Rollback()
		return kv.ErrFenced
	}
	return t.Txn.Commit(ctx)
}

func (t *leasedTxn) Rollback() {
	t.Txn.Rollback()
	t.end()
}

// end notes that the transaction has ended.
func (t *leasedTxn) end() {
	if !t.ended {
		t.ended = true
		t.gateway.underway.end(t.seen)
	}
}

type leasedCursor struct {
	kv.Cursor
	gateway *Gateway
	late    bool
}

func (c *leasedCursor) Next() bool {
	ok := !c.late && c.Cursor.Next()
	c.late = c.late || c.gateway.late()
	return ok && !c.late
}

func (c *leasedCursor) Close() error {
	err := c.Cursor.Close()
	if err == nil && c.late {
		return kv.ErrFenced
	}
	return err
}
