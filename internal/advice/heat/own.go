// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"context"

	"github.com/weftdb/weft/kv"
)

// OwnWork returns a context for the database's own and its operator's work: jobs, statistics, verification,
// looking after indexes and regions. Requests with it to a store of Wrap are not counted, nor are those to a reader or
// transaction begun with it.
//
// A single Get in a transaction that was begun without it is a write's look at what it overwrites: that counts only if
// nothing is written then.
func OwnWork(ctx context.Context) context.Context {
	if isOwn(ctx) {
		return ctx
	}
	return &own{ctx}
}

type own struct{ context.Context }

type ownKey struct{}

// Value implements context.Context.
func (o *own) Value(key any) any {
	if _, ok := key.(ownKey); ok {
		return true
	}
	return o.Context.Value(key)
}

func isOwn(ctx context.Context) bool {
	_, direct := ctx.(*own)
	return direct || ctx.Value(ownKey{}) != nil
}

// Own returns the store for one that does own work only: all that it asks, it asks with OwnWork.
func Own(store kv.Store) kv.Store { return ownStore{store} }

type ownStore struct{ kv.Store }

// Unwrap implements kv.Unwrapper.
func (s ownStore) Unwrap() kv.Store { return s.Store }

func (s ownStore) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return s.Store.Get(OwnWork(ctx), key, dst)
}

func (s ownStore) Read(ctx context.Context) (kv.Reader, error) { return s.Store.Read(OwnWork(ctx)) }

func (s ownStore) Begin(ctx context.Context) (kv.Txn, error) { return s.Store.Begin(OwnWork(ctx)) }
