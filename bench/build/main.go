// SPDX-License-Identifier: Apache-2.0

// Command build measures how fast indexes are built on a table with rows:
//
//	go run ./bench/build                              # some minutes
//	go run ./bench/build --rows 20000 --kinds words   # one kind of index
//
// Each kind is built by sorting, as the embedded engine does it, and in small transactions, as other engines do: in
// turn, on the same rows, so that a ratio compares neighbours in time. The transactions of the latter are those of the
// embedded engine. With --writes, a writer replaces rows all the while, and the table is verified after each build.
//
// Knows: the kinds of indexes, package database, the engine.
// Never: being imported; other databases.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

// config is what the command line says.
type config struct {
	rows, rounds int
	kinds        []string
	writes       bool
}

// kinds are the keys of indexes by their names. // immutable
var kinds = []struct {
	name string
	key  func() (schema.KeyPart, error)
	spec database.IndexSpec
}{
	{"ordered", func() (schema.KeyPart, error) { return database.Part("delay", schema.Int) },
		database.IndexSpec{Projection: schema.ProjectKeys}},
	{"unique", func() (schema.KeyPart, error) { return database.Part("code", schema.Int) },
		database.IndexSpec{Projection: schema.ProjectKeys, Unique: true, KeepNulls: true}},
	{"zorder", func() (schema.KeyPart, error) {
		return database.Part("zorder(delay i32 nulls=first, arrival i32 nulls=first, distance i32 nulls=first)",
			schema.Binary)
	}, database.IndexSpec{Projection: schema.ProjectKeys, KeepNulls: true}},
	{"words", func() (schema.KeyPart, error) { return database.Words("standard", "text") },
		database.IndexSpec{Search: true}},
}

func main() {
	c := config{}
	flag.IntVar(&c.rows, "rows", 200_000, "rows of the table")
	flag.IntVar(&c.rounds, "rounds", 3, "how often each is measured")
	flag.BoolVar(&c.writes, "writes", false, "replace rows all the while")
	names := flag.String("kinds", "ordered,unique,zorder,words", "kinds of indexes")
	flag.Parse()
	c.kinds = strings.Split(*names, ",")
	if err := run(context.Background(), &c); err != nil {
		fmt.Fprintln(os.Stderr, "bench/build:", err)
		os.Exit(1)
	}
}

// run loads the rows once, and builds each kind of index in turn both ways.
func run(ctx context.Context, c *config) (err error) {
	dir, err := os.MkdirTemp("", "weft-build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := pebble.Open(pebble.Options{Dir: dir, ReadOnlyBelowBytes: -1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := with(ctx, store, nil, func(db *database.DB) error { return load(ctx, db, c.rows) }); err != nil {
		return err
	}
	fmt.Println("| index | sorted, rows/s (s, CPU s) | small transactions, rows/s (s, CPU s) | CPU, sorted of the other |")
	fmt.Println("|---|--:|--:|--:|")
	for _, kind := range kinds {
		if !slices.Contains(c.kinds, kind.name) {
			continue
		}
		part, err := kind.key()
		if err != nil {
			return err
		}
		spec := kind.spec
		spec.Name, spec.Key = kind.name, []schema.KeyPart{part}
		for range c.rounds {
			a, errA := build(ctx, c, store, store, spec)
			b, errB := build(ctx, c, store, nil, spec)
			if err := errors.Join(errA, errB); err != nil {
				return err
			}
			fmt.Printf("| %s | %.0f (%.2f, %.2f) | %.0f (%.2f, %.2f) | %.2f |\n", kind.name, float64(c.rows)/a.wall,
				a.wall, a.cpu, float64(c.rows)/b.wall, b.wall, b.cpu, a.cpu/b.cpu)
		}
	}
	return nil
}

// with opens the database, over an engine that may lack its second interface.
func with(ctx context.Context, store kv.Store, admin kv.Admin, do func(*database.DB) error) error {
	db, err := database.Open(ctx, store, database.Options{Admin: admin, Logger: slog.New(slog.DiscardHandler),
		ExpiryInterval: -1, RebuildInterval: -1})
	if err != nil {
		return err
	}
	return errors.Join(do(db), db.Close())
}

// load puts rows of about 500 bytes, whose words follow Zipf's law.
func load(ctx context.Context, db *database.DB, rows int) error {
	table, err := db.CreateTable(ctx, database.TableSpec{Name: "t", Key: database.Columns("id", schema.Int)})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	const loaders = 32
	var group sync.WaitGroup
	var errs [loaders]error
	texts := make(chan testdoc.Document, loaders)
	for i := range loaders {
		group.Go(func() {
			for d := range texts {
				errs[i] = errors.Join(errs[i], testdoc.Put(ctx, table, d))
			}
		})
	}
	words := rand.NewZipf(random, 1.1, 4, 30_000)
	for id := range rows {
		texts <- row(random, words, id)
	}
	close(texts)
	group.Wait()
	return errors.Join(errs[:]...)
}

func row(random *rand.Rand, words *rand.Zipf, id int) testdoc.Document {
	var text strings.Builder
	for range 60 {
		fmt.Fprintf(&text, "w%x ", words.Uint64()*2654435761%1_000_003)
	}
	delay := int(random.ExpFloat64()*20) - 15
	return testdoc.Document{"id": id, "code": id*7919 + 1, "delay": delay, "arrival": delay + random.IntN(60) - 30,
		"distance": 80 + random.IntN(5000), "text": text.String()}
}

// cost is what something took, in seconds.
type cost struct{ wall, cpu float64 }

// build builds an index, verifies the table if rows were written meanwhile, and drops the index.
func build(ctx context.Context, c *config, store kv.Store, admin kv.Admin, spec database.IndexSpec) (took cost,
	err error) {
	err = with(ctx, store, admin, func(db *database.DB) error {
		table, err := db.Table("t")
		if err != nil {
			return err
		}
		stop, written := make(chan struct{}), make(chan error, 1)
		go func() { written <- replace(ctx, c, table, stop) }()
		begun, before := time.Now(), cpu()
		err = errors.Join(table.AddIndex(ctx, spec), db.WaitJobs(ctx))
		took = cost{time.Since(begun).Seconds(), cpu() - before}
		close(stop)
		if err := errors.Join(err, <-written); err != nil {
			return err
		}
		if c.writes {
			if report, err := table.Verify(ctx); err != nil || len(report.Faults) > 0 {
				return fmt.Errorf("the index is not whole: %v, %w", report.Faults, err)
			}
		}
		return errors.Join(table.DropIndex(ctx, spec.Name), db.WaitJobs(ctx))
	})
	return took, err
}

// replace replaces rows until it is told to stop.
func replace(ctx context.Context, c *config, table *database.Table, stop <-chan struct{}) error {
	random := rand.New(rand.NewPCG(3, 4))
	words := rand.NewZipf(random, 1.1, 4, 30_000)
	for c.writes {
		select {
		case <-stop:
			return nil
		default:
		}
		if err := testdoc.Put(ctx, table, row(random, words, random.IntN(c.rows))); err != nil {
			return err
		}
	}
	return nil
}

func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // lint:invariant it only fails for wrong arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
