// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Bounds of one step of a Sequencer.
const (
	stepChanges = 4000
	stepBytes   = 4 << 20
)

// Sequencer moves changes from the outbox of a cluster to the journal and gives them stamps in the order in which it
// finds them: each change once, since one commit does both. Of one row it finds them in the order of their commits: the
// first committer wins, so a later commit of the row began later. One process at a time may be at it, which Guard is
// for. It is used by one goroutine.
type Sequencer struct {
	Store kv.Store
	// Guard makes a transaction fail if the work belongs to another process by then. nil: no other is there.
	Guard func(ctx context.Context, txn kv.Txn) error
	// NowMS is the cluster's clock.
	NowMS func(ctx context.Context) (int64, error)

	// Oldest returns a moment, Unix milliseconds: no change whose transaction began before that comes to the outbox
	// after the call. 0: nobody knows; nil: nobody ever does.
	Oldest func(ctx context.Context) (int64, error)

	// Moves is told what was moved; nil: nobody wants to know.
	Moves *Moves

	last   map[Bucket]uint64 // the last stamps given
	floors floors
	// the key of the outbox that the next step begins with, so that no bucket waits for those before it; nil: the first
	from []byte
}

// Forget makes the Sequencer look up where the journal ends. It must be called when another process may have been at
// it.
func (s *Sequencer) Forget() { s.last, s.floors = nil, floors{} }

// Behind reports whether the last step has left changes that it saw.
func (s *Sequencer) Behind() bool { return s.from != nil }

// Step moves up to some thousand changes, of all tables, and returns how many.
func (s *Sequencer) Step(ctx context.Context) (moved int, err error) {
	given, from := map[Bucket]uint64{}, []byte(nil)
	if err := s.floors.look(ctx, s.Oldest); err != nil {
		return 0, err
	}
	var found []waiter
	var whole bool
	err = kv.Update(ctx, s.Store, func(txn kv.Txn) error {
		clear(given)
		moved, from = 0, nil
		found, whole, err = s.find(ctx, txn)
		if err != nil || len(found) == 0 { // nothing is guarded and nothing committed, whoever does the work
			return err
		}
		now, err := s.NowMS(ctx)
		if err != nil {
			return err
		}
		if s.Guard != nil {
			if err := s.Guard(ctx, txn); err != nil {
				return err
			}
		}
		if moved, from = len(found), nil; !whole {
			from = found[len(found)-1].after()
		}
		return s.move(ctx, txn, found, given, now)
	})
	if err != nil {
		s.Forget() // whoever is at it by now has gone on
		return 0, err
	}
	if s.last == nil {
		s.last = map[Bucket]uint64{}
	}
	for bucket, stamp := range given {
		s.last[bucket] = stamp
	}
	s.from = from
	s.floors.raise(found, whole)
	s.Moves.add(given)
	return moved, nil
}

type waiter struct{ key, value []byte }

// bucket returns where a change waits, and the stamp of its transaction.
func (w waiter) bucket() (b Bucket, stamp uint64) {
	table, number, stamp, _, _ := keyspace.CutJournal(w.key)
	return Bucket{table, number}, stamp
}

// after returns the beginning of the bucket behind a change's own.
func (w waiter) after() []byte {
	b, _ := w.bucket()
	next, _ := order.PrefixEnd(nil, keyspace.AppendOutbox(nil, b.Table, b.Bucket))
	return next
}

// find takes changes from the outbox, bucket by bucket, each from its beginning, up to the bounds of a step; whole says
// that they are all that there are.
func (s *Sequencer) find(ctx context.Context, txn kv.Txn) (found []waiter, whole bool, err error) {
	first := keyspace.AppendOutboxes(nil)
	end, _ := order.PrefixEnd(nil, first)
	turns := []kv.Range{{Start: first, End: end}}
	if s.from != nil {
		turns = []kv.Range{{Start: s.from, End: end}, {Start: first, End: s.from}}
	}
	size := 0
	for _, r := range s.floors.above(turns) {
		cursor := txn.Scan(ctx, r, false)
		for cursor.Next() {
			if len(found) >= stepChanges || size >= stepBytes {
				return found, false, cursor.Close()
			}
			found = append(found, waiter{bytes.Clone(cursor.Key()), bytes.Clone(cursor.Value())})
			size += len(cursor.Key()) + len(cursor.Value())
		}
		if err := cursor.Close(); err != nil {
			return nil, false, err
		}
	}
	return found, true, nil
}

func (s *Sequencer) move(ctx context.Context, txn kv.Txn, found []waiter, given map[Bucket]uint64, nowMS int64) error {
	var before Bucket
	origin := uint64(0)
	for _, w := range found {
		table, number, stamp, row, ok := keyspace.CutJournal(w.key)
		entries, err := splitEntries(w.value)
		if !ok || err != nil {
			return fmt.Errorf("%w: %s", ErrEntry, keyspace.Print(w.key))
		}
		bucket := Bucket{table, number}
		for i := range entries {
			if i > 0 || bucket != before || stamp != origin {
				if err := s.next(ctx, txn, bucket, given, nowMS); err != nil {
					return err
				}
				before, origin = bucket, stamp
			}
			entries[i].Origin = stamp
			key := append(keyspace.AppendJournal(nil, table, number, given[bucket]), row...)
			if err := txn.Set(key, entries[i].Append(nil)); err != nil {
				return err
			}
		}
		if err := txn.Delete(w.key); err != nil {
			return err
		}
	}
	return nil
}

// next gives a bucket its next stamp.
func (s *Sequencer) next(ctx context.Context, txn kv.Txn, bucket Bucket, given map[Bucket]uint64, nowMS int64) error {
	last, ok := given[bucket]
	if !ok {
		last, ok = s.last[bucket]
	}
	if !ok {
		var err error
		if last, err = bucket.lastGiven(ctx, txn); err != nil {
			return err
		}
		followed, err := bucket.Followed(ctx, txn)
		if err != nil {
			return err
		}
		last = max(last, followed.Stamp) // what was there may have been dropped
	}
	given[bucket] = kv.NextStamp(last, time.UnixMilli(nowMS))
	return nil
}

// lastGiven is the highest stamp that a bucket has, or the borders of its table.
func (b Bucket) lastGiven(ctx context.Context, from kv.Snapshot) (last uint64, err error) {
	if last, err = b.Last(ctx, from); err != nil {
		return 0, err
	}
	borders, err := bordersOf(ctx, from, b.Table)
	if n := len(borders); n > 0 {
		last = max(last, borders[n-1])
	}
	return last, err
}

// AddBorder is AddBorder on a cluster. It must not run beside Step.
func (s *Sequencer) AddBorder(ctx context.Context, table uint32) error {
	now, err := s.NowMS(ctx)
	if err != nil {
		return err
	}
	given := map[Bucket]uint64{}
	err = kv.Update(ctx, s.Store, func(txn kv.Txn) error {
		clear(given)
		if s.Guard != nil {
			if err := s.Guard(ctx, txn); err != nil {
				return err
			}
		}
		border := uint64(0)
		for number := range uint8(ClusterBuckets) {
			bucket := Bucket{table, number}
			if err := s.next(ctx, txn, bucket, given, now); err != nil {
				return err
			}
			border = max(border, given[bucket])
		}
		for bucket := range given {
			given[bucket] = border // what comes later comes behind it
		}
		return txn.Set(keyspace.AppendBorder(nil, table, border), nil)
	})
	if err != nil {
		s.Forget()
		return err
	}
	if s.last == nil {
		s.last = map[Bucket]uint64{}
	}
	for bucket, stamp := range given {
		s.last[bucket] = stamp
	}
	return nil
}
