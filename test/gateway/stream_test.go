// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// requestsBetweenFaults bounds the pause between two faults of the cluster.
const requestsBetweenFaults = 200

// TestStreamUnderFaults reads a stream while regions of the cluster split and merge, leaders move, a store stops and
// requests and answers get lost, and while the gateways, one of which moves the changes to their places, vanish and
// stand still. No record may be missing, doubled or out of order: each fits what the ones before have left of its item,
// and in the end they tell what the table holds. By the seed, transactions commit in two phases, or in one where they
// can.
func TestStreamUnderFaults(t *testing.T) {
	streamUnderFaults(t, gatewayCount, 300)
}

// TestHotStreamUnderFaults is TestStreamUnderFaults with few items, whose writes are committed together.
func TestHotStreamUnderFaults(t *testing.T) { streamUnderFaults(t, 24, 2) }

func streamUnderFaults(t *testing.T, writers, keys int) {
	first := rounds.Seed(t)
	for i := range rounds.Of(t, 1) {
		seed := first + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Logf("WEFT_TEST_SEED=%d", seed)
			cluster, err := tikvtest.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cluster.Close() })
			s := begin(t, handlesOf(cluster, tikv.Options{TwoPhases: seed%2 == 0}), seed)
			s.keys = keys
			s.beginStream()
			schedule := cluster.Disturb(seed, requestsBetweenFaults, false)
			s.stream(length, writers)
			schedule.Stop()
			t.Logf("%d faults: %v", schedule.Faults(), schedule)
			if schedule.Faults() == 0 {
				t.Error("the cluster had no fault")
			}
		})
	}
}

func handlesOf(cluster *tikvtest.Cluster, options tikv.Options) engine {
	return engine{"tikv", func(t *testing.T) (func() kv.Store, func(time.Duration)) {
		return func() kv.Store {
			store, err := cluster.Open(options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			return store
		}, cluster.Advance
	}, time.Second}
}

// beginStream switches the stream on, and waits until all gateways know.
func (s *scene) beginStream() {
	for i, g := range s.gateways {
		for g.db.Ready() != nil {
			time.Sleep(time.Millisecond)
		}
		table, err := g.db.Table("t")
		if err == nil && i == 0 {
			err = table.Edit(s.t.Context(), func(d *schema.Table) error {
				return g.db.Changes().StreamOn(d, schema.NewImage|schema.OldImage)
			})
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// stream lets things happen to the table for a while, and reads its stream.
func (s *scene) stream(d time.Duration, writers int) {
	r := &reader{scene: s, at: map[string]journal.Position{}, ended: map[string]bool{}, items: map[int64]string{}}
	for i := range writers {
		s.start(100+i, "writes", s.write)
	}
	s.start(30, "reads", func(ctx context.Context, rng *rand.Rand) error { return r.read(ctx, s.gateway(rng)) })
	s.start(31, "ends of shards", func(ctx context.Context, rng *rand.Rand) error {
		s.wait(100 * time.Millisecond)
		return s.gateway(rng).db.Changes().EndShards(ctx, "", "t")
	})
	s.start(40, "", s.disturb)
	time.Sleep(d)
	close(s.stop)
	s.working.Wait()
	s.attempt("the end", r.compare)
	s.t.Logf("%d records in %d shards; %v", r.records, len(r.at), s.counts)
	if r.records == 0 {
		s.t.Error("there were no records: the test has tested nothing")
	}
}

// attempt does something on one gateway after the other until it succeeds, for a minute.
func (s *scene) attempt(what string, do func(context.Context, *gateway) error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	for i := 0; ; i++ {
		err := do(ctx, s.gateways[i%gatewayCount])
		if err == nil {
			return
		}
		if ctx.Err() != nil || !expected(err) {
			s.t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// reader is a program that reads the stream. It asks another gateway each time.
type reader struct {
	*scene
	at      map[string]journal.Position // by shard
	ended   map[string]bool
	items   map[int64]string // what the records say that the table holds
	records int
}

// read reads what is new, oldest shards first. It stops at the first error, and goes on from there next time.
func (r *reader) read(ctx context.Context, g *gateway) error {
	pin, err := g.db.PinIn("", "t")
	if err != nil {
		return err
	}
	defer pin.Release()
	streams := pin.Changes().Streams()
	if len(streams) == 0 {
		return nil // the gateway has yet to hear of it
	}
	stream := streams[0]
	shards, err := pin.Changes().Shards(ctx, &stream)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		name := fmt.Sprint(shard.Bucket, shard.From)
		for page := 1; page > 0 && !r.ended[name]; {
			page = 0
			next, ended, err := pin.Changes().Read(ctx, &stream, shard, r.at[name], func(c *capture.Record) bool {
				r.take(pin.Names(), c)
				page++
				return page < 50
			})
			r.at[name], r.ended[name] = next, ended
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// take checks that a record fits those before it.
func (r *reader) take(names value.Names, c *capture.Record) {
	r.records++
	pk, _ := c.Key.Get(names, []byte("pk"))
	key, _ := pk.Int()
	old, was := r.items[key]
	if was != c.WasThere || was && old != string(c.Old) {
		r.t.Errorf("item %d: the record has %q before it, the records before left %q", key, c.Old, old)
	}
	if c.IsThere && c.WasThere && bytes.Equal(c.Old, c.New) {
		r.t.Errorf("item %d: a record of no change", key)
	}
	if c.IsThere {
		r.items[key] = string(c.New)
	} else {
		delete(r.items, key)
	}
}

// compare reads the rest, until what the records say is what the table holds: another gateway may have yet to move some
// to their places, and expiry may be at work, of which the records tell, too.
func (r *reader) compare(ctx context.Context, g *gateway) error {
	for {
		items, err := itemsOf(ctx, g)
		if err != nil {
			return err
		}
		if err := r.read(ctx, g); err != nil || maps.Equal(items, r.items) {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the stream tells of %d items, the table has %d: they differ", len(r.items), len(items))
		}
	}
}

func itemsOf(ctx context.Context, g *gateway) (map[int64]string, error) {
	pin, err := g.db.PinIn("", "t")
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	cursor, err := pin.Query(ctx, database.Query{})
	if err != nil {
		return nil, err
	}
	items := map[int64]string{}
	for cursor.Next() {
		key, _ := cursor.Item().Int("pk")
		items[key] = string(slices.Clone(cursor.Row()))
	}
	return items, cursor.Close()
}
