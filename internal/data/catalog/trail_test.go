// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// behind returns a catalog over a shared store that follows changes only when it is told to.
func behind(store kv.Store, shared kv.Shared) *Catalog {
	g := gateway.New(gateway.Options{Store: store, Shared: shared, Logger: slog.New(slog.DiscardHandler)})
	return &Catalog{store: store, gateway: g, change: newTurn(), names: map[string]*entry{}, ids: map[uint32]*entry{},
		views: map[string]View{}}
}

// joined returns the catalog of a gateway of its own.
func joined(t *testing.T, store *mem.Store) *Catalog {
	t.Helper()
	handle := store.Share()
	g := gateway.New(gateway.Options{Store: handle, Shared: handle, Logger: slog.New(slog.DiscardHandler),
		Settings: gateway.Settings{Poll: time.Millisecond, Lease: time.Hour}})
	c, err := Open(t.Context(), handle, Options{Gateway: g})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return c
}

// differs says what a catalog has that is not stored, or lacks.
func differs(t *testing.T, c *Catalog, store kv.Store) error {
	whole := open(t, store)
	if !slices.Equal(c.sorted, whole.sorted) {
		return fmt.Errorf("the tables are %q, want %q", c.sorted, whole.sorted)
	}
	for id, e := range whole.ids {
		have, ok := c.ids[id]
		if !ok || have.current.Load().Table.Version != e.current.Load().Table.Version ||
			!slices.Equal(have.names.All(), e.names.All()) {
			return fmt.Errorf("table %d differs", id)
		}
	}
	if !maps.Equal(c.views, whole.views) || !slices.Equal(c.Databases(), whole.Databases()) {
		return errors.New("views or databases differ")
	}
	return nil
}

// changeAny makes a change of the schema of some kind.
func changeAny(ctx context.Context, c *Catalog, rng *rand.Rand) error {
	name := fmt.Sprint("t", rng.IntN(20))
	database := "default"
	if all := c.Databases(); rng.IntN(2) == 0 {
		database = all[rng.IntN(len(all))]
	}
	v, err := c.Acquire(database, name)
	if err == nil {
		v.Release()
	}
	switch n := rng.IntN(10); {
	case n == 0:
		return c.Views().Replace(ctx, View{Database: database, Name: fmt.Sprint("v", rng.IntN(3)), Query: name})
	case n == 1:
		return c.CreateDatabase(ctx, fmt.Sprint("d", rng.IntN(5)))
	case err != nil:
		return c.Create(ctx, &schema.Table{Database: database, Name: name}, nil)
	case n == 2:
		_, err = c.RenameTable(ctx, v.Table.ID, database, name+"x", func(*schema.Table) error { return nil })
	case n == 3:
		if err = v.Names.Add(ctx, []string{"a", "b"}); err == nil {
			_, err = c.Rename(ctx, v.Table.ID, []Rename{{"a", fmt.Sprint("c", rng.IntN(3))}},
				func(*schema.Table) error { return nil })
		}
	case n == 4:
		err = c.Forget(ctx, v.Table.ID, nil)
	case n == 5: // a gateway of another version tells no tables
		err = kv.Update(ctx, c.store, func(txn kv.Txn) error {
			_, err := gateway.Raise(ctx, txn)
			table := *v.Table
			table.Version++
			return errors.Join(err, writeTable(ctx, txn, &table, nil))
		})
	default:
		_, err = c.Change(ctx, v.Table.ID, func(*schema.Table) error { return nil }, nil)
	}
	return err
}

// TestFollowing has gateways change the schema in every way, and one follow after few changes or many: it has what is
// stored.
func TestFollowing(t *testing.T) {
	rng := rounds.Random(t)
	for range rounds.Of(t, 3) {
		store := mem.Open(mem.Options{})
		gateways := []*Catalog{joined(t, store), joined(t, store)}
		handle := store.Share()
		follower := behind(handle, handle)
		for range 20 {
			for range rng.IntN([]int{4, 4, 2 * trailLength}[rng.IntN(3)]) {
				err := changeAny(t.Context(), gateways[rng.IntN(2)], rng)
				if err != nil && !slices.ContainsFunc([]error{ErrExists, ErrViewExists, ErrNotFound, ErrDatabaseExists},
					func(expected error) bool { return errors.Is(err, expected) }) {
					t.Fatal(err)
				}
			}
			if _, _, err := follower.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := differs(t, follower, store); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFollowingReads: the first look and what follows a change of a table take as many requests, however many tables
// there are.
func TestFollowingReads(t *testing.T) {
	store := mem.Open(mem.Options{})
	changer, handle := joined(t, store), store.Share()
	var ids []uint32
	for i := range 50 {
		ids = append(ids, create(t, changer, fmt.Sprint("t", i)).ID)
	}
	recording := kvwrap.Recording(handle)
	follower := behind(recording, handle)
	if _, _, err := follower.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := scans(recording); n != 3 {
		t.Errorf("the first look scans %d times, want 3: tables, views, and names of attributes", n)
	}
	for range 3 {
		if _, err := changer.Change(t.Context(), ids[7], func(*schema.Table) error { return nil }, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := follower.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := scans(recording); n != 0 {
		t.Errorf("to follow three changes of one table scans %d times", n)
	}
}

// scans is the number of scans since the last look.
func scans(store *kvwrap.RecordingStore) (n int) {
	for _, line := range store.Lines() {
		if strings.Contains(line, " scan ") {
			n++
		}
	}
	return n
}
