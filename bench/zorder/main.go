// SPDX-License-Identifier: Apache-2.0

// Command zorder measures what boxes over several attributes cost with a Z-order index and with its alternatives:
//
//	go run ./bench/zorder            # everything, some minutes
//	go run ./bench/zorder --quick    # does it still work? the figures mean nothing
//
// On each data set the same random queries run on Weft's Z-order indexes (with codes learned from the rows, and raw),
// on the best single-column index, on the best composite index, as a full scan, and on a GiST index of PostgreSQL if
// that is installed. The entries examined, seeks and rows read back are counted by the database itself. Then the leaves
// that a box touches are compared with those of a packed R-tree, and the estimators with what they estimate. The
// figures that Weft is to reach stand beside those that it reached.
//
// Knows: package database's exported API, the curve, PostgreSQL's command line.
// Never: being imported.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// config holds the arguments of the command line.
type config struct {
	Queries  int // of each cell
	RowsMax  int // of each data set; 0 is all
	Data     []string
	Postgres bool
	Memory   bool // keep Weft's data in memory instead of on disk
	Dir      string
	Seed     uint64
	Log      io.Writer
}

func main() {
	os.Exit(loadgen.Main("bench/zorder", parseFlags, run))
}

func parseFlags(args []string) (*config, error) {
	c := &config{Log: os.Stderr}
	var data string
	var quick bool
	f := flag.NewFlagSet("zorder", flag.ContinueOnError)
	f.IntVar(&c.Queries, "queries", 200, "random queries in each cell")
	f.IntVar(&c.RowsMax, "rows", 0, "rows of each data set; 0 is all")
	f.StringVar(&data, "data", strings.Join(datasetNames(), ","), "data sets")
	f.BoolVar(&c.Postgres, "postgres", true, "measure PostgreSQL, if it is installed")
	f.BoolVar(&c.Memory, "memory", false, "keep Weft's rows in memory")
	f.StringVar(&c.Dir, "dir", "", "folder for the databases (default: a temporary one)")
	f.Uint64Var(&c.Seed, "seed", 1, "seed of the queries")
	f.BoolVar(&quick, "quick", false, "few rows and queries")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if quick {
		c.Queries, c.RowsMax = 10, 5000
	}
	var err error
	if c.Data, err = loadgen.Choices("data", data, datasetNames()); err != nil {
		return nil, err
	}
	if c.Queries < 1 || c.RowsMax < 0 || c.RowsMax > 0 && c.RowsMax < 1000 {
		return nil, errors.New("--queries must be positive, and --rows 0 or at least 1000")
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
	fmt.Fprintf(out, "%d queries a cell, seed %d, %s.\n", c.Queries, c.Seed, loadgen.Machine())
	for _, name := range c.Data {
		if err := measure(ctx, c, name, out); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// measure measures everything on one data set.
func measure(ctx context.Context, c *config, name string, out io.Writer) (err error) {
	d, err := loadDataset(name, c.RowsMax)
	if err != nil {
		return err
	}
	cells := d.cells(c.Queries, c.Seed)
	begun := time.Now()
	w, err := openWeft(ctx, c, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	fmt.Fprintf(c.Log, "%s: %d rows, %d indexes in %.0f s\n", name, len(d.rows), w.indexes, time.Since(begun).Seconds())
	postgres, why := openPostgres(ctx, c, d)
	if postgres != nil {
		defer func() { err = errors.Join(err, postgres.Close()) }()
	}
	r := &report{data: d}
	for i := range cells {
		if err := measureCell(ctx, w, postgres, &cells[i], r); err != nil {
			return err
		}
		fmt.Fprintf(c.Log, "%s: cell %d of %d after %.0f s\n", name, i+1, len(cells), time.Since(begun).Seconds())
	}
	if why != nil {
		r.notes = append(r.notes, why.Error())
	}
	if err := r.addLeaves(w, cells); err != nil {
		return err
	}
	if err := r.addAdvised(w, c); err != nil {
		return err
	}
	if err := r.addNearest(ctx, c, w, postgres); err != nil {
		return err
	}
	r.write(out)
	return nil
}

// What takes long and varies little is measured with fewer queries.
const (
	scansMax = 3  // full scans of a cell
	widesMax = 50 // ranges of single-column and composite indexes where they hold a large part of the rows
)

// enough is the number of queries of a cell a method runs.
func enough(c *cell, method string) int {
	switch {
	case method == methodScan:
		return scansMax
	case c.selectivity > goalSelectivity && (method == methodSingle || method == methodComposite):
		return widesMax
	}
	return len(c.queries)
}

// measureCell runs the queries of a cell by every method and checks that all of them find the same.
func measureCell(ctx context.Context, w *weftPeer, postgres *postgresPeer, c *cell, r *report) error {
	for _, method := range methods() {
		queries := c.queries[:min(len(c.queries), enough(c, method))]
		total := tally{cell: c, method: method}
		for i := range queries {
			one, err := w.query(ctx, method, &queries[i])
			if err != nil {
				return err
			}
			if err := queries[i].agree(method, one.returned); err != nil {
				return err
			}
			total.add(one)
		}
		r.tallies = append(r.tallies, total)
	}
	if postgres == nil {
		return nil
	}
	tallies, err := postgres.cell(ctx, c)
	r.tallies = append(r.tallies, tallies...)
	return err
}
