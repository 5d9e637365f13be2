// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/mem"
)

// counted is a database whose requests are counted. Time stands still unless it is told.
type counted struct {
	db   *database.DB
	heat *heat.Map
	tick int64 // Unix milliseconds
}

func openCounted(t *testing.T) *counted {
	c := &counted{heat: heat.New(heat.Options{}), tick: 60_000}
	c.heat.Tick(c.tick)
	engine := mem.Open(mem.Options{})
	store := heat.Wrap(engine, c.heat)
	var err error
	c.db, err = database.Open(t.Context(), store,
		database.Options{Admin: engine, Logger: slog.New(slog.DiscardHandler), Traffic: region.OfHeat(c.heat),
			ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// requests is the number of requests that were counted since it was asked last, of all tables and indexes.
func (c *counted) requests() (reads, writes int) {
	before := c.tick
	c.tick += 60_000
	c.heat.Tick(c.tick)
	for _, h := range c.heat.Histories() {
		for _, m := range h.Moments {
			if m.From >= before {
				reads, writes = reads+int(m.Counted[0]), writes+int(m.Counted[1])
			}
		}
	}
	return reads, writes
}

// TestOwnWorkIsNoLoad: what the database reads and writes for itself or its operator is not counted as requests, so
// that regions are not split for it and no finding is about it.
func TestOwnWorkIsNoLoad(t *testing.T) {
	c := openCounted(t)
	table := mustTable(t, c.db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number)})
	const rows = 300
	for i := range rows {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"pk": i, "lat": i, "lon": -i, "old": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if reads, writes := c.requests(); reads != 0 || writes < rows/2 { // about: it is a sample once they are many
		t.Fatalf("counted %d reads and %d writes of %d puts", reads, writes, rows)
	}
	pinned := func(do func(ctx context.Context, p database.Pinned) error) func(context.Context) error {
		return func(ctx context.Context) error {
			p, err := table.Pin()
			if err != nil {
				return err
			}
			defer p.Release()
			return do(ctx, p)
		}
	}
	for name, work := range map[string]func(ctx context.Context) error{
		"an index build": func(ctx context.Context) error {
			return errors.Join(table.AddIndex(ctx,
				database.IndexSpec{Name: "by_lat", Key: database.Columns("lat", schema.Number)}), c.db.WaitJobs(ctx))
		},
		"a Z-order index build": func(ctx context.Context) error {
			spec := database.IndexSpec{Name: "place", Key: parts(t, "zorder(lat number, lon number)", "bytes")}
			return errors.Join(table.AddIndex(ctx, spec), c.db.WaitJobs(ctx))
		},
		"verification": func(ctx context.Context) error { _, err := table.Verify(ctx); return err },
		"an estimate": pinned(func(ctx context.Context, p database.Pinned) error {
			_,
				err := p.Estimate(ctx, "")
			return err
		}),
		"a plan": pinned(func(ctx context.Context, p database.Pinned) error {
			_, err := p.Explain(ctx, database.Query{})
			return err
		}),
		"a plan that is tried": pinned(func(ctx context.Context, p database.Pinned) error {
			_, err := p.Analyze(ctx, database.Query{})
			return err
		}),
		"a split": func(ctx context.Context) error {
			_, err := table.Split(ctx, "", database.RegionSpec{Count: 4})
			return err
		},
		"regions": pinned(func(ctx context.Context, p database.Pinned) error {
			_,
				err := p.Regions(ctx, "")
			return err
		}),
		"looking around": func(ctx context.Context) error { _, err := c.db.AllRegions().Look(ctx, true); return err },
		"the advisor":    func(ctx context.Context) error { _, err := survey.Of(ctx, c.db, "t"); return err },
		"expiry": func(ctx context.Context) error {
			_, err := c.db.Jobs().Expire(ctx)
			return err
		},
	} {
		if err := work(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if reads, writes := c.requests(); reads != 0 || writes != 0 {
			t.Errorf("%s counts as %d reads and %d writes", name, reads, writes)
		}
	}
}

// TestLooksOfWrites: a write counts once, as a write, though it looks at what it overwrites; if it then writes nothing,
// it counts as a read.
func TestLooksOfWrites(t *testing.T) {
	c := openCounted(t)
	table := mustTable(t, c.db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number)})
	add := func(pk int, conditions ...expr.Condition) error {
		_, err := testdoc.Update(t.Context(), table, testdoc.Document{"pk": pk}, govalue.Attribute("n").Add(1), conditions...)
		return err
	}
	never := govalue.Attribute("n").Equal(-1)
	for _, one := range []struct {
		what          string
		do            func() error
		reads, writes int
	}{
		{"a new item", func() error { return add(1) }, 0, 1},
		{"an update", func() error { return add(1) }, 0, 1},
		{"a condition that fails", func() error {
			if err := add(1, never); database.KindOf(err) != database.KindConditionFailed {
				return err
			}
			return nil
		}, 1, 0},
		{"a deletion of nothing", func() error {
			return testdoc.Delete(t.Context(), table, testdoc.Document{"pk": 2}, govalue.Not(govalue.Attribute("n").Exists()))
		}, 1, 0},
		{"a transaction", func() error {
			return c.db.Update(t.Context(), func(tx *database.Tx) error {
				if _, _, err := testdoc.GetIn(t.Context(), tx, "t", testdoc.Document{"pk": 1}); err != nil {
					return err
				}
				return testdoc.UpdateIn(t.Context(), tx, "t", testdoc.Document{"pk": 2}, govalue.Attribute("n").Add(1))
			})
		}, 1, 1},
	} {
		if err := one.do(); err != nil {
			t.Errorf("%s: %v", one.what, err)
		}
		if reads, writes := c.requests(); reads != one.reads || writes != one.writes {
			t.Errorf("%s counts as %d reads and %d writes, not %d and %d", one.what, reads, writes, one.reads,
				one.writes)
		}
	}
}
