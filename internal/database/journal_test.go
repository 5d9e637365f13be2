// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// followed is a stream as a program reads it.
type followed struct {
	pin     database.Pinned
	stream  schema.Stream
	at      map[string]journal.Position // by shard
	ended   map[string]bool
	items   map[string]string // what the records say that the table holds
	records int
	expired int
}

func follow(t *testing.T, table *database.Table) *followed {
	t.Helper()
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	streams := pin.Changes().Streams()
	return &followed{pin: pin, stream: streams[len(streams)-1], at: map[string]journal.Position{},
		ended: map[string]bool{}, items: map[string]string{}}
}

// read reads what is new, in small pages, oldest shards first.
func (f *followed) read(t *testing.T) {
	t.Helper()
	shards, err := f.pin.Changes().Shards(t.Context(), &f.stream)
	if err != nil {
		t.Fatal(err)
	}
	changes := f.pin.Changes()
	for _, shard := range shards {
		name := fmt.Sprint(shard.Bucket, shard.From)
		for !f.ended[name] {
			page := 0
			next, ended, err := changes.Read(t.Context(), &f.stream, shard, f.at[name], func(r *capture.Record) bool {
				f.take(t, r)
				page++
				return page < 7
			})
			if err != nil {
				t.Fatal(err)
			}
			f.at[name], f.ended[name] = next, ended
			if page == 0 {
				break
			}
		}
	}
}

// take checks that a record fits what the ones before have left, so that none is missing, doubled or out of order.
func (f *followed) take(t *testing.T, r *capture.Record) {
	f.records++
	if r.ByExpiry {
		f.expired++
	}
	key, _ := r.Key.Get(f.pin.Names(), []byte("k"))
	old, was := f.items[key.String()]
	if was != r.WasThere || was && old != string(r.Old) {
		t.Errorf("item %s: the record has %q before it, the records before left %q", key, r.Old, old)
	}
	if r.IsThere && r.WasThere && bytes.Equal(r.Old, r.New) {
		t.Errorf("item %s: a record of no change", key)
	}
	if r.IsThere {
		f.items[key.String()] = string(r.New)
	} else {
		delete(f.items, key.String())
	}
}

// items are what a table holds, and its check by Verify.
func itemsOf(t *testing.T, table *database.Table) map[string]string {
	t.Helper()
	if report, err := table.Verify(t.Context()); err != nil || len(report.Faults) > 0 {
		t.Fatalf("%v, %v", report.Faults, err)
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	cursor, err := pin.Query(t.Context(), database.Query{})
	if err != nil {
		t.Fatal(err)
	}
	items := map[string]string{}
	for cursor.Next() {
		row := value.Row(slices.Clone(cursor.Row()))
		key, _ := row.Get(pin.Names(), []byte("k"))
		items[key.String()] = string(row)
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
	return items
}

// mutate does one random request of a kind that programs make.
func mutate(ctx context.Context, random *rand.Rand, db *database.DB, table *database.Table) error {
	key := func() string { return fmt.Sprint("k", random.IntN(20)) }
	put := func() testdoc.Document {
		return testdoc.Document{"k": key(), "v": random.IntN(5), "text": fmt.Sprint("some words ", random.IntN(3))}
	}
	switch random.IntN(6) {
	case 0, 1:
		return testdoc.Put(ctx, table, put())
	case 2:
		return testdoc.Delete(ctx, table, testdoc.Document{"k": key()})
	case 3:
		_, err := testdoc.Update(ctx, table, testdoc.Document{"k": key()}, govalue.Attribute("v").Set(random.IntN(5)))
		return err
	}
	return db.Update(ctx, func(tx *database.Tx) error {
		for range 1 + random.IntN(4) {
			if random.IntN(3) == 0 {
				if err := testdoc.DeleteIn(ctx, tx, table.Name(), testdoc.Document{"k": key()}); err != nil {
					return err
				}
				continue
			}
			if err := testdoc.PutIn(ctx, tx, table.Name(), put()); err != nil {
				return err
			}
		}
		return nil
	})
}

func journaledTable(t *testing.T, db *database.DB, name string, cells *cell.Rules) *database.Table {
	t.Helper()
	both := schema.NewImage | schema.OldImage
	table, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: name, Key: database.Columns("k", schema.String), Stream: &both, Cells: cells,
			Indexes: []database.IndexSpec{{Name: "by_v", Key: database.Columns("v", schema.Number)}}})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestStreamTellsAll writes from several goroutines while a stream is read and its shards end, and replays the records:
// each must fit the ones before, and in the end they must tell what the table holds.
func TestStreamTellsAll(t *testing.T) {
	for name, rules := range map[string]*cell.Rules{"rows": nil, "cells": {Versions: 3, MarkersMS: 1 << 40}} {
		t.Run(name, func(t *testing.T) { streamTellsAll(t, rules) })
	}
}

func streamTellsAll(t *testing.T, rules *cell.Rules) {
	db := testdb.Open(t)
	table := journaledTable(t, db, "t", rules)
	seed := rounds.Seed(t)
	f := follow(t, table)
	defer f.pin.Release()
	var writing sync.WaitGroup
	for w := range 4 {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			for range 300 {
				if err := mutate(t.Context(), random, db, table); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
		}
		f.read(t)
		if err := db.Changes().EndShards(t.Context(), "", "t"); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Changes().Trim(t.Context()); err != nil { // a cluster orders changes after their commits
		t.Fatal(err)
	}
	f.read(t)
	if want := itemsOf(t, table); !maps.Equal(f.items, want) {
		t.Errorf("after %d records the stream says %d items, the table has %d", f.records, len(f.items), len(want))
	}
	if f.records < 300 || len(f.ended) < 2 {
		t.Errorf("%d records of %d shards", f.records, len(f.ended))
	}
}
