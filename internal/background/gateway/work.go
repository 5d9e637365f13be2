// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
)

// Work is something that one gateway at a time does for all.
type Work struct {
	gateway *Gateway
	name    string
	key     []byte
	guarded atomic.Bool // see GuardedWork
	owned   atomic.Bool
}

// Work returns the work of a name, which this gateway owns from its next renewal on, if nobody else does.
func (g *Gateway) Work(name string) *Work {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at := slices.IndexFunc(g.works, func(w *Work) bool { return w.name == name }); at >= 0 {
		return g.works[at]
	}
	w := &Work{gateway: g, name: name, key: keyspace.AppendOwner(nil, name)}
	g.works = append(g.works, w)
	return w
}

// GuardedWork is Work that is done in transactions with Guard alone, or does no harm if two do it at once. Another
// gateway takes it over as soon as its owner has missed some renewals: whatever the owner does then, it does not
// commit.
func (g *Gateway) GuardedWork(name string) *Work {
	w := g.Work(name)
	w.guarded.Store(true)
	return w
}

func (g *Gateway) allWorks() []*Work {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.works)
}

// Owned reports whether this gateway owned the work when it last looked. Guard knows.
func (w *Work) Owned() bool { return w.owned.Load() && w.gateway.Joined() }

// Guard makes a transaction fail unless this gateway owns the work when it commits. Errors: ErrNotOwner.
func (w *Work) Guard(ctx context.Context, txn kv.Txn) error {
	owner, _, err := txn.Get(ctx, w.key, nil)
	if err != nil {
		return err
	}
	if string(owner) != w.gateway.ID {
		w.owned.Store(false)
		return ErrNotOwner
	}
	return txn.Guard(w.key)
}

// takeWorks takes the works that nobody owns, as far as a look tells.
func (g *Gateway) takeWorks(ctx context.Context, seen *look) {
	for _, w := range g.allWorks() {
		if owner := seen.owners[w]; owner == g.ID || !w.isFree(seen) {
			w.owned.Store(owner == g.ID)
			continue
		}
		owned, taken, err := w.take(ctx)
		if err != nil {
			continue // at the next renewal
		}
		if w.owned.Store(owned); taken {
			g.Logger.Info("the gateway took over background work", "gateway", g.ID, "work", w.name)
		}
	}
}

func (w *Work) take(ctx context.Context) (owned, taken bool, err error) {
	g := w.gateway
	now, err := g.Shared.NowMS(ctx)
	if err != nil {
		return false, false, err
	}
	err = kv.Update(ctx, g.Leased(), func(txn kv.Txn) error {
		owned, taken = false, false
		owner, ok, err := txn.Get(ctx, w.key, nil)
		if err != nil {
			return err
		}
		if ok && string(owner) == g.ID {
			owned = true
			return nil
		}
		if ok {
			if there, err := w.isThere(ctx, txn, string(owner), now); err != nil || there {
				return err
			}
		}
		owned, taken = true, true
		return txn.Set(w.key, []byte(g.ID))
	})
	return owned, taken, err
}

// isThere reports whether a gateway still does the work. The record of one that does not is guarded, so that it can't
// be renewed by the time of the commit.
func (w *Work) isThere(ctx context.Context, txn kv.Txn, id string, nowMS int64) (bool, error) {
	key := keyspace.AppendGateway(nil, id)
	stored, ok, err := txn.Get(ctx, key, nil)
	if err != nil {
		return false, err
	}
	var r Record
	if ok {
		if err := json.Unmarshal(stored, &r); err != nil {
			return false, err
		}
	}
	if ok && !r.leaves(w, nowMS) {
		return true, nil
	}
	return false, txn.Guard(key)
}
