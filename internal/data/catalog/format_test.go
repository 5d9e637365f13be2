// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// formatOf returns the record of a store.
func formatOf(t *testing.T, store kv.Store) format {
	t.Helper()
	stored, _, err := snapshotOf(t, store).Get(t.Context(), keyspace.AppendMeta(nil, "format"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseFormat(stored)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFeatures: the first table that uses a feature puts it into the record, and a program that lacks it refuses the
// store.
func TestFeatures(t *testing.T) {
	store := teststore.Store(t)
	c := open(t, store)
	table := &schema.Table{Database: "default", Name: "plain"}
	if err := c.Create(t.Context(), table, nil); err != nil {
		t.Fatal(err)
	}
	if f := formatOf(t, store); f.version != keyspace.FormatVersion || f.features != nil || f.check(nil) != nil {
		t.Errorf("a plain table gives %+v", f)
	}
	_, err := c.Change(t.Context(), table.ID, func(s *schema.Table) error {
		s.Indexes = append(s.Indexes, schema.Index{ID: 1, Name: "once", Unique: true})
		s.Rules = schema.Rules{Dialect: "SQL", Puts: true, Features: []string{schema.FeatureAuto}}
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := formatOf(t, store)
	want := []string{"auto-increment", "rules-sql", "unique-indexes"}
	if f.version == keyspace.FormatVersion || !slices.Equal(f.features, want) {
		t.Errorf("the record is %+v", f)
	}
	for _, lacks := range want {
		known := slices.DeleteFunc(schema.KnownFeatures(), func(name string) bool { return name == lacks })
		if err := f.check(known); !errors.Is(err, kv.ErrFormat) || !strings.Contains(err.Error(), lacks) {
			t.Errorf("a program without %s opens the store: %v", lacks, err)
		}
	}
	if again, err := Open(t.Context(), store, Options{}); err != nil || again.Schema(table.ID) == nil {
		t.Errorf("this program does not open it: %v", err)
	}
	_, err = c.Change(t.Context(), table.ID, func(s *schema.Table) error {
		s.Rules.Features = []string{"unheard-of"}
		return nil
	}, nil)
	if !errors.Is(err, kv.ErrFormat) {
		t.Errorf("a feature without a name is stored: %v", err)
	}
}

// TestFeaturesOfOlderTables: a store in which a program without the list made tables has it after a start.
func TestFeaturesOfOlderTables(t *testing.T) {
	store := teststore.Store(t)
	c := open(t, store)
	table := &schema.Table{Database: "default", Name: "t", Streams: []schema.Stream{{}}}
	if err := c.Create(t.Context(), table, nil); err != nil {
		t.Fatal(err)
	}
	err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
		return txn.Set(keyspace.AppendMeta(nil, "format"), order.AppendUvarint(nil, keyspace.FormatVersion))
	})
	if err != nil {
		t.Fatal(err)
	}
	open(t, store)
	if f := formatOf(t, store); !slices.Equal(f.features, []string{"journal"}) {
		t.Errorf("the record is %+v", f)
	}
}

func FuzzFormat(f *testing.F) {
	for _, one := range []format{{}, {features: []string{"a", "b"}}} {
		record, err := one.append(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		one, err := parseFormat(stored)
		if err != nil || one.check(one.features) != nil || len(one.features) == 0 {
			return
		}
		record, err := one.append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parseFormat(record); err != nil || !slices.Equal(again.features, one.features) {
			t.Errorf("%q becomes %q: %v", one.features, again.features, err)
		}
	})
}
