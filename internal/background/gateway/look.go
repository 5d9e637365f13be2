// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// A gateway to which nothing happens looks idleFactor times more seldom for changes of others. After a change it looks
// often for stirFor: changes of the schema have several steps.
const (
	idleFactor = 7
	stirFor    = 30 * time.Second
)

// look is the part of the store that a gateway reads at each turn, at one moment and in one request.
type look struct {
	generation uint64
	ring       string
	there      bool              // the gateway's own record
	owners     map[*Work]string  // their ids; "": none
	records    map[string]Record // of the owners that were known before
}

// look reads what others may have changed.
func (g *Gateway) look(ctx context.Context) (seen look, err error) {
	works, known := g.allWorks(), g.knownOwners()
	keys := [][]byte{keyspace.AppendMeta(nil, generationWord), keyspace.AppendMeta(nil, ringWord),
		keyspace.AppendGateway(nil, g.ID)}
	for _, w := range works {
		keys = append(keys, w.key)
	}
	for _, id := range known {
		keys = append(keys, keyspace.AppendGateway(nil, id))
	}
	reader, err := g.Store.Read(ctx)
	if err != nil {
		return seen, err
	}
	seen.owners, seen.records = map[*Work]string{}, map[string]Record{}
	err = reader.GetMany(ctx, keys, func(i int, value []byte, ok bool) (err error) {
		const first = 3 // of the owners
		switch {
		case !ok:
		case i == 0:
			seen.generation, _, err = order.CutUvarint(value)
		case i == 1:
			seen.ring = string(value)
		case i == 2:
			seen.there = true
		case i < first+len(works):
			seen.owners[works[i-first]] = string(value)
		default:
			var r Record
			err = json.Unmarshal(value, &r)
			seen.records[known[i-first-len(works)]] = r
		}
		return err
	})
	return seen, errors.Join(err, reader.Close())
}

// knownOwners returns the ids of other gateways that own work, as of the last look.
func (g *Gateway) knownOwners() (ids []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.owners
}

// notice keeps what the next turns and others go by, and reports whether anything of it is new.
func (g *Gateway) notice(seen *look) bool {
	others := map[string]bool{}
	for _, id := range seen.owners {
		if id != g.ID {
			others[id] = true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.owners = g.owners[:0:0]
	for id := range others {
		g.owners = append(g.owners, id)
	}
	if seen.ring == g.heard.ring && seen.generation == g.heard.generation {
		return false
	}
	g.heard = *seen
	g.rings.Add(1)
	return true
}

// isFree reports whether the work of an owner may be taken over, as far as is known. One that is seen for the first
// time is asked after.
func (w *Work) isFree(seen *look) bool {
	owner := seen.owners[w]
	if owner == "" {
		return true
	}
	r, known := seen.records[owner]
	return !known || r.leaves(w, w.gateway.Now().UnixMilli())
}

// pause is the time to the next turn.
func (g *Gateway) pause() time.Duration {
	switch {
	case len(g.Record().Held) > 0:
		return g.step()
	case !g.joined.Load(), time.Since(g.stirred) < stirFor:
		return g.Poll
	}
	return g.idlePause()
}

// idlePause is the time between two turns to which nothing happens.
func (g *Gateway) idlePause() time.Duration {
	return max(g.Poll, min(idleFactor*g.Poll, g.Lease/(2*renewals)))
}

// ringWord is the entry of the map that changes with each Ring.
const ringWord = "ring"

// Ring tells all gateways, within the transaction that files it, that there is work for one of them.
func Ring(txn kv.Txn) error {
	return txn.Set(keyspace.AppendMeta(nil, ringWord), binary.BigEndian.AppendUint64(nil, rand.Uint64()))
}

// Rings grows when somebody has rung, or changed the schema. Jobs filed before are seen by a gateway that asks after it
// has grown.
func (g *Gateway) Rings() uint64 { return g.rings.Load() }
