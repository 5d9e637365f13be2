// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// writers is transactions that begin and commit at random, each of one row, and a Sequencer of busy buckets.
type writers struct {
	t         *testing.T
	store     *mem.Store
	rng       *rand.Rand
	sequencer *Sequencer
	nowMS     int64
	oldest    int64               // as it was last told
	open      map[int64]string    // rows, by when their transactions began
	committed map[string]int64    // when a row was last committed
	want      map[string][]string // of each row, what was committed, in order
}

func newWriters(t *testing.T, seed uint64, careless bool) *writers {
	w := &writers{t: t, store: mem.Open(mem.Options{}), rng: rand.New(rand.NewPCG(seed, 0)), nowMS: 1000,
		open: map[int64]string{}, committed: map[string]int64{}, want: map[string][]string{}}
	w.sequencer = &Sequencer{Store: w.store, NowMS: func(context.Context) (int64, error) { return w.nowMS, nil },
		Oldest: func(context.Context) (int64, error) {
			if careless {
				return w.nowMS, nil
			}
			return w.oldest, nil
		}}
	return w
}

func (w *writers) step() error {
	w.nowMS++
	switch n := w.rng.IntN(10); {
	case n < 3:
		w.open[w.nowMS] = fmt.Sprint("row", w.rng.IntN(5))
	case n < 6 && len(w.open) > 0:
		began := slices.Collect(maps.Keys(w.open))
		slices.Sort(began)
		return w.commit(began[w.rng.IntN(len(began))])
	case n < 7:
		w.oldest = w.nowMS
		for began := range w.open {
			w.oldest = min(w.oldest, began)
		}
	case w.rng.IntN(50) == 0:
		w.sequencer.Forget()
	default:
		return w.sequence()
	}
	return nil
}

// sequence makes a step that looks at the floors, of buckets that are worth it.
func (w *writers) sequence() error {
	f := &w.sequencer.floors
	f.steps = 0
	for number := range uint8(ClusterBuckets) {
		if f.of == nil {
			f.of = map[Bucket]floor{}
		}
		one := f.of[Bucket{1, number}]
		one.moved = floorMoved
		f.of[Bucket{1, number}] = one
	}
	_, err := w.sequencer.Step(w.t.Context())
	return err
}

// commit commits a transaction, unless another one has committed its row since it began.
func (w *writers) commit(began int64) error {
	row := w.open[began]
	delete(w.open, began)
	if w.committed[row] > began {
		return nil
	}
	w.committed[row] = w.nowMS
	what := fmt.Sprint(began)
	w.want[row] = append(w.want[row], what)
	key := keyspace.AppendOutbox(nil, 1, BucketOf([]byte(row)))
	key = append(binary.BigEndian.AppendUint64(key, kv.StampOf(began)), row...)
	return kv.Update(w.t.Context(), w.store, func(txn kv.Txn) error {
		return txn.Set(key, (&Entry{IsThere: true, New: value.Row(what)}).Append(nil))
	})
}

// fault says what the journal lacks, or has in another order.
func (w *writers) fault() error {
	got := map[string][]string{}
	for number := range uint8(ClusterBuckets) {
		reader, err := w.store.Read(w.t.Context())
		if err != nil {
			return err
		}
		cursor := Bucket{1, number}.Scan(w.t.Context(), reader, Position{}, 0, false)
		for cursor.Next() {
			row := string(cursor.At().Key)
			got[row] = append(got[row], string(cursor.Entry().New))
		}
		if err := cmp.Or(cursor.Close(), reader.Close()); err != nil {
			return err
		}
	}
	for row, want := range w.want {
		if !slices.Equal(got[row], want) {
			return fmt.Errorf("the changes of %s are %v, want %v", row, got[row], want)
		}
	}
	return nil
}

// TestFloors has transactions commit in another order than they begin, while a Sequencer leaves out what lies below the
// floors of its buckets: each change is moved, once, and those of a row in the order of their commits. With floors that
// pay no heed to transactions under way, changes are lost.
func TestFloors(t *testing.T) {
	first := rounds.Seed(t)
	for _, careless := range []bool{false, true} {
		lost := false
		for i := range uint64(rounds.Of(t, 40)) {
			w := newWriters(t, first+i, careless)
			for range 400 {
				if err := w.step(); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.sequence(); err != nil {
				t.Fatal(err)
			}
			err := w.fault()
			if lost = lost || err != nil; err != nil && !careless {
				t.Fatalf("seed %d: %v", first+i, err)
			}
		}
		if careless && !lost {
			t.Error("floors above transactions under way have lost nothing: the test finds nothing")
		}
	}
}

// TestFloorsLeaveOut: once a bucket has moved many changes, a step reads it from its floor on.
func TestFloorsLeaveOut(t *testing.T) {
	w := newWriters(t, 1, false)
	w.oldest = 1500
	for range 2 {
		if err := w.sequence(); err != nil {
			t.Fatal(err)
		}
	}
	recording := kvwrap.Recording(w.store)
	w.sequencer.Store = recording
	if err := w.sequence(); err != nil {
		t.Fatal(err)
	}
	floor := binary.BigEndian.AppendUint64(keyspace.AppendOutbox(nil, 1, 2), kv.StampOf(1500))
	want := fmt.Sprintf("txn 1 scan [%q, %q)", floor, keyspace.AppendOutbox(nil, 1, 3))
	if lines := recording.Lines(); !slices.ContainsFunc(lines, func(line string) bool {
		return len(line) >= len(want) && line[:len(want)] == want
	}) {
		t.Errorf("no %s in %q", want, lines)
	}
}

// TestSettle: who waits for the changes of a table waits for no other table's, which another process has yet to move.
func TestSettle(t *testing.T) {
	w := newWriters(t, 1, false)
	w.open[w.nowMS] = "row"
	if err := w.commit(w.nowMS); err != nil { // of table 1
		t.Fatal(err)
	}
	k := Start(t.Context(), Options{Store: w.store, Idle: true, Owned: func() bool { return false },
		NowMS: func(context.Context) (int64, error) { return w.nowMS + 1, nil }})
	defer k.Close()
	if err := k.Settle(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if waiting, err := k.waits(t.Context(), 1, kv.StampOf(w.nowMS+1)); err != nil || !waiting {
		t.Errorf("the change of table 1 waits: %t, %v", waiting, err)
	}
}
