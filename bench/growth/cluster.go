// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

const (
	clients = 8  // of all gateways together
	regions = 16 // of the table that begins split
)

// withGateways runs do with databases that are gateways over one cluster inside the process.
func withGateways(ctx context.Context, n int, do func([]*database.DB) error) (err error) {
	cluster, err := tikvtest.Start()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	var gateways []*database.DB
	for range n {
		store, err := cluster.Open(tikv.Options{})
		if err != nil {
			return err
		}
		defer store.Close()
		o := options()
		o.Admin = store
		db, err := database.Open(ctx, store, o)
		if err != nil {
			return err
		}
		defer db.Close()
		gateways = append(gateways, db)
	}
	return do(gateways)
}

// measureGateways measures the same clients through one gateway and through several.
func measureGateways(ctx context.Context, c *config, out io.Writer) error {
	fmt.Fprintf(out, "\n### Gateways: %d clients, a cluster inside the process\n\n| gateways | operation | operations/s | µs an operation | CPU µs an operation |\n|--:|---|--:|--:|--:|\n", clients)
	for _, n := range c.Gateways {
		err := withGateways(ctx, n, func(gateways []*database.DB) error {
			return measureThrough(ctx, c, gateways,
				out)
		})
		if err != nil {
			return fmt.Errorf("%d gateways: %w", n, err)
		}
	}
	return nil
}

func measureThrough(ctx context.Context, c *config, gateways []*database.DB, out io.Writer) error {
	spec, err := spread(c.Rows)
	if err != nil {
		return err
	}
	if _, err := gateways[0].CreateTable(ctx,
		database.TableSpec{Name: tableName, Key: database.Columns("id", schema.Number), Regions: spec}); err != nil {
		return err
	}
	tables := make([]*database.Table, len(gateways))
	for i, db := range gateways {
		var err error
		if tables[i], err = db.Table(tableName); err != nil {
			return err
		}
	}
	for i := range c.Rows {
		if err := testdoc.Put(ctx, tables[0], testdoc.Document{"id": i, "note": note}); err != nil {
			return err
		}
	}
	operations := []struct {
		name string
		do   func(table *database.Table, id int) error
	}{
		{"get", func(table *database.Table, id int) error { return getOne(ctx, table, testdoc.Document{"id": id}) }},
		{"put", func(table *database.Table, id int) error {
			return testdoc.Put(ctx, table, testdoc.Document{"id": id, "note": note})
		}},
	}
	for _, operation := range operations {
		var taken []loadgen.Result
		for range c.Rounds {
			f, err := measure(ctx, c, clients, func(i int) func() error {
				random, table := rand.New(rand.NewPCG(2, uint64(i))), tables[i%len(tables)]
				return func() error { return operation.do(table, random.IntN(c.Rows)) }
			})
			if err != nil {
				return fmt.Errorf("%s: %w", operation.name, err)
			}
			taken = append(taken, f)
		}
		f := median(taken)
		fmt.Fprintf(out, "| %d | %s | %s | %s | %s |\n", len(gateways), operation.name, loadgen.Figure(f.rate),
			loadgen.Figure(f.micros), loadgen.Figure(f.cpu))
	}
	return nil
}

// spread is regions over ids from 0 to rows.
func spread(rows int) (*database.RegionSpec, error) {
	from, err := govalue.AppendValue(nil, 0)
	if err != nil {
		return nil, err
	}
	to, err := govalue.AppendValue(nil, rows)
	return &database.RegionSpec{Count: regions, From: from, To: to}, err
}

// measureRegions has writers fill a table that begins with one region and one that begins split.
func measureRegions(ctx context.Context, c *config, out io.Writer) error {
	fmt.Fprintf(out, "\n### Regions: %d writers, new rows in random order\n\n| store | regions | rows/s | µs a row | CPU µs a row |\n|---|--:|--:|--:|--:|\n", clients)
	err := embedded(ctx, c, "regions", func(db *database.DB,
		_ *pebble.Store) error {
		return measureSplit(ctx, c, "embedded", db, out)
	})
	if err != nil {
		return err
	}
	return withGateways(ctx, 1, func(gateways []*database.DB) error {
		return measureSplit(ctx, c, "cluster",
			gateways[0], out)
	})
}

// measureSplit fills new tables, in turn one of each kind.
func measureSplit(ctx context.Context, c *config, store string, db *database.DB, out io.Writer) error {
	const ids = 1 << 40
	split, err := spread(ids)
	if err != nil {
		return err
	}
	specs := []*database.RegionSpec{{Count: 1}, split}
	taken := make([][]loadgen.Result, len(specs))
	for round := range c.Rounds {
		for kind, spec := range specs {
			name := fmt.Sprintf("%s%d-%d", tableName, round, kind)
			table, err := db.CreateTable(ctx,
				database.TableSpec{Name: name, Key: database.Columns("id", schema.Number), Regions: spec})
			if err != nil {
				return err
			}
			if err := hasRegions(ctx, db, name, kind*(regions-1)+1); err != nil {
				return err
			}
			f, err := measure(ctx, c, clients, func(i int) func() error {
				random := rand.New(rand.NewPCG(uint64(round), uint64(i)))
				return func() error { return testdoc.Put(ctx, table, testdoc.Document{"id": random.IntN(ids), "note": note}) }
			})
			if err != nil {
				return err
			}
			taken[kind] = append(taken[kind], f)
		}
	}
	for kind := range specs {
		f := median(taken[kind])
		fmt.Fprintf(out, "| %s | %d | %s | %s | %s |\n", store, kind*(regions-1)+1, loadgen.Figure(f.rate),
			loadgen.Figure(f.micros), loadgen.Figure(f.cpu))
	}
	return nil
}

// hasRegions fails unless the table has as many regions as it should.
func hasRegions(ctx context.Context, db *database.DB, name string, want int) error {
	p, err := db.PinIn("", name)
	if err != nil {
		return err
	}
	defer p.Release()
	list, err := p.Regions(ctx, "")
	if err == nil && len(list) != want {
		err = fmt.Errorf("table %s has %d regions, not %d", name, len(list), want)
	}
	return err
}
