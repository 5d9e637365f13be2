// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

func open(t *testing.T, store kv.Store) *Catalog {
	t.Helper()
	c, err := Open(t.Context(), store, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func create(t *testing.T, c *Catalog, name string) *schema.Table {
	t.Helper()
	table := &schema.Table{Database: "default", Name: name}
	if err := c.Create(t.Context(), table, nil); err != nil {
		t.Fatal(err)
	}
	return table
}

// TestNamesOfTables makes, lists, drops and makes again: a new table never gets an old id, and a reopened catalog knows
// the same.
func TestNamesOfTables(t *testing.T) {
	store := teststore.Store(t)
	c := open(t, store)
	for _, name := range []string{"b", "a", "c", "a.b"} {
		create(t, c, name)
	}
	if err := c.Create(t.Context(), &schema.Table{Database: "default", Name: "a"}, nil); !errors.Is(err, ErrExists) {
		t.Errorf("a second table a: %v", err)
	}
	old, err := c.Acquire("default", "b")
	if err != nil {
		t.Fatal(err)
	}
	id := old.Table.ID
	old.Release()
	if _, err := c.Change(t.Context(), id,
		func(table *schema.Table) error { table.State = schema.Dropping; return nil }, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Forget(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	if again := create(t, c, "b"); again.ID <= id {
		t.Errorf("the new table has id %d, the old one had %d", again.ID, id)
	}
	for _, c := range []*Catalog{c, open(t, store)} {
		if all := c.Tables("default", "", 10); !slices.Equal(all, []string{"a", "a.b", "b", "c"}) {
			t.Errorf("tables %q", all)
		}
		if some := c.Tables("default", "a", 2); !slices.Equal(some, []string{"a.b", "b"}) {
			t.Errorf("two tables after a: %q", some)
		}
		if none := c.Tables("other", "", 10); none != nil {
			t.Errorf("another database has %q", none)
		}
	}
}

// beginChange begins a change of a table, which waits for the version before to be released.
func beginChange(t *testing.T, c *Catalog, id uint32) (before *Version, done <-chan error) {
	t.Helper()
	before, err := c.AcquireID(id)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := c.Change(t.Context(), id, func(table *schema.Table) error { table.UUID = "new"; return nil }, nil)
		ended <- err
	}()
	awaitNew(t, c, id)
	return before, ended
}

// TestChangeWaits: a change is seen by who comes after it, and returns only when who came before has gone.
func TestChangeWaits(t *testing.T) {
	c := open(t, teststore.Store(t))
	id := create(t, c, "t").ID
	before, done := beginChange(t, c, id)
	select {
	case err := <-done:
		t.Fatalf("the change returned while the version before was in use: %v", err)
	default:
	}
	if before.Table.UUID != "" {
		t.Error("the pinned version changed")
	}
	before.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// awaitNew waits until a table has the UUID new, which a change gives it.
func awaitNew(t *testing.T, c *Catalog, id uint32) {
	t.Helper()
	for seen := ""; seen != "new"; runtime.Gosched() {
		after, err := c.AcquireID(id)
		if err != nil {
			t.Fatal(err)
		}
		seen = after.Table.UUID
		after.Release()
	}
}

// TestCancelledWait: a change whose wait is cancelled stands, and the next one makes up for the wait.
func TestCancelledWait(t *testing.T) {
	c := open(t, teststore.Store(t))
	id := create(t, c, "t").ID
	before, err := c.AcquireID(id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		table, err := c.Change(ctx, id, func(table *schema.Table) error { table.UUID = "new"; return nil }, nil)
		if table == nil || table.UUID != "new" {
			err = fmt.Errorf("the change did not stand: %v", err)
		}
		done <- err
	}()
	awaitNew(t, c, id)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled wait gave %v", err)
	}
	if table, err := c.Change(ctx, id, func(*schema.Table) error { return nil }, nil); table != nil ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("a change before the wait was made up for: %v, %v", table, err)
	}
	before.Release()
	if err := c.Settle(t.Context(), id); err != nil {
		t.Error(err)
	}
}

// TestOtherChange: a change whose context ends while it waits for another one says for which, and has done nothing.
func TestOtherChange(t *testing.T) {
	c := open(t, teststore.Store(t))
	id := create(t, c, "t").ID
	before, done := beginChange(t, c, id)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.CreateDatabase(ended, "d"); !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "waited for a change of table t") {
		t.Errorf("a change beside another one: %v", err)
	}
	before.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := c.CreateDatabase(t.Context(), "d"); err != nil {
		t.Errorf("the same change afterwards: %v", err)
	}
}

// TestAttributeNames: ids are given once, kept for ever, and end at NamesMax.
func TestAttributeNames(t *testing.T) {
	store := teststore.Store(t)
	c := open(t, store)
	id := create(t, c, "t").ID
	version, err := c.AcquireID(id)
	if err != nil {
		t.Fatal(err)
	}
	names := version.Names
	add := func(from, to int) {
		var some []string
		for i := from; i < to; i++ {
			some = append(some, fmt.Sprint("name ", i))
		}
		if err := names.Add(t.Context(), some); err != nil {
			t.Fatal(err)
		}
	}
	add(0, 10)
	add(5, NamesMax+100)
	reopened, err := open(t, store).AcquireID(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range []*Names{names, reopened.Names} {
		if n := len(names.All()); n != NamesMax {
			t.Fatalf("%d names have ids, want %d", n, NamesMax)
		}
		for i := range NamesMax {
			name := fmt.Sprint("name ", i)
			id, ok := names.ID([]byte(name))
			back, known := names.Name(id)
			if !ok || !known || back != name || id != uint32(i+1) {
				t.Fatalf("%s has id %d %v, which is %q %v", name, id, ok, back, known)
			}
		}
		if _, ok := names.ID([]byte(fmt.Sprint("name ", NamesMax))); ok {
			t.Error("a name beyond the limit has an id")
		}
		if _, ok := names.Name(0); ok {
			t.Error("id 0 has a name")
		}
	}
}

// TestAttributeNamesOfOthers: two catalogs of one store give ids to names at once. No id has two names, no name two
// ids, and each learns the other's.
func TestAttributeNamesOfOthers(t *testing.T) {
	store := teststore.Store(t)
	id := create(t, open(t, store), "t").ID
	var both [2]*Names
	for i := range both {
		both[i] = newNames(store, id, func(err error) { t.Error(err) })
	}
	var done sync.WaitGroup
	for i, names := range both {
		done.Go(func() {
			for j := range 100 {
				if err := names.Add(context.Background(),
					[]string{fmt.Sprint("mine ", i, j), fmt.Sprint("both ", j)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	fresh, err := loadNames(t.Context(), snapshotOf(t, store), newNames(store, id, nil))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(fresh.All()); n != 300 {
		t.Fatalf("%d names have ids, want 300", n)
	}
	for i, name := range fresh.All() {
		for _, names := range both {
			if learned, ok := names.Name(uint32(i + 1)); !ok || learned != name {
				t.Errorf("id %d is %q %v, want %q", i+1, learned, ok, name)
			}
			if back, ok := names.ID([]byte(name)); !ok || back != uint32(i+1) {
				t.Errorf("%q has id %d %v, want %d", name, back, ok, i+1)
			}
		}
	}
	if _, ok := both[0].Name(301); ok {
		t.Error("an id that nobody gave has a name")
	}
}

// TestRowsOfOthers: an attribute is found in a row that another gateway wrote under an id of its own.
func TestRowsOfOthers(t *testing.T) {
	store := teststore.Store(t)
	id := create(t, open(t, store), "t").ID
	mine, other := newNames(store, id, func(err error) { t.Error(err) }), newNames(store, id,
		func(err error) { t.Error(err) })
	if err := other.Add(t.Context(), []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	var b value.RowBuilder
	b.Reset(other)
	for _, name := range []string{"a", "b"} {
		if err := b.Set([]byte(name), value.AppendString(nil, []byte(name))); err != nil {
			t.Fatal(err)
		}
	}
	row := b.AppendTo(nil)
	if v, ok := row.Get(mine, []byte("a")); !ok || !slices.Equal(v, value.AppendString(nil, []byte("a"))) {
		t.Errorf("a is %x %v", v, ok)
	}
	fresh := newNames(store, id, func(err error) { t.Error(err) })
	if err := fresh.Know(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	if got, ok := fresh.ID([]byte("b")); !ok || got != row.LastID() {
		t.Errorf("b has id %d %v, want %d", got, ok, row.LastID())
	}
}

func snapshotOf(t *testing.T, store kv.Store) kv.Snapshot {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	return reader
}

// TestNewerFormat refuses a store that a later version wrote.
func TestNewerFormat(t *testing.T) {
	store := teststore.Store(t)
	open(t, store)
	err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
		return txn.Set(keyspace.AppendMeta(nil, "format"), order.AppendUvarint(nil, formatFeatures+1))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), store, Options{}); !errors.Is(err, kv.ErrFormat) {
		t.Errorf("a newer format gives %v", err)
	}
}

// TestBoundaries keeps old versions as long as asked, and never changes one.
func TestBoundaries(t *testing.T) {
	c := open(t, teststore.Store(t))
	for i := range 5 {
		b, err := c.AddBoundaries(t.Context(), 1, 2, [][]byte{{byte(i)}}, int64(100*i), int64(100*i-150))
		if err != nil || b.Version != uint64(i+1) {
			t.Fatalf("version %d, %v", b.Version, err)
		}
	}
	for version := uint64(1); version <= 5; version++ {
		b, ok, err := c.Boundaries(t.Context(), 1, 2, version)
		if err != nil || ok != (version >= 4) || ok && b.Keys[0][0] != byte(version-1) {
			t.Errorf("version %d: %v %v %v", version, b, ok, err)
		}
	}
	if b, ok, err := c.LatestBoundaries(t.Context(), 1, 2); err != nil || !ok || b.Version != 5 {
		t.Errorf("latest %v %v %v", b, ok, err)
	}
	if _, ok, err := c.LatestBoundaries(t.Context(), 1, 3); err != nil || ok {
		t.Errorf("an index without boundaries has some: %v", err)
	}
}
