// SPDX-License-Identifier: Apache-2.0

// Command import measures loads of files beside what they can reach at most:
//
//	go run ./bench/import            # a million rows, a minute or two
//
// A CSV file with rows in random order is loaded into a new store as `weft import` does it. Then the very entries that
// the store holds afterwards, sorted and in memory, are ingested into another new store through kv/pebble, which is all
// that the engine itself has to do. Both are done again and again, in turn; the shares are of neighbours in time.
//
// Knows: package load, the engine.
// Never: being imported.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "rows of the file")
	rounds := flag.Int("rounds", 3, "how often each is measured")
	memory := flag.Int64("memory", 256, "MiB to sort in")
	flag.Parse()
	if err := run(context.Background(), *rows, *rounds, *memory<<20); err != nil {
		fmt.Fprintln(os.Stderr, "bench/import:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rows, rounds int, memory int64) (err error) {
	dir, err := os.MkdirTemp("", "weft-import-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "rows.csv")
	if err := generate(file, rows); err != nil {
		return err
	}
	fmt.Println("| indexes | import, rows/s (s, CPU s) | raw ingestion, rows/s (s, CPU s) | share of time | share of CPU |")
	fmt.Println("|--:|--:|--:|--:|--:|")
	for _, indexes := range []int{0, 2} {
		var shares, cpus []float64
		for range rounds {
			a, b, err := round(ctx, filepath.Join(dir, "store"), file, indexes, memory)
			if err != nil {
				return err
			}
			shares, cpus = append(shares, b.wall/a.wall), append(cpus, b.cpu/a.cpu)
			fmt.Printf("| %d | %.0f (%.2f, %.2f) | %.0f (%.2f, %.2f) | %.0f %% | %.0f %% |\n", indexes,
				float64(rows)/a.wall, a.wall, a.cpu,
				float64(rows)/b.wall, b.wall, b.cpu, 100*b.wall/a.wall, 100*b.cpu/a.cpu)
		}
		slices.Sort(shares)
		slices.Sort(cpus)
		fmt.Printf("| %d | median | | %.0f %% | %.0f %% |\n", indexes, 100*shares[len(shares)/2], 100*cpus[len(cpus)/2])
	}
	return nil
}

// generate writes rows of some 70 bytes in random order.
func generate(path string, rows int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	fmt.Fprintln(w, "id,name,amount,day,note")
	r := rand.New(rand.NewPCG(1, 2))
	for _, i := range r.Perm(rows) {
		fmt.Fprintf(w, "user%07d,name %d,%d.%02d,2024-%02d-%02d,some text of this row %d\n", i, i%1000, i%977, i%100,
			i%12+1, i%28+1, i*7919%1000003)
	}
	return errors.Join(w.Flush(), file.Close())
}

// cost is the time of a step, in seconds.
type cost struct{ wall, cpu float64 }

func measure(do func() error) (c cost, err error) {
	begun, before := time.Now(), cpu()
	err = do()
	return cost{time.Since(begun).Seconds(), cpu() - before}, err
}

func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // lint:invariant it only fails for wrong arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// round loads the file, and then ingests what the load made.
func round(ctx context.Context, dir, file string, indexes int, memory int64) (imported, raw cost, err error) {
	spec := database.TableSpec{Name: "t", Key: database.Columns("id", schema.String)}
	all := []database.IndexSpec{{Name: "by-day", Key: database.Columns("day", schema.String, "amount", schema.Number)},
		{Name: "by-name", Key: database.Columns("name", schema.String, "id", schema.String)}}
	spec.Indexes = all[:indexes]
	var entries []pair
	err = withStore(dir, func(store *pebble.Store) error {
		db, err := database.Open(ctx, store,
			database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1,
				RebuildInterval: -1})
		if err != nil {
			return err
		}
		defer db.Close()
		if _, err := db.CreateTable(ctx, spec); err != nil {
			return err
		}
		imported, err = measure(func() error {
			result, err := bulkload.Run(ctx,
				bulkload.Options{DB: db, Table: "t", Sources: []string{file}, Dir: dir + "-load", MemoryBytes: memory})
			if err == nil && !result.Ingested {
				err = errors.New("rows were put")
			}
			return err
		})
		if err == nil {
			entries, err = collect(ctx, store)
		}
		return err
	})
	if err != nil {
		return imported, raw, err
	}
	err = withStore(dir, func(store *pebble.Store) error {
		next := 0
		raw, err = measure(func() error {
			return store.Ingest(ctx, func() (key, value []byte, err error) {
				if next == len(entries) {
					return nil, nil, io.EOF
				}
				next++
				return entries[next-1].key, entries[next-1].value, nil
			})
		})
		return err
	})
	return imported, raw, err
}

func withStore(dir string, do func(*pebble.Store) error) error {
	store, err := pebble.Open(pebble.Options{Dir: dir, ReadOnlyBelowBytes: -1})
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close(), os.RemoveAll(dir))
}

type pair struct{ key, value []byte }

// rowsTag begins the keys of rows and entries.
const rowsTag = 0x20

func collect(ctx context.Context, store *pebble.Store) (all []pair, err error) {
	reader, err := store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	c := reader.Scan(ctx, kv.Range{Start: []byte{rowsTag}, End: []byte{rowsTag + 1}}, false)
	for c.Next() {
		all = append(all, pair{slices.Clone(c.Key()), slices.Clone(c.Value())})
	}
	return all, c.Close()
}
