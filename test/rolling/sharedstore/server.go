// SPDX-License-Identifier: Apache-2.0

package sharedstore

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"net/rpc"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

// Server hands calls to a store, for one process.
type Server struct {
	store  kv.Store
	shared kv.Shared
	until  atomic.Int64

	mu      sync.Mutex
	objects map[int64]any // guarded by mu, as last is
	last    int64
}

// Serve answers a connection until it ends. store is a handle of the process's own. An error is one of the store that
// can't be shared.
func Serve(connection net.Conn, store kv.Store) error {
	shared, ok := kv.SharedOf(store)
	if !ok {
		return kv.ErrUnsupported
	}
	s := &Server{store: store, shared: shared, objects: map[int64]any{}}
	s.until.Store(math.MaxInt64)
	shared.Fence(s.until.Load)
	server := rpc.NewServer()
	if err := server.RegisterName("Store", s); err != nil {
		return err
	}
	server.ServeConn(connection)
	return nil
}

// Do does a call.
func (s *Server) Do(q *Request, r *Response) error {
	switch object := s.object(q.Object).(type) {
	case nil:
		r.fail(s.onStore(q, r))
	case kv.Cursor:
		r.fail(onCursor(object, q, r))
	case kv.Txn:
		r.fail(s.onTxn(object, q, r))
	case kv.Reader:
		if q.Call == "close" {
			r.fail(object.Close())
			return nil
		}
		r.fail(s.onSnapshot(object, q, r))
	}
	return nil
}

func (s *Server) object(number int64) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[number]
}

// keep gives an object a number.
func (s *Server) keep(object any) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.objects[s.last] = object
	return s.last
}

func (s *Server) onStore(q *Request, r *Response) (err error) {
	ctx := context.Background()
	switch q.Call {
	case "get":
		var p Pair
		p.Value, p.OK, err = s.store.Get(ctx, q.Key, nil)
		r.Pairs = []Pair{p}
	case "now":
		r.Number, err = s.shared.NowMS(ctx)
	case "read":
		var reader kv.Reader
		if reader, err = s.store.Read(ctx); err == nil {
			r.Object = s.keep(reader)
		}
	case "begin":
		var txn kv.Txn
		if txn, err = s.store.Begin(ctx); err == nil {
			r.Object = s.keep(txn)
		}
	default:
		err = fmt.Errorf("sharedstore: no call %q of a store", q.Call)
	}
	return err
}

func (s *Server) onSnapshot(from kv.Snapshot, q *Request, r *Response) error {
	ctx := context.Background()
	switch q.Call {
	case "get many":
		r.Pairs = make([]Pair, len(q.Keys))
		return from.GetMany(ctx, q.Keys, func(i int, value []byte, ok bool) error {
			r.Pairs[i] = Pair{Value: bytes.Clone(value), OK: ok}
			return nil
		})
	case "scan":
		r.Object = s.keep(from.Scan(ctx, q.Range, q.Reverse))
		return nil
	}
	return fmt.Errorf("sharedstore: no call %q of a snapshot", q.Call)
}

func (s *Server) onTxn(txn kv.Txn, q *Request, r *Response) error {
	switch q.Call {
	case "set":
		return txn.Set(q.Key, q.Value)
	case "delete":
		return txn.Delete(q.Key)
	case "guard":
		return txn.Guard(q.Key)
	case "commit":
		s.until.Store(q.UntilMS)
		return txn.Commit(context.Background())
	case "rollback":
		txn.Rollback()
		return nil
	}
	return s.onSnapshot(txn, q, r)
}

func onCursor(cursor kv.Cursor, q *Request, r *Response) error {
	switch q.Call {
	case "next":
		if r.OK = cursor.Next(); r.OK {
			r.Pairs = []Pair{{Key: bytes.Clone(cursor.Key()), Value: bytes.Clone(cursor.Value())}}
		}
	case "seek":
		cursor.Seek(q.Key)
	case "move":
		if mover, ok := cursor.(interface{ Move(kv.Range) }); ok { // older versions neither have it nor call it
			mover.Move(q.Range)
		}
	case "close":
		return cursor.Close()
	}
	return nil
}
