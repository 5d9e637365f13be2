// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill makes a database with two tables and returns its store, or writes other rows to the one there is.
func fill(t testing.TB, store kv.Store, r *rand.Rand, rows int) {
	t.Helper()
	db, err := database.Open(t.Context(), store, database.Options{})
	must(t, err)
	defer db.Close()
	if len(db.Tables("", "", 1)) == 0 {
		for _, name := range []string{"a", "b"} {
			_, err = db.CreateTable(t.Context(),
				database.TableSpec{Name: name, Key: database.Columns("id", schema.Number),
					Indexes: []database.IndexSpec{{Name: "by-n", Key: database.Columns("n", schema.Number)}}})
			must(t, err)
		}
	}
	for i := range rows {
		p, err := db.PinIn("", []string{"a", "b"}[i%2])
		must(t, err)
		row, err := testdoc.Document{"id": r.IntN(1000), "n": r.IntN(100),
			"text": strings.Repeat("x", 3000)}.AppendRow(nil, p.Names())
		must(t, err)
		op := database.OpPut
		if r.IntN(4) == 0 {
			op = database.OpDelete
		}
		must(t, p.Write(t.Context(), &database.Write{Op: op, Row: row}, &database.WriteResult{}))
		p.Release()
	}
}

// content is all that belongs to the data, as text.
func content(t testing.TB, store kv.Store) (list []string) {
	t.Helper()
	reader, err := store.Read(t.Context())
	must(t, err)
	defer reader.Close()
	c := reader.Scan(t.Context(), kv.Range{}, false)
	for c.Next() {
		if section, _, err := keyspace.Parse(c.Key()); err != nil ||
			section.Owner != "gateway" && string(c.Key()) != string(noteKey()) {
			list = append(list, fmt.Sprintf("%x %x", c.Key(), c.Value()))
		}
	}
	must(t, c.Close())
	return list
}

func openPebble(t testing.TB) kv.Store {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: vfs.NewMem(), ReadOnlyBelowBytes: -1})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	return store
}

// TestCopy copies between engines, with transactions that fail, again after more writes, and opens the copy.
func TestCopy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, target := range map[string]func() kv.Store{
		"mem":    func() kv.Store { return mem.Open(mem.Options{}) },
		"pebble": func() kv.Store { return openPebble(t) },
	} {
		t.Run(name, func(t *testing.T) {
			source, target := openPebble(t), kvwrap.Faulty(target(), kvwrap.FaultyOptions{})
			fill(t, source, r, 2000)
			o := Options{From: source, To: target, Source: "s"}
			broken := errors.New("broken")
			target.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: 3, Err: broken})
			if _, err := Copy(t.Context(), o); !errors.Is(err, broken) {
				t.Fatal(err)
			}
			if _, err := database.Open(t.Context(), target, database.Options{}); !errors.Is(err, kv.ErrFormat) {
				t.Errorf("half a copy was opened: %v", err)
			}
			var first *Progress
			o.Progress = func(p Progress) {
				if first == nil {
					first = &p
				}
			}
			list, err := Copy(t.Context(), o)
			must(t, err)
			if !slices.Equal(content(t, source), content(t, target)) || len(list) < 6 {
				t.Errorf("the copy differs, %v", list)
			}
			if first == nil || !strings.HasPrefix(first.At, "default.") {
				t.Errorf("it began anew: %+v", first)
			}
			if _, err := Copy(t.Context(), o); !errors.Is(err, ErrDone) {
				t.Error(err)
			}
			o.Again, o.Source = true, "other"
			if _, err := Copy(t.Context(), o); !errors.Is(err, ErrTarget) {
				t.Error(err)
			}
			fill(t, source, r, 300)
			fill(t, target, r, 10) // lost
			o.Source = "s"
			var last Progress
			o.Progress = func(p Progress) { last = p }
			_, err = Copy(t.Context(), o)
			must(t, err)
			if !slices.Equal(content(t, source), content(t, target)) || last.Written > 2000 {
				t.Errorf("the copy differs, or %d were written", last.Written)
			}
			db, err := database.Open(t.Context(), target, database.Options{})
			must(t, err)
			defer db.Close()
			table, err := db.Table("a")
			must(t, err)
			if report, err := table.Verify(t.Context()); err != nil || report.Rows == 0 || len(report.Faults) > 0 {
				t.Error(report, err)
			}
		})
	}
}

// TestRefused: what is no copy is not written over, and what is no database not copied.
func TestRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := mem.Open(mem.Options{}), mem.Open(mem.Options{})
	fill(t, a, r, 10)
	fill(t, b, r, 10)
	before := content(t, b)
	if _, err := Copy(t.Context(), Options{From: a, To: b, Source: "a", Again: true}); !errors.Is(err, ErrTarget) ||
		!slices.Equal(before, content(t, b)) {
		t.Error(err)
	}
	if _, err := Copy(t.Context(), Options{From: mem.Open(mem.Options{}), To: b}); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

// TestDifference: a copy that somebody else wrote to is not called complete.
func TestDifference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := mem.Open(mem.Options{}), mem.Open(mem.Options{})
	fill(t, a, r, 200)
	disturbed := false
	_, err := Copy(t.Context(), Options{From: a, To: b, Source: "a", Progress: func(Progress) {
		if disturbed {
			return
		}
		disturbed = true
		must(t, kv.Update(context.Background(), b,
			func(txn kv.Txn) error { return txn.Set(keyspace.AppendRows(nil, 1, 0), []byte("x")) }))
	}})
	difference, ok := errors.AsType[*DifferenceError](err)
	if !ok || difference.Want.Name != "default.a" || difference.Got.Entries != difference.Want.Entries+1 {
		t.Error(err)
	}
	if _, err := database.Open(t.Context(), b, database.Options{}); !errors.Is(err, kv.ErrFormat) {
		t.Error(err)
	}
}
