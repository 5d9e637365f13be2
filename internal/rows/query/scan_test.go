// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// numbers is a table keyed by one integer that holds the given ones.
func numbers(t *testing.T, held []int64) (*record.Table, kv.Reader) {
	t.Helper()
	table := record.Compile(&schema.Table{ID: 1, Primary: schema.Index{Key: intKey(t, "n"), PartitionParts: 1}},
		value.NoNames)
	var rows []value.Row
	for _, n := range held {
		rows = append(rows, rowOf(t, n))
	}
	return table, stored(t, table, rows)
}

// intKey is a key of one integer.
func intKey(t *testing.T, name string) []schema.KeyPart {
	t.Helper()
	part, _, err := keytext.Parse(name, schema.Int)
	if err != nil {
		t.Fatal(err)
	}
	return []schema.KeyPart{part}
}

// byM is a table keyed by n, with an index of keys alone by m.
func byM(t *testing.T) *record.Table {
	t.Helper()
	return record.Compile(&schema.Table{ID: 1, Primary: schema.Index{Key: intKey(t, "n"), PartitionParts: 1},
		Indexes: []schema.Index{{ID: 1, Name: "by_m", Key: intKey(t, "m"), PartitionParts: 1,
			Projection: schema.ProjectKeys}}}, value.NoNames)
}

// stored is a snapshot of a store that holds rows of a table.
func stored(t *testing.T, table *record.Table, rows []value.Row) kv.Reader {
	t.Helper()
	return storedBy(t, func(txn kv.Txn) error { return writeRows(txn, table, rows) })
}

// storedBy is a snapshot of a store that holds what write writes.
func storedBy(t *testing.T, write func(kv.Txn) error) kv.Reader {
	t.Helper()
	store := teststore.Store(t)
	if err := kv.Update(t.Context(), store, write); err != nil {
		t.Fatal(err)
	}
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close(); store.Close() })
	return reader
}

// writeRows writes rows that are not there yet.
func writeRows(txn kv.Txn, table *record.Table, rows []value.Row) error {
	var writer record.Writer
	for _, row := range rows {
		key, err := table.AppendKey(nil, row)
		if err == nil {
			err = writer.Write(txn, table, key, nil, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func rowOf(t *testing.T, n int64) value.Row {
	return rowWith(t, map[string]value.Value{"n": value.AppendInt(nil, n)})
}

func rowWith(t *testing.T, values map[string]value.Value) value.Row {
	t.Helper()
	var b value.RowBuilder
	for name, v := range values {
		if err := b.Set([]byte(name), v); err != nil {
			t.Fatal(err)
		}
	}
	return b.AppendTo(nil)
}

func keyOf(n int64) []byte { return order.AppendInt(nil, n) }

// multiples is a Skip hook for which only multiples of step can match.
func multiples(step int64) (skip, skipBack func(key, dst []byte) ([]byte, bool, bool)) {
	at := func(key []byte) int64 { n, _, _ := order.CutInt(key); return n }
	skip = func(key, dst []byte) ([]byte, bool, bool) {
		n := at(key)
		next := n + step - n%step
		return append(dst, keyOf(next)...), n%step == 0, true
	}
	skipBack = func(key, dst []byte) ([]byte, bool, bool) {
		n := at(key)
		below := n - n%step
		return append(dst, keyOf(below+1)...), n%step == 0, n > 0
	}
	return skip, skipBack
}

// TestSkip walks random tables with a hook and without one: the rows must be the same, in both directions, whatever
// lies between them.
func TestSkip(t *testing.T) {
	seed := rounds.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range 200 {
		held := randomNumbers(rng)
		table, reader := numbers(t, held)
		step := 1 + rng.Int64N(60)
		skip, skipBack := multiples(step)
		want := slices.DeleteFunc(slices.Clone(held), func(n int64) bool { return n%step != 0 })
		for _, reverse := range []bool{false, true} {
			scan := Scan{Table: table, Index: table.Primary, Reverse: reverse,
				Path: indexkey.Scan{Spans: []indexkey.Span{{}}, Skip: skip, SkipBack: skipBack}}
			got, counts := collect(t, &scan, reader)
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, step %d, reverse %v of %v:\n got %v\nwant %v", round, step, reverse, held, got,
					want)
			}
			if counts.Examined != int64(len(want)) ||
				counts.Examined+counts.Skipped > int64(len(held)+int(counts.Seeks)) {
				t.Fatalf("round %d: %+v for %d rows, %d of which match", round, counts, len(held), len(want))
			}
			slices.Reverse(want)
		}
	}
}

func randomNumbers(rng *rand.Rand) []int64 {
	var held []int64
	for n := int64(0); n < 3000; n += 1 + rng.Int64N(1+rng.Int64N(40)) {
		held = append(held, n)
	}
	return held
}

func collect(t *testing.T, scan *Scan, reader kv.Reader) (got []int64, counts Counts) {
	t.Helper()
	c := scan.Open(t.Context(), reader)
	for c.Next() {
		v, _ := c.Row().Get(value.NoNames, []byte("n"))
		n, _ := v.Int()
		got = append(got, n)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return got, c.Counts
}

// TestPages cuts a walk over several spans into pages of every size: together they are the whole.
func TestPages(t *testing.T) {
	held := randomNumbers(rand.New(rand.NewPCG(1, 2)))[:120]
	table, reader := numbers(t, held)
	spans := []indexkey.Span{{End: keyOf(held[20])}, {Start: keyOf(held[30]), End: keyOf(held[31])},
		{Start: keyOf(held[50])}}
	want := slices.Concat(held[:20], held[30:31], held[50:])
	for _, reverse := range []bool{false, true} {
		for size := 1; size < 100; size++ {
			scan := Scan{Table: table, Index: table.Primary, Reverse: reverse, Path: indexkey.Scan{Spans: spans},
				ExaminedMax: size}
			if got := pages(t, scan, reader); !slices.Equal(got, want) {
				t.Fatalf("reverse %v, pages of %d: %v, want %v", reverse, size, got, want)
			}
		}
		slices.Reverse(want)
	}
}

// TestPagesOfBytes cuts walks, with a hook and without one, into pages by bytes: a page ends with the item that exceeds
// the limit, and together they are the whole.
func TestPagesOfBytes(t *testing.T) {
	held := randomNumbers(rand.New(rand.NewPCG(5, 6)))[:120]
	table, reader := numbers(t, held)
	skip, skipBack := multiples(3)
	paths := []indexkey.Scan{{Spans: []indexkey.Span{{}}}, {Spans: []indexkey.Span{{}}, Skip: skip, SkipBack: skipBack}}
	for i, path := range paths {
		for _, reverse := range []bool{false, true} {
			whole := Scan{Table: table, Index: table.Primary, Reverse: reverse, Path: path}
			want, _ := collect(t, &whole, reader)
			for limit := 1; limit < 100; limit++ {
				scan := whole
				scan.BytesMax = limit
				if got := pages(t, scan, reader); !slices.Equal(got, want) {
					t.Fatalf("path %d, reverse %v, pages of %d bytes: %v, want %v", i, reverse, limit, got, want)
				}
			}
		}
	}
}

func pages(t *testing.T, scan Scan, reader kv.Reader) (all []int64) {
	t.Helper()
	for {
		c := scan.Open(t.Context(), reader)
		n := 0
		for c.Next() {
			v, _ := c.Row().Get(value.NoNames, []byte("n"))
			x, _ := v.Int()
			all, n = append(all, x), n+1
			if last := int64(c.Row().Size()); scan.BytesMax > 0 && c.Counts.Bytes-last > int64(scan.BytesMax) {
				t.Fatalf("a page of %d bytes has %d, and goes on", scan.BytesMax, c.Counts.Bytes)
			}
		}
		if full := c.Counts.Bytes > int64(scan.BytesMax); scan.BytesMax > 0 && c.More() && !full {
			t.Fatalf("a page of %d bytes ends after %d, though there is more", scan.BytesMax, c.Counts.Bytes)
		}
		more := c.More()
		scan.After = bytes.Clone(c.Last())
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if scan.ExaminedMax > 0 && n > scan.ExaminedMax {
			t.Fatalf("a page of %d has %d rows", scan.ExaminedMax, n)
		}
		if !more {
			return all
		}
	}
}

// TestBoundaries cuts a table into parts: by counting they are even within a factor, and every key is in one of them.
func TestBoundaries(t *testing.T) {
	table, reader := numbers(t, randomNumbers(rand.New(rand.NewPCG(3, 4))))
	for _, count := range []int{1, 2, 7, 50, 255, 5000} {
		cuts, err := Boundaries(t.Context(), reader, table.Primary, count, nil)
		if err != nil || len(cuts) > count || !slices.IsSortedFunc(cuts, bytes.Compare) {
			t.Fatalf("%d cuts wanted: %d, %v", count, len(cuts), err)
		}
	}
	c := cutter{ctx: t.Context(), from: reader, index: table.Primary,
		sizeOf: func(r kv.Range) int64 { return int64(countKeys(t, reader, r)) }}
	cuts, err := c.cuts(part{}, 15)
	if err != nil || len(cuts) != 15 {
		t.Fatalf("%d cuts, %v", len(cuts), err)
	}
	total, start := countKeys(t, reader, table.Primary.Range()), []byte(nil)
	for i := 0; i <= len(cuts); i++ {
		end := []byte(nil)
		if i < len(cuts) {
			end = cuts[i]
		}
		if n := countKeys(t, reader, table.Primary.Span(start, end)); n == 0 || n > total/4 {
			t.Errorf("part %d of 16 holds %d of %d", i, n, total)
		}
		start = end
	}
}

func countKeys(t *testing.T, reader kv.Reader, r kv.Range) (n int) {
	t.Helper()
	walk := reader.Scan(t.Context(), r, false)
	for walk.Next() {
		n++
	}
	if err := walk.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

func ExampleBoundaries() {
	fmt.Println(middle([]byte("a"), []byte("c"))[:1])
	// Output: [98]
}
