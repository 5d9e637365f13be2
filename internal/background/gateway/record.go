// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Record is a gateway's record in the store.
type Record struct {
	ID string `json:"id"`
	// UntilMS is the cluster's time in Unix milliseconds from which on the gateway can't commit.
	UntilMS int64 `json:"untilMS"`
	// AbsentMS is the cluster's time from which on the gateway has missed some renewals: others take the work over that
	// is done in guarded transactions alone. 0: it is of a version that does not say, and has UntilMS for it.
	AbsentMS int64 `json:"absentMS,omitempty"`
	// OldestMS is a moment before which no transaction began that the gateway commits from now on, by the cluster's
	// clock. 0: it is of a version that does not say.
	OldestMS int64 `json:"oldestMS,omitempty"`
	// Idle says that the gateway does nothing by itself: others take over what work it has.
	Idle bool `json:"idle,omitempty"`
	// Generation is the one of the schema that it has installed.
	Generation uint64 `json:"generation"`
	// Features are the names of those that are used only once all gateways know them.
	Features []string `json:"features,omitempty"`
	// Held are the tables of which a request still uses the version before.
	Held []uint32 `json:"held,omitempty"`
}

func (r Record) equal(other Record) bool {
	return r.Generation == other.Generation && slices.Equal(r.Held, other.Held)
}

// leaves reports whether another gateway may take a work over from this one, its owner, which has not been heard of for
// long enough or does nothing by itself.
func (r Record) leaves(w *Work, nowMS int64) bool {
	switch {
	case r.Idle && !w.gateway.Idle:
		return true
	case w.guarded.Load() && r.AbsentMS > 0:
		return nowMS >= r.AbsentMS
	}
	return nowMS >= r.UntilMS
}

func (r Record) encode() []byte {
	stored, _ := json.Marshal(r) // strings and numbers alone: no error
	return stored
}

// Records returns the records of all gateways, in the order of their ids.
func Records(ctx context.Context, store kv.Store) ([]Record, error) {
	reader, err := store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	prefix := keyspace.AppendGateways(nil)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := reader.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	defer cursor.Close()
	var records []Record
	for cursor.Next() {
		var r Record
		if err := json.Unmarshal(cursor.Value(), &r); err != nil {
			return nil, fmt.Errorf("gateway: %s: %w", keyspace.Print(cursor.Key()), err)
		}
		records = append(records, r)
	}
	return records, cursor.Close()
}

// AllKnow reports whether each gateway that has a lease knows a feature.
func (g *Gateway) AllKnow(ctx context.Context, feature string) (bool, error) {
	records, err := Records(ctx, g.Store)
	now := g.Now().UnixMilli()
	lacks := func(r Record) bool { return now < r.UntilMS && !slices.Contains(r.Features, feature) }
	return err == nil && len(records) > 0 && !slices.ContainsFunc(records, lacks), err
}

// Agree returns once all gateways have installed a generation of the schema, and none uses an older version of the
// table than that, or their leases have passed; table 0 is none. Errors: kv.ErrFenced, ctx's, the store's.
func (g *Gateway) Agree(ctx context.Context, generation uint64, table uint32) error {
	for {
		behind, err := g.behind(ctx, generation, table)
		if err != nil || behind == "" {
			return err
		}
		if !g.joined.Load() {
			return kv.ErrFenced
		}
		if err := rest(ctx, g.step()); err != nil {
			return fmt.Errorf("gateway %s has not followed: %w", behind, err)
		}
	}
}

// behind returns a gateway that has to be waited for, "" if there is none.
func (g *Gateway) behind(ctx context.Context, generation uint64, table uint32) (string, error) {
	records, err := Records(ctx, g.Store)
	if err != nil {
		return "", err
	}
	now, err := g.Shared.NowMS(ctx)
	if err != nil {
		return "", err
	}
	behind, there := "", false
	for _, r := range records {
		there = there || r.ID == g.ID
		if r.Generation >= generation && (table == 0 || !slices.Contains(r.Held, table)) {
			continue
		}
		if now < r.UntilMS {
			if behind = r.ID; r.ID == g.ID {
				g.Nudge()
			}
			continue
		}
		if err := g.remove(ctx, r); err != nil {
			return "", err
		}
	}
	if !there {
		return "", kv.ErrFenced
	}
	return behind, nil
}

// remove takes away the record of a gateway whose lease has passed, unless it has a new one.
func (g *Gateway) remove(ctx context.Context, r Record) error {
	key, changed := keyspace.AppendGateway(nil, r.ID), errors.New("changed")
	err := kv.Update(ctx, g.Leased(), func(txn kv.Txn) error {
		stored, ok, err := txn.Get(ctx, key, nil)
		if err != nil {
			return err
		}
		var now Record // of a version that says more of it, perhaps
		if ok {
			err = json.Unmarshal(stored, &now)
		}
		if err != nil {
			return err
		}
		if !ok || now.UntilMS != r.UntilMS {
			return changed
		}
		return txn.Delete(key)
	})
	if errors.Is(err, changed) {
		return nil // looked at again
	}
	if err == nil {
		g.Logger.Warn("a gateway has vanished: its lease has expired", "gateway", r.ID, "seen by", g.ID)
	}
	return err
}

// Status is how a gateway does.
type Status struct {
	Record
	Joined bool
	Fault  error         // why there is no lease
	Age    time.Duration // since the lease was last renewed
	Lost   int64         // how often a lease was lost
	Works  []string      // what it owns
}

// Status returns how the gateway does.
func (g *Gateway) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := Status{Record: g.record, Joined: g.Joined(), Fault: g.fault, Age: time.Since(g.renewed), Lost: g.lost}
	for _, w := range g.works {
		if w.Owned() {
			s.Works = append(s.Works, w.name)
		}
	}
	return s
}
