// SPDX-License-Identifier: Apache-2.0

// Command growth measures how the cost of an operation grows: with the rows of a table, with the gateways over one
// cluster, and with the regions that a table begins with:
//
//	go run ./bench/growth            # ten minutes; 10,000 to 10,000,000 rows
//	go run ./bench/growth --quick    # does it work? the figures mean nothing
//
// Knows: package database, package load, the engines, the cluster inside the process.
// Never: being imported.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// config says what is measured.
type config struct {
	Sizes    []int // rows, ascending
	Gateways []int
	Parts    []string
	Seconds  float64 // of each measurement
	Rounds   int     // of which the median counts
	Rows     int     // of the table that gateways share, and the range of keys that regions share
	Dir      string
	Plot     string // file of the plot; "" for none
	Log      io.Writer
}

const (
	partSizes    = "sizes"
	partGateways = "gateways"
	partRegions  = "regions"
)

func allParts() []string { return []string{partSizes, partGateways, partRegions} }

func main() {
	tikvtest.Quiet()
	os.Exit(loadgen.Main("bench/growth", parseFlags, run))
}

func parseFlags(args []string) (*config, error) {
	c := &config{Log: os.Stderr, Rows: 10_000, Gateways: []int{1, 2, 4}}
	f := flag.NewFlagSet("growth", flag.ContinueOnError)
	rowsMax := f.Int("rows", 10_000_000, "the most rows of a table")
	parts := f.String("parts", strings.Join(allParts(), ","), "what to measure")
	quick := f.Bool("quick", false, "few rows, short measurements")
	f.Float64Var(&c.Seconds, "seconds", 3, "of each measurement")
	f.IntVar(&c.Rounds, "rounds", 3, "how often each is taken; the median counts")
	f.StringVar(&c.Dir, "dir", "", "folder for the stores (default: a temporary one)")
	f.StringVar(&c.Plot, "plot", "", "file for the plot of sizes, an SVG")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	sizeMin := 10_000
	if *quick {
		sizeMin, *rowsMax, c.Rows, c.Seconds, c.Rounds, c.Gateways = 200, 2000, 200, 0.05, 1, []int{1, 2}
	}
	for n := sizeMin; n <= *rowsMax; n *= 10 {
		c.Sizes = append(c.Sizes, n)
	}
	var err error
	if c.Parts, err = loadgen.Choices("parts", *parts, allParts()); err != nil {
		return nil, err
	}
	if len(c.Sizes) == 0 || c.Seconds <= 0 || c.Rounds < 1 {
		return nil, fmt.Errorf("--rows must be at least %d, --seconds more than 0, and --rounds at least 1", sizeMin)
	}
	return c, nil
}

func run(ctx context.Context, c *config, out io.Writer) (err error) {
	settings := loadgen.Settings{Dir: c.Dir}
	remove, err := settings.Folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	c.Dir = settings.Dir
	begun, own, others := time.Now(), loadgen.CPU(os.Getpid()), loadgen.MachineBusy()
	fmt.Fprintf(out, "%g s a measurement, median of %d, %s.\n", c.Seconds, c.Rounds, loadgen.Machine())
	measures := map[string]func(context.Context, *config, io.Writer) error{partSizes: measureSizes,
		partGateways: measureGateways, partRegions: measureRegions}
	for _, part := range c.Parts {
		if err := measures[part](ctx, c, out); err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	took := time.Since(begun).Seconds()
	own, others = loadgen.CPU(os.Getpid())-own, loadgen.MachineBusy()-others
	fmt.Fprintf(out, "\n%.0f s in all; %.1f cores were busy with other work meanwhile.\n", took,
		max(others-own, 0)/took)
	return nil
}

// client is a worker of package load that runs one function.
type client func() error

func (c client) Do() error    { return c() }
func (c client) Close() error { return nil }

// figures are the medians of measurements.
type figures struct {
	rate   float64 // operations a second
	micros float64 // of time, from asking to being answered: the median operation
	cpu    float64 // microseconds of CPU an operation, of everything in the process
}

// measure runs clients that each call an operation again and again. Clients are part of the process, and their CPU of
// what is counted.
func measure(ctx context.Context, c *config, clients int, operation func(client int) func() error) (loadgen.Result,
	error) {
	return loadgen.RunWorkers(ctx, os.Getpid(), loadgen.Cell{Clients: clients, Seconds: c.Seconds},
		func(i int) (client, error) { return operation(i), nil })
}

// median returns the median of each figure by itself.
func median(list []loadgen.Result) figures {
	return figures{loadgen.Median(list, (*loadgen.Result).Rate),
		loadgen.Median(list, func(r *loadgen.Result) float64 { return r.P50 }),
		loadgen.Median(list, (*loadgen.Result).CPUMicros)}
}

// options are the options of all databases here: nothing of what is measured is disturbed by regular work that it
// doesn't need.
func options() database.Options {
	return database.Options{Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1, RebuildInterval: -1}
}

// embedded is a database on Pebble in a new folder, which is removed afterwards.
func embedded(ctx context.Context, c *config, name string, do func(db *database.DB, store *pebble.Store) error) error {
	dir := filepath.Join(c.Dir, name)
	store, err := pebble.Open(pebble.Options{Dir: dir})
	if err != nil {
		return err
	}
	o := options()
	o.Admin = store
	db, err := database.Open(ctx, store, o)
	if err == nil {
		err = errors.Join(do(db, store), db.Close())
	}
	return errors.Join(err, store.Close(), os.RemoveAll(dir))
}
