// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/testing/teststore"
)

// TestRename renames an attribute while a user of the version before goes on: each sees its own name for one id, also
// of names that come later, and a reopened catalog sees the new one.
func TestRename(t *testing.T) {
	store := teststore.Store(t)
	c := open(t, store)
	id := create(t, c, "t").ID
	before, err := c.AcquireID(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := before.Names.Add(t.Context(), []string{"a", "gone", "other"}); err != nil {
		t.Fatal(err)
	}
	renamed := make(chan error, 1)
	go func() {
		for _, to := range []string{"b", "gone"} { // a name that an attribute had which no row has any more
			from := map[string]string{"b": "a", "gone": "b"}[to]
			if _, err := c.Rename(t.Context(), id, []Rename{{from, to}},
				func(*schema.Table) error { return nil }); err != nil {
				renamed <- fmt.Errorf("%s to %s: %w", from, to, err)
				return
			}
		}
		renamed <- nil
	}()
	for {
		now, err := c.AcquireID(id)
		if err != nil {
			t.Fatal(err)
		}
		after := now.Table.Renames
		now.Release()
		if after > 0 {
			break
		}
	}
	// b has the id that the old name had in the version after
	if err := before.Names.Add(t.Context(), []string{"late", "b"}); err != nil {
		t.Fatal(err)
	}
	if number, ok := before.Names.ID([]byte("a")); !ok || number != 1 {
		t.Errorf("the version before has a as %d", number)
	}
	before.Release()
	if err := <-renamed; err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Catalog{c, open(t, store)} {
		v, err := c.AcquireID(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Names.Add(t.Context(), []string{"new"}); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]uint32{"gone": 1, "other": 3, "late": 4, "new": 6, "a": 0} {
			if number, _ := v.Names.ID([]byte(name)); number != want {
				t.Errorf("%s is %d, not %d", name, number, want)
			}
		}
		if name, _ := v.Names.Name(1); name != "gone" {
			t.Errorf("1 is %q", name)
		}
		v.Release()
	}
}

// TestRenameRefused leaves everything as it is where the edit fails, or where names stand in rows.
func TestRenameRefused(t *testing.T) {
	c := open(t, teststore.Store(t))
	id := create(t, c, "t").ID
	refusal := errors.New("no")
	if _, err := c.Rename(t.Context(), id, []Rename{{"a", "b"}},
		func(*schema.Table) error { return refusal }); !errors.Is(err, refusal) {
		t.Error(err)
	}
	v, err := c.AcquireID(id)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Release()
	if _, ok := v.Names.ID([]byte("b")); ok || v.Table.Renames != 0 {
		t.Error("the attribute was renamed")
	}
	names := make([]string, NamesMax)
	for i := range names {
		names[i] = fmt.Sprint("n", i)
	}
	if err := v.Names.Add(t.Context(), names); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Rename(t.Context(), id, []Rename{{"last", "b"}},
		func(*schema.Table) error { return nil }); !errors.Is(err, ErrNamesFull) {
		t.Error(err)
	}
}

// TestRenameSwaps puts an attribute in the place of another one in a single change.
func TestRenameSwaps(t *testing.T) {
	c := open(t, teststore.Store(t))
	id := create(t, c, "t").ID
	v, err := c.AcquireID(id)
	if err != nil {
		t.Fatal(err)
	}
	err = v.Names.Add(t.Context(), []string{"old", "new"})
	v.Release()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Rename(t.Context(), id, []Rename{{"old", "gone"}, {"new", "old"}},
		func(*schema.Table) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if v, err = c.AcquireID(id); err != nil {
		t.Fatal(err)
	}
	defer v.Release()
	for name, want := range map[string]uint32{"gone": 1, "old": 2, "new": 0} {
		if number, _ := v.Names.ID([]byte(name)); number != want {
			t.Errorf("%s is %d, not %d", name, number, want)
		}
	}
}
