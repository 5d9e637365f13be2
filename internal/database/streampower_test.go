// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestStreamPowerLoss: whatever part of what was not synced a power loss keeps, in the middle of writes and of expiry,
// a reader of the stream goes on without a record that is lost, doubled or out of order: each fits those that it has
// read before the loss, and in the end they tell what the table holds.
func TestStreamPowerLoss(t *testing.T) {
	seed, losses := powerLosses(t)
	random := rand.New(rand.NewPCG(seed, 0))
	disk := vfs.NewCrashableMem()
	var f *followed
	for round := range losses {
		store, db := openPowered(t, disk, database.Options{ExpiryInterval: 3 * time.Millisecond})
		if f == nil {
			table := journaledTable(t, db, "t", nil)
			if err := table.SetExpiry(t.Context(), "until"); err != nil {
				t.Fatal(err)
			}
			f = follow(t, table)
			f.pin.Release()
		}
		table, err := db.Table("t")
		if err != nil {
			t.Fatal(err)
		}
		f.catchUp(t, table)
		f.whileWriting(t, db, table, random, func() {
			disk = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 30, 100}[random.IntN(3)],
				RNG: random})
		})
		_ = db.Close()
		_ = store.Close()
		if t.Failed() {
			t.Fatalf("after loss %d", round)
		}
	}
	if f.expired == 0 || len(f.ended) == 0 {
		t.Errorf("%d records of expiry, %d shards ended", f.expired, len(f.ended))
	}
	t.Logf("%d power losses, %d records, %d of them of expiry, %d shards", losses, f.records, f.expired, len(f.ended))
}

// catchUp reads all that there is, and compares what it says with the table. Nobody may write meanwhile but expiry, so
// it is read again where that was at work.
func (f *followed) catchUp(t *testing.T, table *database.Table) {
	t.Helper()
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	f.pin = pin
	defer pin.Release()
	for {
		f.read(t)
		before := f.records
		want := itemsOf(t, table)
		f.read(t)
		if f.records > before {
			continue
		}
		if !maps.Equal(f.items, want) {
			t.Fatalf("after %d records the stream says %d items, the table has %d", f.records, len(f.items), len(want))
		}
		return
	}
}

// whileWriting reads while others write, calls cut in the middle, and stops them.
func (f *followed) whileWriting(t *testing.T, db *database.DB, table *database.Table, random *rand.Rand, cut func()) {
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	for w := range 3 {
		seed := random.Uint64()
		writing.Go(func() {
			own := rand.New(rand.NewPCG(seed, uint64(w)))
			for ctx.Err() == nil {
				var err error
				switch own.IntN(20) {
				case 0:
					err = testdoc.Put(ctx, table,
						testdoc.Document{"k": "short", "v": own.IntN(3), "until": time.Now().Unix() - 5})
				case 1:
					if w == 0 {
						err = db.Changes().EndShards(ctx, "", "t")
					}
				default:
					err = mutate(ctx, own, db, table)
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	f.pin = pin
	for end := time.Now().Add(time.Duration(1+random.IntN(30)) * time.Millisecond); time.Now().Before(end); {
		f.read(t)
	}
	cut() // what was read by now was durable
	pin.Release()
	stop()
	writing.Wait()
}
