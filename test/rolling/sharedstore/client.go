// SPDX-License-Identifier: Apache-2.0

package sharedstore

import (
	"context"
	"math"
	"net"
	"net/rpc"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

// Store is a store that another process has. It is a kv.Store and a kv.Shared.
type Store struct {
	client *rpc.Client
	until  atomic.Pointer[func() int64]
}

// Dial makes a store of a connection to Serve.
func Dial(connection net.Conn) *Store { return &Store{client: rpc.NewClient(connection)} }

func (s *Store) do(ctx context.Context, q *Request) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &Response{}
	if err := s.client.Call("Store.Do", q, r); err != nil {
		return nil, err
	}
	return r, r.err()
}

// open does a call that opens an object.
func (s *Store) open(ctx context.Context, q *Request) (object, error) {
	r, err := s.do(ctx, q)
	if err != nil {
		return object{}, err
	}
	return object{s, r.Object}, nil
}

// Get implements kv.Store.
func (s *Store) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	r, err := s.do(ctx, &Request{Call: "get", Key: key})
	if err != nil {
		return dst, false, err
	}
	return append(dst, r.Pairs[0].Value...), r.Pairs[0].OK, nil
}

// Read implements kv.Store.
func (s *Store) Read(ctx context.Context) (kv.Reader, error) {
	o, err := s.open(ctx, &Request{Call: "read"})
	return reader{o}, err
}

// Begin implements kv.Store.
func (s *Store) Begin(ctx context.Context) (kv.Txn, error) {
	o, err := s.open(ctx, &Request{Call: "begin"})
	return txn{o}, err
}

// Limits implements kv.Store.
func (s *Store) Limits() kv.Limits {
	return kv.Limits{KeyBytesMax: 4 << 10, ValueBytesMax: 4 << 20, TxnBytesMax: 64 << 20,
		TxnLifetimeMS: math.MaxInt32, SnapshotLifetime: math.MaxInt32}
}

// Close implements kv.Store.
func (s *Store) Close() error { return s.client.Close() }

// NowMS implements kv.Shared.
func (s *Store) NowMS(ctx context.Context) (int64, error) {
	r, err := s.do(ctx, &Request{Call: "now"})
	if err != nil {
		return 0, err
	}
	return r.Number, nil
}

// Fence implements kv.Shared.
func (s *Store) Fence(until func() int64) {
	if until == nil {
		s.until.Store(nil)
		return
	}
	s.until.Store(&until)
}

// object is what a call has opened.
type object struct {
	store  *Store
	number int64
}

func (o object) do(ctx context.Context, q *Request) (*Response, error) {
	q.Object = o.number
	return o.store.do(ctx, q)
}

func (o object) run(call string, key, value []byte) error {
	_, err := o.do(context.Background(), &Request{Call: call, Key: key, Value: value})
	return err
}

func (o object) Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error) {
	value = dst
	err = o.GetMany(ctx, [][]byte{key}, func(_ int, found []byte, there bool) error {
		value, ok = append(dst, found...), there
		return nil
	})
	return value, ok, err
}

func (o object) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	r, err := o.do(ctx, &Request{Call: "get many", Keys: keys})
	if err != nil {
		return err
	}
	for i, p := range r.Pairs {
		if err := found(i, p.Value, p.OK); err != nil {
			return err
		}
	}
	return nil
}

func (o object) Scan(ctx context.Context, within kv.Range, reverse bool) kv.Cursor {
	c := &cursor{ctx: ctx}
	r, err := o.do(ctx, &Request{Call: "scan", Range: within, Reverse: reverse})
	if c.err = err; err == nil {
		c.object = object{o.store, r.Object}
	}
	return c
}

type reader struct{ object }

func (r reader) Close() error { return r.run("close", nil, nil) }

type txn struct{ object }

func (t txn) Set(key, value []byte) error { return t.run("set", key, value) }
func (t txn) Delete(key []byte) error     { return t.run("delete", key, nil) }
func (t txn) Guard(key []byte) error      { return t.run("guard", key, nil) }
func (t txn) Rollback()                   { _ = t.run("rollback", nil, nil) } // nobody can do anything about it

func (t txn) Commit(ctx context.Context) error {
	q := &Request{Call: "commit", UntilMS: math.MaxInt64}
	if until := t.store.until.Load(); until != nil {
		q.UntilMS = (*until)()
	}
	_, err := t.do(ctx, q)
	return err
}

type cursor struct {
	object
	ctx  context.Context
	pair Pair
	err  error
}

func (c *cursor) Next() bool {
	if c.err != nil {
		return false
	}
	r, err := c.do(c.ctx, &Request{Call: "next"})
	if c.err = err; err != nil || !r.OK {
		return false
	}
	c.pair = r.Pairs[0]
	return true
}

func (c *cursor) Key() []byte   { return c.pair.Key }
func (c *cursor) Value() []byte { return c.pair.Value }

func (c *cursor) Seek(key []byte) {
	if c.err == nil {
		c.err = c.run("seek", key, nil)
	}
}

func (c *cursor) Move(within kv.Range) {
	if c.err == nil {
		_, c.err = c.do(c.ctx, &Request{Call: "move", Range: within})
	}
}

func (c *cursor) Close() error {
	if c.number == 0 || c.err != nil {
		return c.err
	}
	return c.run("close", nil, nil)
}
