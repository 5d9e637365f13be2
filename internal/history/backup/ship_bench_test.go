// SPDX-License-Identifier: Apache-2.0

package backup_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// BenchmarkShip commits entries of 300 bytes from 16 goroutines, with and without shipping to a folder, and tells the
// process's CPU time for each.
func BenchmarkShip(b *testing.B) {
	for _, on := range []bool{false, true} {
		b.Run(fmt.Sprintf("ship=%t", on), func(b *testing.B) {
			store := openPebble(b, b.TempDir())
			defer store.Close()
			if on {
				ship, err := backup.Ship(b.Context(), store, storage.Folder(b.TempDir()), backup.ShipOptions{})
				if err != nil {
					b.Fatal(err)
				}
				defer ship.Close()
				for ship.Shipping().Bases == 0 {
					time.Sleep(time.Millisecond)
				}
			}
			b.ResetTimer()
			before := cpu(b)
			var next atomic.Int64
			var writing sync.WaitGroup
			for range 16 {
				writing.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						if err := kv.Update(b.Context(), store,
							func(txn kv.Txn) error {
								return txn.Set(key(int(i*7919)%1_000_000),
									[]byte(noise(int(i))[:300]))
							}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			writing.Wait()
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
